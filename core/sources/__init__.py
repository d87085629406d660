"""The upstream services that are asked about the literature: a table of their rules, and one file for each service."""
