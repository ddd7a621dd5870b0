"""Markdown in, NDJSON out: a vault, one note, or a stream of notes."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from mindnet_chunker.errors import MindnetError, SkippedFileError, UsageError
from mindnet_chunker.graph import Targets
from mindnet_chunker.index.points import line_of
from mindnet_chunker.pipeline import Rules, default_id, lone_note, lone_targets, read_note, records_of
from mindnet_chunker.records import Json, NoteRecords, Problem, nfc
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble, VaultReader, open_vault
from mindnet_chunker.runs.setup import chosen_model, rules_for
from mindnet_chunker.runs.workers import records_by_workers
from mindnet_chunker.terminal import Talk, write_lines
from mindnet_chunker.vault.read import decode, lone_file, read_file, take, vault_path

MARKDOWN = (".md", ".markdown")


def print_records(
    target: str | None,
    options: VaultOptions,
    talk: Talk,
    *,
    source: str | None,
    note_path: str,
    vault: Path | None,
    workers: int,
) -> int:
    """Print the records of what is named; 1 if some note failed."""
    trouble = Trouble()
    if source is not None:
        found = _stream(source, target, options, trouble)
    elif target is not None and target != "-" and not Path(target).is_file():
        found = vault_records(Path(target), options, trouble, workers=workers)
    else:
        found = _lone(target, options, trouble, note_path=note_path, vault=vault)
    failed = 0
    for records in found:
        write_lines([line_of(record) for record in records.in_order()])
        if not records.note["excluded"]:
            trouble.warnings += records.problems
        failed += trouble.tell(talk)
    failed += trouble.tell(talk)
    talk.end_of_warnings()
    return 1 if failed else 0


def vault_records(path: Path, options: VaultOptions, trouble: Trouble, *, workers: int = 1) -> Iterator[NoteRecords]:
    """The records of every note below `path`, in the order of their paths."""
    vault, _, rules, _ = open_vault(path, options, weights=False)
    reader = VaultReader(vault, rules, trouble)
    if workers > 1:
        yield from records_by_workers(path, options, reader.files(), trouble, workers)
    else:
        yield from reader.records()


# --- one note --------------------------------------------------------------------------------------------------------


def _lone(
    target: str | None, options: VaultOptions, trouble: Trouble, *, note_path: str, vault: Path | None
) -> Iterator[NoteRecords]:
    if target is not None and target != "-":
        yield lone_file_records(Path(target), vault, options, trouble)
        return
    content = sys.stdin.buffer.read()
    if target is None and not content:
        return
    text, problems = decode(content, note_path)
    yield note_in(vault, nfc(note_path), text, problems, options, trouble)


def lone_file_records(place: Path, vault: Path | None, options: VaultOptions, trouble: Trouble) -> NoteRecords:
    """The records of one file. Raises UsageError where it is no Markdown or cannot be read."""
    if place.suffix.lower() not in MARKDOWN:
        raise UsageError(
            "is no Markdown file",
            where=str(place),
            hint="a folder, a `.md` file, or `-` for standard input is accepted",
        )
    if not place.exists():
        raise UsageError("no such file", where=str(place), hint="name a note by its path")
    path = (vault_path(place, vault) if vault else None) or place.as_posix()
    try:
        _, text, problems = read_file(lone_file(place, path, max_size=options.max_file_size))
    except MindnetError as error:
        raise UsageError(error.what, where=str(place), hint=error.hint) from None
    return note_in(vault, nfc(path), text, problems, options, trouble)


def note_in(
    vault: Path | None, path: str, text: str, problems: Iterable[Problem], options: VaultOptions, trouble: Trouble
) -> NoteRecords:
    """One note, its links resolved in `vault`; without one, only those to itself."""
    if vault is None:
        rules, _ = rules_for(options, chosen_model(options, weights=False), root=None, vault=options.vault_id or "")
        return lone_note(path, text, rules, problems)
    found, _, rules, _ = open_vault(vault, options, weights=False)
    reader = VaultReader(found, rules, trouble)
    read = read_note(path, text, rules, problems=problems)
    targets = reader.targets
    note_id = targets.note_ids.get(path) or read.meta.declared_id or default_id(path)
    own = lone_targets(path, note_id, read.outline)
    both = Targets(
        names=targets.names,
        note_ids={**targets.note_ids, path: note_id},
        paths={**targets.paths, note_id: path},
        outline=lambda asked: own.outline(asked) or targets.outline(asked),
    )
    return records_of(read, note_id, both, rules, None)


# --- a stream of notes -----------------------------------------------------------------------------------------------


def _stream(source: str, target: str | None, options: VaultOptions, trouble: Trouble) -> Iterator[NoteRecords]:
    if source != "ndjson":
        raise UsageError(f"`--from {source}` is not known", hint="allowed: `--from ndjson`")
    if target not in (None, "-"):
        raise UsageError("`--from ndjson` reads standard input", hint="mindnet-chunk - --from ndjson < notes.ndjson")
    rules, _ = rules_for(options, chosen_model(options, weights=False), root=None, vault=options.vault_id or "")
    return stream_records(iter(sys.stdin.buffer.readline, b""), rules, trouble)


def stream_records(lines: Iterable[bytes], rules: Rules, trouble: Trouble) -> Iterator[NoteRecords]:
    """Each note as soon as its line is read. A bad line is an error with its number, and the stream goes on."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            path, text = _note_of(line)
            text, problems = take(text, path)
            yield lone_note(path, text, rules, problems)
        except SkippedFileError as error:
            trouble.skip(error)
        except MindnetError as error:
            where = error.where or "stdin"
            trouble.errors.append(
                Problem(code="line-invalid", message=error.what, path=where, line=number, hint=error.hint)
            )
        except Exception as error:  # one bad note never stops a stream
            trouble.fail("stdin", error, line=number)


def _note_of(line: bytes) -> tuple[str, str]:
    hint = 'a line is {"path": "name.md", "text": "..."}'
    try:
        value: Json = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"is no JSON: {error}", hint=hint) from None
    match value:
        case {"path": str(path), "text": str(text)} if path:
            return nfc(path.encode("utf-8", "replace").decode()), text
    raise UsageError("has no `path` and `text`, both text", hint=hint)
