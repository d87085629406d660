"""A built evidence set on disk: records in SQLite, word indexes and columns as arrays, vectors of chunks and claims."""
