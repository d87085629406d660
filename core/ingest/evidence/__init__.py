"""Evidence beside a catalog: claims, assessments, relations, authors and digests out of a folder (contract 8)."""
