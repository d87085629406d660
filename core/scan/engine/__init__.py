"""What drives a scan: the stored step, calls, stages as jobs, and answers (scan contract 4, 5, 10)."""
