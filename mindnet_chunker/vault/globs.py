"""What is left out of a vault: `--exclude` globs and the app's ignore filters, as tests of a path."""

from __future__ import annotations

import fnmatch
import re
import warnings
from collections.abc import Callable, Iterable, Sequence

from mindnet_chunker.records import nfc

Part = re.Pattern[str] | None  # of a glob, for one name; None: any folders

JS_NAMED_GROUP = re.compile(r"\(\?<(?![=!])")
CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*+\]?")
REPEAT = re.compile(r"[*+]|\{\d+(?:,\d*)?\}")
CHOICE = re.compile(r"[*+?|]|\{\d*,\d*\}")


def glob_excluder(globs: Iterable[str]) -> Callable[[str], bool]:
    """A test of vault paths by patterns like those of `.gitignore`, without regard to case.

    `*`, `?` and `[...]` stay within a name, `**` stands for any folders. A pattern without an inner slash fits a file
    or folder at any depth (`*.draft.md`, `Archive`), another one starts at the vault's root (`Work/*/old.md`). A folder
    that fits is left out with all it holds; a final slash means folders only. There is no `!`.
    """
    patterns = [_parts(glob) for glob in globs if glob.strip().strip("/")]
    return lambda path: any(_fits(parts, folders, path) for parts, folders in patterns)


def _parts(glob: str) -> tuple[list[Part], bool]:
    glob = nfc(glob.strip()).removeprefix("./")
    names = [name for name in glob.split("/") if name]
    if "/" not in glob.rstrip("/"):
        names.insert(0, "**")
    parts = [None if name == "**" else re.compile(fnmatch.translate(name), re.IGNORECASE) for name in names]
    return parts, glob.endswith("/")


def _fits(parts: list[Part], folders_only: bool, path: str) -> bool:
    """Whether the path or a folder above it fits: all ways to read the pattern are followed at once."""
    names = path.split("/")
    places = _reached({0}, parts)
    for number, name in enumerate(names, 1):
        moved = set()
        for place in places - {len(parts)}:
            part = parts[place]
            if part is None:
                moved.add(place)
            elif part.match(name):
                moved.add(place + 1)
        places = _reached(moved, parts)
        if len(parts) in places and not (folders_only and number == len(names)):
            return True
    return False


def _reached(places: set[int], parts: list[Part]) -> set[int]:
    """The places in a pattern, and those behind a `**` that stands for nothing."""
    reached = set(places)
    for place in places:
        while place < len(parts) and parts[place] is None:
            place += 1
            reached.add(place)
    return reached


def filter_excluder(entries: Sequence[str]) -> tuple[Callable[[str], bool], list[str]]:
    """A test of vault paths by the app's `userIgnoreFilters`, and what is wrong with entries that cannot be used.

    `/re/` is searched anywhere in the path, any other entry is the path's beginning; both without regard to case. A
    repeat inside a repeated group could take for ever on a path that nearly fits, so such an expression is not used.
    """
    prefixes: list[str] = []
    searches: list[re.Pattern[str]] = []
    faults: list[str] = []
    for entry in map(nfc, entries):
        if len(entry) <= 2 or not (entry.startswith("/") and entry.endswith("/")):
            prefixes.append(entry.lower())
        elif _may_explode(entry[1:-1]):
            faults.append(f"the expression `{entry}` repeats a repeat and could take for ever")
        else:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # `[[` will mean something else in a later Python
                    searches.append(re.compile(JS_NAMED_GROUP.sub("(?P<", entry[1:-1]), re.IGNORECASE))
            except (re.error, OverflowError, RecursionError) as error:
                faults.append(f"the expression `{entry}` is broken: {error}")
    starts = tuple(prefix for prefix in prefixes if prefix)

    def excluded(path: str) -> bool:
        return path.lower().startswith(starts) or any(search.search(path) for search in searches)

    return excluded, faults


def _may_explode(expression: str) -> bool:
    """Whether a repeated group can itself be read in several ways: it holds a repeat or a choice."""
    groups = [False]  # for every open group: does it hold one
    place = 0
    while place < len(expression):
        sign = expression[place]
        if sign == "\\":
            place += 2
            continue
        if sign == "[" and (signs := CLASS.match(expression, place)):
            place = signs.end()
            continue
        if sign == "(":
            groups.append(False)
            place += 1 if expression.startswith("(?", place) else 0
        elif sign == ")" and len(groups) > 1:
            inner = groups.pop()
            if inner and REPEAT.match(expression, place + 1):
                return True
            groups[-1] = groups[-1] or inner
        elif CHOICE.match(expression, place):
            groups[-1] = True
        place += 1
    return False
