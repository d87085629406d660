"""One concern a file: what surrounds every request."""
