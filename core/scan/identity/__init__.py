"""Which records are one work: identifiers, names, cids and merging (scan contract 7.5)."""
