"""What a person calls a note -> the note, among those that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.store import Filter, Match, Store
from mindnet_chunker.records import Record, nfc

KEYS = ("note_id", "path", "title", "aliases", "excluded")


def find_note(store: Store, vault: str, name: str) -> Record:
    """By its path, with or without `.md`, its id, its title, its file's name, or an alias; the first that fits counts.

    Raises UsageError where none fits, or several do.
    """
    wanted = nfc(name.strip().replace("\\", "/").removeprefix("./"))
    exact = Filter(must=(Match("path", (wanted, f"{wanted}.md")),)), Filter(must=(Match("note_id", (wanted,)),))
    for where in exact:
        if found := [point.payload for point in store.scroll("notes", vault, where, keys=KEYS)]:
            return found[0]
    notes = [point.payload for point in store.scroll("notes", vault, keys=KEYS)]
    key = _key(wanted)
    for names in (_titles, _file_names, _aliases):
        fitting = [note for note in notes if key in map(_key, names(note))]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            shown = ", ".join(f"`{note['path']}`" for note in sorted(fitting, key=lambda note: str(note["path"])))
            raise UsageError(f"several notes are called `{name}`", hint=f"give a path: {shown}")
    raise UsageError(f"the index has no note `{name}`", hint=_nearest(key, notes))


def _titles(note: Record) -> Sequence[str]:
    return (str(note["title"]),)


def _file_names(note: Record) -> Sequence[str]:
    base = str(note["path"]).rpartition("/")[2]
    return base, base.rpartition(".")[0]


def _aliases(note: Record) -> Sequence[str]:
    return [str(alias) for alias in note.get("aliases") or ()]


def _key(name: str) -> str:
    return " ".join(nfc(name).casefold().split())


def _nearest(key: str, notes: Iterable[Record]) -> str:
    known: dict[str, str] = {}
    for note in notes:
        for names in (_titles, _file_names, _aliases):
            known.update(dict.fromkeys(map(_key, names(note)), str(note["path"])))
    near = get_close_matches(key, known, n=3, cutoff=0.5)
    paths = " or ".join(f"`{path}`" for path in dict.fromkeys(known[name] for name in near))
    return f"did you mean {paths}?" if near else "give the path of a note in the vault"
