"""One note, read and cut -> its records: every link in the chunk that holds it, every edge once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from mindnet_chunker.graph import ChunkNode, Targets, edges, first_of_each, is_stored, resolve, typed_references
from mindnet_chunker.index.points import (
    canvas_record,
    chunk_point_ids,
    chunk_record,
    edge_record,
    meta_fields,
    note_record,
    section_path,
)
from mindnet_chunker.records import (
    Chunk,
    Document,
    Edge,
    Exclusion,
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
    document, meta = cut.document, cut.meta
    inline = document.inline
    references = _with_origins([resolve(link, home.path, targets) for link in links], cut.chunks)
    held = _by_chunk([r.link for r in references], cut.chunks, references)
    outside = _by_chunk(inline.external_links, cut.chunks, inline.external_links)
    blocks = _by_chunk(inline.block_ids, cut.chunks, inline.block_ids)
    points = chunk_point_ids(home, cut.chunks, meta.title)
    keys = tag_keys(meta.tags)
    about = meta_fields(meta, keys)
    dates = {"created_at": meta.created_at, "updated_at": meta.updated_at}
    chunks = []
    nodes = []
    for chunk, point, inside, urls, ids in zip(cut.chunks, points, held, outside, blocks, strict=True):
        once = first_of_each(inside)
        nodes.append(
            ChunkNode(point_id=point, section_path=section_path(chunk.headings, meta.title), references=once)
        )
        chunks.append(
            chunk_record(
                home,
                chunk,
                point=point,
                count=len(cut.chunks),
                title=meta.title,
                about=about,
                dates=dates,
                lines=(document.note.line_at(chunk.span.start), document.note.line_at(chunk.span.end - 1)),
                wikilinks=[r.link.target for r in inside if r.link.kind == "wikilink"],
                references=once,
                external_links=[link.url for link in urls],
                block_ids=[block.id for block in ids],
                references_meta=_source_of(chunk, inside, [(link.url, link.text, link.span) for link in urls]),
                embedded=embedded(chunk.context, chunk.text),
            )
        )
    drawn = () if cut.excluded else tuple(
        edges(home, nodes, references, typed_references(references, document.note.frontmatter, targets))
    )  # fmt: skip
    note = note_record(
        home,
        document,
        meta,
        tag_keys=keys,
        lang=cut.lang,
        references=references,
        exclusions=cut.exclusions,
        n_chunks=len(chunks),
        n_edges=len(drawn),
        content_hash=cut.content_hash,
        excluded=cut.excluded,
        warnings=cut.problems,
    )
    return _finished(home, note, chunks, drawn, cut.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutCanvas:
    """A canvas after the chunking stage: one list of chunks, and the links of the text that each came from."""

    title: str
    file_links: Sequence[Link]
    chunks: Sequence[Chunk]
    chunk_links: Sequence[Sequence[Link]]
    external_links: Sequence[str]
    edges: Sequence[Record]
    groups: Sequence[str]
    content_hash: str
    excluded: str | None
    problems: Sequence[Problem]


def canvas_records(cut: CutCanvas, home: Home, about: Record, targets: Targets, embedded: Embedded) -> NoteRecords:
    """The records of one canvas; its chunks have no place in a file."""
    files = [resolve(link, home.path, targets) for link in cut.file_links]
    held = [[resolve(link, home.path, targets) for link in links] for links in cut.chunk_links]
    points = chunk_point_ids(home, cut.chunks, cut.title)
    nodes = []
    chunks = []
    for chunk, point, inside in zip(cut.chunks, points, held, strict=True):
        once = first_of_each(inside)
        nodes.append(ChunkNode(point_id=point, section_path=section_path(chunk.headings, cut.title), references=once))
        chunks.append(
            chunk_record(
                home,
                chunk,
                point=point,
                count=len(cut.chunks),
                title=cut.title,
                about=about,
                dates={"created_at": None, "updated_at": None},
                lines=None,
                wikilinks=[r.link.target for r in inside if r.link.kind == "wikilink"],
                references=once,
                external_links=[],
                block_ids=[],
                references_meta=None,
                embedded=embedded(chunk.context, chunk.text),
            )
        )
    references = [*files, *(reference for inside in held for reference in inside)]
    drawn = () if cut.excluded else tuple(edges(home, nodes, references, ()))
    canvas = canvas_record(
        home,
        title=cut.title,
        references=references,
        external_links=cut.external_links,
        edges=cut.edges,
        groups=cut.groups,
        n_chunks=len(chunks),
        n_edges=len(drawn),
        content_hash=cut.content_hash,
        excluded=cut.excluded,
        warnings=cut.problems,
    )
    return _finished(home, canvas, chunks, drawn, cut.problems)


def _finished(
    home: Home, note: Record, chunks: Sequence[Record], drawn: Sequence[Edge], problems: Sequence[Problem]
) -> NoteRecords:
    printed = [edge_record(home, edge) for edge in drawn]
    return NoteRecords(
        path=home.path,
        note_id=home.note_id,
        note=note,
        chunks=tuple(chunks),
        edges=tuple(printed),
        stored_edges=tuple(record for record, edge in zip(printed, drawn, strict=True) if is_stored(edge)),
        problems=tuple(problems),
    )


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


def _source_of(
    chunk: Chunk, references: Sequence[Reference], urls: Sequence[tuple[str, str | None, Span | None]]
) -> Record | None:
    """The source that a quote or callout names: the link in its first line (a callout's title), else its last link."""
    if chunk.kind not in ("quote", "callout"):
        return None
    found: list[tuple[int, Record]] = []
    for r in references:
        if r.link.span is not None:
            text = r.link.alias or r.link.target
            found.append((r.link.span.start, {"text": text, "url": None, "path": r.target_path}))
    found += [(span.start, {"text": text or url, "url": url, "path": None}) for url, text, span in urls if span]
    if not found:
        return None
    found.sort(key=lambda pair: pair[0])
    own = chunk.text[chunk.own_start :]
    first_line_end = chunk.span.start + len(own.split("\n", 1)[0])
    in_title = chunk.kind == "callout" and found[0][0] < first_line_end
    return found[0][1] if in_title else found[-1][1]
