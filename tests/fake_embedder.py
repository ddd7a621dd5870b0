"""An embedder without a model: the vector of a text follows from its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from mindnet_chunker.embedding.embedder import EmbedCounts, EmbeddingText


class FakeEmbedder:
    """Equal texts have equal vectors, other texts others. `embedded` lists all texts that it was given, in order.

    Texts in `without_vector` get zeros, as from a model that gives them no direction.
    """

    def __init__(
        self, dim: int = 8, *, name: str = "fake", window: int = 256, without_vector: Collection[str] = ()
    ) -> None:
        self.name, self.dim, self.window = name, dim, window
        self.identity = hashlib.sha256(f"{name}:{dim}".encode()).hexdigest()
        self.counts = EmbedCounts()
        self.embedded: list[str] = []
        self.loading_started = False
        self._without_vector = without_vector

    def start_loading(self) -> None:
        self.loading_started = True

    def embed(
        self, texts: Sequence[EmbeddingText], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        self.embedded += [each.text for each in texts]
        tokens = sum(len(each.text.split()) for each in texts)
        self.counts = EmbedCounts(self.counts.texts + len(texts), self.counts.tokens + tokens, self.counts.windows)
        if progress is not None:
            progress(tokens)
        rows = [self._vector(each.text) for each in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dim)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vector(text)

    def _vector(self, text: str) -> NDArray[np.float32]:
        if text in self._without_vector:
            return np.zeros(self.dim, np.float32)
        seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "little")
        vector = np.random.default_rng(seed).standard_normal(self.dim).astype(np.float32)
        return vector / np.linalg.norm(vector)
