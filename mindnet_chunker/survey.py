"""A whole vault at a glance: ids, names and headings of all notes, so that each can then be done by itself.

`Facts` are the little that must be known of a note to resolve links to it and to tell, without reading it again, what
would be printed for it. They are JSON, so that a cache can keep them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from mindnet_chunker.graph import Targets, named_ids, resolve
from mindnet_chunker.index.points import SCHEMA, digest
from mindnet_chunker.pipeline import ReadNote, Rules, canvas_links
from mindnet_chunker.records import Json, Link, Problem, Record
from mindnet_chunker.vault.canvas import Canvas
from mindnet_chunker.vault.names import Names, Outline
from mindnet_chunker.vault.notes import assign_ids

CODE_VERSION = 3  # of reading, cutting and linking; raised whenever the output for some note changes

NO_OUTLINE = Outline(headings=(), blocks={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the rest of the vault, and the next run, need to know of a note or canvas."""

    content_hash: str
    reading: str  # of the code and settings that read it; facts of another reading are worth nothing
    declared_id: str | None = None
    excluded: str | None = None  # "property"
    type: str = "default"
    lang: str = "und"
    chunking: Mapping[str, Json] | None = None
    links: tuple[tuple[str, str, str | None, str | None], ...] = ()  # kind, target, heading, block; each once
    ids: tuple[str, ...] = ()  # named without brackets under a typed key
    outline: Outline = NO_OUTLINE

    def record(self) -> Record:
        return {
            "content_hash": self.content_hash,
            "reading": self.reading,
            "declared_id": self.declared_id,
            "excluded": self.excluded,
            "type": self.type,
            "lang": self.lang,
            "chunking": dict(self.chunking) if self.chunking else None,
            "links": [list(link) for link in self.links],
            "ids": list(self.ids),
            "headings": [list(heading) for heading in self.outline.headings],
            "blocks": dict(self.outline.blocks),
        }

    @classmethod
    def from_record(cls, record: Record) -> Facts:
        """Raises KeyError, TypeError or ValueError on anything that `record` did not make."""
        return cls(
            content_hash=record["content_hash"],
            reading=record["reading"],
            declared_id=record["declared_id"],
            excluded=record["excluded"],
            type=record["type"],
            lang=record["lang"],
            chunking=record["chunking"],
            links=tuple((kind, target, heading, block) for kind, target, heading, block in record["links"]),
            ids=tuple(record["ids"]),
            outline=Outline(
                headings=tuple((level, text, line) for level, text, line in record["headings"]),
                blocks=record["blocks"],
            ),
        )


def reading_of(rules: Rules) -> str:
    """What decides, beside its text, which facts a note has."""
    return digest([CODE_VERSION, sorted(rules.types.names), rules.types.settings.languages, repr(rules.daily)])


def facts_of(read: ReadNote, reading: str) -> Facts:
    meta = read.meta
    return Facts(
        content_hash=read.content_hash,
        reading=reading,
        declared_id=meta.declared_id,
        excluded=meta.excluded,
        type=meta.type,
        lang=read.lang,
        chunking=meta.chunking or None,
        links=distinct_links(read.links),
        ids=tuple(dict.fromkeys(name for _, name in named_ids(read.document.note.frontmatter))),
        outline=read.outline,
    )


def facts_of_canvas(canvas: Canvas, rules: Rules, content_hash: str, reading: str) -> Facts:
    return Facts(content_hash=content_hash, reading=reading, links=distinct_links(canvas_links(canvas, rules)))


def distinct_links(links: Iterable[Link]) -> tuple[tuple[str, str, str | None, str | None], ...]:
    return tuple(dict.fromkeys((link.kind, link.target, link.heading, link.block) for link in links))


def targets_of(
    paths: Iterable[str],
    declared: Mapping[str, str | None],
    outline: Callable[[str], Outline | None],
) -> tuple[Targets, list[Problem]]:
    """What links can point at. `paths`: every file of the vault; `declared`: path -> `id:` of every note."""
    note_ids, problems = assign_ids(declared)
    targets = Targets(
        names=Names(paths),
        note_ids=note_ids,
        paths={note_id: path for path, note_id in note_ids.items()},
        outline=outline,
    )
    return targets, problems


def commit_of(facts: Facts, path: str, targets: Targets, settings: str, row: str, excluded: str | None) -> str:
    """A hash over everything that decides what is stored for a note: equal hashes, equal records and vectors.

    `settings` stands for model, prefixes and sparse vectors, `row` for the row that cuts the note.
    """
    seen = []
    for kind, target, heading, block in facts.links:
        link = Link(
            kind=kind, raw="", target=target, heading=heading, block=block, alias=None, embed=False, line=0, span=None
        )
        found = resolve(link, path, targets)
        seen.append((found.target_id, found.target_kind, found.target_path, found.subpath_line))
    named = [targets.paths.get(name) for name in facts.ids]
    return digest(
        [
            CODE_VERSION,
            SCHEMA,
            settings,
            row,
            path,
            targets.note_ids.get(path, path),
            excluded or facts.excluded,
            facts.content_hash,
            seen,
            named,
        ]
    )
