"""The chunks of every note as files below a folder: chunks.json, meta.json, report.json."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.errors import MindnetError, UsageError
from mindnet_chunker.index.plan import Wanted
from mindnet_chunker.pipeline import Rules
from mindnet_chunker.records import Json, NoteRecords, Record
from mindnet_chunker.report import Metrics
from mindnet_chunker.runs.options import AnyPath
from mindnet_chunker.runs.validate import row_of


def write_out(folder: AnyPath, wanted: Iterable[Wanted], rules: Rules, *, rebuild: bool) -> int:
    """Write what is new or has changed since it was written there; how many notes that were.

    Notes that cannot be built are left as they are: the run itself has named them.
    """
    count = 0
    for note in wanted:
        place = Path(folder) / note.path.removesuffix(".md")
        if not rebuild and _commit_at(place / "meta.json") == note.commit:
            continue
        try:
            built = note.build()
        except Exception:  # named by the run itself
            continue
        if built.records.note["record"] == "note" and not built.records.note["excluded"]:
            _write_note(place, built.records, built.commit, rules)
            count += 1
    return count


def _commit_at(meta: Path) -> str | None:
    try:
        found = json.loads(meta.read_text(encoding="utf-8"))
        return str(found["commit"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_note(place: Path, records: NoteRecords, commit: str, rules: Rules) -> None:
    row = row_of(records.note, rules)
    metrics = Metrics()
    metrics.add(records.chunks, row.target)
    problems = [problem.record() for problem in records.problems]
    meta = {
        "source": records.path,
        "n_chunks": len(records.chunks),
        "created": records.note["created_at"],
        "settings": asdict(row),
        "commit": commit,
    }
    try:
        place.mkdir(parents=True, exist_ok=True)
        _write(place / "chunks.json", [_with_texts(chunk) for chunk in records.chunks])
        _write(place / "report.json", {"errors": [], "warnings": problems, "metrics": metrics.record()})
        _write(place / "meta.json", meta)  # last: it says that the others are there
    except OSError as error:
        raise MindnetError(
            f"cannot be written: {error.strerror or error}",
            where=str(place),
            hint="name another folder with `--out DIR`",
        ) from None


def _with_texts(chunk: Record) -> Record:
    assets = [one["target_path"] for one in chunk["references"] if one["embed"] and one["target_kind"] == "attachment"]
    whole = embedding_text(chunk["context"], chunk["text"])
    return {**chunk, "embedding_text": whole, "chars": len(chunk["text"]), "assets": assets}


def _write(path: Path, value: Json) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def refuse_inside(vault: Path, named: Iterable[tuple[str, AnyPath | None]]) -> None:
    """Nothing is ever written into a vault, not even where the user asks for it by mistake."""
    root = vault.resolve()
    for option, path in named:
        if path is not None and Path(path).resolve().is_relative_to(root):
            raise UsageError(
                f"`{option}` lies inside the vault, and nothing is written into a vault",
                where=str(path),
                hint="name a place outside of it",
            )
