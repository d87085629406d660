"""An embeddings service behind an address: what it is sent, and each way in which it fails."""

import socket
from collections.abc import Iterator

import numpy as np
import pytest

from core.catalog.upstream.embeddings import BATCH_TEXTS, RemoteEmbedder
from core.errors import SourceMalformed, SourceRateLimited, SourceTimeout, SourceUnreachable
from tests.catalog_desk import BagOfWords
from tests.embedding_service import MODEL, EmbeddingService, embedding_service


@pytest.fixture
def service() -> Iterator[EmbeddingService]:
    with embedding_service() as made:
        yield made


def embedder(port: int, *, timeout_s: float = 10.0, key: str = "") -> RemoteEmbedder:
    url = f"http://127.0.0.1:{port}/v1/embeddings"
    return RemoteEmbedder(url, MODEL, BagOfWords.dimensions, key=key, timeout_s=timeout_s)


def test_rows_come_in_the_order_of_the_texts_at_unit_length_whatever_the_answers_order(
    service: EmbeddingService,
) -> None:
    texts = [f"word{number} and more" for number in range(BATCH_TEXTS + 3)]
    rows = embedder(service.port, key="k").embed(texts)
    np.testing.assert_allclose(rows, BagOfWords().embed(texts), atol=1e-6)
    assert [len(asked["input"]) for asked in service.asked] == [BATCH_TEXTS, 3]
    assert service.keys == ["Bearer k"] * 2


def test_without_a_key_none_is_sent_and_no_text_asks_nothing(service: EmbeddingService) -> None:
    made = embedder(service.port)
    assert made.embed([]).shape == (0, BagOfWords.dimensions) and service.asked == []
    made.embed(["a lone \ud800 surrogate"])
    assert service.keys == [None]
    assert made.model == f"{MODEL}@remote"


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, None, SourceUnreachable),
        (302, None, SourceUnreachable),
        (429, None, SourceRateLimited),
        (200, b"<html>", SourceMalformed),
        (200, b'{"data":[]}', SourceMalformed),
        (200, b'{"data":[{"index":0,"embedding":[1.0,2.0]}]}', SourceMalformed),
        (200, b'{"data":[{"index":0,"embedding":"x"}]}', SourceMalformed),
    ],
)
def test_a_failed_answer_is_told_and_was_reached(
    service: EmbeddingService, status: int, body: bytes | None, error: type[Exception]
) -> None:
    service.status, service.body = status, body
    reached: list[None] = []
    with pytest.raises(error):
        embedder(service.port).embed(["x"], lambda: reached.append(None))
    assert reached == [None]


def test_no_answer_in_time_is_a_timeout_that_was_reached(service: EmbeddingService) -> None:
    # evidence A52
    service.may_answer.clear()
    reached: list[None] = []
    with pytest.raises(SourceTimeout, match="took too long"):
        embedder(service.port, timeout_s=0.05).embed(["x"], lambda: reached.append(None))
    assert reached == [None]


def test_nobody_behind_the_address_is_unreachable_and_was_not_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    reached: list[None] = []
    with pytest.raises(SourceUnreachable, match="cannot be reached"):
        embedder(port).embed(["x"], lambda: reached.append(None))
    assert reached == []
