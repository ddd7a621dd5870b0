"""One generation: three shards of Qdrant Edge, as a `Store`.

The engine is beta. What is guarded against here: refused updates (checked before, loaded anew after), panics (which
are no `Exception`), errors that only a flush shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindnet_chunker.errors import MindnetError, StoreError
from mindnet_chunker.index.check import check_payload, check_points
from mindnet_chunker.index.edge_store.folder import REBUILD
from mindnet_chunker.index.edge_store.forms import condition, to_engine, to_point
from mindnet_chunker.index.locks import PATIENCE, ProcessLock
from mindnet_chunker.index.store import (
    DENSE,
    KINDS,
    SPARSE,
    DamagedStoreError,
    Filter,
    Hit,
    Kind,
    Model,
    Point,
    RejectedPointsError,
    Sparse,
    Vector,
    indexes_of,
)
from mindnet_chunker.records import Record

if TYPE_CHECKING:
    import qdrant_edge

WRITE_POINTS = 256  # in one update
READ_POINTS = 1000  # in one page
READ_VECTORS = 250  # in one page, with vectors
FACETS = 1_000_000  # more notes than that are not counted one by one
NO_ROOM = "see that there is room on the disk, then repeat the run"
HIDDEN = "none"  # the sparse vector that a shard without vectors must have; no point has it


@contextmanager
def _guarded(folder: Path, doing: str, hint: str | None = None) -> Iterator[None]:
    """Make every failure of the engine a StoreError, its panics too. Without a hint the store counts as damaged."""
    try:
        yield
    except (MindnetError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of the engine is no Exception
        what = f"{doing} failed: {(str(error).strip() or type(error).__name__).splitlines()[0][:300]}"
        kind = DamagedStoreError if hint is None else StoreError
        raise kind(what, where=str(folder), hint=hint or REBUILD) from error


def create_shards(place: Path, dim: int) -> None:
    """Make three empty shards, with all payload indexes, in the folders `place/<kind>`."""
    import qdrant_edge as edge

    indexes: dict[str, Any] = {
        "tenant": edge.KeywordIndexParams(is_tenant=True),
        "keyword": edge.PayloadSchemaType.Keyword,
        "datetime": edge.PayloadSchemaType.Datetime,
    }
    dense = {DENSE: edge.EdgeVectorParams(size=dim, distance=edge.Distance.Cosine)}
    sparse = {SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)}
    for kind in KINDS:
        config = (
            edge.EdgeConfig(vectors=dense, sparse_vectors=sparse)
            if kind == "chunks"
            else edge.EdgeConfig(sparse_vectors={HIDDEN: edge.EdgeSparseVectorParams()})
        )
        with _guarded(place, "making the store", NO_ROOM):
            shard = edge.EdgeShard.create(str(place / kind), config)
            for name, index in indexes_of(kind).items():
                shard.update(edge.UpdateOperation.create_field_index(name, indexes[index]))
            shard.flush()
            shard.close()


class EdgeStore:
    """One generation of an embedded store, whose lock is held. Shards are loaded when they are first needed."""

    def __init__(
        self, place: Path, model: Model, lock: ProcessLock, wait: float, before_write: Callable[[], None]
    ) -> None:
        """`before_write` is called before each update."""
        self._place = place
        self._model = model
        self._lock = lock
        self._wait = max(wait, PATIENCE)  # for the lock, once work has begun
        self._before_write = before_write
        self._shards: dict[Kind, Any] = {}
        self._touched: set[Kind] = set()

    @property
    def generation(self) -> str:
        return self._place.name

    @property
    def model(self) -> Model:
        return self._model

    def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
        import qdrant_edge as edge

        check_points(kind, points, self._model.dim)
        for start in range(0, len(points), WRITE_POINTS):
            batch = [
                edge.Point(id=point.id, vector=to_engine(point.vectors), payload=point.payload)
                for point in points[start : start + WRITE_POINTS]
            ]
            self._update(kind, edge.UpdateOperation.upsert_points(batch))

    def overwrite_payload(self, kind: Kind, payloads: Mapping[str, Record]) -> None:
        import qdrant_edge as edge

        for point_id, payload in payloads.items():
            check_payload(point_id, payload)
        for point_id, payload in payloads.items():
            self._update(kind, edge.UpdateOperation.overwrite_payload([point_id], payload))

    def delete(self, kind: Kind, ids: Sequence[str]) -> None:
        import qdrant_edge as edge

        for start in range(0, len(ids), READ_POINTS):
            self._update(kind, edge.UpdateOperation.delete_points(list(ids[start : start + READ_POINTS])))

    def flush(self) -> None:
        for kind in KINDS:
            if kind in self._touched:
                with _guarded(self._place, "writing to disk", NO_ROOM):
                    self._shard(kind).flush()
                self._touched.discard(kind)

    def scroll(
        self,
        kind: Kind,
        vault: str,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> Iterator[Point]:
        import qdrant_edge as edge

        conditions, offset = condition(kind, vault, where), None
        while True:
            request = edge.ScrollRequest(
                offset=offset,
                limit=READ_VECTORS if with_vectors else READ_POINTS,
                filter=conditions,
                with_payload=True if keys is None else list(keys),
                with_vector=with_vectors,
            )
            with _guarded(self._place, "reading"):
                records, offset = self._shard(kind).scroll(request)
            yield from map(to_point, records)
            if offset is None:
                return

    def retrieve(
        self,
        kind: Kind,
        vault: str,
        ids: Sequence[str],
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> list[Point]:
        found: list[Point] = []
        wanted = True if keys is None else [*keys, "vault"]
        for start in range(0, len(ids), READ_POINTS):
            with _guarded(self._place, "reading"):
                records = self._shard(kind).retrieve(list(ids[start : start + READ_POINTS]), wanted, with_vectors)
            found += [point for point in map(to_point, records) if point.payload.get("vault") == vault]
        if keys is not None and "vault" not in keys:
            for point in found:
                point.payload.pop("vault")
        return found

    def count(self, kind: Kind, vault: str, where: Filter | None = None) -> int:
        import qdrant_edge as edge

        with _guarded(self._place, "reading"):
            return int(self._shard(kind).count(edge.CountRequest(exact=True, filter=condition(kind, vault, where))))

    def counts_by_note(self, kind: Kind, vault: str) -> dict[str, int]:
        import qdrant_edge as edge

        request = edge.FacetRequest(key="note_id", limit=FACETS, exact=True, filter=condition(kind, vault, None))
        with _guarded(self._place, "reading"):
            return {str(hit.value): int(hit.count) for hit in self._shard(kind).facet(request).hits}

    def search(
        self,
        vault: str,
        query: Vector | Sparse,
        limit: int,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> list[Hit]:
        import qdrant_edge as edge

        nearest = (
            edge.Query.Nearest(edge.SparseVector(list(query.indices), list(query.values)), SPARSE)
            if isinstance(query, Sparse)
            else edge.Query.Nearest([float(value) for value in query], DENSE)
        )
        request = edge.SearchRequest(
            query=nearest,
            limit=limit,
            filter=condition("chunks", vault, where),
            params=edge.SearchParams(exact=True),
            with_payload=True if keys is None else list(keys),
        )
        with _guarded(self._place, "searching"):
            found = self._shard("chunks").search(request)
        hits = [Hit(id=str(hit.id), score=float(hit.score), payload=hit.payload or {}) for hit in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    @contextmanager
    def released(self) -> Iterator[None]:
        self.close()
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire(self._wait)

    def give_way(self) -> None:
        if self._lock.wanted:
            self.close()
            self._lock.give_way(self._wait)

    def close(self) -> None:
        """Flush and unload; the lock is its owner's. What is asked for next is loaded again."""
        self.flush()
        self.discard()

    def discard(self) -> None:
        """Unload without a flush: after a failure, or before the files are dropped."""
        while self._shards:
            _, shard = self._shards.popitem()
            with suppress(StoreError), _guarded(self._place, "closing"):
                shard.close()

    def _shard(self, kind: Kind) -> qdrant_edge.EdgeShard:
        assert self._lock.held
        shard = self._shards.get(kind)
        if shard is None:
            import qdrant_edge as edge

            with _guarded(self._place, "opening the store"):
                shard = self._shards[kind] = edge.EdgeShard.load(str(self._place / kind))
        return shard

    def _update(self, kind: Kind, operation: Any) -> None:
        shard = self._shard(kind)
        self._before_write()
        self._touched.add(kind)
        try:
            with _guarded(self._place, "writing", "repeat the run; if it fails again: " + REBUILD):
                shard.update(operation)
        except StoreError as error:
            self.discard()  # a refused update may stay in the log: what is in force now only a new load shows
            raise RejectedPointsError(error.what, where=error.where, hint=error.hint) from error
