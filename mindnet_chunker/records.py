"""The frozen records that flow between the stages, and the ids derived from them.

One coordinate: a `Span` is half-open `[start, end)`, in characters (code points) of `Note.text`. Lines are 1-based.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID, uuid5

Json = Any  # null, bool, int, float, str, or lists and str-keyed mappings of these
Record = dict[str, Json]  # one line of NDJSON

NAMESPACE = UUID("5d0c7c8e-6b0f-5c1e-9a57-2f6d1f0f3b11")  # of all our ids; never changes


def stable_id(*parts: str) -> str:
    """A UUIDv5 over the parts, in lower case: the same parts give the same id on every machine."""
    return str(uuid5(NAMESPACE, "\0".join(parts)))


def nfc(text: str) -> str:
    """Names and paths are compared and stored in this form."""
    return unicodedata.normalize("NFC", text)


def is_canvas(path: str) -> bool:
    """Whether a file of a vault is a board."""
    return path.lower().endswith(".canvas")


class Span(NamedTuple):
    """`text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A warning or an error about one file, for people: `path:line: CODE message`, and what to do."""

    code: str  # kebab-case, stable: `frontmatter-invalid`
    message: str
    path: str = ""
    line: int | None = None
    hint: str = ""

    def record(self) -> Record:
        return {"path": self.path, "line": self.line, "code": self.code, "message": self.message, "hint": self.hint}


# --- one note as read ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The YAML head of a note."""

    present: bool = False
    fields: Mapping[str, Json] = field(default_factory=dict)  # JSON-safe; empty where the head is invalid
    lines: Mapping[str, int] = field(default_factory=dict)  # key -> 1-based line in the file
    written: Mapping[str, str] = field(default_factory=dict)  # key -> text of a number or boolean as written
    error: str | None = None  # why the head is invalid
    error_line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One Markdown file: its text as decoded (one BOM removed, line ends as in the file), the head split off."""

    path: str  # vault-relative, `/`-separated, NFC
    text: str
    frontmatter: Frontmatter
    body_start: int  # where the body begins in `text`
    line_starts: tuple[int, ...]  # offset of every line; lines end at CRLF, LF or a lone CR and at nothing else

    def line_at(self, offset: int) -> int:
        """The 1-based line that holds the character at `offset`."""
        return bisect_right(self.line_starts, offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteMeta:
    """What a note says of itself, by the knowledge design."""

    declared_id: str | None  # frontmatter `id`, before uniqueness is known
    title: str
    title_from: str  # "title" | "heading" | "name"
    type: str
    type_guessed: bool  # from a tag, the file name or a folder instead of `type:`
    tags: tuple[str, ...]  # first spelling, properties first
    aliases: tuple[str, ...]
    status: str | None
    area: str | None
    project: str | None
    priority: str | int | float | None
    people: tuple[str, ...]
    created_at: str | None  # UTC `YYYY-MM-DDTHH:MM:SSZ`
    updated_at: str | None
    excluded: str | None  # "property" where `index: false`
    chunking: Mapping[str, Json]  # overrides of the type's row
    problems: tuple[Problem, ...] = ()


# --- Markdown --------------------------------------------------------------------------------------------------------


class Region(NamedTuple):
    """A stretch of a note that is not ordinary text."""

    start: int
    end: int
    kind: str  # code | math | comment | html | escape | url | data_url | drawing


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """How a code block is fenced: what it takes to close one part and open the next."""

    opener: str  # the whole first line as written, without line end: "> ```python"
    closer: str  # a line that closes it, with the same container prefix
    info: str  # "python"
    closed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One Markdown block. Top-level blocks tile the body; blank lines belong to the block above."""

    kind: str  # heading paragraph list item code table header row quote callout math html rule footnote definition
    span: Span  # from the start of its first line to the start of the next block's first line
    level: int = 0  # headings: 1-6
    title: str = ""  # headings: the text as written, marks removed
    fence: Fence | None = None  # fenced code only
    parts: tuple[Block, ...] = ()  # list -> items, item/quote/callout/footnote -> blocks, table -> header and rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of the note and the extent of its section (up to the next heading of its level or above)."""

    level: int
    text: str
    line: int
    span: Span


class HeadingRef(NamedTuple):
    """One step of a heading path; level 0 is a title that is no heading of the text."""

    level: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what it governs up to the next heading, or the text before the first one."""

    headings: tuple[HeadingRef, ...]  # outermost first, the title's entry first of all
    heading: Block | None
    blocks: tuple[Block, ...]  # without `heading`


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An internal link as written."""

    kind: str  # wikilink | markdown | property | canvas
    raw: str  # source text, with `!`
    target: str  # the path part, trimmed and decoded; "" is the note itself
    heading: str | None  # subpath without its first `#`
    block: str | None
    alias: str | None  # display or link text as written, trimmed
    embed: bool
    line: int
    span: Span | None  # None in properties and canvases
    key: str = ""  # property or Dataview key that holds it, canonical form
    origin: str = "body"  # body | property | field | link_section | canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalLink:
    """A link out of the vault, with the address as written."""

    url: str
    text: str | None
    line: int
    span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    text: str  # without `#`
    line: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockId:
    id: str  # without `^`
    line: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Callout:
    type: str  # lower case
    title: str | None  # None: the default title
    fold: str | None  # "+" | "-" | None
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineField:
    key: str  # as written, formatting marks dropped
    value: str
    line: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    status: str  # the one character between the brackets
    text: str
    dates: Mapping[str, str]  # due, scheduled, start, done, created, cancelled -> YYYY-MM-DD
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inline:
    """All inline syntax of one body, in reading order."""

    links: tuple[Link, ...] = ()
    external_links: tuple[ExternalLink, ...] = ()
    tags: tuple[Tag, ...] = ()
    block_ids: tuple[BlockId, ...] = ()
    callouts: tuple[Callout, ...] = ()
    fields: tuple[InlineField, ...] = ()
    tasks: tuple[Task, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A note's body, read."""

    note: Note
    regions: tuple[Region, ...]  # sorted, not overlapping
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    inline: Inline
    first_heading: str | None  # text of an H1 that is the first block: the title's candidate


# --- chunks and graph ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Characters of the file that are in no chunk, on purpose."""

    span: Span
    reason: str  # frontmatter | comment | skipped_section | before_heading | heading | drawing | data_url


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A line that is in a chunk's text but not in the file."""

    at: int  # position in the chunk's text
    text: str
    why: str  # fence_open | fence_close | table_header


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """What is retrieved: a piece of one note, cut as a person would."""

    index: int
    kind: str  # text list table code quote callout math html links canvas
    text: str  # overlap + own text, tidied
    own_start: int  # where the own text begins in `text`
    context: str  # put before the text for embedding
    added: tuple[Added, ...]
    span: Span  # what the chunk owns
    overlap_start: int  # where the repeated text begins in the file; span.start if none
    headings: tuple[HeadingRef, ...]  # common heading path, the title first
    token_count: int  # own text, without special tokens
    overlap_tokens: int
    embedding_tokens: int  # of exactly what is embedded, special tokens included
    flags: tuple[str, ...]
    summary: str | None = None  # tables: header and first two rows as plain text
    lang: str = "und"


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where a record belongs: the vault, and the note or canvas that causes it."""

    vault: str
    note_id: str
    path: str
    kind: str = "note"  # note | canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A link with what it points at."""

    link: Link
    target_id: str  # note_id or path; the written name where unresolved
    target_kind: str  # note | attachment | canvas | missing
    target_path: str | None
    subpath_line: int | None  # where heading or block stand in the target

    @property
    def resolved(self) -> bool:
        return self.target_path is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRecords:
    """Everything that one note or canvas prints: its chunks in order, its edges, then itself."""

    path: str
    note_id: str
    note: Record  # of record `note` or `canvas`
    chunks: tuple[Record, ...] = ()
    edges: tuple[Record, ...] = ()
    stored_edges: tuple[Record, ...] = ()  # those of `edges` that are kept as points
    problems: tuple[Problem, ...] = ()  # also in `note["warnings"]`

    def in_order(self) -> tuple[Record, ...]:
        return (*self.chunks, *self.edges, self.note)
