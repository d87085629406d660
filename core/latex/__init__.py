"""How LaTeX and BibTeX are written: escapes, formulas, names of people, citation keys."""
