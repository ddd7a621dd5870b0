"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from mindnet_chunker.counted import counted, notes_and_boards, together


@pytest.mark.parametrize(("count", "said"), [(0, "0 chunks"), (1, "1 chunk"), (2, "2 chunks")])
def test_a_noun_agrees_with_its_number(count: int, said: str) -> None:
    assert counted(count, "chunk") == said


@pytest.mark.parametrize(
    ("notes", "boards", "said"),
    [
        (0, 0, "0 notes"),
        (1, 0, "1 note"),
        (0, 1, "1 board"),
        (1, 1, "1 note and 1 board"),
        (9, 2, "9 notes and 2 boards"),
    ],
)
def test_boards_are_named_where_there_are_some(notes: int, boards: int, said: str) -> None:
    assert notes_and_boards(notes, boards) == said


def test_notes_and_boards_may_be_counted_together() -> None:
    assert [together(count, with_boards=False) for count in (1, 2)] == ["1 note", "2 notes"]
    assert [together(count, with_boards=True) for count in (1, 2)] == ["1 note or board", "2 notes and boards"]
