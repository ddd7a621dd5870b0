"""`Link`s + names -> `Reference`s and `Edge`s: the graph as the user sees it in Obsidian.

An edge belongs to the note that causes it: a backlink is printed with the note that holds the link, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mindnet_chunker.records import Edge, Frontmatter, Home, Json, Link, Reference
from mindnet_chunker.vault.names import Names, Outline, find_subpath

TYPED_KINDS = ("depends_on", "assigned_to", "discussed_in", "authored_by", "related")
# Between notes, as points: no chunk tells them. The others are read from the chunks, backlinks as the inverse.
STORED_KINDS = frozenset(("references", *TYPED_KINDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What links can point at."""

    names: Names
    note_ids: Mapping[str, str]  # path of a note -> its id
    paths: Mapping[str, str]  # id of a note -> its path
    outline: Callable[[str], Outline | None]  # headings and block ids of the note at a path


def resolve(link: Link, source: str, targets: Targets) -> Reference:
    """What a link points at, seen from the note or canvas at `source`."""
    exact = link.kind == "canvas"
    path = targets.names.exact(link.target) if exact else targets.names.resolve(link.target, source)
    if path is None:
        return Reference(link=link, target_id=link.target, target_kind="missing", target_path=None, subpath_line=None)
    line = None
    if (link.heading is not None or link.block is not None) and path in targets.note_ids:
        outline = targets.outline(path)
        line = find_subpath(outline, link.heading, link.block) if outline else None
    return Reference(
        link=link,
        target_id=targets.note_ids.get(path, path),
        target_kind=kind_of(path, targets),
        target_path=path,
        subpath_line=line,
    )


def kind_of(path: str, targets: Targets) -> str:
    if path in targets.note_ids:
        return "note"
    return "canvas" if path.lower().endswith(".canvas") else "attachment"


# --- typed edges -----------------------------------------------------------------------------------------------------


def typed_kind(key: str) -> str | None:
    """`Depends-On`, `depends on` and `depends_on` are one key."""
    name = key.strip().lower().replace("-", "_").replace(" ", "_")
    return name if name in TYPED_KINDS else None


def named_ids(frontmatter: Frontmatter) -> Iterator[tuple[str, str]]:
    """(kind, id) for the plain texts under a typed key: ids of notes, written without brackets."""
    for key, value in frontmatter.fields.items():
        if kind := typed_kind(key):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str | int) and not isinstance(one, bool) and (text := str(one).strip()):
                    if not any(mark in text for mark in ("[[", "](")):
                        yield kind, text


def typed_references(
    references: Iterable[Reference], frontmatter: Frontmatter, targets: Targets
) -> Iterator[tuple[str, Reference]]:
    """(kind, reference) of every typed edge, properties first: by links, and by ids."""
    linked = [(kind, r) for r in references if r.link.key and (kind := typed_kind(r.link.key))]
    yield from (pair for pair in linked if pair[1].link.origin == "property")
    for kind, text in named_ids(frontmatter):
        path = targets.paths.get(text)
        link = Link(
            kind="property", raw=text, target=text, heading=None, block=None, alias=None, embed=False,
            line=0, span=None, key=kind, origin="property",
        )  # fmt: skip
        yield kind, Reference(
            link=link,
            target_id=text,
            target_kind="note" if path else "missing",
            target_path=path,
            subpath_line=None,
        )
    yield from (pair for pair in linked if pair[1].link.origin != "property")


# --- edges -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkNode:
    """A chunk as the graph sees it."""

    point_id: str
    section_path: str
    references: Sequence[Reference]  # each link once: see `first_of_each`


def edges(
    home: Home,
    chunks: Sequence[ChunkNode],
    references: Sequence[Reference],
    typed: Iterable[tuple[str, Reference]],
) -> Iterator[Edge]:
    """All edges of one note or canvas, each once: chunk edges in reading order, then those between notes."""
    here, kind = home.note_id, home.kind
    for chunk in chunks:
        yield _plain("belongs_to", chunk.point_id, "chunk", here, kind, home.path)
    for before, after in zip(chunks, chunks[1:], strict=False):
        yield _plain("next", before.point_id, "chunk", after.point_id, "chunk", home.path)
        yield _plain("prev", after.point_id, "chunk", before.point_id, "chunk", home.path)
    for chunk in chunks:
        for reference in chunk.references:
            yield _drawn("references", chunk.point_id, "chunk", reference)
    between = first_of_each(references)
    for reference in between:
        yield _drawn("references", here, kind, reference)
    for reference in between:
        if reference.target_kind in ("note", "canvas"):
            yield Edge(
                kind="backlink", source_id=reference.target_id, source_kind=reference.target_kind,
                target_id=here, target_kind=kind, target_path=home.path, reference=reference,
            )  # fmt: skip
    for path in dict.fromkeys(chunk.section_path for chunk in chunks):
        yield _plain("has_section", here, kind, f"{here}#{path}", "section", home.path)
    seen: set[tuple[Json, ...]] = set()
    for name, reference in typed:
        if (key := (name, *_key(reference))) not in seen:
            seen.add(key)
            yield _drawn(name, here, kind, reference)


def first_of_each(references: Iterable[Reference]) -> list[Reference]:
    """Repeats of one link from one place are one edge."""
    kept: dict[tuple[Json, ...], Reference] = {}
    for reference in references:
        kept.setdefault(_key(reference), reference)
    return list(kept.values())


def is_stored(edge: Edge) -> bool:
    return edge.source_kind != "chunk" and edge.kind in STORED_KINDS


def _key(reference: Reference) -> tuple[Json, ...]:
    link = reference.link
    return reference.target_id, reference.resolved, link.heading, link.block, link.origin


def _plain(kind: str, source: str, source_kind: str, target: str, target_kind: str, path: str) -> Edge:
    return Edge(
        kind=kind, source_id=source, source_kind=source_kind, target_id=target, target_kind=target_kind, target_path=path
    )


def _drawn(kind: str, source: str, source_kind: str, reference: Reference) -> Edge:
    return Edge(
        kind=kind,
        source_id=source,
        source_kind=source_kind,
        target_id=reference.target_id,
        target_kind=reference.target_kind,
        target_path=reference.target_path,
        resolved=reference.resolved,
        reference=reference,
    )
