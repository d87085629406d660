"""The `/api/v1` HTTP API over an embedded catalog, by noun (catalog contract 16): paths and parameters in, rows out."""
