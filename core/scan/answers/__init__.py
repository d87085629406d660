"""What a scan answers: refusals, the envelope, progress and the payloads of each action (scan contract 3, 5, 6)."""
