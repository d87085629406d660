"""A catalog behind a Papers-With-Code-compatible HTTP API (catalog contract 14 and 16)."""
