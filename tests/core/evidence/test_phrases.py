"""Phrases are found wherever their tokens follow each other, and nowhere else."""

import sqlite3
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from core.evidence.folding import Unit
from core.evidence.stored.words import FieldWords
from core.evidence.stored.words_builder import FieldBuilder

_WORD = st.sampled_from("aaaabbc")
_TEXT = st.lists(_WORD, max_size=30)
_DOCUMENTS = st.lists(st.lists(_TEXT, max_size=3), min_size=1, max_size=12)


def counted(texts: list[list[str]], phrase: list[str]) -> int:
    """How often a phrase begins in the texts of one document."""
    return sum(text[at : at + len(phrase)] == phrase for text in texts for at in range(len(text)))


@settings(max_examples=150, deadline=None)
@given(documents=_DOCUMENTS, phrases=st.lists(st.lists(_WORD, min_size=2, max_size=5), min_size=1, max_size=5))
def test_a_phrase_is_found_as_often_as_it_stands_there(
    documents: list[list[list[str]]], phrases: list[list[str]]
) -> None:
    builder = FieldBuilder("f")
    connection = sqlite3.connect(":memory:")
    connection.executescript(files("core.evidence.stored").joinpath("schema.sql").read_text(encoding="utf-8"))
    for texts in documents:
        builder.add([" ".join(text) for text in texts])
    with TemporaryDirectory() as folder:
        builder.write(Path(folder), connection)
        words = FieldWords(Path(folder), "f")
        for phrase in phrases:
            found = words.postings(connection, Unit(tuple(phrase)))
            expected = {no: count for no, texts in enumerate(documents) if (count := counted(texts, phrase))}
            assert dict(zip(found.docs.tolist(), found.freqs.tolist(), strict=True)) == expected
    connection.close()
