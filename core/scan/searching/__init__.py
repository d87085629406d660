"""What a scan asks of the catalog and of sources outside (scan contract 7.2 to 7.4, 7.9, 7.13)."""
