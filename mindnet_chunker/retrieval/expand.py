"""A hit -> what stands around it: its section, its note, or what it is linked with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mindnet_chunker.index.store import Filter, Match, Point, Store, of_notes
from mindnet_chunker.records import Json, Record, Span
from mindnet_chunker.retrieval.ways import Expand


def span_around(chunk: Record, note: Record, wanted: Expand) -> Span | None:
    """What of the file stands around a chunk: its section, or the note without its head.

    The section is that of the last heading in the chunk's path, else the smallest that holds the chunk whole; before the
    first heading it is the text up to there. None where the chunk has no place: those of a canvas.
    """
    start, end = chunk["char_start"], chunk["char_end"]
    if start is None:
        return None
    heads = [left["char_end"] for left in note["exclusions"] if left["reason"] == "frontmatter"]
    body = Span(heads[0] if heads else 0, note["char_count"])
    headings = note["headings"]
    if wanted == "note" or not headings:
        return body
    if end <= headings[0]["char_start"]:
        return Span(body.start, headings[0]["char_start"])
    own = chunk["header_path"][-1:]
    around = [heading for heading in headings if heading["char_start"] < end <= heading["char_end"]]
    named = [heading for heading in around if [{"level": heading["level"], "text": heading["text"]}] == own]
    holding = [heading for heading in around if heading["char_start"] <= start]
    section = (named or holding or [{"char_start": body.start, "char_end": body.end}])[-1]
    return Span(min(start, section["char_start"]), section["char_end"])


def stored_text(chunks: Iterable[Record], span: Span | None) -> str:
    """The own texts of those chunks of a note that lie in `span`, in reading order."""
    ordered = sorted(chunks, key=lambda chunk: int(chunk["chunk_index"]))
    return "\n\n".join(
        chunk["text"][chunk["own_start"] :]
        for chunk in ordered
        if span is None or (chunk["char_start"] is not None and span.start <= chunk["char_start"] < span.end)
    )


def links_of(store: Store, vault: str, note_ids: Sequence[str]) -> dict[str, list[Record]]:
    """note_id -> what the note references and what references it, as `{direction, kind, note_id, path, title, ...}`."""
    wanted = tuple(dict.fromkeys(note_ids))
    out = list(store.scroll("edges", vault, Filter(must=(Match("source_id", wanted),))))
    back = [
        edge for edge in store.scroll("edges", vault, Filter(must=(Match("target_id", wanted),))) if _is_link_back(edge)
    ]
    ends = {edge.payload["target_id"] for edge in out if edge.payload["resolved"]}
    ends |= {edge.payload["source_id"] for edge in back}
    titles = {
        point.payload["note_id"]: point.payload["title"]
        for point in store.scroll("notes", vault, of_notes(sorted(ends)), keys=("note_id", "title"))
    }
    found: dict[str, list[Record]] = {note_id: [] for note_id in wanted}
    for edge in out:
        found[edge.payload["source_id"]].append(_link(edge.payload, "out", titles))
    for edge in back:
        found[edge.payload["target_id"]].append(_link(edge.payload, "in", titles))
    return {note_id: sorted(links, key=_order) for note_id, links in found.items()}


def linked_with(store: Store, vault: str, note_id: str) -> set[str]:
    """The ids of all notes that a note links to or that link to it, by any kind of edge."""
    links = links_of(store, vault, [note_id])[note_id]
    return {link["note_id"] for link in links if link["resolved"]}


def _is_link_back(edge: Point) -> bool:
    """The name that an unresolved link was written with may be some note's id."""
    return bool(edge.payload["resolved"]) and edge.payload["source_id"] != edge.payload["target_id"]


def _link(edge: Record, direction: str, titles: dict[str, str]) -> Record:
    other = edge["target_id"] if direction == "out" else edge["source_id"]
    return {
        "direction": direction,
        "kind": edge["kind"],
        "note_id": other,
        "path": edge["target_path"] if direction == "out" else edge["path"],
        "title": titles.get(other, other) if edge["resolved"] else other,
        "resolved": edge["resolved"],
        **{key: edge[key] for key in ("origin", "raw", "alias", "heading", "block", "embed")},
    }


def _order(link: Record) -> tuple[Json, ...]:
    return (link["direction"] == "in", link["kind"], link["path"] or "\uffff", str(link["heading"]), str(link["block"]))
