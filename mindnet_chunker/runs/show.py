"""One note as it was cut."""

from __future__ import annotations

from pathlib import Path

from mindnet_chunker.errors import UsageError
from mindnet_chunker.records import is_canvas, nfc
from mindnet_chunker.runs.indexes import around_here, indexed_vaults
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble
from mindnet_chunker.runs.stream import MARKDOWN, lone_file_records
from mindnet_chunker.terminal import Talk
from mindnet_chunker.terminal_note import print_note
from mindnet_chunker.vault.read import find_root, scan

TAKES = "`show` takes one note: a `.md` file, or the path or name of a note in a vault"


def show_note(note: Path, vault: Path | None, options: VaultOptions, talk: Talk) -> int:
    """`vault`: by default the one that the note lies in, if any."""
    root = vault or _vault_meant()
    if not note.exists() and root is not None and root.is_dir():
        note, vault = root / _path_in(root, note), root
    _refuse_no_note(note)
    if vault is None and (find_root(note.parent) / ".obsidian").is_dir():
        vault = find_root(note.parent)
    trouble = Trouble()
    records = lone_file_records(note, vault, options, trouble)
    print_note(records, in_vault=vault is not None)
    talk.errors(trouble.errors)
    return 0


def _vault_meant() -> Path | None:
    """The vault around the current folder, else the only one that is indexed."""
    around = find_root(Path())
    if (around / ".obsidian").is_dir():
        return around
    vaults = indexed_vaults()
    here = around_here(vaults)
    roots = {here.root} if here else {one.root for one in vaults}
    return roots.pop() if len(roots) == 1 else None


def _path_in(root: Path, note: Path) -> Path:
    """The note's path in a vault, where it is given by that, with or without `.md`, or by the file's name."""
    wanted = _key(note.as_posix())
    if any((root / name).exists() for name in (note, f"{note}.md")):
        return note if (root / note).exists() else Path(f"{note}.md")
    paths = [file.path for file in scan(root).notes]
    fitting = [path for path in paths if wanted in (_key(path), _key(path.rpartition("/")[2]))]
    if len(fitting) > 1:
        shown = ", ".join(f"`{path}`" for path in sorted(fitting))
        raise UsageError(f"several notes are called `{note}`", where=str(root), hint=f"give a path: {shown}")
    return Path(fitting[0]) if fitting else note


def _key(path: str) -> str:
    return nfc(path).casefold().removesuffix(".md")


def _refuse_no_note(note: Path) -> None:
    if not note.exists():
        raise UsageError("no such note", where=str(note), hint=TAKES)
    if note.is_dir():
        raise UsageError("is a folder", where=str(note), hint=TAKES)
    if note.suffix.lower() not in MARKDOWN:
        what = "is a board" if is_canvas(note.name) else "is no Markdown file"
        raise UsageError(what, where=str(note), hint=TAKES)
