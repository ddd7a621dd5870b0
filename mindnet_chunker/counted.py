"""A number with its noun, as a person says it: `1 note`, `30 notes and 1 board`."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """The nouns that we count all take an `s`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def notes_and_boards(notes: int, boards: int) -> str:
    """Boards are named only where there are some, notes only where there are no boards alone."""
    told = [counted(notes, "note")] if notes or not boards else []
    return " and ".join([*told, counted(boards, "board")] if boards else told)


def together(count: int, *, with_boards: bool) -> str:
    """Notes, or notes and boards that are not told apart."""
    if not with_boards:
        return counted(count, "note")
    return f"{count} notes and boards" if count != 1 else "1 note or board"
