"""A vault of which nothing has changed since its last good run: told from outside, no note is read, no engine loaded."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Collection, Iterable

from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.manifest import RACY_NS
from mindnet_chunker.index.points import SCHEMA
from mindnet_chunker.pipeline import Rules
from mindnet_chunker.records import Problem, Record, is_canvas
from mindnet_chunker.report import Report
from mindnet_chunker.survey import CODE_VERSION
from mindnet_chunker.vault.read import Vault, VaultFile

COUNTS = ("notes", "chunks", "edges", "left_out", "told")  # of a report: what stays when nothing is done


def settled_until() -> int:
    """Nanoseconds since 1970: a file that was changed later may be changed again without a trace from outside."""
    return time.time_ns() - RACY_NS


def outside(vault: Vault, rules: Rules, until: int) -> str | None:
    """A hash over all that a run goes by, but for the store and its model; None where a file is newer than `until`."""
    files = (*vault.notes, *vault.canvases)
    if any(max(file.mtime_ns, file.ctime_ns) >= until for file in files):
        return None
    settings = (rules.types, rules.counter.identity, rules.window, rules.passage_prefix, rules.vault, vault.settings)
    found = (vault.root, vault.scope, vault.paths, vault.away_folders, vault.problems)
    state = hashlib.sha256(repr((CODE_VERSION, SCHEMA, settings, found)).encode("utf-8", "backslashreplace"))
    state.update("\n".join(_lines(files)).encode("utf-8", "backslashreplace"))
    return state.hexdigest()


def _lines(files: Iterable[VaultFile]) -> Iterable[str]:
    for file in files:
        yield (
            f"{file.path}\0{file.place!r} {file.size} {file.mtime_ns} {file.ctime_ns} {file.inode} "
            f"{file.excluded} {file.in_scope} {file.away} {file.max_size}"
        )


def note_of(
    report: Report, seen: str, meta: StoreMeta, said: str, warnings: Iterable[Problem], wanted: Collection[str]
) -> Record:
    """What the next run needs in order to report the same vault, stored as it is, without looking at it.

    `said`: what the run said of the vault; `wanted`: the paths of its notes and boards.
    """
    counts = {name: dict(getattr(report, name)) for name in COUNTS}
    counts["notes"] |= {
        "changed": 0,
        "renamed": 0,
        "deleted": 0,
        "unchanged": len(wanted) - sum(map(is_canvas, wanted)),
    }
    unchanged = max(0, len(wanted) - report.told["left_out"])
    counts["told"] |= {"notes": 0, "boards": 0, "renamed": 0, "removed": 0, "unchanged": unchanged}
    return {
        "outside": seen,
        "generation": meta.generation,
        "store": report.store,
        "said": said,
        "counts": counts,
        "canvases": report.canvases,
        "warnings": [problem.record() for problem in warnings],
    }


def fits(note: Record | None, seen: str, meta: StoreMeta, store: str) -> bool:
    if note is None or note["counts"].keys() != set(COUNTS):
        return False
    return (note["outside"], note["generation"], note["store"]) == (seen, meta.generation, store)


def take_over(note: Record, report: Report) -> None:
    """Report what the last run found."""
    for name in COUNTS:
        setattr(report, name, Counter(note["counts"][name]))
    report.canvases = note["canvases"]
    report.warnings += [Problem(**problem) for problem in note["warnings"]]
