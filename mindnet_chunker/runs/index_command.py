"""An index run as a person sees it: what it will do, how far it is, what it did, and the next command."""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from mindnet_chunker.counted import counted, notes_and_boards, together
from mindnet_chunker.errors import UsageError
from mindnet_chunker.report import Report
from mindnet_chunker.runs.index import Listener, index_vault
from mindnet_chunker.runs.options import EmbedOptions, IndexOptions, StoreOptions, VaultOptions
from mindnet_chunker.runs.out import refuse_inside
from mindnet_chunker.runs.places import collection_name, place_options
from mindnet_chunker.terminal import Talk
from mindnet_chunker.vault.read import find_root

STOPPING = (signal.SIGINT, signal.SIGTERM)


def index_with_talk(
    path: Path,
    options: VaultOptions,
    where: StoreOptions,
    how: EmbedOptions,
    run: IndexOptions,
    talk: Talk,
    report_file: Path | None,
) -> int:
    """Run and say what was done; 130 or 143 after Ctrl-C or SIGTERM."""
    if report_file is not None and not report_file.resolve().parent.is_dir():
        raise UsageError("no such folder", where=str(report_file.parent), hint="`--report FILE` needs one that exists")
    refuse_inside(find_root(path), [("--report", report_file)])
    with _stop_signals(talk) as stopped, talk.progress() as progress:
        listener = Listener(say=talk.say, detail=talk.detail, counts=talk.count, should_stop=lambda: bool(stopped))
        if not run.dry_run:
            listener = replace(listener, progress=progress)
        report = index_vault(path, options, where, how, run, listener)
    talk.warnings(report.warnings)
    talk.end_of_warnings()
    talk.errors(report.errors)
    if where.url and options.vault_id:
        where = replace(where, collection=collection_name(where, options.vault_id))  # the folder's name says another
    talk.say(closing(report, path, where, dry_run=run.dry_run))
    if report_file is not None:
        report_file.write_text(json.dumps(report.record(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 128 + stopped[0] if stopped else report.exit_code


def closing(report: Report, path: Path, where: StoreOptions, *, dry_run: bool) -> str:
    """What was done, what was left out, and the next command."""
    notes, told, embedded = report.notes, report.told, report.embedded
    boards = report.canvases > 0
    wrote, embed = ("would write", "would embed") if dry_run else ("wrote", "embedded")
    lines = [
        f"{wrote} {notes_and_boards(told['notes'], told['boards'])}, {told['unchanged']} unchanged, "
        f"{told['renamed']} renamed, {told['removed']} removed, {told['left_out']} left out, {len(report.errors)} failed; "
        f"{embed} {counted(embedded['texts'], 'text')} ({counted(embedded['tokens'], 'token')})",
    ]
    if not dry_run:
        inside = notes_and_boards(notes["indexed"], told["boards_held"])
        lines.append(f"the index holds {inside}, {counted(report.chunks['stored'], 'chunk')}")
    if not notes["seen"] and not boards:
        lines.append(f"there are no notes in {path}: is it the right folder?")
    if report.held_back:
        lines.append(
            f"{together(report.held_back, with_boards=boards)} are gone or empty, more than half of all: "
            "nothing was removed. If that is right, run again with --allow-mass-delete"
        )
    if report.stopped:
        left = together(report.left_over, with_boards=boards)
        lines.append(f"stopped with {left} left; run the same command again and it goes on there")
    elif dry_run:
        lines.append("nothing was written; run the same command without --dry-run to do it")
    else:
        vault = "" if where.folder else f" --vault {shlex.quote(str(path))}"
        lines.append(f'next: mindnet-chunk search "your question"{vault}{place_options(where)}')
    return "\n".join(lines)


@contextmanager
def _stop_signals(talk: Talk) -> Iterator[list[int]]:
    """The numbers of the signals that came: the first ends the run at the next safe point, the second at once."""
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if came:
            raise SystemExit(128 + number)
        came.append(number)
        talk.say("stopping at the next safe point; once more to stop at once")

    before = {number: signal.signal(number, stop) for number in STOPPING}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
