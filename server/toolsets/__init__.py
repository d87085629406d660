"""One package for each toolset; tools grouped by noun."""
