"""Records of chunks -> their vectors: the model and BM25, as the index asks for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.counted import counted
from mindnet_chunker.embedding.bm25 import Bm25Index
from mindnet_chunker.embedding.choose import ModelChoice
from mindnet_chunker.embedding.embedder import Embedder, EmbeddingText
from mindnet_chunker.index.points import digest
from mindnet_chunker.index.store import Model, Sparse
from mindnet_chunker.records import Record
from mindnet_chunker.runs.options import EmbedOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


CALIBRATION = 2.0  # seconds of embedding after which the speed is known
WORTH_SAYING = 30.0  # seconds


class ChunkEmbedder:
    """Loads the model when the first vector is asked for."""

    def __init__(self, choice: ModelChoice, how: EmbedOptions, language: str, *, model: Embedder | None = None) -> None:
        """`language`: the store's, whose stemmer and stop words its BM25 vectors have. `model`: in place of `choice`."""
        self.choice = choice
        self.own = model
        self.bm25 = Bm25Index(language)
        self.seconds = 0.0  # spent on vectors so far
        self._how = how
        self._speed = (0, 0.0)  # tokens, seconds
        self._expected = 0
        self._say: Callable[[str], None] | None = None
        self._dense = model

    @property
    def identity(self) -> str:
        """Of everything that decides a vector: model, precision, pooling, prefixes, sparse settings."""
        choice, own = self.choice, self.own
        if own is not None:
            return own_identity(own, self.bm25)
        made = [choice.identity, choice.window, choice.pooling, choice.dim, choice.passage_prefix]
        return digest([*made, self._how.precision, self.bm25.identity])

    @property
    def model(self) -> Model:
        choice, own = self.choice, self.own
        about: Record = {"sparse": self.bm25.language}
        if own is not None:
            about |= {"window": own.window, "own": True}
            return Model(name=own.name, dim=own.dim, identity=self.identity, about=about)
        about |= {
            "window": choice.window,
            "folder": None if choice.bundled else str(choice.folder),
            "query_prefix": choice.query_prefix,
            "passage_prefix": choice.passage_prefix,
            "languages": choice.languages,
            "precision": self._how.precision,
        }
        return Model(name=choice.name, dim=choice.dim, identity=self.identity, about=about)

    def start(self) -> None:
        """Import and load in the background."""
        self._loaded().start_loading()

    def dense(self, chunks: Sequence[Record]) -> NDArray[np.float32]:
        """`(n, dim)` float32, unit length; a row of zeros has no direction."""
        begun = time.perf_counter()
        model = self._loaded()
        before = model.counts.tokens
        vectors = model.embed([_text_of(chunk) for chunk in chunks])
        seconds = time.perf_counter() - begun
        self.seconds += seconds
        if before:  # the first texts wait for the model to be loaded
            self._calibrate(model.counts.tokens - before, seconds)
        self._expected -= model.counts.tokens - before
        return vectors

    def expect(self, tokens: int, say: Callable[[str], None]) -> None:
        """So many tokens will be asked for: say how long they will take, once the first texts show the speed."""
        self._expected, self._say = tokens, say

    def _calibrate(self, tokens: int, seconds: float) -> None:
        self._speed = (self._speed[0] + tokens, self._speed[1] + seconds)
        tokens, seconds = self._speed
        if self._say is None or seconds < CALIBRATION:
            return
        left = self._expected * seconds / tokens
        if left >= WORTH_SAYING:
            minutes = counted(max(1, round(left / 60)), "minute")
            self._say(f"speed    {tokens / seconds:.0f} tokens a second, about {minutes} to go")
        self._say = None

    def sparse(self, chunks: Sequence[Record]) -> Sequence[Sparse]:
        vectors = [self.bm25.document(embedding_text(chunk["context"], chunk["text"])) for chunk in chunks]
        return [Sparse(vector.indices, vector.values) for vector in vectors]

    def _loaded(self) -> Embedder:
        if self._dense is None:
            from mindnet_chunker.embedding.model import SentenceEmbedder

            how = self._how
            self._dense = SentenceEmbedder(self.choice, how.device, how.precision, how.threads)
        return self._dense


def own_identity(own: Embedder, bm25: Bm25Index) -> str:
    """Of the vectors that an embedder of the user's own makes."""
    return digest([own.identity, own.window, own.dim, bm25.identity])


def _text_of(chunk: Record) -> EmbeddingText:
    whole = embedding_text(chunk["context"], chunk["text"])
    own = embedding_text("", chunk["text"])
    return EmbeddingText(whole, len(whole) - len(own))
