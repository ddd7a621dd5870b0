"""Text -> sparse BM25 vector, by Qdrant Edge's own model (edge: qdrant_edge)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from mindnet_chunker.embedding.folding import FOLDING, fold

# Codes of languages for which the engine has stop words, most also with a stemmer.
LANGUAGES = (
    "ar", "az", "bn", "ca", "da", "de", "el", "en", "es", "eu", "fi", "fr", "he", "hu", "id", "it", "kk", "ne", "nl",
    "no", "pt", "ro", "ru", "sl", "sv", "tg", "tr",
)  # fmt: skip
_SAME = {"nb": "no", "nn": "no"}
_WORD = re.compile("(?:[^\\W_][\u00ad\u0300-\u036f\u200b-\u200d\u2060]*)+")  # with what `fold` drops inside it


class SparseVector(NamedTuple):
    """Word numbers in rising order, each with its weight; both empty where there is no word that counts."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


class Bm25Index:
    """The one BM25 setting of a store: stemmer and stop words of the vault's main language, none for an unknown one.

    Vectors of two identities do not match. The store multiplies in how rare a word is.
    """

    def __init__(self, language: str = "") -> None:
        """`language` is a code such as "de"; one that is not known, "und" for instance, counts as none."""
        code = _SAME.get(language, language)
        self.language = code if code in LANGUAGES else ""

    @property
    def identity(self) -> str:
        return f"bm25-{FOLDING}-{self.language or 'none'}"

    def document(self, text: str) -> SparseVector:
        """The vector of what is stored: a chunk's context and text."""
        return _sparse(self._model.embed_document(fold(text, self.language)))

    def question(self, text: str) -> SparseVector:
        return _sparse(self._model.embed_query(fold(text, self.language)))

    def words(self, question: str) -> dict[int, str]:
        """Each word number of a question with the word as it is written there, the first where two are the same."""
        found: dict[int, str] = {}
        for match in _WORD.finditer(question):
            for index in self.question(match.group()).indices:
                found.setdefault(index, match.group())
        return found

    def matched(self, question: str, indices: Iterable[int]) -> list[str]:
        """The words of a question that a stored vector with these indices holds, in the question's order."""
        held = set(indices)
        return list(dict.fromkeys(word for index, word in self.words(question).items() if index in held))

    @cached_property
    def _model(self) -> Any:
        from qdrant_edge import Bm25, Bm25Config, DisabledStemmer, StopwordsSet

        if self.language:
            return Bm25(Bm25Config(language=self.language))
        return Bm25(Bm25Config(stopwords=StopwordsSet(), stemmer=DisabledStemmer()))


def _sparse(vector: Any) -> SparseVector:
    pairs = sorted(zip(vector.indices, vector.values, strict=True))
    return SparseVector(tuple(index for index, _ in pairs), tuple(value for _, value in pairs))
