"""The works around the seeds: which seeds, which of their neighbours, and which of those enter (scan contract 7.9)."""
