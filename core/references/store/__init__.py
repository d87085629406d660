"""The user's own store of papers in local mode: PDFs, a TOML file each, and a log (references contract, section 10)."""
