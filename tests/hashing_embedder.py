"""A small real embedder: words by their hashes, so that texts that share words are near; the same on every machine."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import SourceUnreachable


class HashingEmbedder:
    """Each word adds or takes one in the dimension that its hash names."""

    model = "hashed-words@1"
    dimensions = 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                digest = hashlib.blake2b(word.encode(), digest_size=2).digest()
                row[digest[0] % self.dimensions] += 1 if digest[1] % 2 else -1
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = rows / np.maximum(lengths, 1e-9)
        return unit


class BrokenEmbedder(HashingEmbedder):
    """Of the same model, and out of order."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise SourceUnreachable("The embedder failed. Try again later.", source="embedder")
