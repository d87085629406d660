"""Rules about bibliographic records that every room shares: names, pages, types, merging (references contract, 4)."""
