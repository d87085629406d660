"""The embedded backend: a built catalog directory, opened read-only."""
