"""Bibliographies as people keep them: BibTeX, CSL-JSON and plain lists of references (references contract, 7.3)."""
