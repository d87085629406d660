"""An index of names by their letter triples, for the catalog's own nearest-name questions."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.catalog.likeness import MIN_SIMILARITY, trigrams


class TrigramIndex:
    """Texts by their triples, for nearest-name questions over tens of thousands of names."""

    def __init__(self, texts: Sequence[str]) -> None:
        places: defaultdict[str, list[int]] = defaultdict(list)
        sizes = np.zeros(len(texts), dtype=np.int32)
        for place, text in enumerate(texts):
            triples = trigrams(text)
            sizes[place] = len(triples)
            for triple in triples:
                places[triple].append(place)
        self._places = {triple: np.array(found, dtype=np.int32) for triple, found in places.items()}
        self._sizes = sizes

    def nearest(self, text: str, limit: int) -> list[int]:
        """Places of the texts most like `text`, best first, equals by place; unlike ones are left out."""
        triples = trigrams(text)
        found = [self._places[triple] for triple in triples if triple in self._places]
        if not found:
            return []
        shared: NDArray[np.int64] = np.bincount(np.concatenate(found), minlength=len(self._sizes))
        scores = 2.0 * shared / (self._sizes + len(triples))
        order = np.argsort(-scores, kind="stable")[:limit]
        return [int(place) for place in order if scores[place] >= MIN_SIMILARITY]
