"""What must hold: for a vault, for NDJSON on standard input, for what is stored."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from mindnet_chunker.chunking.invariants import check_note
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.counted import counted
from mindnet_chunker.errors import MindnetError
from mindnet_chunker.index.shape import misshapen
from mindnet_chunker.pipeline import Rules
from mindnet_chunker.records import Json, NoteRecords, Problem, Record
from mindnet_chunker.runs.options import StoreOptions, VaultOptions
from mindnet_chunker.runs.places import opened_index
from mindnet_chunker.runs.reader import Trouble, VaultReader, open_vault
from mindnet_chunker.runs.setup import chosen_model
from mindnet_chunker.runs.transfer import exported
from mindnet_chunker.terminal import Talk, one_line, write_line
from mindnet_chunker.vault.read import read_file


def print_findings(target: str | None, where: StoreOptions | None, options: VaultOptions, talk: Talk) -> int:
    """`path:line: CODE message` for each finding. `where`: check what is stored there. 1 if there is any."""
    if where is not None:
        found = stored_findings(Path(target) if target else None, where, options, talk)
    elif target in (None, "-"):
        found = stream_findings(sys.stdin.buffer, _counter(options))
    else:
        found = vault_findings(Path(str(target)), options)
    count = 0
    for problem in found:
        count += 1
        write_line(f"{one_line(problem.path)}:{problem.line or 1}: {problem.code} {one_line(problem.message)}")
    talk.say(counted(count, "finding") if count else "no findings: all is as it must be")
    return int(count > 0)


def vault_findings(path: Path, options: VaultOptions) -> Iterator[Problem]:
    """What is wrong with the notes themselves, and with the chunks that we make of them."""
    vault, _, rules, _ = open_vault(path, options, weights=False)
    trouble = Trouble()
    reader = VaultReader(vault, rules, trouble)
    for file in reader.files():
        records = reader.records_of(file)
        yield from _taken(trouble)
        if records is not None:
            yield from records.problems if not records.note["excluded"] else ()
            text = None if records.note["record"] == "canvas" else read_file(file)[1]
            yield from check_records(records, text, rules)
    yield from _taken(trouble)


def check_records(records: NoteRecords, text: str | None, rules: Rules) -> list[Problem]:
    row = row_of(records.note, rules)
    return check_note(text, records.chunks, records.note, rules.counter, row=row, edges=records.edges)


def row_of(note: Record, rules: Rules) -> NoteType:
    """The row that a note was cut by, its own `chunking:` included."""
    row = rules.types.row(note.get("type", "default"))
    own = note.get("frontmatter", {}).get("chunking")
    try:
        return rules.types.override(row, own) if isinstance(own, dict) else row
    except MindnetError:
        return row


def stored_findings(vault: Path | None, where: StoreOptions, options: VaultOptions, talk: Talk) -> Iterator[Problem]:
    counter = _counter(options)
    with opened_index(vault, where, "mindnet-chunk validate", talk.say) as index:
        for group in exported(index.store, index.vault):
            yield from _check_group(group, counter)


def stream_findings(lines: Iterable[bytes], counter: TokenCounter) -> Iterator[Problem]:
    """Records in the order that we print them: a note's chunks and edges come before it."""
    group: list[Record] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record: Json = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield Problem(code="no-json", message=f"is no JSON: {error}", path="stdin", line=number)
            continue
        if wrong := list(misshapen(record)):
            yield from (Problem(code="shape", message=what, path="stdin", line=number) for what in wrong)
            continue
        group.append(record)
        if record["record"] in ("note", "canvas"):
            yield from _check_group(group, counter)
            group = []
    if group:
        yield Problem(code="no-note", message=f"{len(group)} records belong to no note", path=group[0]["path"])


def _check_group(group: list[Record], counter: TokenCounter) -> Iterator[Problem]:
    chunks = [record for record in group if record["record"] == "chunk"]
    edges = [record for record in group if record["record"] == "edge"]
    note = group[-1]
    yield from check_note(None, chunks, note, counter, edges=edges)
    if note["n_edges"] != len(edges):
        message = f"the note speaks of {counted(note['n_edges'], 'edge')}, there are {len(edges)}"
        yield Problem(code="edge-count", message=message, path=note["path"])
    for record in (*chunks, *edges):
        if record["note_id"] != note["note_id"]:
            message = f"a {record['record']} of `{record['note_id']}` stands before the note `{note['note_id']}`"
            yield Problem(code="note-id", message=message, path=note["path"])


def _counter(options: VaultOptions) -> TokenCounter:
    return TokenCounter.from_file(chosen_model(options, weights=False).tokenizer_json)


def _taken(trouble: Trouble) -> list[Problem]:
    found = [*trouble.warnings, *trouble.errors]
    trouble.warnings.clear()
    trouble.errors.clear()
    return found
