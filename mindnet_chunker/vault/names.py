"""All paths of a vault -> what a link's path points at, and where its subpath stands."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from mindnet_chunker.records import nfc

MAX_CHAIN = 6  # headings of a chain rise in level, of which there are six

PUNCTUATION = re.compile(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\\s]+")


def _folded(path: str) -> str:
    return nfc(nfc(path).lower())


class Names:
    """Resolves the path part of links as the app does (files only: no alias, title or heading ever matches).

    Memory and time to build are linear in the paths (one sort). What an ambiguous path may mean is worked out once, for
    all sources.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths: dict[str, str] = {}  # folded -> as it is; of two that differ in case only, the smaller
        for path in sorted(paths):
            self._paths.setdefault(_folded(path), path)
        self._mirrored = sorted(f"/{folded}"[::-1] for folded in self._paths)  # paths with one end lie side by side
        self._tables: dict[str, dict[str, str]] = {}  # ambiguous written path -> folder -> best below it

    def exact(self, path: str) -> str | None:
        """The file with exactly this vault path, apart from case and normal form."""
        return self._paths.get(_folded(path))

    def resolve(self, target: str, source: str) -> str | None:
        """The file that `target`, written in the note `source`, points at; None if there is none.

        As given first (only where the name has a dot), then with `.md`. `./` and `../` start at the source's folder, `/`
        at the root, both exactly; nothing leads out of the vault. Otherwise the whole path, then a path that ends so: in
        the source's folder or below it before elsewhere, the shortest string, the smallest.
        """
        target = target.strip()
        if not target:
            return source
        path = _folded(target)
        folder = _folded(source).rpartition("/")[0]
        exactly = path.startswith(("./", "../", "/"))
        if exactly:
            path = path[1:] if path.startswith("/") else _joined(folder, path)
        for attempt in (path, f"{path}.md") if "." in path.rpartition("/")[2] else (f"{path}.md",):
            found = attempt if attempt in self._paths else None if exactly else self._search(attempt, folder)
            if found is not None:
                return self._paths[found]
        return None

    def _search(self, path: str, folder: str) -> str | None:
        """The best of the paths that end in `path`, for a source in `folder`."""
        table = self._tables.get(path)
        if table is None:
            candidates = self._ending_in(path)
            if len(candidates) < 2:
                return candidates[0] if candidates else None
            candidates.sort(key=lambda folded: (len(self._paths[folded]), self._paths[folded]))
            table = self._tables[path] = {}
            for candidate in candidates:
                above = candidate
                while above:
                    above = above.rpartition("/")[0]
                    table.setdefault(above, candidate)
        return table.get(folder) or table[""]

    def _ending_in(self, path: str) -> list[str]:
        end = f"/{path}"[::-1]
        first = last = bisect_left(self._mirrored, end)
        while last < len(self._mirrored) and self._mirrored[last].startswith(end):
            last += 1
        return [mirrored[::-1][1:] for mirrored in self._mirrored[first:last]]


OUTSIDE = "\0"  # a path that no file has


def _joined(folder: str, path: str) -> str:
    """`path` from `folder`, both folded."""
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return OUTSIDE
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


@dataclass(frozen=True)
class Outline:
    """What subpaths can point at in one note."""

    headings: tuple[tuple[int, str, int], ...]  # level, text, line
    blocks: Mapping[str, int]  # block id in lower case -> line

    @cached_property
    def places(self) -> Mapping[str, list[tuple[int, int, int]]]:
        """Folded heading -> its number in the note, level and line, in order."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for number, (level, text, line) in enumerate(self.headings):
            found.setdefault(folded_heading(text), []).append((number, level, line))
        return found


def folded_heading(text: str) -> str:
    """A heading as it is compared: punctuation and line ends are blanks, case does not matter."""
    return _folded(PUNCTUATION.sub(" ", text).strip())


def find_subpath(outline: Outline, heading: str | None, block: str | None) -> int | None:
    """The line where a link's subpath stands, None where the note has no such place.

    A chain `A#B` fits headings in document order, each deeper than the one before; the first fit wins.
    """
    if block is not None:
        return outline.blocks.get(block.lower())
    parts = [folded_heading(part) for part in (heading or "").split("#") if part.strip()]
    if not parts or len(parts) > MAX_CHAIN:
        return None
    known = sorted(place for part in set(parts) for place in outline.places.get(part, ()))
    best = [0] + [MAX_CHAIN + 1] * len(parts)  # best[n]: the lowest level at which the first n parts can end
    for number, level, line in known:
        text = folded_heading(outline.headings[number][1])
        for count in range(len(parts), 0, -1):
            if parts[count - 1] == text and best[count - 1] < level:
                if count == len(parts):
                    return line
                best[count] = min(best[count], level)
    return None
