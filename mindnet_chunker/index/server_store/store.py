"""One generation on a server: three collections, as a `Store`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mindnet_chunker.index.check import check_payload, check_points
from mindnet_chunker.index.server_store.collections import Collections, Found
from mindnet_chunker.index.server_store.forms import (
    can_match,
    condition,
    in_batches,
    in_slices,
    overwriting,
    to_point,
    to_sparse,
    to_struct,
    too_large,
)
from mindnet_chunker.index.server_store.server import Server
from mindnet_chunker.index.server_store.transport import RefusedError
from mindnet_chunker.index.store import (
    DENSE,
    SPARSE,
    Filter,
    Hit,
    Kind,
    Model,
    Point,
    RejectedPointsError,
    Sparse,
    Vector,
)
from mindnet_chunker.records import Record

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

READ_POINTS = 1000  # in one page, or by id
READ_WHOLE = 250  # in one page, with vectors or the whole payload
FACETS = 1_000_000  # more notes than that are not counted one by one
EXACT_UP_TO = 100_000  # chunks; until then the index saves little time and loses hits
EF = 256  # how wide the index is searched beyond that
TOO_LARGE = 413  # what proxies answer; the server itself says 400, with words
REJECTED = (400, TOO_LARGE, 422)  # the points are to blame, or may be


class ServerStore:
    """Reads make nothing and write nothing, so that a key that may only read is enough for them."""

    def __init__(self, server: Server, collections: Mapping[Kind, Found], generation: str, model: Model) -> None:
        self._server = server
        self._names: dict[Kind, str] = {kind: found.name for kind, found in collections.items()}
        self._unchecked = {kind: found.indexed for kind, found in collections.items()}  # whether all indexes are there
        self._exact = collections["chunks"].points <= EXACT_UP_TO
        self._generation = generation
        self._model = model

    @property
    def generation(self) -> str:
        return self._generation

    @property
    def model(self) -> Model:
        return self._model

    def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
        check_points(kind, points, self._model.dim)
        for batch in in_batches([(to_struct(point), point.payload) for point in points]):
            self._send(kind, batch, lambda client, name, structs: [client.upsert(name, structs, wait=True)])

    def overwrite_payload(self, kind: Kind, payloads: Mapping[str, Record]) -> None:
        for point_id, payload in payloads.items():
            check_payload(point_id, payload)
        for batch in in_batches([(overwriting(point_id, payload), payload) for point_id, payload in payloads.items()]):
            self._send(kind, batch, lambda client, name, changes: client.batch_update_points(name, changes, wait=True))

    def delete(self, kind: Kind, ids: Sequence[str]) -> None:
        for part in in_slices(ids, READ_POINTS):
            self._change(lambda client, part=part: [client.delete(self._names[kind], part, wait=True)])  # type: ignore[misc]

    def flush(self) -> None:
        """Every write has waited until it was carried out: there is nothing left to do."""

    def scroll(
        self,
        kind: Kind,
        vault: str,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> Iterator[Point]:
        if not can_match(where):
            return
        conditions, offset = condition(kind, vault, where), None
        while True:
            with self._server.speaking() as client:
                records, offset = client.scroll(
                    self._names[kind],
                    scroll_filter=conditions,
                    limit=READ_WHOLE if with_vectors or keys is None else READ_POINTS,
                    offset=offset,
                    with_payload=True if keys is None else list(keys),
                    with_vectors=with_vectors,
                )
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
        for part in in_slices(ids, READ_WHOLE if with_vectors or keys is None else READ_POINTS):
            with self._server.speaking() as client:
                records = client.retrieve(self._names[kind], part, with_payload=wanted, with_vectors=with_vectors)
            found += [point for point in map(to_point, records) if point.payload.get("vault") == vault]
        if keys is not None and "vault" not in keys:
            for point in found:
                point.payload.pop("vault")
        return found

    def count(self, kind: Kind, vault: str, where: Filter | None = None) -> int:
        if not can_match(where):
            return 0
        conditions = condition(kind, vault, where)
        with self._server.speaking() as client:
            return client.count(self._names[kind], count_filter=conditions, exact=True).count

    def counts_by_note(self, kind: Kind, vault: str) -> dict[str, int]:
        conditions = condition(kind, vault, None)
        with self._server.speaking() as client:
            facet = client.facet(self._names[kind], "note_id", facet_filter=conditions, limit=FACETS, exact=True)
        return {str(hit.value): hit.count for hit in facet.hits}

    def search(
        self,
        vault: str,
        query: Vector | Sparse,
        limit: int,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> list[Hit]:
        from qdrant_client import models

        if not can_match(where):
            return []
        sparse = isinstance(query, Sparse)
        nearest: Any = to_sparse(query) if isinstance(query, Sparse) else [float(value) for value in query]
        parameters = models.SearchParams(exact=True) if self._exact or sparse else models.SearchParams(hnsw_ef=EF)
        conditions = condition("chunks", vault, where)
        with self._server.speaking() as client:
            answer = client.query_points(
                self._names["chunks"],
                query=nearest,
                using=SPARSE if sparse else DENSE,
                query_filter=conditions,
                search_params=parameters,
                limit=limit,
                with_payload=True if keys is None else list(keys),
            )
        hits = [Hit(id=str(hit.id), score=float(hit.score), payload=hit.payload or {}) for hit in answer.points]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    @contextmanager
    def released(self) -> Iterator[None]:
        """A server serves many at once: there is nothing to let go."""
        yield

    def give_way(self) -> None:
        """A server serves many at once."""

    def close(self) -> None:
        """The connection is its home's."""

    def _send(
        self,
        kind: Kind,
        batch: Sequence[tuple[Any, Record]],
        send: Callable[[QdrantClient, str, list[Any]], Sequence[models.UpdateResult]],
    ) -> None:
        """Points or changes, in halves where the server, or a proxy before it, takes no request of that size."""
        if kind in self._unchecked:  # before the first upload: later is dear
            Collections(self._server).index(self._names[kind], kind, self._unchecked.pop(kind))
        sent = [model for model, _ in batch]
        try:
            self._change(lambda client: send(client, self._names[kind], sent))
        except RejectedPointsError as error:
            refused = error.__cause__
            assert isinstance(refused, RefusedError)
            if refused.status != TOO_LARGE and "larger than allowed" not in refused.what:
                raise
            if len(batch) == 1:
                raise too_large(batch[0][1], refused.what) from error
            self._send(kind, batch[: len(batch) // 2], send)
            self._send(kind, batch[len(batch) // 2 :], send)

    def _change(self, send: Callable[[QdrantClient], Sequence[models.UpdateResult]]) -> None:
        try:
            self._server.change(send)
        except RefusedError as error:
            if error.status not in REJECTED:
                raise
            raise RejectedPointsError(error.what, where=error.where, hint=error.hint) from error
