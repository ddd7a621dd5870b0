"""A store in memory: what every store promises, in the fewest words. Its own tests are the contract's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace

import numpy as np

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.check import check_payload, check_points
from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.store import NO_VECTORS, Filter, Hit, Kind, Match, Model, Point, Sparse, Vector, Vectors
from mindnet_chunker.records import Record


class MemoryStore:
    def __init__(self, generation: str, model: Model) -> None:
        self.generation = generation
        self.model = model
        self.points: dict[Kind, dict[str, Point]] = {"chunks": {}, "notes": {}, "edges": {}}

    def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
        check_points(kind, points, self.model.dim)
        for point in points:
            vectors = NO_VECTORS
            if point.vectors.dense is not None:
                dense = np.asarray(point.vectors.dense, dtype=np.float32)
                vectors = Vectors(dense / np.linalg.norm(dense), point.vectors.sparse)
            self.points[kind][point.id] = replace(deepcopy(point), vectors=vectors)

    def overwrite_payload(self, kind: Kind, payloads: Mapping[str, Record]) -> None:
        for point_id, payload in payloads.items():
            check_payload(point_id, payload)
            self.points[kind][point_id] = replace(self.points[kind][point_id], payload=deepcopy(payload))

    def delete(self, kind: Kind, ids: Sequence[str]) -> None:
        for point_id in ids:
            self.points[kind].pop(point_id, None)

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
        if where:
            where.check(kind)
        ids = [point.id for point in self.points[kind].values() if matches(point.payload, vault, where)]
        return iter(self.retrieve(kind, vault, sorted(ids), keys=keys, with_vectors=with_vectors))

    def retrieve(
        self,
        kind: Kind,
        vault: str,
        ids: Sequence[str],
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> list[Point]:
        found = [self.points[kind][point_id] for point_id in ids if point_id in self.points[kind]]
        return [
            Point(
                id=point.id,
                payload=deepcopy({k: v for k, v in point.payload.items() if keys is None or k in keys}),
                vectors=point.vectors if with_vectors else NO_VECTORS,
            )
            for point in found
            if point.payload["vault"] == vault
        ]

    def count(self, kind: Kind, vault: str, where: Filter | None = None) -> int:
        return sum(matches(point.payload, vault, where) for point in self.points[kind].values())

    def counts_by_note(self, kind: Kind, vault: str) -> dict[str, int]:
        return dict(Counter(point.payload["note_id"] for point in self.scroll(kind, vault)))

    def search(
        self,
        vault: str,
        query: Vector | Sparse,
        limit: int,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> list[Hit]:
        hits = []
        for point in self.scroll("chunks", vault, where, with_vectors=True):
            if isinstance(query, Sparse):
                weights = dict(zip(*point.vectors.sparse, strict=True)) if point.vectors.sparse else {}
                score = sum(weights.get(i, 0.0) * value for i, value in zip(*query, strict=True))
                if not score:
                    continue
            else:
                score = float(np.dot(point.vectors.dense, np.asarray(query) / np.linalg.norm(query)))
            payload = {k: v for k, v in point.payload.items() if keys is None or k in keys}
            hits.append(Hit(id=point.id, score=score, payload=payload))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]

    @contextmanager
    def released(self) -> Iterator[None]:
        yield

    def give_way(self) -> None:
        pass

    def close(self) -> None:
        pass


def matches(payload: Record, vault: str, where: Filter | None) -> bool:
    def has(match: Match) -> bool:
        value = payload.get(match.field)
        return bool(set(value if isinstance(value, list) else [value]) & set(match.values))

    where = where or Filter()
    created = payload.get("created_at")
    return (
        payload["vault"] == vault
        and all(map(has, where.must))
        and not any(map(has, where.must_not))
        and (not where.since or bool(created and created >= where.since))
        and (not where.until or bool(created and created < where.until))
    )


class MemoryHome:
    def __init__(self) -> None:
        self.stores: dict[str, MemoryStore] = {}
        self.in_force: str | None = None
        self.vaults: dict[str, Record] = {}

    def meta(self) -> StoreMeta | None:
        if self.in_force is None:
            return None
        model = self.stores[self.in_force].model
        return StoreMeta(generation=self.in_force, model=model, vaults=dict(self.vaults))

    def open(self, generation: str | None = None) -> MemoryStore:
        if generation is None and self.in_force is None:
            raise StoreError("nothing is indexed here yet")
        return self.stores[generation or self.in_force or ""]

    def unfinished(self) -> dict[str, Model]:
        return {name: store.model for name, store in self.stores.items() if name != self.in_force}

    def create(self, generation: str, model: Model) -> MemoryStore:
        store = self.stores[generation] = MemoryStore(generation, model)
        return store

    def put_in_force(self, generation: str) -> None:
        self.in_force = generation

    def write_vault(self, vault: str, about: Record | None) -> None:
        self.vaults.pop(vault, None)
        if about is not None:
            self.vaults[vault] = about

    def settled(self, vault: str) -> Record | None:
        return None

    def settle(self, vault: str, note: Record) -> None:
        pass

    def drop(self, generation: str) -> None:
        del self.stores[generation]

    def reset(self) -> None:
        self.__init__()  # type: ignore[misc]
