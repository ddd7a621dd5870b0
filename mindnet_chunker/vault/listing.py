"""A folder tree -> its visible files, each under one clear name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mindnet_chunker.records import Problem, nfc

PLACEHOLDER_END = ".icloud"  # `.Name.md.icloud` stands for a `Name.md` that is not here


class Found(NamedTuple):
    """A file of the tree."""

    path: str  # NFC, U+FFFD for bytes that are no text
    place: bytes
    status: os.stat_result | None = None  # None: not asked for, or not to be had (then reading it will say why)
    placeholder: bool = False


@dataclass(slots=True, kw_only=True)
class Listing:
    """What `walk` has found; nothing depends on the order in which the file system tells it."""

    root: bytes
    follow_links: bool = False
    found: list[Found] = field(default_factory=list)
    away_folders: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def walk(self) -> None:
        """List every file below the root whose name, and whose folders' names, do not begin with a dot."""
        folders = [("", self.root)]
        seen = {os.path.realpath(self.root)} if self.follow_links else set()
        while folders:
            folder, place = folders.pop()
            try:
                with os.scandir(place) as entries:
                    for entry in sorted(entries, key=lambda entry: entry.name):
                        path = folder + shown(entry.name)
                        if entry.name.startswith(b"."):
                            self._placeholder(folder, entry)
                        elif entry.is_symlink():
                            if self._follows(path, entry, seen):
                                folders.append((f"{path}/", entry.path))
                        elif entry.is_dir(follow_symlinks=False):
                            folders.append((f"{path}/", entry.path))
                        elif entry.is_file(follow_symlinks=False):
                            self.found.append(Found(path, entry.path, _status(path, entry)))
            except OSError as error:
                self._unreadable(folder.rstrip("/"), error)

    def files(self) -> Iterator[Found]:
        """All files by path. Of several that would share a path one keeps it, the others get a number."""
        here = {file.path for file in self.found if not file.placeholder}
        files = [file for file in self.found if not (file.placeholder and file.path in here)]
        files.sort(key=lambda file: (file.path, not file.place.endswith(file.path.encode()), file.place))
        taken = {file.path for file in files}
        numbers: dict[str, int] = {}
        named = []
        for file in files:
            number = numbers[file.path] = numbers.get(file.path, 0) + 1
            if number > 1:
                while (path := _numbered(file.path, number)) in taken:
                    number += 1
                numbers[file.path] = number
                taken.add(path)
                file = file._replace(path=path)
            named.append(file)
        yield from sorted(named, key=lambda file: file.path)

    def _placeholder(self, folder: str, entry: os.DirEntry[bytes]) -> None:
        name = shown(entry.name)
        if name.endswith(PLACEHOLDER_END) and not name.startswith(".."):
            path = folder + name[1 : -len(PLACEHOLDER_END)]
            self.found.append(Found(path, entry.path, placeholder=True))

    def _follows(self, path: str, entry: os.DirEntry[bytes], seen: set[bytes]) -> bool:
        """Whether a link is a folder to descend into: it leads out of the vault, to a place not seen yet."""
        is_folder = _leads_to_folder(entry)
        if self.follow_links and is_folder:
            real = os.path.realpath(entry.path)
            nested = any(_holds(real, other) or _holds(other, real) for other in seen)
            if not nested:
                seen.add(real)
                return True
        if is_folder or path.lower().endswith((".md", ".canvas")):
            self.problems.append(
                Problem(code="symbolic-link", message="is a symbolic link and not followed", path=path)
            )
        return False

    def _unreadable(self, path: str, error: OSError) -> None:
        self.away_folders.append(path)
        self.problems.append(
            Problem(
                code="unreadable",
                message=f"the folder cannot be listed: {error.strerror or error}",
                path=path,
                hint="check its permissions; what is stored for the notes in it stays",
            )
        )


def shown(name: bytes) -> str:
    """A name of the file system as text; what is no UTF-8 in it becomes U+FFFD."""
    return nfc(name.decode("utf-8", "replace"))


def _status(path: str, entry: os.DirEntry[bytes]) -> os.stat_result | None:
    if not path.lower().endswith((".md", ".canvas")):
        return None
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:
        return None


def _leads_to_folder(link: os.DirEntry[bytes]) -> bool:
    try:
        return link.is_dir()
    except OSError:  # a link to itself
        return False


def _holds(folder: bytes, other: bytes) -> bool:
    return other == folder or other.startswith(folder.rstrip(b"/") + b"/")


def _numbered(path: str, number: int) -> str:
    stem, dot, end = path.rpartition(".")
    return f"{stem} ({number}).{end}" if dot else f"{path} ({number})"
