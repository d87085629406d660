"""Records as BibTeX and CSL-JSON (references contract, sections 7.1 and 7.2)."""
