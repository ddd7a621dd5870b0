"""Facts about one note or canvas, told in full: what Obsidian would say of it; each yields what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from case_facts import Wrong, same, show
from case_graph_facts import references, tags_of
from case_runs import Step
from case_vault import Json

from mindnet_chunker.records import Record, nfc

LINK = ("target_path", "raw", "heading", "block", "alias", "embed", "kind")


def _equal(what: str, want: Sequence[Json], got: Sequence[Json]) -> Wrong:
    if repr(list(want)) != repr(list(got)):
        for place in range(max(len(want), len(got))):
            one, other = (show(each[place]) if place < len(each) else "nothing" for each in (want, got))
            if one != other:
                yield f"expected {what} {place + 1} to be {one}, got {other}"


def _cut(records: Sequence[Record], keys: Sequence[str]) -> list[Record]:
    """The records with these keys alone, text in NFC."""
    return [{key: _nfc(record.get(key)) for key in keys} for record in records]


def _nfc(value: Json) -> Json:
    return nfc(value) if isinstance(value, str) else value


def _listed(name: str, *keys: str) -> Callable[[Sequence[Record], Step], Wrong]:
    def fact(want: Sequence[Record], step: Step) -> Wrong:
        yield from _equal(name, _cut(want, keys), _cut(step.focus[name], keys))

    return fact


headings = _listed("headings", "level", "text")
callouts = _listed("callouts", "type", "title", "fold")
inline_fields = _listed("inline_fields", "key", "value")
tasks = _listed("tasks", "status", "text")
canvas_edges = _listed("canvas_edges", "from", "to", "label")


def links(want: Sequence[Record], step: Step) -> Wrong:
    """In order, as the record lists them; the graph holds the same, each once."""
    got = step.focus["links"]
    yield from _equal("link", _cut(want, LINK), _cut(got, LINK))
    for wanted, link in zip(want, got, strict=False):
        line = link.get("subpath_line")
        if wanted.get("subpath_found", line is not None) != (line is not None):
            yield f"expected subpath_found {wanted['subpath_found']} for {wanted['raw']}, got line {line}"
        if wanted.get("heading_line", line) != line:
            yield f"expected heading line {wanted['heading_line']} for {wanted['raw']}, got {line}"
    if not step.focus["excluded"]:
        drawn = {_drawn(edge) for edge in references(step) if edge["path"] == nfc(step.note or "")}
        yield from _equal("edge", sorted({_drawn(link) for link in want}), sorted(drawn))


def _drawn(link: Mapping[str, Json]) -> str:
    return show([_nfc(link[key]) for key in ("target_path", "heading", "block")])


def external_links(want: Sequence[str], step: Step) -> Wrong:
    got = [link["url"] if isinstance(link, dict) else link for link in step.focus["external_links"]]
    yield from _equal("external link", want, got)


def tags(want: Sequence[str], step: Step) -> Wrong:
    got = step.focus["tags"]
    if tags_of({"tags": want}) != tags_of(step.focus) or len(want) != len(got):
        yield f"expected the tags {want}, got {got}"


def aliases(want: Sequence[str], step: Step) -> Wrong:
    yield from _equal("alias", want, step.focus["aliases"])


def block_ids(want: Sequence[str], step: Step) -> Wrong:
    yield from _equal("block id", [each.lower() for each in want], [each.lower() for each in step.focus["block_ids"]])


def has_frontmatter(want: bool, step: Step) -> Wrong:
    yield from _equal("has_frontmatter", [want], [step.focus["has_frontmatter"]])


def frontmatter_error(want: bool, step: Step) -> Wrong:
    yield from _equal("frontmatter_error", [want], [bool(step.focus["frontmatter_error"])])


def frontmatter(want: Record, step: Step) -> Wrong:
    if not same(want, step.focus["frontmatter"]):
        yield f"expected {show(want)}, got {show(step.focus['frontmatter'])}"
