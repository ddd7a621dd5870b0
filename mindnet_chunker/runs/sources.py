"""The vault that an index was made of: where it lies, and the texts of its notes where they are still the same."""

from __future__ import annotations

from pathlib import Path

from mindnet_chunker.errors import MindnetError
from mindnet_chunker.records import Record, nfc
from mindnet_chunker.runs.places import OpenIndex
from mindnet_chunker.vault.read import lone_file, read_file


def root_of(index: OpenIndex) -> Path | None:
    """The vault's folder when it was indexed last; it may be gone, or on another machine."""
    root = index.meta.vaults.get(index.vault, {}).get("root")
    return Path(root) if root else None


def vault_name(index: OpenIndex) -> str:
    """What Obsidian calls the vault: its folder's name."""
    root = root_of(index)
    return root.name if root else index.vault


def unchanged_text(root: Path, note: Record) -> str | None:
    """The file's text as it was indexed; None: it has changed since, is gone, or cannot be read."""
    place = _place(root, note["path"])
    if place is None:
        return None
    try:
        content_hash, text, _ = read_file(lone_file(place, note["path"]))
    except MindnetError:
        return None
    return text if content_hash == note["content_hash"] else None


def _place(root: Path, path: str) -> Path | None:
    """Where a vault path lies; a file system may spell a name in another form than NFC."""
    place = root
    for step in path.split("/"):
        below = place / step
        if not below.exists():
            try:
                below = next(found for found in place.iterdir() if nfc(found.name) == step)
            except (OSError, StopIteration):
                return None
        place = below
    return place
