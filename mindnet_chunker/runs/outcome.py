"""What a run found, did, and left in the store: for its report, and as it is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import uuid4

from mindnet_chunker import __version__
from mindnet_chunker.counted import notes_and_boards
from mindnet_chunker.embedding.choose import ModelChoice
from mindnet_chunker.index.plan import Wanted
from mindnet_chunker.index.store import NoteState, Store
from mindnet_chunker.index.sync import SyncReport
from mindnet_chunker.records import is_canvas
from mindnet_chunker.report import Report
from mindnet_chunker.runs.facts import VaultFacts
from mindnet_chunker.runs.held import held_in
from mindnet_chunker.vault.read import Vault


def new_report(vault: Vault, choice: ModelChoice, types: str, place: str) -> Report:
    report = Report(run_id=str(uuid4()), version=__version__, types=types, store=place)
    report.notes["seen"] = sum(file.in_scope for file in vault.notes)
    report.canvases = sum(file.in_scope for file in vault.canvases)
    report.model = {"name": choice.name, "dim": choice.dim, "window": choice.window}
    return report


def left_out(facts: VaultFacts) -> dict[str, str]:
    """Path of a note or board below the folder asked for -> why it is left out."""
    files = (file for file in (*facts.vault.notes, *facts.vault.canvases) if file.in_scope)
    return {file.path: reason for file in files if (reason := facts.excluded(file))}


def settled(wanted: Wanted, known: Mapping[str, NoteState]) -> bool:
    """Whether a note is stored as it is wanted."""
    state = known.get(wanted.note_id)
    return state is not None and state.commit == wanted.commit


def take_in_facts(facts: VaultFacts, report: Report) -> None:
    """What was found."""
    out = left_out(facts)
    report.left_out = Counter(reason for path, reason in out.items() if not is_canvas(path))
    report.notes["excluded"] = report.left_out.total()
    report.told["left_out"] = len(out)
    report.warnings += facts.trouble.warnings
    for problem in facts.trouble.errors:
        report.fail(problem)


def found(facts: VaultFacts, report: Report) -> str:
    """What a run says before the long part."""
    out = left_out(facts)
    boards = sum(map(is_canvas, out))
    reasons = ", ".join(f"{count} by {reason}" for reason, count in Counter(out.values()).items())
    lines = [
        f"vault    {facts.vault.root} ({notes_and_boards(report.notes['seen'], report.canvases)})",
        f"left out {notes_and_boards(len(out) - boards, boards)} ({reasons})" if out else "left out nothing",
        f"model    {report.model['name']} ({report.model['dim']} dimensions, reads {report.model['window']} tokens)",
        f"store    {report.store}",
    ]
    if strange := facts.types_without_row():
        shown = ", ".join(f"`{name}` ({count})" for name, count in strange.most_common(5))
        lines.append(f"types    without a row, cut as `default`: {shown}")
    return "\n".join(lines)


def take_in_done(
    done: SyncReport,
    wanted: Sequence[Wanted],
    before: Mapping[str, NoteState],
    facts: VaultFacts,
    store: Store,
    report: Report,
) -> None:
    """What was done, and what the store holds now. `before`: what it held."""
    vault = facts.rules.vault
    for problem in done.failed:
        report.fail(problem)
    report.warnings += done.skipped
    written = sum(not is_canvas(path) for path in done.notes_written)
    boards = sum(is_canvas(one.path) for one in _unchanged(done, wanted))
    report.notes["unchanged"] = max(0, done.unchanged - boards)
    report.notes["changed"] = written
    report.notes["renamed"] = sum(not is_canvas(new) for _, new in done.renamed)
    report.notes["deleted"] = sum(not is_canvas(path) for path in done.notes_deleted)
    report.notes_written = done.notes_written
    report.writes.update(upserted=done.upserted, payload_only=done.payload_only, deleted=done.deleted)
    report.embedded.update(
        texts=done.embedded_texts,
        tokens=done.embedded_tokens,
        context_changed=done.context_changed,
        windowed=done.windowed,
    )
    report.held_back = len(done.held_back)
    report.left_over = done.left_over
    report.chunks["stored"] = store.count("chunks", vault)
    report.edges["stored"] = store.count("edges", vault)
    now = held_in(done.known.values())
    report.notes["indexed"] = now.notes
    _tell(done, wanted, before, left_out(facts), report)
    report.told["boards_held"] = now.boards


def _unchanged(done: SyncReport, wanted: Sequence[Wanted]) -> list[Wanted]:
    """Notes and boards that were stored already as they are wanted."""
    written = set(done.notes_written)
    return [one for one in wanted if one.path not in written and settled(one, done.known)]


def _tell(
    done: SyncReport,
    wanted: Sequence[Wanted],
    before: Mapping[str, NoteState],
    out: Mapping[str, str],
    report: Report,
) -> None:
    """The same for people: what is left out is neither written nor unchanged; what was not before is removed."""
    written = set(done.notes_written)
    gone = {*done.notes_deleted, *(was for was, new in done.renamed if new in out), *(written & out.keys())}
    held = {state.path for state in before.values() if not state.excluded}
    boards = sum(is_canvas(path) for path in written - out.keys())
    report.told.update(
        notes=len(written - out.keys()) - boards,
        boards=boards,
        unchanged=sum(one.path not in out for one in _unchanged(done, wanted)),
        renamed=sum(new not in out for _, new in done.renamed),
        removed=len(gone & held),
    )
