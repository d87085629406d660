"""A literature scan: the client's model judges, everything else is done here (scan contract)."""
