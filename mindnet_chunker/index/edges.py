"""Records -> edges. Stored are only those between notes; all others are made from the records of one note's chunks.

So what is printed for a vault and what is read back from a store come from the same lines. An edge belongs to the note
that causes it: a backlink is printed with the note that holds the link, and goes with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mindnet_chunker.records import Home, Json, Record, stable_id

LINKS_BACK = ("note", "canvas")  # kinds of targets


def edge_record(
    home: Home,
    kind: str,
    source: tuple[str, str],
    target: tuple[str, str, str | None],
    told: Record | None = None,
) -> Record:
    """One edge. `source`: id and kind; `target`: id, kind and path; `told`: the reference it is drawn from."""
    link = told or {}
    heading, block, origin = link.get("heading"), link.get("block"), link.get("origin")
    resolved: bool = link.get("resolved", True)
    # A name that no note has may be some note's id: the two edges must not be one.
    parts: tuple[Json, ...] = (kind, source[0], target[0] if resolved else f"?{target[0]}", heading, block, origin)
    return {
        "record": "edge",
        "edge_id": stable_id("edge", home.vault, *("" if part is None else f"={part}" for part in parts)),
        "kind": kind,
        "vault": home.vault,
        "source_id": source[0],
        "source_kind": source[1],
        "target_id": target[0],
        "target_kind": target[1],
        "target_path": target[2],
        "resolved": resolved,
        "note_id": home.note_id,
        "path": home.path,
        "origin": origin,
        "raw": link.get("raw"),
        "alias": link.get("alias"),
        "heading": heading,
        "block": block,
        "embed": link.get("embed", False),
    }


def reference_edge(home: Home, kind: str, source: tuple[str, str], told: Record) -> Record:
    """The edge of a reference, from a chunk or a note."""
    return edge_record(home, kind, source, (told["target_id"], told["target_kind"], told["target_path"]), told)


def all_edges(home: Home, chunks: Sequence[Record], stored: Sequence[Record]) -> Iterator[Record]:
    """Every edge of one note or canvas, each once. `chunks`: in order; `stored`: its edges that are kept as points."""
    note = (home.note_id, home.kind)
    here = (*note, home.path)
    for chunk in chunks:
        yield edge_record(home, "belongs_to", _node(chunk), here)
    for before, after in pairwise(chunks):
        yield edge_record(home, "next", _node(before), (*_node(after), home.path))
        yield edge_record(home, "prev", _node(after), (*_node(before), home.path))
    for chunk in chunks:
        for told in chunk["references"]:
            yield reference_edge(home, "references", _node(chunk), told)
    yield from stored
    for edge in stored:
        if edge["kind"] == "references" and edge["target_kind"] in LINKS_BACK:
            yield edge_record(home, "backlink", (edge["target_id"], edge["target_kind"]), here, edge)
    for path in dict.fromkeys(chunk["section_path"] for chunk in chunks):
        yield edge_record(home, "has_section", note, (f"{home.note_id}#{path}", "section", home.path))


def _node(chunk: Record) -> tuple[str, str]:
    return chunk["point_id"], "chunk"
