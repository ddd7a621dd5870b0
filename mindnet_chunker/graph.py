"""`Link`s + names -> `Reference`s: what every link points at, and which of them are edges between notes.

The edges that are printed are made of these in `index/edges.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mindnet_chunker.records import Frontmatter, Json, Link, Reference
from mindnet_chunker.vault.names import Names, Outline, find_subpath

TYPED_KINDS = ("depends_on", "assigned_to", "discussed_in", "authored_by", "related")


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
                plain = isinstance(one, str | int) and not isinstance(one, bool)
                if plain and (text := str(one).strip()) and "[[" not in text and "](" not in text:
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
        yield (
            kind,
            Reference(
                link=link,
                target_id=text,
                target_kind="note" if path else "missing",
                target_path=path,
                subpath_line=None,
            ),
        )
    yield from (pair for pair in linked if pair[1].link.origin != "property")


# --- between notes ---------------------------------------------------------------------------------------------------


def between_notes(
    references: Iterable[Reference], typed: Iterable[tuple[str, Reference]]
) -> Iterator[tuple[str, Reference]]:
    """(kind, reference) of every edge from a note: one per target, heading, block and origin; then the typed ones."""
    yield from (("references", reference) for reference in first_of_each(references))
    seen: set[tuple[Json, ...]] = set()
    for kind, reference in typed:
        if (key := (kind, *_key(reference))) not in seen:
            seen.add(key)
            yield kind, reference


def first_of_each(references: Iterable[Reference]) -> list[Reference]:
    """Repeats of one link from one place are one edge."""
    kept: dict[tuple[Json, ...], Reference] = {}
    for reference in references:
        kept.setdefault(_key(reference), reference)
    return list(kept.values())


def _key(reference: Reference) -> tuple[Json, ...]:
    link = reference.link
    return reference.target_id, reference.resolved, link.heading, link.block, link.origin
