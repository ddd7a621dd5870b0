"""One note as it was cut."""

from __future__ import annotations

from pathlib import Path

from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble
from mindnet_chunker.runs.stream import lone_file_records
from mindnet_chunker.terminal import Talk
from mindnet_chunker.terminal_note import print_note
from mindnet_chunker.vault.read import find_root


def show_note(note: Path, vault: Path | None, options: VaultOptions, talk: Talk) -> int:
    """`vault`: by default the one that the note lies in, if any."""
    if vault is not None and not note.exists() and (vault / note).exists():
        note = vault / note
    if vault is None and (find_root(note.parent) / ".obsidian").is_dir():
        vault = find_root(note.parent)
    trouble = Trouble()
    records = lone_file_records(note, vault, options, trouble)
    print_note(records, in_vault=vault is not None)
    talk.errors(trouble.errors)
    return 0
