"""The smoke test: what an operator asks of a service before and after clients are sent to it (hosting contract 5.9)."""
