"""The invariants: clean notes have no findings, and every fault is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chunk_notes import Cut, real_counter, row_of, sentences

from mindnet_chunker.chunking.invariants import check_note
from mindnet_chunker.records import Problem, Record

TEXT = f"""---
title: T
---
# T

Vorwort. %%geheim%%

## A

{sentences(50)}

## B

```python
x = 1
y = 2
```

### C

Ende.
"""


def findings(change: Callable[[list[Record], Record], Any], **keys: Any) -> list[Problem]:
    """What is found after a change of the records of a sound note."""
    cut = Cut(TEXT)
    chunks, note = cut.records(), cut.record()
    change(chunks, note)
    return check_note(keys.pop("text", TEXT), chunks, note, real_counter(), row=keys.pop("row", cut.row), **keys)


def codes(change: Callable[[list[Record], Record], Any], **keys: Any) -> set[str]:
    return {problem.code for problem in findings(change, **keys)}


def nothing(chunks: list[Record], note: Record) -> None:
    pass


def test_a_sound_note_has_no_findings() -> None:
    assert findings(nothing) == []
    assert findings(nothing, text=None, row=None) == []


def test_a_finding_names_path_and_line() -> None:
    def change(chunks: list[Record], note: Record) -> None:
        chunks[1]["chunk_index"] = 7

    (problem,) = findings(change)
    assert (problem.path, problem.line, problem.code) == ("note.md", 8, "index")
    assert problem.message == "note#c01: expected chunk_index 1, got 7"


def test_text_in_no_chunk_is_found_at_its_line() -> None:
    def change(chunks: list[Record], note: Record) -> None:
        chunks[0]["char_end"] -= 4
        note["exclusions"] = [one for one in note["exclusions"] if one["reason"] == "frontmatter"]

    lost = next(problem for problem in findings(change) if problem.code == "coverage")
    assert lost.line == 6


def _shift(chunks: list[Record], note: Record) -> None:
    chunks[1]["char_start"] = chunks[0]["char_start"]


def _drop(chunks: list[Record], note: Record) -> None:
    del chunks[1]


def _set(at: int, **values: Any) -> Callable[[list[Record], Record], None]:
    def change(chunks: list[Record], note: Record) -> None:
        chunks[at].update(values)

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_shift, "offsets"),
        (_drop, "chunk-count"),
        (_drop, "coverage"),
        (_set(1, point_id="point-0"), "duplicate-id"),
        (_set(1, chunk_id="note#c00"), "duplicate-id"),
        (_set(1, note_id="other"), "note-id"),
        (_set(1, neighbors={"prev": None, "next": "#c02"}), "prev-next"),
        (_set(1, embedding_tokens=3), "token-count"),
        (_set(1, context="Etwas ganz anderes"), "token-count"),
        (_set(1, text="Ein anderer Text."), "slice"),
        (_set(1, text="  \n"), "blank"),
        (_set(1, added=[{"at": 0, "text": "```", "why": "fence_open"}]), "added"),
        (_set(2, overlap_start=0), "slice"),
        (_set(1, flags=["oversize"]), "over-max"),
    ],
)
def test_a_broken_record_is_found(change: Callable[[list[Record], Record], None], code: str) -> None:
    assert code in codes(change)


def test_a_chunk_past_max_is_found() -> None:
    assert codes(nothing, row=row_of(max=100, target=[50, 90])) == {"over-max"}


def test_an_edge_without_its_source_is_found() -> None:
    edges = [
        {"kind": "belongs_to", "source_kind": "chunk", "source_id": "point-0"},
        {"kind": "next", "source_kind": "chunk", "source_id": "gone"},
        {"kind": "backlink", "source_kind": "note", "source_id": "another note"},
    ]

    (problem,) = findings(nothing, edges=edges)
    assert problem.code == "edge-source"


def test_a_fence_that_is_not_opened_again_is_found_without_the_file() -> None:
    def change(chunks: list[Record], note: Record) -> None:
        chunks[-2]["added"] = [{"at": len(chunks[-2]["text"]) - 4, "text": "\n```", "why": "fence_close"}]

    assert codes(change, text=None) == {"fence"}


def test_a_cut_through_code_without_its_fences_is_found_in_the_file() -> None:
    text = "```\na\n\nb\n```\n"
    cut = Cut(text)
    first, note = cut.records()[0], cut.record()
    note["n_chunks"] = 2
    second = {**first, "chunk_index": 1, "chunk_id": "b", "point_id": "b"}
    first.update(text="```\na", char_end=5, neighbors={"prev": None, "next": "#c01"})
    second.update(text="b\n```", char_start=7, overlap_start=7, neighbors={"prev": "#c00", "next": None})
    for chunk in (first, second):
        chunk["embedding_tokens"] = real_counter().count(f"note\n\n{chunk['text']}") + 2

    found = check_note(text, [first, second], note, real_counter())

    assert {problem.code for problem in found} == {"fence"}


def joined(text: str, row: Any = None) -> set[str]:
    """The findings where a whole note is given as one chunk."""
    cut = Cut(text, row_of(split_levels=[], link_sections=[]))
    assert len(cut.chunks) == 1
    return {p.code for p in check_note(text, cut.records(), cut.record(), real_counter(), row=row or row_of())}


def test_a_heading_inside_a_chunk_is_found() -> None:
    assert joined("## A\n\nText.\n\n## B\n\nText.\n") == {"split-level"}
    assert joined("## A\n\nText.\n\n#### B\n\nText.\n") == set()
    assert joined("## A\n\nText.\n\n## B\n\nText.\n", row_of(merge_sections="target")) == set()
    assert joined("## A\n\n## B\n\nText.\n\n## C\n") == set()


def test_a_heading_at_the_end_of_a_chunk_is_found() -> None:
    cut = Cut("#### A\n\nText.\n\n#### B\n\nMehr.\n")
    first, note = cut.records()[0], cut.record()
    second = {**first, "chunk_index": 1, "chunk_id": "b", "point_id": "b"}
    note["n_chunks"] = 2
    middle = cut.text.index("Mehr")
    first.update(text=cut.text[:middle].strip(), char_end=middle - 2, neighbors={"prev": None, "next": "#c01"})
    second.update(text="Mehr.", char_start=middle, overlap_start=middle, neighbors={"prev": "#c00", "next": None})
    for chunk in (first, second):
        chunk["embedding_tokens"] = real_counter().count(f"note\n\n{chunk['text']}") + 2

    found = check_note(cut.text, [first, second], note, real_counter(), row=row_of())

    assert {problem.code for problem in found} == {"heading-last"}


def test_an_excluded_note_and_a_canvas_are_checked_by_their_records_alone() -> None:
    cut = Cut(TEXT)
    note = {**cut.record(), "excluded": "filter", "n_chunks": 0}
    canvas = {"record": "canvas", "note_id": "note", "path": "note.md", "n_chunks": len(cut.chunks)}

    assert check_note(TEXT, [], note, real_counter()) == []
    assert check_note(TEXT, cut.records(), canvas, real_counter()) == []
