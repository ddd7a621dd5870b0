"""`eval`: questions with known answers asked of an index, dense, BM25 and fused side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from mindnet_chunker.chunking.token_spans import token_finder
from mindnet_chunker.errors import UsageError
from mindnet_chunker.evaluate import Piece, Question, TokenPlaces, figures, groups, locate, mean, read_questions
from mindnet_chunker.records import Record, Span
from mindnet_chunker.retrieval.rank import DEPTH, Query
from mindnet_chunker.retrieval.ways import MODES, Mode
from mindnet_chunker.runs.asker import Asker
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import OpenIndex, opened_index
from mindnet_chunker.runs.sources import root_of, unchanged_text
from mindnet_chunker.terminal import Talk, write_line, write_lines

Rows = dict[Mode, list[dict[str, float]]]  # a row of figures for each question
KEYS = ("path", "char_start", "char_end", "token_count")


def print_evaluation(
    file: Path,
    vault: Path | None,
    where: StoreOptions,
    *,
    k: int,
    by: str,
    as_json: bool,
    model: str | None = None,
    query_prefix: str | None = None,
) -> int:
    """Print the figures of all questions, and of those that say the same under the key `by`."""
    questions = read_questions(_read(file), str(file))
    with opened_index(vault, where, "mindnet-chunk eval", Talk().say) as index:
        rows = evaluate(Asker(index, model=model, query_prefix=query_prefix), questions, k, str(file))
    parts = groups(questions, by)
    if as_json:
        found = {"questions": len(questions), "k": k, "figures": _means(rows), "by": {by: _by(rows, parts)}}
        write_line(json.dumps(found, ensure_ascii=False))
        return 0
    write_lines(_table(_count(len(questions)), _means(rows)))
    for value, part in _by(rows, parts).items() if len(parts) > 1 else ():
        write_lines(["", *_table(f"{by} {value}: {_count(part['questions'])}", part["figures"])])
    return 0


def evaluate(asker: Asker, questions: Sequence[Question], k: int, where: str) -> Rows:
    """Raises UsageError where an answer is not in the notes as they were indexed."""
    index = asker.index
    texts = _Texts(index)
    wanted = {path: text for question in questions for path in question.paths if (text := texts.get(path)) is not None}
    answers = [locate(question, wanted, where) for question in questions]
    finder = token_finder(asker.tokenizer_json)
    places: dict[str, TokenPlaces] = {}
    rows: Rows = {mode: [] for mode in MODES}
    queries = asker.queries([question.text for question in questions], "fused")
    for query, ways in zip(queries, answers, strict=True):
        for mode in MODES:
            pieces = _pieces(asker, _of_mode(query, mode))
            for path in {piece.path for piece in pieces} | {answer.path for way in ways for answer in way}:
                if path not in places and (text := texts.get(path)) is not None:
                    places[path] = TokenPlaces(finder(text))
            rows[mode].append(figures(pieces, ways, places, k))
    return rows


def _of_mode(query: Query, mode: Mode) -> Query:
    return Query(dense=None if mode == "bm25" else query.dense, sparse=None if mode == "dense" else query.sparse)


def _pieces(asker: Asker, query: Query) -> list[Piece]:
    index = asker.index
    ranked = asker.rank(query, top=DEPTH)
    chunks = {
        point.id: point.payload
        for point in index.store.retrieve("chunks", index.vault, [each.id for each in ranked], keys=KEYS)
    }
    return [_piece(chunks[each.id]) for each in ranked if each.id in chunks]


def _piece(chunk: Record) -> Piece:
    start = chunk["char_start"]
    return Piece(chunk["path"], None if start is None else Span(start, chunk["char_end"]), chunk["token_count"])


class _Texts:
    """The vault's notes as they were indexed, read when they are asked for."""

    def __init__(self, index: OpenIndex) -> None:
        root = root_of(index)
        if root is None or not root.is_dir():
            raise UsageError(
                "the vault is not where it was when it was indexed",
                where=str(root or index.place),
                hint="index it where it is now: answers are looked up in its files",
            )
        self._root = root
        self._notes = {
            point.payload["path"]: point.payload
            for point in index.store.scroll("notes", index.vault, keys=("path", "content_hash"))
        }
        self._texts: dict[str, str | None] = {}

    def get(self, path: str) -> str | None:
        if path not in self._texts:
            note = self._notes.get(path)
            self._texts[path] = unchanged_text(self._root, note) if note else None
        return self._texts[path]


def _means(rows: Rows, numbers: Sequence[int] | None = None) -> dict[str, dict[str, float]]:
    return {
        mode: {
            name: round(value, 4)
            for name, value in mean(
                [row for number, row in enumerate(found) if numbers is None or number in numbers]
            ).items()
        }
        for mode, found in rows.items()
    }


def _by(rows: Rows, parts: Mapping[str, Sequence[int]]) -> dict[str, Record]:
    return {value: {"questions": len(numbers), "figures": _means(rows, numbers)} for value, numbers in parts.items()}


def _table(title: str, found: Mapping[str, Mapping[str, float]]) -> list[str]:
    names = list(next(iter(found.values())))
    lines = [title, "".join(["       ", *(f"{name:>11}" for name in names)])]
    return lines + [f"{mode:<7}" + "".join(f"{row[name]:>11.3f}" for name in names) for mode, row in found.items()]


def _count(questions: int) -> str:
    return f"{questions} question{'' if questions == 1 else 's'}"


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is no UTF-8 text"
        raise UsageError(f"cannot be read: {reason}", where=str(file), hint="give a JSON file of questions") from None
