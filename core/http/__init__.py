"""The one polite client to the outside: a pool, and upstreams with their own manners over it."""
