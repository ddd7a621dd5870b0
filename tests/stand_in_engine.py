"""What a Qdrant server does with a request, as far as our client asks for it: the engine is Qdrant Edge.

It refuses what a server refuses, with the server's status and words; it knows no more of the REST interface than is
needed here, and says so with status 501.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import qdrant_edge as edge

Json = Any
HIDDEN = "hidden"  # an Edge shard without vectors must have a sparse one
FORBIDDEN = re.compile(r'[<>:"/\\|?*\0\x1f]')


class AnswerError(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status
        self.error = error


class Collection:
    def __init__(self, folder: Path, body: Json, *, strict: bool) -> None:
        self.vectors: Json = body.get("vectors") or {}
        self.sparse: Json = body.get("sparse_vectors") or {}
        self.hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000} | (body.get("hnsw_config") or {})
        self.metadata: dict[str, Json] | None = body.get("metadata")
        self.indexed: dict[str, Json] = {}
        self.strict = strict
        named = self.vectors if "size" not in self.vectors else {"": self.vectors}
        self.dims = {name: params["size"] for name, params in named.items()}
        dense = {
            name: edge.EdgeVectorParams(size=params["size"], distance=getattr(edge.Distance, params["distance"]))
            for name, params in named.items()
        }
        idf = {"idf": edge.Modifier.Idf, None: None}
        sparse = {
            name: edge.EdgeSparseVectorParams(modifier=idf[(params or {}).get("modifier")])
            for name, params in self.sparse.items()
        }
        if not dense and not sparse:
            sparse = {HIDDEN: edge.EdgeSparseVectorParams()}
        folder.mkdir(parents=True)
        config = edge.EdgeConfig(vectors=dense or None, sparse_vectors=sparse or None, wal_enabled=False)
        self.shard = edge.EdgeShard.create(str(folder), config)

    def info(self) -> Json:
        config = {
            "params": {"vectors": self.vectors, "sparse_vectors": self.sparse, "shard_number": 1},
            "hnsw_config": self.hnsw,
            "optimizer_config": {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "flush_interval_sec": 5,
                                 "default_segment_number": 0},
        } | ({} if self.metadata is None else {"metadata": self.metadata})  # fmt: skip
        return {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "points_count": self.count(None),
            "config": config,
            "payload_schema": {
                field: {"data_type": schema["type"], "params": schema, "points": 0}
                for field, schema in self.indexed.items()
            },
        }

    def index(self, field: str, schema: Json) -> None:
        """The engine itself makes one only where a facet needs it: making many takes long, filters work without."""
        schema = {"type": schema} if isinstance(schema, str) else schema
        if schema["type"] not in ("keyword", "datetime"):
            unknown(f"index of {schema}")
        self.indexed[field] = schema

    def upsert(self, points: Json) -> None:
        made = [edge.Point(point_id(p["id"]), self._vector(p["vector"]), p.get("payload") or {}) for p in points]
        self.shard.update(edge.UpdateOperation.upsert_points(made))

    def _vector(self, vectors: Json) -> Json:
        if not isinstance(vectors, dict):
            raise AnswerError(400, "Wrong input: Not existing vector name error: ")
        made: dict[str, Any] = {}
        for name, vector in vectors.items():
            if isinstance(vector, dict):
                if name not in self.sparse:
                    raise AnswerError(400, f"Wrong input: Not existing vector name error: {name}")
                if len(set(vector["indices"])) != len(vector["values"]):
                    raise AnswerError(422, "Validation error in JSON body: must be unique indices")
                made[name] = edge.SparseVector(vector["indices"], vector["values"])
            else:
                if name not in self.dims:
                    raise AnswerError(400, f"Wrong input: Not existing vector name error: {name}")
                if len(vector) != self.dims[name]:
                    what = f"expected dim: {self.dims[name]}, got {len(vector)}"
                    raise AnswerError(400, f"Wrong input: Vector dimension error: {what}")
                made[name] = [float(value) for value in vector]
        return made

    def overwrite(self, body: Json) -> None:
        ids = [point_id(one) for one in body["points"]]
        known = {str(record.id) for record in self.shard.retrieve(ids, False, False)}
        if missing := [one for one in ids if str(one) not in known]:
            raise AnswerError(404, f"Not found: No point with id {missing[0]} found")
        self.shard.update(edge.UpdateOperation.overwrite_payload(ids, body["payload"]))

    def delete(self, body: Json) -> None:
        if "points" not in body:
            unknown("deleting by a filter")
        self.shard.update(edge.UpdateOperation.delete_points([point_id(one) for one in body["points"]]))

    def retrieve(self, body: Json) -> Json:
        ids = [point_id(one) for one in body["ids"]]
        records = self.shard.retrieve(ids, selected(body.get("with_payload", True)), bool(body.get("with_vector")))
        return [as_json(record) for record in records]

    def scroll(self, body: Json) -> Json:
        limit = body.get("limit", 10)
        if limit < 1:
            raise AnswerError(422, "Validation error in JSON body: [limit: value 0 invalid, must be 1 or larger]")
        request = edge.ScrollRequest(
            offset=body.get("offset"),
            limit=limit,
            filter=self.filter(body.get("filter")),
            with_payload=selected(body.get("with_payload", True)),
            with_vector=bool(body.get("with_vector")),
        )
        records, following = self.shard.scroll(request)
        return {"points": [as_json(r) for r in records], "next_page_offset": following and str(following)}

    def count(self, conditions: Json) -> int:
        return int(self.shard.count(edge.CountRequest(exact=True, filter=self.filter(conditions))))

    def facet(self, body: Json) -> Json:
        key = body["key"]
        self._need_index(key, "keyword")
        if key not in self.shard.info().payload_schema:
            self.shard.update(edge.UpdateOperation.create_field_index(key, edge.PayloadSchemaType.Keyword))
        request = edge.FacetRequest(
            key=key, limit=body.get("limit", 10), exact=body.get("exact", False),
            filter=self.filter(body.get("filter")),
        )  # fmt: skip
        return {"hits": [{"value": hit.value, "count": hit.count} for hit in self.shard.facet(request).hits]}

    def query(self, body: Json) -> Json:
        query, using = body["query"], body.get("using") or ""
        if isinstance(query, dict) and "nearest" in query:
            query = query["nearest"]
        vector = self._vector({using: query})[using]
        request = edge.SearchRequest(
            query=edge.Query.Nearest(vector, using),
            limit=body.get("limit", 10),
            filter=self.filter(body.get("filter")),
            params=edge.SearchParams(exact=(body.get("params") or {}).get("exact", False)),
            with_payload=selected(body.get("with_payload", False)),
        )
        found = self.shard.search(request)
        return {"points": [as_json(hit) | {"score": hit.score, "version": 0} for hit in found]}

    def filter(self, conditions: Json) -> edge.Filter | None:
        if not conditions:
            return None
        if set(conditions) - {"must", "must_not"}:
            unknown(f"filter of {set(conditions)}")
        return edge.Filter(
            must=[self._condition(one) for one in conditions.get("must") or []],
            must_not=[self._condition(one) for one in conditions.get("must_not") or []],
        )

    def _condition(self, one: Json) -> edge.FieldCondition:
        if "range" in one:
            self._need_index(one["key"], "datetime")
            times = one["range"]
            return edge.FieldCondition(one["key"], range=edge.RangeDateTime(gte=times.get("gte"), lt=times.get("lt")))
        self._need_index(one["key"], "keyword")
        match = one["match"]
        how = edge.MatchAny(match["any"]) if "any" in match else edge.MatchValue(match["value"])
        return edge.FieldCondition(one["key"], match=how)

    def _need_index(self, field: str, kind: str) -> None:
        if self.strict and self.indexed.get(field, {}).get("type") != kind:
            error = f'Bad request: Index required but not found for "{field}" of one of the following types: [{kind}]'
            raise AnswerError(400, f"{error}. Help: Create an index for this key or use a different filter.")


class Engine:
    """All collections and aliases of a server."""

    def __init__(self, folder: Path, *, version: str, strict: bool, keeps_metadata: bool) -> None:
        self.folder = folder
        self.version = version
        self.strict = strict
        self.keeps_metadata = keeps_metadata
        self.collections: dict[str, Collection] = {}
        self.aliases: dict[str, str] = {}
        self._made = 0

    def close(self) -> None:
        for collection in self.collections.values():
            collection.shard.close()

    def answer(self, method: str, path: str, query: Mapping[str, str], body: Json) -> Json:
        """The result, as it stands under `result`; raises AnswerError."""
        for verb, pattern, handler in ROUTES:
            match = re.fullmatch(pattern, path)
            if verb == method and match:
                names = [unquote(name) for name in match.groups()]
                result = handler(self, *names, body)
                return as_update(result, query) if handler in UPDATES else result
        raise AnswerError(404, "Not found: no such path in this stand-in")

    def of(self, name: str) -> Collection:
        try:
            return self.collections[self.aliases.get(name, name)]
        except KeyError:
            raise AnswerError(404, f"Not found: Collection `{name}` doesn't exist!") from None

    def create(self, name: str, body: Json) -> bool:
        if FORBIDDEN.search(name) or not 1 <= len(name.encode()) <= 255:
            raise AnswerError(422, f"Validation error in path parameters: [collection_name: `{name}` is invalid]")
        if name in self.collections or name in self.aliases:
            raise AnswerError(409, f"Wrong input: Collection `{name}` already exists!")
        if not self.keeps_metadata:
            body.pop("metadata", None)
        self._made += 1
        self.collections[name] = Collection(self.folder / str(self._made), body, strict=self.strict)
        return True

    def patch(self, name: str, body: Json) -> bool:
        collection = self.of(name)
        if set(body) - {"metadata"}:
            unknown(f"changing {set(body)}")
        if self.keeps_metadata and body.get("metadata"):
            merged = {**(collection.metadata or {}), **body["metadata"]}
            collection.metadata = {key: value for key, value in merged.items() if value is not None}
        return True

    def drop(self, name: str, body: Json) -> bool:
        collection = self.collections.pop(name, None)
        if collection is None:
            return False
        collection.shard.close()
        self.aliases = {alias: target for alias, target in self.aliases.items() if target != name}
        return True

    def change_aliases(self, body: Json) -> bool:
        aliases = dict(self.aliases)  # all or nothing
        for action in body["actions"]:
            if new := action.get("create_alias"):
                if new["collection_name"] not in self.collections:
                    raise AnswerError(404, f"Not found: Collection `{new['collection_name']}` doesn't exist!")
                if new["alias_name"] in self.collections:
                    raise AnswerError(409, f"Wrong input: Collection `{new['alias_name']}` already exists!")
                aliases[new["alias_name"]] = new["collection_name"]
            elif old := action.get("delete_alias"):
                aliases.pop(old["alias_name"], None)
            else:
                unknown(f"alias action {action}")
        self.aliases = aliases
        return True

    def list_aliases(self) -> Json:
        return {"aliases": [{"alias_name": a, "collection_name": name} for a, name in sorted(self.aliases.items())]}

    def batch(self, name: str, body: Json) -> None:
        for operation in body["operations"]:
            self.of(name).overwrite(operation.get("overwrite_payload") or unknown(f"operation {operation}"))


def unknown(what: str) -> Any:
    raise AnswerError(501, f"this stand-in does not know: {what}")


def point_id(value: Json) -> Any:
    try:
        return value if type(value) is int and value >= 0 else str(uuid.UUID(value))
    except (ValueError, AttributeError, TypeError):
        what = f"value {value} is not a valid point ID, valid values are either an unsigned integer or a UUID"
        raise AnswerError(400, f"Format error in JSON body: {what}") from None


def selected(selector: Json) -> Any:
    return selector.get("include", unknown) if isinstance(selector, dict) else selector


def as_json(record: Any) -> Json:
    made: dict[str, Json] = {"id": str(record.id), "payload": record.payload}
    if record.vector is not None:
        made["vector"] = {
            name: {"indices": list(vector.indices), "values": list(vector.values)}
            if isinstance(vector, edge.SparseVector)
            else list(vector)
            for name, vector in record.vector.items()
            if name != HIDDEN and not (isinstance(vector, edge.SparseVector) and not vector.indices)
        }
    return made


def as_update(result: Json, query: Mapping[str, str]) -> Json:
    update = {"operation_id": 1, "status": "completed" if query.get("wait") == "true" else "acknowledged"}
    return [update] if result == "batch" else update


def _batch(engine: Engine, name: str, body: Json) -> str:
    engine.batch(name, body)
    return "batch"


Handler = Callable[..., Json]
C = "/collections/([^/]+)"
_index: Handler = lambda e, c, b: e.of(c).index(b["field_name"], b["field_schema"])  # noqa: E731
_upsert: Handler = lambda e, c, b: e.of(c).upsert(b["points"])  # noqa: E731
_overwrite: Handler = lambda e, c, b: e.of(c).overwrite(b)  # noqa: E731
_delete: Handler = lambda e, c, b: e.of(c).delete(b)  # noqa: E731
UPDATES = {_index, _upsert, _overwrite, _delete, _batch}
ROUTES: list[tuple[str, str, Handler]] = [
    ("GET", "/collections", lambda e, b: {"collections": [{"name": name} for name in e.collections]}),
    ("GET", "/aliases", lambda e, b: e.list_aliases()),
    ("POST", "/collections/aliases", lambda e, b: e.change_aliases(b)),
    ("GET", C, lambda e, c, b: e.of(c).info()),
    ("GET", f"{C}/exists", lambda e, c, b: {"exists": e.aliases.get(c, c) in e.collections}),
    ("PUT", C, Engine.create),
    ("PATCH", C, Engine.patch),
    ("DELETE", C, Engine.drop),
    ("PUT", f"{C}/index", _index),
    ("PUT", f"{C}/points", _upsert),
    ("POST", f"{C}/points", lambda e, c, b: e.of(c).retrieve(b)),
    ("POST", f"{C}/points/scroll", lambda e, c, b: e.of(c).scroll(b)),
    ("POST", f"{C}/points/count", lambda e, c, b: {"count": e.of(c).count(b.get("filter"))}),
    ("POST", f"{C}/points/query", lambda e, c, b: e.of(c).query(b)),
    ("POST", f"{C}/facet", lambda e, c, b: e.of(c).facet(b)),
    ("PUT", f"{C}/points/payload", _overwrite),
    ("POST", f"{C}/points/batch", _batch),
    ("POST", f"{C}/points/delete", _delete),
]
READS = {"scroll", "count", "query", "facet", "points"}  # last parts of paths that are read by POST
