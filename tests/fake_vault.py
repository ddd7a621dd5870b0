"""A vault in memory, cut in the simplest way: a chunk for each paragraph, an edge for each `[[link]]`, `id:` in line 1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindnet_chunker.index.plan import Built, Wanted
from mindnet_chunker.index.points import digest, point_id
from mindnet_chunker.index.store import KINDS, Model, Sparse, Store
from mindnet_chunker.index.sync import SyncReport, sync
from mindnet_chunker.records import NoteRecords, Record, stable_id

Files = Mapping[str, str]  # path -> text

MODEL = Model(name="fake", dim=8, identity="0123456789abcdef")
LINK = re.compile(r"\[\[([^\]]+)\]\]")


class FakeEmbedder:
    """Vectors from a hash of what is embedded; remembers what it was asked for."""

    def __init__(self, dim: int = MODEL.dim) -> None:
        self.dim = dim
        self.calls: list[list[Record]] = []

    @property
    def texts(self) -> list[str]:
        return [record["text"] for call in self.calls for record in call]

    def dense(self, chunks: Sequence[Record]) -> NDArray[np.float32]:
        self.calls.append(list(chunks))
        rows = [np.random.default_rng(int(chunk["text_hash"][:12], 16)).normal(size=self.dim) for chunk in chunks]
        return np.array(rows, dtype=np.float32).reshape(len(chunks), self.dim)

    def start(self) -> None:
        pass

    def sparse(self, chunks: Sequence[Record]) -> list[Sparse]:
        words = [sorted({int(digest(word)[:7], 16) for word in chunk["text"].split()}) for chunk in chunks]
        return [Sparse(indices, [1.0] * len(indices)) for indices in words]


class FakeVault:
    def __init__(self, files: Files, name: str = "v") -> None:
        self.files = files
        self.name = name
        self.ids = {path: self._id(path, text) for path, text in files.items()}
        self.built: list[str] = []  # paths, as they are built

    def wanted(self, scope: str = "") -> list[Wanted]:
        return [
            Wanted(path=path, note_id=self.ids[path], commit=self.commit(path), build=self._builder(path))
            for path in sorted(self.files)
            if not scope or path.startswith(scope + "/")
        ]

    def commit(self, path: str) -> str:
        targets = [self._target(name) for name in LINK.findall(self.files[path])]
        return digest([path, self.ids[path], self.files[path], targets])

    def _builder(self, path: str) -> Callable[[], Built]:
        def build() -> Built:
            self.built.append(path)
            return Built(records=self.records(path), commit=self.commit(path))

        return build

    def _id(self, path: str, text: str) -> str:
        first = text.split("\n", 1)[0]
        return first.removeprefix("id: ") if first.startswith("id: ") else path.removesuffix(".md")

    def _target(self, name: str) -> str | None:
        path = next((path for path in sorted(self.files) if path.rsplit("/", 1)[-1] == f"{name}.md"), None)
        return path and self.ids[path]

    def records(self, path: str) -> NoteRecords:
        note_id, text = self.ids[path], self.files[path]
        base = {"vault": self.name, "note_id": note_id, "path": path}
        parts = [part for part in text.split("\n\n") if part.strip() and not part.startswith("id: ")]
        title = path.rsplit("/", 1)[-1].removesuffix(".md")
        if parts and parts[0].startswith("# "):
            title = parts.pop(0)[2:]
        chunks: list[Record] = []
        repeats: dict[str, int] = {}
        for part in parts:
            repeats[part] = repeats.get(part, -1) + 1
            chunk: Record = {
                "record": "chunk", **base, "point_id": stable_id("chunk", self.name, note_id, part[:12], str(repeats[part])),
                "chunk_index": len(chunks), "text": part, "context": title, "flags": [],
                "embedding_tokens": len(part.split()) + 3, "text_hash": digest([title, part]),
            }  # fmt: skip
            chunks.append({**chunk, "payload_hash": digest(chunk), "schema": 1})
        edges = [
            {"record": "edge", **base, "edge_id": stable_id("edge", self.name, note_id, name), "kind": "references",
             "source_id": note_id, "target_id": self._target(name) or name, "resolved": self._target(name) is not None}
            for name in dict.fromkeys(LINK.findall(text))
        ]  # fmt: skip
        note: Record = {
            "record": "note", **base, "title": title, "n_chunks": len(chunks), "n_edges": 3 * len(chunks) + len(edges),
            "content_hash": digest(text), "excluded": "filter" if path.startswith("out/") else None, "schema": 1,
        }  # fmt: skip
        if note["excluded"]:
            note, chunks, edges = {**note, "n_chunks": 0, "n_edges": 0}, [], []
        return NoteRecords(
            path=path, note_id=note_id, note=note, chunks=tuple(chunks), edges=tuple(edges), stored_edges=tuple(edges)
        )


def run(
    store: Store, files: Files, embedder: FakeEmbedder | None = None, *, name: str = "v", **options: Any
) -> SyncReport:
    vault = FakeVault(files, name)
    return sync(store, name, vault.wanted(options.get("scope", "")), embedder or FakeEmbedder(), **options)


def snapshot(store: Store, vault: str = "v") -> dict[str, Any]:
    """All that the store holds of a vault, in a form that can be compared."""
    return {
        f"{kind} {point.id}": (
            point.payload,
            None if point.vectors.dense is None else [round(float(value), 5) for value in point.vectors.dense],
            point.vectors.sparse
            and [list(map(int, point.vectors.sparse[0])), list(map(float, point.vectors.sparse[1]))],
        )
        for kind in KINDS
        for point in store.scroll(kind, vault, with_vectors=True)
    }


def expected(files: Files, vault: str = "v") -> dict[str, Any]:
    """The snapshot of a fresh run over these files, worked out without any store."""
    fake, embedder, made = FakeVault(files, vault), FakeEmbedder(), {}
    for path in files:
        records = fake.records(path)
        for record in (*records.chunks, *records.stored_edges, records.note):
            kind = f"{record['record']}s"
            payload = {key: value for key, value in record.items() if key != "record"}
            dense = sparse = None
            if kind == "chunks":
                row = embedder.dense([record])[0]
                dense = [round(float(value), 5) for value in row / np.linalg.norm(row)]
                sparse = [list(part) for part in embedder.sparse([record])[0]]
            if kind == "notes":
                payload |= {"commit": fake.commit(path), "n_edge_points": len(records.stored_edges)}
            made[f"{kind} {point_id(record)}"] = (payload, dense, sparse)
    return made
