"""Where the vectors of chunks come from: kept from this run, from the store, else from the embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from mindnet_chunker.index.plan import NotePlan
from mindnet_chunker.index.store import Filter, Match, Sparse, Store, Vectors
from mindnet_chunker.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SLICE = 128  # texts between two looks at `should_stop`

Known = dict[str, Vectors]  # text_hash -> vectors


class Embedder(Protocol):
    """What makes the vectors of chunks, given as their records."""

    def start(self) -> None:
        """Something will be asked for: begin to load, while more notes are cut."""

    def dense(self, chunks: Sequence[Record]) -> NDArray[np.float32]:
        """`(n, dim)`."""

    def sparse(self, chunks: Sequence[Record]) -> Sequence[Sparse]: ...


@dataclass(slots=True)
class Batch:
    """Groups of notes that wait for the vectors of their chunks."""

    groups: list[list[NotePlan]] = field(default_factory=list)
    vectors: Known = field(default_factory=dict)
    missing: dict[str, Record] = field(default_factory=dict)  # text_hash -> one chunk with that text
    chunks: int = 0

    def add(self, plans: list[NotePlan], store: Store, vault: str, kept: Known | None) -> dict[str, Record]:
        """Add a group, find the vectors that it needs, and say which are missing beside those that were already.

        `kept`: vectors of chunks that this run deleted; None: neither they nor those in the store count.
        """
        needed = {record["text_hash"]: record for plan in plans for record in plan.new_chunks}
        unknown = needed.keys() - self.vectors.keys() - self.missing.keys()
        if kept is not None:
            self.vectors |= {key: kept[key] for key in unknown & kept.keys()}
            self.vectors |= vectors_by_text_hash(store, vault, unknown - kept.keys())
        missing = {key: needed[key] for key in needed if key in unknown and key not in self.vectors}
        self.missing |= missing
        self.chunks += sum(len(plan.built.records.chunks) for plan in plans)
        self.groups.append(plans)
        return missing

    def embed(self, embedder: Embedder, should_stop: Callable[[], bool]) -> Iterator[list[Record]]:
        """Make the missing vectors, longest text first, so that texts of like length meet; yields what was embedded.

        When it is stopped, the rest stays missing.
        """
        records = sorted(self.missing.values(), key=lambda record: -record["embedding_tokens"])
        for start in range(0, len(records), SLICE):
            if should_stop():
                return
            part = records[start : start + SLICE]
            for record, dense, sparse in zip(part, embedder.dense(part), embedder.sparse(part), strict=True):
                self.vectors[record["text_hash"]] = Vectors(dense, sparse if len(sparse.indices) else None)
            yield part

    def complete(self, plans: list[NotePlan]) -> list[NotePlan]:
        """Those whose chunks have all their vectors."""
        return [plan for plan in plans if all(record["text_hash"] in self.vectors for record in plan.new_chunks)]


def vectors_by_text_hash(store: Store, vault: str, hashes: set[str]) -> Known:
    """The vectors of chunks in the store, by the hash of the text that was embedded."""
    found: Known = {}
    if hashes:
        where = Filter(must=(Match("text_hash", tuple(sorted(hashes))),))
        for point in store.scroll("chunks", vault, where, keys=("text_hash",), with_vectors=True):
            if point.vectors.dense is not None:
                found[point.payload["text_hash"]] = point.vectors
            if len(found) == len(hashes):  # many chunks may have one text
                break
    return found
