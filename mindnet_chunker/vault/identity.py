"""The id of every note: what it declares where that is unique, else its path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mindnet_chunker.records import Problem

ENDING = re.compile(r"\.md$", re.IGNORECASE)

# Names that only a sync service gives.
CONFLICT_COPY = re.compile(
    r"\(.*(?:conflict|konflikt|conflit|conflicto|copia in conflitto).*\)"
    r"|\.sync-conflict-\d{8}-\d{6}"
    r"|[-_. ](?:conflict|konflikt)(?:ed copy)?[-_. ]?\d{4}",
    re.IGNORECASE,
)
# What makes `X...` a copy where a note named `X` has the same id: `X 2`, `X (1)`, `X-DESKTOP-4F2A`, `X - Copy (2)`.
COPY_END = re.compile(
    r" [0-9]{1,3}| ?\([0-9]{1,3}\)|-[A-Z0-9][A-Z0-9-]*|(?: -)? ?(?i:copy|kopie|copie)(?: [0-9]{1,3}| \([0-9]{1,3}\))?"
)


def assign_ids(declared: Mapping[str, str | None]) -> tuple[dict[str, str], list[Problem]]:
    """The id of every path. `declared` holds for each path what its note declares.

    Of several that declare one id the shortest path keeps it, but a copy made by a sync service never takes it from
    another note; the others get their path without `.md`. An id that is the path of a note which needs that path as its
    own id is not given either. Every note that does not get what it declares is a problem that names both.
    """
    ids = _path_ids(declared)
    claims: dict[str, list[str]] = {}
    for path, wanted in declared.items():
        if wanted is not None:
            claims.setdefault(wanted, []).append(path)
    winners = {wanted: _keeper(paths) for wanted, paths in claims.items()}
    losers = {path: winners[wanted] for wanted, paths in claims.items() for path in paths if path != winners[wanted]}
    waiting = [path for path, wanted in declared.items() if wanted is None or path in losers]
    while waiting:  # these have their path as id: it cannot be another note's declared one
        path = waiting.pop()
        rival = winners.get(ids[path])
        if rival is not None and rival != path and rival not in losers:
            losers[rival] = path
            waiting.append(rival)
    for wanted, path in winners.items():
        if path not in losers:
            ids[path] = wanted
    problems = [
        Problem(
            code="duplicate-id",
            message=f"the id `{declared[path]}` belongs to `{other}`; this note gets `{ids[path]}`",
            path=path,
            hint="give one of the two another `id`",
        )
        for path, other in sorted(losers.items())
    ]
    return ids, problems


def _path_ids(paths: Iterable[str]) -> dict[str, str]:
    """Each path without `.md`; where that is taken (`a.md` and `a.MD`), the path itself, marked until it is unique."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(paths, key=lambda path: (len(path), not path.endswith(".md"), path)):
        found = ENDING.sub("", path)
        if found in taken:
            found = path
        while found in taken:
            found += "'"
        taken.add(found)
        ids[path] = found
    return ids


def _keeper(paths: list[str]) -> str:
    """Which of the notes that declare one id keeps it."""
    if len(paths) == 1:
        return paths[0]
    names = {_name(path) for path in paths}
    return min(paths, key=lambda path: (_is_copy(_name(path), names), len(path), path))


def _name(path: str) -> str:
    return ENDING.sub("", path.rpartition("/")[2])


def _is_copy(name: str, names: set[str]) -> bool:
    if CONFLICT_COPY.search(name):
        return True
    return any(name[:end] in names and COPY_END.fullmatch(name, end) for end in range(1, len(name)))
