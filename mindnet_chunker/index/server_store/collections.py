"""The collections of a server: what is there and whether it fits us, making it, marking it as ours, dropping it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.server_store.labels import LABEL_POINT, Label, merged, read_label
from mindnet_chunker.index.server_store.server import Server
from mindnet_chunker.index.server_store.transport import RefusedError
from mindnet_chunker.index.store import DENSE, SPARSE, Kind, indexes_of
from mindnet_chunker.records import Record

if TYPE_CHECKING:
    from qdrant_client import models

HNSW_M, HNSW_EF_CONSTRUCT = 16, 128
MISSING = 404


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A collection that is there."""

    name: str  # as it was asked for; perhaps an alias
    label: Label | None  # None: not ours
    in_metadata: bool  # where the label stands; else in a point
    points: int  # about
    indexed: frozenset[str]  # fields
    params: models.CollectionParams

    def fault(self, kind: Kind, dim: int) -> str | None:
        """Why it cannot hold points of a kind; None if it can."""
        vectors = self.params.vectors or {}
        if not isinstance(vectors, dict):
            return "its vectors have no name"
        if kind != "chunks":
            return None
        dense = vectors.get(DENSE)
        if dense is None:
            return f"it has no vector `{DENSE}`"
        if dense.size != dim:
            return f"its vectors have {dense.size} dimensions, those of the model {dim}"
        if dense.distance.value != "Cosine" or dense.multivector_config is not None:
            return f"its vector `{DENSE}` is not one vector compared by cosine"
        sparse = (self.params.sparse_vectors or {}).get(SPARSE)
        if sparse is None or sparse.modifier is None or sparse.modifier.value != "idf":
            return f"it has no sparse vector `{SPARSE}` with the modifier `idf`"
        return None


class Collections:
    """All collections of a server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def names(self) -> list[str]:
        """Without aliases."""
        with self._server.speaking() as client:
            return sorted(one.name for one in client.get_collections().collections)

    def find(self, name: str) -> Found | None:
        """By its name or an alias; None if there is none. Raises StoreError if a later version made it."""
        try:
            with self._server.speaking() as client:
                info = client.get_collection(name)
        except RefusedError as error:
            if error.status == MISSING:
                return None
            raise
        where = f"{self._server.address}, collection `{name}`"
        label = read_label(info.config.metadata, where)
        return Found(
            name=name,
            label=label or read_label(self._label_point(name), where),
            in_metadata=label is not None,
            points=info.points_count or 0,
            indexed=frozenset(info.payload_schema),
            params=info.config.params,
        )

    def make(self, name: str, kind: Kind, dim: int) -> Found:
        from qdrant_client import models

        vectors: dict[str, models.VectorParams] = {}
        sparse: dict[str, models.SparseVectorParams] | None = None
        if kind == "chunks":
            vectors = {DENSE: models.VectorParams(size=dim, distance=models.Distance.COSINE)}
            sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
        hnsw = models.HnswConfigDiff(m=HNSW_M, ef_construct=HNSW_EF_CONSTRUCT)
        refused: RefusedError | None = None
        found: Found | None = None

        def is_there() -> bool:
            nonlocal found
            found = self.find(name)
            return found is not None

        try:
            with self._server.speaking() as client:
                client.create_collection(
                    name,
                    vectors_config=vectors,
                    sparse_vectors_config=sparse,
                    hnsw_config=hnsw,
                    timeout=self._server.seconds,
                )
        except RefusedError as error:  # it is there already, if the first answer got lost and we asked again
            refused = error
        if not self._server.soon(is_there) or found is None or found.points or found.fault(kind, dim):
            raise refused or StoreError(f"`{name}` was made, but is not there", where=str(self._server.address))
        return found

    def write_label(self, found: Found, label: Record) -> None:
        """Top-level keys that are not in `label` stay as they are."""

        def is_written() -> bool:
            now = self.find(found.name)
            return now is not None and now.in_metadata

        known = found.label is not None
        if not known or found.in_metadata:
            with suppress(*(() if known else (RefusedError,))), self._server.speaking() as client:
                client.update_collection(found.name, metadata=label, timeout=self._server.seconds)
        if not found.in_metadata and (known or not self._server.soon(is_written)):  # the server keeps no metadata
            self._write_label_point(found.name, label)

    def index(self, name: str, kind: Kind, indexed: Collection[str]) -> None:
        """Make the payload indexes that are missing."""
        from qdrant_client import models

        schemas: Mapping[str, Any] = {
            "tenant": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
            "keyword": models.PayloadSchemaType.KEYWORD,
            "datetime": models.PayloadSchemaType.DATETIME,
        }
        for field, index in indexes_of(kind).items():
            if field not in indexed:
                self._server.change(
                    lambda client, field=field, schema=schemas[index]: [  # type: ignore[misc]
                        client.create_payload_index(name, field, field_schema=schema, wait=True)
                    ]
                )

    def aliases(self) -> list[str]:
        with self._server.speaking() as client:
            return sorted(one.alias_name for one in client.get_aliases().aliases)

    def drop(self, name: str) -> None:
        """No error if it is gone already."""
        try:
            with self._server.speaking() as client:
                client.delete_collection(name, timeout=self._server.seconds)
        except RefusedError as error:
            if error.status != MISSING:
                raise

    def point_aliases(self, targets: Mapping[str, str]) -> None:
        """Alias -> collection, all at once."""
        from qdrant_client import models

        known = self.aliases()
        actions: list[Any] = [
            models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
            for alias in targets
            if alias in known
        ]
        actions += [
            models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=name, alias_name=alias))
            for alias, name in targets.items()
        ]
        with self._server.speaking() as client:
            client.update_collection_aliases(actions, timeout=self._server.seconds)

    def _label_point(self, name: str) -> Record | None:
        with self._server.speaking() as client:
            points = client.retrieve(name, [LABEL_POINT], with_payload=True)
        return points[0].payload if points else None

    def _write_label_point(self, name: str, label: Record) -> None:
        from qdrant_client import models

        payload = merged(self._label_point(name) or {}, label)
        point = models.PointStruct(id=LABEL_POINT, vector={}, payload=payload)
        self._server.change(lambda client: [client.upsert(name, [point], wait=True)])
