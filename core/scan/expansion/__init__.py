"""From what is worth keeping to what stands around it in the citation graph (scan contract 7.9)."""
