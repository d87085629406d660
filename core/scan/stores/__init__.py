"""Where scans are kept: one port, its adapters, and how bytes lie in them (scan contract 10.1-10.3)."""
