"""Runs that were recorded as directories, read back (scan contract 8.1, 12)."""
