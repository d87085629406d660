"""TeX sources of papers, read out of whatever they are packed in (references contract 8.2)."""
