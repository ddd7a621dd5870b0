"""Our records in the form of the REST interface, and back; many points in requests that a server takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mindnet_chunker.index.store import (
    DENSE,
    NO_VECTORS,
    SPARSE,
    Filter,
    Kind,
    Match,
    Point,
    RejectedPointsError,
    Sparse,
    Vectors,
)
from mindnet_chunker.records import Record

if TYPE_CHECKING:
    from qdrant_client import models

BATCH_POINTS = 256
BATCH_BYTES = 8 << 20
LARGEST_POINT = 31 << 20  # bytes; goes alone. A server takes 32 MiB in one request unless it is set otherwise


def condition(kind: Kind, vault: str, where: Filter | None) -> models.Filter:
    from qdrant_client import models

    def has(match: Match) -> models.FieldCondition:
        return models.FieldCondition(key=match.field, match=models.MatchAny(any=list(match.values)))

    must: list[Any] = [models.FieldCondition(key="vault", match=models.MatchValue(value=vault))]
    where = where or Filter()
    where.check(kind)
    must += map(has, where.must)
    if where.since or where.until:
        times = models.DatetimeRange.model_validate({"gte": where.since, "lt": where.until})
        must.append(models.FieldCondition(key="created_at", range=times))
    must_not: list[Any] = [has(match) for match in where.must_not if match.values]
    return models.Filter(must=must, must_not=must_not or None)


def can_match(where: Filter | None) -> bool:
    """Whether any point can pass: not where a value is asked for and none is given."""
    return where is None or all(match.values for match in where.must)


def to_struct(point: Point) -> models.PointStruct:
    import numpy as np
    from qdrant_client import models

    vectors: dict[str, Any] = {}
    if point.vectors.dense is not None:
        vectors[DENSE] = np.asarray(point.vectors.dense, dtype=np.float32).tolist()
    if point.vectors.sparse is not None:
        vectors[SPARSE] = to_sparse(point.vectors.sparse)
    return models.PointStruct(id=point.id, vector=vectors, payload=point.payload)


def to_sparse(sparse: Sparse) -> models.SparseVector:
    from qdrant_client import models

    return models.SparseVector(indices=[int(i) for i in sparse.indices], values=[float(v) for v in sparse.values])


def to_point(record: models.Record) -> Point:
    return Point(id=str(record.id), payload=record.payload or {}, vectors=_to_vectors(record.vector))


def _to_vectors(vectors: Any) -> Vectors:
    if not isinstance(vectors, dict) or not vectors:
        return NO_VECTORS
    import numpy as np

    dense, sparse = vectors.get(DENSE), vectors.get(SPARSE)
    return Vectors(
        dense=None if dense is None else np.asarray(dense, dtype=np.float32),
        sparse=Sparse(sparse.indices, sparse.values) if sparse is not None and sparse.indices else None,
    )


def overwriting(point_id: str, payload: Record) -> models.OverwritePayloadOperation:
    from qdrant_client import models

    return models.OverwritePayloadOperation(overwrite_payload=models.SetPayload(payload=payload, points=[point_id]))


def in_batches(items: Iterable[tuple[Any, Record]]) -> list[list[tuple[Any, Record]]]:
    """REST models, each with its payload, in groups that one request can carry.

    Raises RejectedPointsError, which names the note, if one of them alone is too large; nothing is sent then.
    """
    batches: list[list[tuple[Any, Record]]] = []
    room = 0
    for model, payload in items:
        size = len(model.model_dump_json(exclude_unset=True, exclude_none=True).encode("utf-8", "replace"))
        if size > LARGEST_POINT:
            raise too_large(payload, f"{size / 1e6:.0f} MB in one point")
        if not batches or size > room or len(batches[-1]) >= BATCH_POINTS:
            batches.append([])
            room = BATCH_BYTES
        batches[-1].append((model, payload))
        room -= size + 1
    return batches


def too_large(payload: Record, what: str) -> RejectedPointsError:
    where = payload.get("path") or payload.get("note_id") or ""
    return RejectedPointsError(
        f"too large for the server: {what}", where=str(where), hint="split the note, or leave it out with `--exclude`"
    )


def in_slices(ids: Sequence[str], count: int) -> Iterator[list[str]]:
    for start in range(0, len(ids), count):
        yield list(ids[start : start + count])
