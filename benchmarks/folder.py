"""A folder of notes, read once before anything is timed."""

from __future__ import annotations

from pathlib import Path


def files_in(folder: Path, limit: int | None = None) -> list[Path]:
    """The first `limit` notes of a folder in the order of their paths; hidden folders are left out."""
    found = sorted(
        file
        for file in folder.rglob("*.md")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    if not found:
        raise SystemExit(f"{folder}: there are no notes")
    return found[:limit]


def notes_in(folder: Path, limit: int | None = None) -> dict[str, str]:
    """Path within the folder -> text, newlines as in the file."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
        for file in files_in(folder, limit)
    }
