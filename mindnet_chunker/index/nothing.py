"""The store that a dry run starts from where there is none: it holds nothing and takes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from mindnet_chunker.index.store import Filter, Hit, Kind, Model, Point, Sparse, Vector
from mindnet_chunker.records import Record


class NothingStored:
    generation = ""

    def __init__(self, model: Model) -> None:
        self.model = model

    def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
        assert not points

    def overwrite_payload(self, kind: Kind, payloads: Mapping[str, Record]) -> None:
        assert not payloads

    def delete(self, kind: Kind, ids: Sequence[str]) -> None:
        assert not ids

    def flush(self) -> None:
        pass

    def scroll(
        self,
        kind: Kind,
        vault: str,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> Iterator[Point]:
        return iter(())

    def retrieve(
        self,
        kind: Kind,
        vault: str,
        ids: Sequence[str],
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> list[Point]:
        return []

    def count(self, kind: Kind, vault: str, where: Filter | None = None) -> int:
        return 0

    def counts_by_note(self, kind: Kind, vault: str) -> dict[str, int]:
        return {}

    def search(
        self,
        vault: str,
        query: Vector | Sparse,
        limit: int,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> list[Hit]:
        return []

    @contextmanager
    def released(self) -> Iterator[None]:
        yield

    def give_way(self) -> None:
        pass

    def close(self) -> None:
        pass
