"""The texts of queries and what sources make of them (scan contract 7.3)."""
