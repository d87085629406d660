"""Citation texts: how well a record answers one, and which record is the one (references contract, section 6.1)."""
