"""Texts -> vectors, as the pipeline asks for it: what is handed over, what comes back, and what an embedder can do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class EmbeddingText(NamedTuple):
    """What is embedded, without the model's prefix: `context + "\\n\\n" + text` as `embedding_text` makes it."""

    text: str
    context_end: int = 0  # text[:context_end] is the context with its blank line, repeated before every window


class EmbedCounts(NamedTuple):
    """What an embedder has done since it was made."""

    texts: int = 0
    tokens: int = 0  # computed by the model: special tokens, prefixes and repeated contexts included, padding not
    windows: int = 0  # of the texts that are longer than the model's window


class Embedder(Protocol):
    """Makes vectors. Nothing is loaded before the first vector is asked for."""

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def window(self) -> int:
        """Tokens that the model reads at once, special tokens included."""
        ...

    @property
    def identity(self) -> str:
        """The same for the same model files, wherever they lie; vectors of two identities do not mix."""
        ...

    @property
    def counts(self) -> EmbedCounts: ...

    def start_loading(self) -> None:
        """Begin to load in the background, once it is certain that something must be embedded."""
        ...

    def embed(self, texts: Sequence[EmbeddingText], progress: Callable[[int], None] | None = None) -> Vectors:
        """The vectors `(n, dim)` float32 of unit length, in the order of `texts`.

        A row of zeros is a text that the model gives no direction (see `without_direction`). `progress` is told how
        many tokens were embedded since it was last told. Hand over many texts at once: they are sorted by length.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector `(dim,)` of a question."""
        ...


def without_direction(vectors: Vectors) -> list[int]:
    """The rows that must not be stored: the model gave zeros or numbers that are not finite."""
    return [row for row, numbers in enumerate(vectors) if not numbers.any()]
