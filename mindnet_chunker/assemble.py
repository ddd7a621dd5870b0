"""One note or canvas, read and cut -> its records: every link in the chunk that holds it, every edge once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from mindnet_chunker.graph import Targets, between_notes, first_of_each, resolve, typed_references
from mindnet_chunker.index.edges import all_edges, reference_edge
from mindnet_chunker.index.points import (
    Held,
    Shared,
    canvas_fields,
    canvas_record,
    chunk_point_ids,
    chunk_record,
    meta_fields,
    note_record,
    reference_record,
)
from mindnet_chunker.records import (
    Chunk,
    Document,
    Exclusion,
    ExternalLink,
    Home,
    Link,
    NoteMeta,
    NoteRecords,
    Problem,
    Record,
    Reference,
    Span,
)
from mindnet_chunker.vault.notes import tag_keys

Embedded = Callable[[str, str], str]  # (context, text) -> the whole text that is embedded, prefix included


class Placed(Protocol):
    """Anything with a place in the body."""

    @property
    def span(self) -> Span | None: ...


T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CutNote:
    """A note after the chunking stage."""

    document: Document
    meta: NoteMeta
    chunks: Sequence[Chunk]
    exclusions: Sequence[Exclusion]
    lang: str
    content_hash: str
    excluded: str | None
    problems: Sequence[Problem]


def note_records(cut: CutNote, home: Home, links: Sequence[Link], targets: Targets, embedded: Embedded) -> NoteRecords:
    """The records of one note. `links`: all its links, properties first, then in reading order."""
    document, meta, inline = cut.document, cut.meta, cut.document.inline
    keys = tag_keys(meta.tags)
    shared = Shared(
        home=home,
        title=meta.title,
        count=len(cut.chunks),
        about=meta_fields(meta, keys),
        dates={"created_at": meta.created_at, "updated_at": meta.updated_at},
    )
    references = _with_origins([resolve(link, home.path, targets) for link in links], cut.chunks)
    by_chunk = zip(
        chunk_point_ids(home, cut.chunks, meta.title),
        cut.chunks,
        _by_chunk([r.link for r in references], cut.chunks, references),
        _by_chunk(inline.external_links, cut.chunks, inline.external_links),
        _by_chunk(inline.block_ids, cut.chunks, inline.block_ids),
        strict=True,
    )
    line_at = document.note.line_at
    chunks = [
        chunk_record(
            shared,
            chunk,
            point=point,
            lines=(line_at(chunk.span.start), line_at(chunk.span.end - 1)),
            held=Held(
                wikilinks=[r.link.target for r in inside if r.link.kind == "wikilink"],
                references=first_of_each(inside),
                external_links=[link.url for link in urls],
                block_ids=[block.id for block in ids],
                source=_source_of(chunk, inside, urls),
            ),
            embedded=embedded(chunk.context, chunk.text),
        )
        for point, chunk, inside, urls, ids in by_chunk
    ]
    typed = typed_references(references, document.note.frontmatter, targets)
    edges, stored = _edges(home, chunks, references, typed, cut.excluded)
    note = note_record(
        home,
        document,
        meta,
        tag_keys=keys,
        lang=cut.lang,
        references=references,
        exclusions=cut.exclusions,
        n_chunks=len(chunks),
        n_edges=len(edges),
        content_hash=cut.content_hash,
        excluded=cut.excluded,
        warnings=cut.problems,
    )
    return NoteRecords(
        path=home.path,
        note_id=home.note_id,
        note=note,
        chunks=tuple(chunks),
        edges=edges,
        stored_edges=stored,
        problems=tuple(cut.problems),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCanvas:
    """A canvas after the chunking stage."""

    title: str
    chunks: Sequence[Chunk]
    links: Sequence[tuple[Link, int | None]]  # in the order of its nodes, each with the number of its chunk
    tags: Sequence[str]
    external_links: Sequence[str]
    edges: Sequence[Record]
    groups: Sequence[str]
    content_hash: str
    excluded: str | None
    problems: Sequence[Problem]


def canvas_records(cut: CutCanvas, home: Home, targets: Targets, embedded: Embedded) -> NoteRecords:
    """The records of one canvas; its chunks have no place in a file."""
    references = [resolve(link, home.path, targets) for link, _ in cut.links]
    inside: list[list[Reference]] = [[] for _ in cut.chunks]
    for reference, (_, number) in zip(references, cut.links, strict=True):
        if number is not None:
            inside[number].append(reference)
    shared = Shared(
        home=home,
        title=cut.title,
        count=len(cut.chunks),
        about=canvas_fields(cut.tags, tag_keys(cut.tags)),
        dates={"created_at": None, "updated_at": None},
    )
    chunks = [
        chunk_record(
            shared,
            chunk,
            point=point,
            lines=None,
            held=Held(
                wikilinks=[r.link.target for r in held if r.link.kind == "wikilink"], references=first_of_each(held)
            ),
            embedded=embedded(chunk.context, chunk.text),
        )
        for point, chunk, held in zip(chunk_point_ids(home, cut.chunks, cut.title), cut.chunks, inside, strict=True)
    ]
    edges, stored = _edges(home, chunks, references, (), cut.excluded)
    canvas = canvas_record(
        home,
        title=cut.title,
        references=references,
        external_links=cut.external_links,
        edges=cut.edges,
        groups=cut.groups,
        n_chunks=len(chunks),
        n_edges=len(edges),
        content_hash=cut.content_hash,
        excluded=cut.excluded,
        warnings=cut.problems,
    )
    return NoteRecords(
        path=home.path,
        note_id=home.note_id,
        note=canvas,
        chunks=tuple(chunks),
        edges=edges,
        stored_edges=stored,
        problems=tuple(cut.problems),
    )


def _edges(
    home: Home,
    chunks: Sequence[Record],
    references: Sequence[Reference],
    typed: Iterable[tuple[str, Reference]],
    excluded: str | None,
) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    """All edges, and those of them that are stored. An excluded note draws none."""
    if excluded:
        return (), ()
    source = (home.note_id, home.kind)
    stored = tuple(
        reference_edge(home, kind, source, reference_record(reference))
        for kind, reference in between_notes(references, typed)
    )
    return tuple(all_edges(home, chunks, stored)), stored


def _by_chunk(placed: Sequence[Placed], chunks: Sequence[Chunk], values: Sequence[T]) -> list[list[T]]:
    """The values whose place lies in each chunk's own text; those in none (properties, left out text) in no list."""
    starts = [chunk.span.start for chunk in chunks]
    held: list[list[T]] = [[] for _ in chunks]
    for one, value in zip(placed, values, strict=True):
        if one.span is not None:
            at = bisect_right(starts, one.span.start) - 1
            if at >= 0 and one.span.start < chunks[at].span.end:
                held[at].append(value)
    return held


def _with_origins(references: Sequence[Reference], chunks: Sequence[Chunk]) -> list[Reference]:
    """Links of a link section say so."""
    sections = [chunk.span for chunk in chunks if chunk.kind == "links"]
    if not sections:
        return list(references)

    def inside(link: Link) -> bool:
        return link.span is not None and any(span.start <= link.span.start < span.end for span in sections)

    return [replace(r, link=replace(r.link, origin="link_section")) if inside(r.link) else r for r in references]


def _source_of(chunk: Chunk, references: Sequence[Reference], urls: Sequence[ExternalLink]) -> Record | None:
    """The source that a quote or callout names: the link in its first line (a callout's title), else its last link."""
    if chunk.kind not in ("quote", "callout"):
        return None
    found: list[tuple[int, Record]] = []
    for r in references:
        if r.link.span is not None:
            text = r.link.alias or r.link.target
            found.append((r.link.span.start, {"text": text, "url": None, "path": r.target_path}))
    found += [(u.span.start, {"text": u.text or u.url, "url": u.url, "path": None}) for u in urls if u.span]
    if not found:
        return None
    found.sort(key=lambda pair: pair[0])
    own = chunk.text[chunk.own_start :]
    first_line_end = chunk.span.start + len(own.split("\n", 1)[0])
    in_title = chunk.kind == "callout" and found[0][0] < first_line_end
    return found[0][1] if in_title else found[-1][1]
