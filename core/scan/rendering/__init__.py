"""The evidence as JSON, Markdown and BibTeX: pure functions of a scan's documents (scan contract 7.15)."""
