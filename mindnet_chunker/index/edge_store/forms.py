"""Our records in the engine's form, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mindnet_chunker.index.store import DENSE, NO_VECTORS, SPARSE, Filter, Kind, Match, Point, Sparse, Vectors

if TYPE_CHECKING:
    import qdrant_edge


def condition(kind: Kind, vault: str, where: Filter | None) -> qdrant_edge.Filter:
    import qdrant_edge as edge

    def has(match: Match) -> qdrant_edge.FieldCondition:
        return edge.FieldCondition(match.field, match=edge.MatchAny(list(match.values)))

    must: list[Any] = [edge.FieldCondition("vault", match=edge.MatchValue(vault))]
    where = where or Filter()
    where.check(kind)
    must += map(has, where.must)
    if where.since or where.until:
        must.append(edge.FieldCondition("created_at", range=edge.RangeDateTime(gte=where.since, lt=where.until)))
    return edge.Filter(must=must, must_not=[has(match) for match in where.must_not])


def to_engine(vectors: Vectors) -> dict[str, Any]:
    import numpy as np
    import qdrant_edge as edge

    made: dict[str, Any] = {}
    if vectors.dense is not None:
        made[DENSE] = np.asarray(vectors.dense, dtype=np.float32).tolist()
    if vectors.sparse is not None:
        made[SPARSE] = edge.SparseVector(list(vectors.sparse.indices), list(vectors.sparse.values))
    return made


def to_point(record: qdrant_edge.Record) -> Point:
    return Point(id=str(record.id), payload=record.payload or {}, vectors=_to_vectors(record.vector))


def _to_vectors(vectors: Any) -> Vectors:
    if not vectors:
        return NO_VECTORS
    import numpy as np

    dense, sparse = vectors.get(DENSE), vectors.get(SPARSE)
    return Vectors(
        dense=None if dense is None else np.asarray(dense, dtype=np.float32),
        sparse=Sparse(sparse.indices, sparse.values) if sparse is not None and sparse.indices else None,
    )
