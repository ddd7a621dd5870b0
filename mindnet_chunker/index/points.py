"""`Chunk`, `Note`, `Edge` -> NDJSON record and point payload: one schema, one key order.

A record is what `--ndjson` prints. The payload of a point in Qdrant is its record without `record`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mindnet_chunker.records import (
    Chunk,
    Document,
    Exclusion,
    HeadingRef,
    Home,
    Json,
    NoteMeta,
    Problem,
    Record,
    Reference,
    stable_id,
)

SCHEMA = 1  # of all records; raised when a field changes its name, type or meaning
POINT_WORDS = 64  # of the own text that name a point
POINT_CHARACTERS = 256  # where words are not parted by blanks
TASK_DATES = ("due", "scheduled", "start", "done", "created", "cancelled")


def line_of(record: Record) -> str:
    """One NDJSON line, without its line end."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def digest(value: Json) -> str:
    """A hash over a JSON value, 32 hexadecimal digits."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def folders_of(path: str) -> list[str]:
    """Every ancestor folder, outermost first: `a/b/c.md` -> `a`, `a/b`."""
    steps = path.split("/")[:-1]
    return ["/".join(steps[: depth + 1]) for depth in range(len(steps))]


def section_path(headings: Sequence[HeadingRef], title: str) -> str:
    """`/Kontext/Beobachtung`: the headings below the title; `/` above the first one."""
    below = headings[1:] if headings and headings[0].text == title else headings
    return "/" + "/".join(heading.text.replace("/", "\u2215") for heading in below)


def chunk_id(note_id: str, index: int) -> str:
    return f"{note_id}#c{index:02}"


def point_id(record: Record) -> str:
    """The Qdrant id of a record."""
    kind = record["record"]
    if kind == "chunk":
        return str(record["point_id"])
    if kind == "edge":
        return str(record["edge_id"])
    return stable_id("note", record["vault"], record["note_id"])


def opening_words(text: str) -> str:
    """What names a chunk among those of its section: it stays when text is inserted elsewhere in the note."""
    words = text.split(None, POINT_WORDS)
    if len(words) < POINT_WORDS and len(text) > POINT_CHARACTERS and max(map(len, words)) > POINT_CHARACTERS // 4:
        return text.strip()[:POINT_CHARACTERS]
    return " ".join(words[:POINT_WORDS])


def chunk_point_ids(home: Home, chunks: Sequence[Chunk], title: str) -> list[str]:
    """Point ids of a note's chunks, in order; equal openings in one section are numbered."""
    seen: dict[tuple[str, str], int] = {}
    ids = []
    for chunk in chunks:
        key = (section_path(chunk.headings, title), opening_words(chunk.text[chunk.own_start :]))
        repeat = seen[key] = seen.get(key, -1) + 1
        ids.append(stable_id("chunk", home.vault, home.note_id, *key, str(repeat)))
    return ids


def reference_record(reference: Reference) -> Record:
    link = reference.link
    return {
        "target_id": reference.target_id,
        "target_kind": reference.target_kind,
        "target_path": reference.target_path,
        "resolved": reference.resolved,
        "kind": link.kind,
        "origin": link.origin,
        "raw": link.raw,
        "alias": link.alias,
        "heading": link.heading,
        "block": link.block,
        "embed": link.embed,
    }


def link_record(reference: Reference) -> Record:
    link = reference.link
    return {
        "kind": link.kind,
        "raw": link.raw,
        "target": link.target,
        "target_path": reference.target_path,
        "heading": link.heading,
        "block": link.block,
        "alias": link.alias,
        "embed": link.embed,
        "line": link.line,
        "subpath_line": reference.subpath_line,
    }


def meta_fields(meta: NoteMeta, tag_keys: Sequence[str]) -> Record:
    """What a note says of itself, as its chunks repeat it for filters."""
    return {
        "type": meta.type,
        "status": meta.status,
        "area": meta.area,
        "project": meta.project,
        "priority": meta.priority,
        "people": list(meta.people),
        "tags": list(meta.tags),
        "tag_keys": list(tag_keys),
        "aliases": list(meta.aliases),
    }


def canvas_fields(tags: Sequence[str], tag_keys: Sequence[str]) -> Record:
    """The same for a canvas, which has tags in its texts and no properties."""
    nothing = dict.fromkeys(("status", "area", "project", "priority"))
    lists: Record = {"people": [], "tags": list(tags), "tag_keys": list(tag_keys), "aliases": []}
    return {"type": "default", **nothing, **lists}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What all chunks of one note or canvas say."""

    home: Home
    title: str
    count: int  # of its chunks
    about: Record  # `meta_fields` or `canvas_fields`
    dates: Mapping[str, str | None]  # created_at, updated_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a chunk's own text holds."""

    wikilinks: Sequence[str] = ()  # names as written
    references: Sequence[Reference] = ()  # each link once
    external_links: Sequence[str] = ()
    block_ids: Sequence[str] = ()
    source: Record | None = None  # that a quote names: {text, url, path}


def chunk_record(
    shared: Shared, chunk: Chunk, *, point: str, lines: tuple[int, int] | None, held: Held, embedded: str
) -> Record:
    """One chunk. `lines`: first and last, None for a canvas; `embedded`: all that is embedded, prefix included."""
    home, placed = shared.home, lines is not None
    record: Record = {
        "record": "chunk",
        "chunk_id": chunk_id(home.note_id, chunk.index),
        "point_id": point,
        "note_id": home.note_id,
        "vault": home.vault,
        "note_title": shared.title,
        "path": home.path,
        "folders": folders_of(home.path),
        **shared.about,
        "chunk_index": chunk.index,
        "kind": chunk.kind,
        "text": chunk.text,
        "own_start": chunk.own_start,
        "context": chunk.context,
        "added": [{"at": part.at, "text": part.text, "why": part.why} for part in chunk.added],
        "char_start": chunk.span.start if placed else None,
        "char_end": chunk.span.end if placed else None,
        "overlap_start": chunk.overlap_start if placed else None,
        "line_start": lines[0] if lines else None,
        "line_end": lines[1] if lines else None,
        "token_count": chunk.token_count,
        "overlap_tokens": chunk.overlap_tokens,
        "embedding_tokens": chunk.embedding_tokens,
        "section_title": chunk.headings[-1].text if chunk.headings else shared.title,
        "section_path": section_path(chunk.headings, shared.title),
        "header_path": [{"level": heading.level, "text": heading.text} for heading in chunk.headings],
        "lang": chunk.lang,
        "wikilinks": list(held.wikilinks),
        "external_links": list(held.external_links),
        "references": [reference_record(reference) for reference in held.references],
        "references_meta": held.source,
        "neighbors": {
            "prev": f"#c{chunk.index - 1:02}" if chunk.index else None,
            "next": f"#c{chunk.index + 1:02}" if chunk.index + 1 < shared.count else None,
        },
        "block_ids": list(held.block_ids),
        "flags": list(chunk.flags),
        "summary": chunk.summary,
        **shared.dates,
    }
    record["text_hash"] = hashlib.sha256(embedded.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    record["payload_hash"] = digest(record)
    record["schema"] = SCHEMA
    return record


def note_record(
    home: Home,
    document: Document,
    meta: NoteMeta,
    *,
    tag_keys: Sequence[str],
    lang: str,
    references: Sequence[Reference],
    exclusions: Sequence[Exclusion],
    n_chunks: int,
    n_edges: int,
    content_hash: str,
    excluded: str | None,
    warnings: Sequence[Problem],
) -> Record:
    note, inline = document.note, document.inline
    head = note.frontmatter
    about = meta_fields(meta, tag_keys)
    return {
        "record": "note",
        "note_id": home.note_id,
        "vault": home.vault,
        "title": meta.title,
        "path": home.path,
        "folders": folders_of(home.path),
        **about,
        "created_at": meta.created_at,
        "updated_at": meta.updated_at,
        "frontmatter": dict(head.fields),
        "has_frontmatter": head.present,
        "frontmatter_error": head.error,
        "lang": lang,
        "headings": [
            {"level": h.level, "text": h.text, "line": h.line, "char_start": h.span.start, "char_end": h.span.end}
            for h in document.headings
        ],
        "links": [link_record(reference) for reference in references],
        "external_links": [link.url for link in inline.external_links],
        "block_ids": [block.id for block in inline.block_ids],
        "callouts": [{"type": c.type, "title": c.title, "fold": c.fold, "line": c.line} for c in inline.callouts],
        "inline_fields": [{"key": f.key, "value": f.value, "line": f.line} for f in inline.fields],
        "tasks": [
            {
                "status": task.status,
                "text": task.text,
                "dates": {name: task.dates.get(name) for name in TASK_DATES},
                "line": task.line,
            }
            for task in inline.tasks
        ],
        "exclusions": [{"char_start": e.span.start, "char_end": e.span.end, "reason": e.reason} for e in exclusions],
        "n_chunks": n_chunks,
        "n_edges": n_edges,
        "char_count": len(note.text),
        "content_hash": content_hash,
        "excluded": excluded,
        "warnings": [problem.record() for problem in warnings],
        "schema": SCHEMA,
    }


def canvas_record(
    home: Home,
    *,
    title: str,
    references: Sequence[Reference],
    external_links: Sequence[str],
    edges: Sequence[Record],
    groups: Sequence[str],
    n_chunks: int,
    n_edges: int,
    content_hash: str,
    excluded: str | None,
    warnings: Sequence[Problem],
) -> Record:
    return {
        "record": "canvas",
        "note_id": home.note_id,
        "vault": home.vault,
        "path": home.path,
        "folders": folders_of(home.path),
        "excluded": excluded,
        "title": title,
        "links": [link_record(reference) for reference in references],
        "external_links": list(external_links),
        "canvas_edges": list(edges),
        "canvas_groups": list(groups),
        "n_chunks": n_chunks,
        "n_edges": n_edges,
        "content_hash": content_hash,
        "warnings": [problem.record() for problem in warnings],
        "schema": SCHEMA,
    }
