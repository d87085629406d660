"""Text from upstream, made plain: markup, entities, broken encodings (references contract, section 4.5)."""

from core.texts.cleaning import Cleaned, Damage, clean_text, cleaned
from core.texts.damage import quality, restored

__all__ = ["Cleaned", "Damage", "clean_text", "cleaned", "quality", "restored"]
