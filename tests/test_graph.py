"""Links become edges: between chunks and notes, once between notes, and back."""

from __future__ import annotations

from dataclasses import replace

from mindnet_chunker.graph import Targets, between_notes, first_of_each, resolve, typed_references
from mindnet_chunker.index.edges import all_edges, reference_edge
from mindnet_chunker.index.points import reference_record
from mindnet_chunker.records import Frontmatter, Home, Link, Record, Reference
from mindnet_chunker.vault.names import Names, Outline

OUTLINES = {"garden/Bees.md": Outline(headings=((2, "Swarm", 5),), blocks={"b1": 9})}
TARGETS = Targets(
    names=Names(["Start.md", "garden/Bees.md", "hive.png", "Board.canvas"]),
    note_ids={"Start.md": "start", "garden/Bees.md": "bees"},
    paths={"start": "Start.md", "bees": "garden/Bees.md"},
    outline=OUTLINES.get,
)
HOME = Home(vault="v", note_id="start", path="Start.md")


def link(target: str, **more: object) -> Link:
    usual = Link(
        kind="wikilink", raw=f"[[{target}]]", target=target, heading=None, block=None, alias=None, embed=False,
        line=1, span=None,
    )  # fmt: skip
    return replace(usual, **more)  # type: ignore[arg-type]


def stored(references: list[Reference], typed: Frontmatter | None = None) -> list[Record]:
    kinds = typed_references(references, typed or Frontmatter(), TARGETS)
    return [
        reference_edge(HOME, kind, ("start", "note"), reference_record(reference))
        for kind, reference in between_notes(references, kinds)
    ]


def drawn(*links: Link, typed: Frontmatter | None = None) -> list[tuple[str, str, str]]:
    references = [resolve(one, "Start.md", TARGETS) for one in links]
    told = [reference_record(reference) for reference in first_of_each(references)]
    chunk = {"point_id": "p0", "section_path": "/", "references": told}
    return [
        (edge["kind"], edge["source_id"], edge["target_id"])
        for edge in all_edges(HOME, [chunk], stored(references, typed))
    ]


def test_a_link_is_an_edge_from_its_chunk_and_one_from_its_note_and_one_back() -> None:
    found = drawn(link("Bees"))

    assert found == [
        ("belongs_to", "p0", "start"),
        ("references", "p0", "bees"),
        ("references", "start", "bees"),
        ("backlink", "bees", "start"),
        ("has_section", "start", "start#/"),
    ]


def test_a_link_that_is_repeated_is_drawn_once_and_one_with_a_heading_beside_it() -> None:
    found = drawn(link("Bees"), link("bees"), link("Bees", heading="Swarm"))

    assert found.count(("references", "start", "bees")) == 2


def test_a_link_to_nothing_keeps_its_name_and_has_no_backlink() -> None:
    found = drawn(link("Nobody"))

    assert ("references", "start", "Nobody") in found
    assert all(kind != "backlink" for kind, _, _ in found)


def test_attachments_and_canvases_are_targets_but_only_canvases_link_back() -> None:
    found = drawn(link("hive.png", embed=True), link("Board.canvas"))

    assert ("references", "p0", "hive.png") in found
    assert ("backlink", "Board.canvas", "start") in found
    assert ("backlink", "hive.png", "start") not in found


def test_heading_and_block_are_found_in_the_target() -> None:
    heading = resolve(link("Bees", heading="swarm"), "Start.md", TARGETS)
    block = resolve(link("Bees", block="B1"), "Start.md", TARGETS)
    missing = resolve(link("Bees", heading="Honey"), "Start.md", TARGETS)

    assert (heading.subpath_line, block.subpath_line) == (5, 9)
    assert (missing.subpath_line, missing.resolved) == (None, True)


def test_typed_keys_draw_typed_edges_by_link_and_by_id() -> None:
    head = Frontmatter(present=True, fields={"depends_on": ["bees", "unknown"], "related": "[[Bees]]"})

    found = drawn(link("Bees", kind="property", origin="property", key="related"), typed=head)

    assert ("related", "start", "bees") in found
    assert ("depends_on", "start", "bees") in found
    assert ("depends_on", "start", "unknown") in found


def test_a_dataview_field_of_that_name_draws_one_too() -> None:
    found = drawn(link("Bees", origin="field", key="authored-by"))

    assert ("authored_by", "start", "bees") in found


def test_stored_are_the_edges_between_notes_that_no_chunk_tells() -> None:
    reference = resolve(link("Bees", key="related", origin="property"), "Start.md", TARGETS)

    assert [(edge["kind"], edge["source_kind"]) for edge in stored([reference])] == [
        ("references", "note"),
        ("related", "note"),
    ]


def test_a_missing_name_that_is_another_notes_id_is_an_edge_of_its_own() -> None:
    resolved, missing = resolve(link("Bees"), "Start.md", TARGETS), resolve(link("bees-id"), "Start.md", TARGETS)
    clash = replace(missing, target_id="bees")

    ids = {edge["edge_id"] for edge in all_edges(HOME, [], stored([resolved, clash]))}

    assert len(ids) == 3
