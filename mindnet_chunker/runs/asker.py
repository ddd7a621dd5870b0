"""An open index that can be asked: the model that made its vectors, its BM25 setting, its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.embedding.bm25 import Bm25Index
from mindnet_chunker.errors import ModelError, UsageError
from mindnet_chunker.index.store import Filter, Sparse
from mindnet_chunker.retrieval.rank import Query, Ranked, SearchHit, balance_for, rank, search
from mindnet_chunker.retrieval.ways import Mode
from mindnet_chunker.runs.options import EmbedOptions
from mindnet_chunker.runs.places import OpenIndex

if TYPE_CHECKING:
    from mindnet_chunker.embedding.choose import ModelChoice
    from mindnet_chunker.embedding.embedder import Embedder
    from mindnet_chunker.embedding.model import SentenceEmbedder
    from mindnet_chunker.index.store import Vector

NOT_WEIGHTED = {"links": 0.0}  # where an index does not say


class Asker:
    """Answers questions from one index. The model is loaded for the first dense vector only."""

    def __init__(
        self,
        index: OpenIndex,
        *,
        model: str | None = None,
        query_prefix: str | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        """`model`: where the index's own model lies, if its name does not say; another one is refused.

        `embedder`: the function of the user's own that made the vectors; another one is refused too.
        """
        self._own = embedder
        self.index = index
        self._asked_model = model
        self._query_prefix = query_prefix
        self._language = str(index.meta.model.about.get("sparse") or "")
        self._bm25 = Bm25Index(self._language)
        self._balance = balance_for(index.meta.model, self._language)
        if embedder is not None:
            self._check_own(embedder)
        if model is not None:
            self.check_model()

    @property
    def weights(self) -> Mapping[str, float]:
        """How much a hit of a kind counts, as the table of types said when the index was made."""
        found = self.index.meta.vaults.get(self.index.vault, {}).get("weights")
        return found if isinstance(found, dict) else NOT_WEIGHTED

    def search(
        self, question: str, *, top: int = 5, mode: Mode = "fused", where: Filter | None = None
    ) -> list[SearchHit]:
        """See `retrieval.search`."""
        return search(
            self.index.store,
            self.query(question, mode),
            vault=self.index.vault,
            top=top,
            where=where,
            weights=self.weights,
            balance=self._balance,
            words_in=lambda chunk: self.words_in(question, embedding_text(chunk["context"], chunk["text"])),
        )

    def query(self, question: str, mode: Mode) -> Query:
        """Raise UsageError for a question without a character."""
        return self.queries([question], mode)[0]

    def queries(self, questions: Sequence[str], mode: Mode) -> list[Query]:
        """Many at once: while they are embedded others have the store."""
        if not all(question.strip() for question in questions):
            raise UsageError("the question is empty", hint='ask something, such as "Why do bees swarm?"')
        vectors = [None for _ in questions] if mode == "bm25" else self._vectors(questions)
        return [
            Query(dense=vector, sparse=None if mode == "dense" else Sparse(*self._bm25.question(question)))
            for question, vector in zip(questions, vectors, strict=True)
        ]

    def rank(self, query: Query, *, top: int) -> list[Ranked]:
        """The order of `search` alone."""
        return rank(
            self.index.store, query, vault=self.index.vault, top=top, weights=self.weights, balance=self._balance
        )

    def words_in(self, question: str, text: str) -> list[str]:
        """The words of a question that a text holds in some form, as they are written in the question."""
        return self._bm25.matched(question, self._bm25.document(text).indices)

    def nearness(self, question: str, texts: Sequence[str]) -> list[float]:
        """The cosine of each text with a question; texts are taken as short ones, without context."""
        from mindnet_chunker.embedding.embedder import EmbeddingText

        embedder = self._own or self._embedder
        found: list[float] = (
            embedder.embed([EmbeddingText(text) for text in texts]) @ embedder.embed_query(question)
        ).tolist()
        return found

    def check_model(self) -> None:
        """Raise an error unless the model that made the vectors is here."""
        self._choice  # noqa: B018

    @property
    def tokenizer_json(self) -> Path:
        """Of the index's model."""
        return self._choice.tokenizer_json

    def _vectors(self, questions: Sequence[str]) -> list[Vector]:
        if self._own is not None:
            return [self._own.embed_query(question) for question in questions]
        self.check_model()
        with self.index.store.released():  # loading takes seconds
            return [self._embedder.embed_query(question) for question in questions]

    @cached_property
    def _embedder(self) -> SentenceEmbedder:
        choice = self._choice
        prefix = choice.query_prefix if self._query_prefix is None else self._query_prefix
        return _embedder_of(replace(choice, query_prefix=prefix))

    @cached_property
    def _choice(self) -> ModelChoice:
        from mindnet_chunker.embedding.choose import choose_model
        from mindnet_chunker.runs.embedder import ChunkEmbedder

        model = self.index.meta.model
        if model.about.get("own"):
            raise ModelError(
                f"the vectors were made by an embedder of your own, `{model.name}`",
                hint="ask with `search(index, question, embedder=...)` from Python, or with `--mode bm25`",
            )
        asked = self._asked_model
        by_folder = asked is not None and Path(asked).expanduser().is_dir()
        if asked is not None and not by_folder and _bare(asked) != _bare(model.name):
            raise self._other_model(asked)
        choice = choose_model(
            asked if by_folder else self._place_of_model(),
            query_prefix=model.about.get("query_prefix"),
            passage_prefix=model.about.get("passage_prefix"),
        )
        how = EmbedOptions(precision=str(model.about.get("precision", "auto")))
        if ChunkEmbedder(choice, how, self._language).identity == model.identity:
            return choice
        if asked is not None and choice.name != model.name:
            raise self._other_model(choice.name)
        raise ModelError(
            f"the model `{model.name}` is not as it was when it made the vectors",
            where=str(choice.folder),
            hint="index the vault again, or name the folder of the model as it was with `--model`",
        )

    def _check_own(self, own: Embedder) -> None:
        from mindnet_chunker.runs.embedder import own_identity

        model = self.index.meta.model
        if own_identity(own, self._bm25) != model.identity:
            raise UsageError(
                f"the vectors were made by `{model.name}`, not by the embedder that was given, `{own.name}`",
                where=self.index.place,
                hint="ask with what made them (an embedder is known by `identity`, `dim` and `window`), "
                "or index the vault with this one first",
            )

    def _other_model(self, name: str) -> UsageError:
        return UsageError(
            f"the vectors were made by `{self.index.meta.model.name}`, not by `{name}`",
            where=self.index.place,
            hint="leave `--model` out, or index the vault with the other model first",
        )

    def _place_of_model(self) -> str:
        """The folder that it was read from, or the name by which it is found."""
        model = self.index.meta.model
        folder = model.about.get("folder")
        if folder and Path(folder).is_dir():
            return str(folder)
        if folder and "/" not in model.name:
            raise ModelError(
                f"the model `{model.name}`, which made the vectors, is not there any more",
                where=str(folder),
                hint="name the folder where it lies now with `--model DIR`",
            )
        return model.name


@lru_cache(maxsize=1)
def _embedder_of(choice: ModelChoice) -> SentenceEmbedder:
    """Of the last model that was asked: a program asks one question after another, and loading takes long."""
    from mindnet_chunker.embedding.model import SentenceEmbedder

    return SentenceEmbedder(choice)


def _bare(name: str) -> str:
    """Of a hub name, as sentence-transformers reads it."""
    return name.lower().removeprefix("sentence-transformers/")
