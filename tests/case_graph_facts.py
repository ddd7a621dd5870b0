"""Facts about the notes of a vault and the links between them; each yields what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from case_facts import Wrong, folded, same, show
from case_runs import Step
from case_vault import Json

from mindnet_chunker.records import Record, nfc

ORIGINS = {"body", "property", "field", "link_section", "canvas"}
IN_FULL = ("target_id", "target_kind", "target_path", "resolved", "origin", "raw", "alias", "heading", "block", "embed")


# --- notes -----------------------------------------------------------------------------------------------------------


def note_count(want: int, step: Step) -> Wrong:
    if len(step.of("note")) != want:
        yield f"expected {want} notes, got {len(step.of('note'))}: {show(sorted(step.notes))}"


def notes(want: Sequence[str], step: Step) -> Wrong:
    if sorted(map(nfc, want)) != sorted(step.notes):
        yield f"expected the notes {show(want)}, got {show(sorted(step.notes))}"


def notes_not_indexed(want: Sequence[str], step: Step) -> Wrong:
    found = {record["path"] for record in (*step.of("note"), *step.chunks)}
    yield from (f"expected no note {path}, got one" for path in want if nfc(path) in found)


def frontmatter(want: Mapping[str, Mapping[str, Json]], step: Step) -> Wrong:
    for path, properties in want.items():
        got = step.record_of(path)["frontmatter"]
        for key, value in properties.items():
            if not same(got.get(key), value):
                yield f"expected {key} of {path} to be {value!r}, got {got.get(key)!r}"


def frontmatter_starts_with(want: Mapping[str, Mapping[str, str]], step: Step) -> Wrong:
    for path, properties in want.items():
        for key, start in properties.items():
            got = step.record_of(path)["frontmatter"].get(key)
            if not str(got).startswith(start):
                yield f"expected {key} of {path} to start with {start!r}, got {got!r}"


def frontmatter_keys(want: Mapping[str, Sequence[str]], step: Step) -> Wrong:
    for path, keys in want.items():
        got = list(step.record_of(path)["frontmatter"])
        if sorted(got) != sorted(keys):
            yield f"expected the properties {keys} of {path}, got {got}"


def tags_include(want: Mapping[str, Sequence[str]], step: Step) -> Wrong:
    for path, tags in want.items():
        if missing := [tag for tag in tags if folded(tag).casefold() not in tags_of(step.record_of(path))]:
            yield f"expected the tags {missing} of {path}, got {step.record_of(path)['tags']}"


def tags_exclude(want: Mapping[str, Sequence[str]], step: Step) -> Wrong:
    for path, tags in want.items():
        if wrong := [tag for tag in tags if folded(tag).casefold() in tags_of(step.record_of(path))]:
            yield f"expected no tags {wrong} of {path}, got {step.record_of(path)['tags']}"


def tags_of(record: Record) -> set[str]:
    return {folded(tag).casefold() for tag in record["tags"]}


# --- links -----------------------------------------------------------------------------------------------------------


def references(step: Step) -> list[Record]:
    return [edge for edge in step.of("edge") if edge["kind"] == "references"]


def _from(step: Step, source: str) -> list[Record]:
    return [edge for edge in references(step) if edge["path"] == nfc(source)]


def _target(edge: Record) -> str:
    return str(edge["target_path"]) if edge["resolved"] else f"unresolved {edge['target_id']}"


def links(want: Sequence[Mapping[str, str]], step: Step) -> Wrong:
    for link in want:
        got = {_target(edge) for edge in _from(step, link["from"])}
        if nfc(link["to"]) not in got:
            yield f"expected a link {show(link)}, got {show(sorted(got))}"


def links_one_of(want: Sequence[Mapping[str, Json]], step: Step) -> Wrong:
    for link in want:
        got = {_target(edge) for edge in _from(step, link["from"])}
        if len(got & set(map(nfc, link["to"]))) != 1:
            yield f"expected a link {show(link)}, got {show(sorted(got))}"


def links_not(want: Sequence[Mapping[str, Json]], step: Step) -> Wrong:
    """No link leaves the vault."""
    for link in want:
        assert link.keys() == {"from", "to_outside"}
        outside = {_target(edge) for edge in _from(step, link["from"]) if edge["resolved"]} - set(map(nfc, step.files))
        if outside:
            yield f"expected no link out of the vault, got {show(sorted(outside))}"


def unresolved_links(want: Sequence[Mapping[str, str]], step: Step) -> Wrong:
    got = {(edge["path"], edge["target_id"]) for edge in references(step) if not edge["resolved"]}
    if not want and got:
        yield f"expected no unresolved link, got {show(sorted(got))}"
    for link in want:
        if (nfc(link["from"]), link["target"]) not in got:
            yield f"expected the unresolved link {show(link)}, got {show(sorted(got))}"


def unresolved_links_not(want: Sequence[Mapping[str, str]], step: Step) -> Wrong:
    got = {(edge["path"], edge["target_id"].strip()) for edge in references(step) if not edge["resolved"]}
    for link in want:
        if (nfc(link["from"]), link["target"].strip()) in got:
            yield f"expected no unresolved link {show(link)}, got one"


def references_agree(want: bool, step: Step) -> Wrong:
    """A chunk's `references` and its edges of that kind say the same, each in full."""
    told = {_said(chunk["point_id"], each) for chunk in step.chunks for each in chunk["references"]}
    drawn = {_said(edge["source_id"], edge) for edge in references(step) if edge["source_kind"] == "chunk"}
    for link in sorted(drawn ^ told):
        yield f"expected a reference in the chunk and an edge, got only {'one' if link in told else 'the other'}: {link}"
    if others := {edge["origin"] for edge in references(step)} - ORIGINS:
        yield f"expected an origin of {sorted(ORIGINS)}, got {sorted(others)}"


def _said(source: str, link: Record) -> tuple[str, ...]:
    return (source, *(repr(link[name]) for name in IN_FULL))
