"""A catalog backend that remembers another one's answers, by tier (catalog contract 15)."""

from core.catalog.cached.store import CachedCatalog

__all__ = ["CachedCatalog"]
