"""An open index that can be asked: the model that made its vectors, its BM25 setting, its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mindnet_chunker.embedding.bm25 import Bm25Index
from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.store import Filter, Sparse
from mindnet_chunker.records import Record
from mindnet_chunker.runs.places import OpenIndex
from mindnet_chunker.search.rank import Mode, Query, SearchHit, balance_for, search

if TYPE_CHECKING:
    from mindnet_chunker.embedding.choose import ModelChoice
    from mindnet_chunker.embedding.model import SentenceEmbedder
    from mindnet_chunker.index.store import Vector


class Asker:
    """Answers questions from one index. The model is loaded for the first dense vector only."""

    def __init__(self, index: OpenIndex, *, model: str | None = None, query_prefix: str | None = None) -> None:
        """`model`: where the index's own model lies, if its name does not say; another one is refused."""
        self.index = index
        self.about: Record = dict(index.meta.vaults.get(index.vault, {}))
        self.language = index.meta.model.about.get("sparse") or ""
        self.bm25 = Bm25Index(self.language)
        self._model = model
        self._query_prefix = query_prefix
        if model is not None:
            self._choice  # noqa: B018 (a model that differs is refused whatever the mode)
