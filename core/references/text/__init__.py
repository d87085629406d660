"""Full texts in sections, whichever form they came in (references contract 8.1)."""
