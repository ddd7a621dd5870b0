"""The stages in order, for one note: text -> note -> blocks -> chunks -> references -> records.

Pure: the same text, rules and names give the same records, on every machine and in any order of notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from mindnet_chunker.assemble import CutCanvas, CutNote, canvas_records, note_records
from mindnet_chunker.chunking.language import Languages, note_language
from mindnet_chunker.chunking.pack import cut_note, fails
from mindnet_chunker.chunking.sizing import NoteType, TypeTable
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.errors import MindnetError, TypeTableError
from mindnet_chunker.graph import Targets
from mindnet_chunker.markdown.links import property_links
from mindnet_chunker.markdown.read import exclusions, read_document
from mindnet_chunker.records import (
    Chunk,
    Document,
    ExternalLink,
    Home,
    Link,
    Note,
    NoteMeta,
    NoteRecords,
    Problem,
    nfc,
)
from mindnet_chunker.vault.canvas import Canvas, CanvasText
from mindnet_chunker.vault.daily import DailyNotes
from mindnet_chunker.vault.names import Names, Outline
from mindnet_chunker.vault.notes import describe, parse_note
from mindnet_chunker.vault.properties import Properties


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What decides a note's records beside its text and the names in its vault."""

    vault: str  # the vault's id
    types: TypeTable
    counter: TokenCounter
    languages: Languages
    window: int  # tokens that the model reads at once
    passage_prefix: str = ""
    daily: DailyNotes | None = None

    def embedded(self, context: str, text: str) -> str:
        return self.passage_prefix + embedding_text(context, text)

    def row(self, meta: NoteMeta, note: Note) -> tuple[NoteType, tuple[Problem, ...]]:
        """The row that cuts a note: its type's, with the note's own `chunking:` put over it."""
        row = self.types.row(meta.type)
        if not meta.chunking:
            return row, ()
        try:
            return self.types.override(row, meta.chunking), ()
        except TypeTableError as wrong:
            problem = Problem(
                code="chunking-invalid",
                message=f"property `chunking`: {wrong.what}; the row `{row.name}` is used",
                path=note.path,
                line=Properties(note.path, note.frontmatter).line("chunking"),
                hint=wrong.hint,
            )
            return row, (problem,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNote:
    """A note before its chunks are cut."""

    document: Document
    meta: NoteMeta
    links: tuple[Link, ...]  # properties first, then in reading order
    lang: str
    content_hash: str
    problems: tuple[Problem, ...]

    @property
    def outline(self) -> Outline:
        return outline_of(self.document)


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def outline_of(document: Document) -> Outline:
    """Where the headings and block ids of a note stand, for links that name them."""
    blocks: dict[str, int] = {}
    for block in document.inline.block_ids:
        blocks.setdefault(block.id.lower(), block.line)
    return Outline(headings=tuple((h.level, h.text, h.line) for h in document.headings), blocks=blocks)


def read_note(
    path: str, text: str, rules: Rules, *, content_hash: str | None = None, problems: Iterable[Problem] = ()
) -> ReadNote:
    """Read one note. Never raises: what is wrong with it is among its problems."""
    note = parse_note(path, text)
    document = read_document(note)
    inline = document.inline
    meta = describe(
        note,
        heading=document.first_heading,
        tags=[tag.text for tag in inline.tags],
        types=rules.types.names,
        daily=rules.daily,
    )
    return ReadNote(
        document=document,
        meta=meta,
        links=(*property_links(note.frontmatter), *inline.links),
        lang=note_language(rules.languages, note.text[note.body_start :]),
        content_hash=content_hash or hash_text(text),
        problems=(*problems, *meta.problems),
    )


def cut(read: ReadNote, rules: Rules, excluded: str | None) -> CutNote:
    """Cut a note into chunks, each with its language. An excluded note keeps its record alone.

    Raises MindnetError where the row lets a note fail for what was found.
    """
    document, meta = read.document, read.meta
    path = document.note.path
    row, problems = rules.row(meta, document.note)
    excluded = excluded or meta.excluded
    if excluded:
        chunks: Sequence[Chunk] = ()
        left_out = exclusions(document)
    else:
        chunks, left_out, found = cut_note(document, meta.title, meta.aliases, row, rules.counter, rules.window)
        problems = (*problems, *found)
        if fatal := fails(found, row):
            raise MindnetError(fatal.message, where=path, line=fatal.line, hint=fatal.hint)
    return CutNote(
        document=document,
        meta=meta,
        chunks=[_with_language(chunk, rules, read.lang) for chunk in chunks],
        exclusions=left_out,
        lang=read.lang,
        content_hash=read.content_hash,
        excluded=excluded,
        problems=(*read.problems, *problems),
    )


def _with_language(chunk: Chunk, rules: Rules, lang: str) -> Chunk:
    return replace(chunk, lang=rules.languages.of(chunk.text[chunk.own_start :], lang))


def records_of(read: ReadNote, note_id: str, targets: Targets, rules: Rules, excluded: str | None) -> NoteRecords:
    """Everything that one note prints."""
    home = Home(vault=rules.vault, note_id=note_id, path=read.document.note.path)
    return note_records(cut(read, rules, excluded), home, read.links, targets, rules.embedded)


def lone_targets(path: str, note_id: str, outline: Outline) -> Targets:
    """A note by itself: only links to the note itself resolve."""
    return Targets(names=Names((path,)), note_ids={path: note_id}, paths={note_id: path}, outline={path: outline}.get)


def default_id(path: str) -> str:
    """The id of a note that declares none: its path without `.md`."""
    return path[:-3] if path.lower().endswith(".md") else path


def lone_note(path: str, text: str, rules: Rules, problems: Iterable[Problem] = ()) -> NoteRecords:
    """One note that knows no other."""
    read = read_note(nfc(path), text, rules, problems=problems)
    note_id = read.meta.declared_id or default_id(nfc(path))
    return records_of(read, note_id, lone_targets(nfc(path), note_id, read.outline), rules, None)


# --- canvases --------------------------------------------------------------------------------------------------------


def canvas_of(
    canvas: Canvas,
    targets: Targets,
    rules: Rules,
    *,
    content_hash: str,
    excluded: str | None,
    problems: Iterable[Problem] = (),
) -> NoteRecords:
    """Everything that one canvas prints: its text nodes are cut like notes of the default type."""
    path = canvas.path
    title = path.rpartition("/")[2].rpartition(".")[0]
    row = rules.types.row("default")
    chunks: list[Chunk] = []
    links: list[tuple[Link, int | None]] = []
    urls: list[str] = []
    tags: list[str] = []
    for node in canvas.nodes:
        if isinstance(node, Link):
            links.append((node, None))
        elif isinstance(node, ExternalLink):
            urls.append(node.url)
        else:
            read = read_note(path, node.text, rules)
            pieces: Sequence[Chunk] = ()
            if not excluded:
                pieces, _, _ = cut_note(read.document, title, (), row, rules.counter, rules.window)
            links += [(replace(link, origin="canvas"), _holder(link, pieces, len(chunks))) for link in read.links]
            urls += [link.url for link in read.document.inline.external_links]
            tags += read.meta.tags
            chunks += [
                replace(_with_language(piece, rules, "und"), index=len(chunks) + number, kind="canvas")
                for number, piece in enumerate(pieces)
            ]
    cut_canvas = CutCanvas(
        title=title,
        chunks=chunks,
        links=links,
        tags=distinct_tags(tags),
        external_links=urls,
        edges=[{"from": edge.source, "to": edge.target, "label": edge.label} for edge in canvas.edges],
        groups=canvas.groups,
        content_hash=content_hash,
        excluded=excluded,
        problems=(*problems, *canvas.problems),
    )
    return canvas_records(cut_canvas, canvas_home(path, rules), targets, rules.embedded)


def canvas_links(canvas: Canvas, rules: Rules) -> Iterator[Link]:
    """All links of a canvas, in the order of its nodes."""
    for node in canvas.nodes:
        if isinstance(node, Link):
            yield node
        elif isinstance(node, CanvasText):
            yield from read_note(canvas.path, node.text, rules).links


def _holder(link: Link, pieces: Sequence[Chunk], before: int) -> int | None:
    """The number of the chunk whose text holds the link."""
    for number, piece in enumerate(pieces, before):
        if link.span and piece.span.start <= link.span.start < piece.span.end:
            return number
    return None


def distinct_tags(tags: Iterable[str]) -> list[str]:
    """Each tag once, in its first spelling."""
    kept: dict[str, str] = {}
    for tag in tags:
        kept.setdefault(tag.lower(), tag)
    return list(kept.values())


def canvas_home(path: str, rules: Rules) -> Home:
    return Home(vault=rules.vault, note_id=path, path=path, kind="canvas")
