"""Facts about what a store holds, after one run and after several; each yields what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from case_facts import Wrong, show
from case_runs import Step

from mindnet_chunker.records import nfc


def export_equals_ndjson(want: bool, step: Step) -> Wrong:
    """`export` prints the lines of `--ndjson`, byte for byte."""
    assert step.exported and step.printed
    if (step.exported.exit_code, step.printed.exit_code) not in ((0, 0), (0, 1)):
        yield f"expected both commands to end well, got {step.exported.exit_code} and {step.printed.exit_code}"
    stored, printed = Counter(step.exported.lines), Counter(step.printed.lines)
    for what, more in (("export", stored - printed), ("--ndjson", printed - stored)):
        if more:
            yield f"{more.total()} lines only in {what}, the first: {next(iter(more)).decode()[:400]}"


def stored_equals_reported(want: bool, step: Step) -> Wrong:
    assert step.report
    said = sum(note["n_chunks"] for note in step.of("note"))
    if not len(step.chunks) == said == step.report["chunks"]["stored"]:
        yield f"expected the same number three times, got {len(step.chunks)}, {said}, {step.report['chunks']['stored']}"


def notes_written(want: Sequence[str], step: Step) -> Wrong:
    assert step.report
    if sorted(map(nfc, want)) != sorted(step.report["notes_written"]):
        yield f"expected {show(want)} written, got {show(step.report['notes_written'])}"


def second_run_writes(want: int, step: Step) -> Wrong:
    """All later runs too write so many points."""
    assert len(step.steps) > 1
    for number, each in enumerate(step.steps[1:], 2):
        assert each.report
        writes = each.report["writes"]
        if sum(writes.values()) != want:
            yield f"expected {want} points written by run {number}, got {writes}"


def second_run_notes_written_max(want: int, step: Step) -> Wrong:
    report = step.steps[1].report
    assert report
    if len(report["notes_written"]) > want:
        yield f"expected at most {want} notes written by the second run, got {len(report['notes_written'])}"


def ids_stable(want: bool, step: Step) -> Wrong:
    _, *others = seen = [sorted(chunk["point_id"] for chunk in each.chunks) for each in step.steps]
    if not others or any(ids != seen[0] for ids in others):
        yield f"expected the same ids after each run, got {show(seen)}"


def point_count_same(want: bool, step: Step) -> Wrong:
    counts = [len(each.records) for each in step.steps]
    if len(counts) < 2 or len(set(counts)) > 1:
        yield f"expected as many points after each run, got {counts}"


def same_language_both_runs(want: bool, step: Step) -> Wrong:
    _, *others = seen = [{path: note["lang"] for path, note in each.notes.items()} for each in step.steps]
    if not others or any(languages != seen[0] for languages in others):
        yield f"expected the same languages in each run, got {show(seen)}"


def all_vectors_from(want: str, step: Step) -> Wrong:
    """Of the second model: one size, another than before."""
    before, now = ({len(vector) for vector in each.vectors} for each in step.steps[:2])
    if len(now) != 1 or now == before:
        yield f"expected vectors of one size, another than before, got {now} after {before}"
