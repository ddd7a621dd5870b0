"""Questions with known answers -> figures that say how well an index answers them."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple

from mindnet_chunker.errors import UsageError
from mindnet_chunker.records import Json, Record, Span

BUDGETS = (250, 500, 1000, 2000)  # tokens
HINT = 'allowed is {"questions": [{"question": "...", "answers": [{"path": "a.md", "excerpt": "..."}]}]}'


class Answer(NamedTuple):
    """A stretch of a note that answers."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its answers, not yet looked up in the notes."""

    id: str
    text: str
    answers: tuple[tuple[Record, ...], ...]  # ways to answer; each wants all of its excerpts
    about: Record  # whatever else the file says of it: lang, kind, ...

    @property
    def paths(self) -> set[str]:
        return {str(place["path"]) for way in self.answers for place in way}


class Piece(NamedTuple):
    """A hit as it is measured."""

    path: str
    span: Span | None  # in the note; None where it has no place in one
    tokens: int  # where it has no place


class TokenPlaces:
    """The tokens of one note by number, so that a stretch of characters is a stretch of tokens."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._starts = [span.start for span in spans]
        self._ends = [span.end for span in spans]

    def between(self, start: int, end: int) -> range:
        """The tokens that share a character with `[start, end)`."""
        return range(bisect_right(self._ends, start), bisect_left(self._starts, end))


def read_questions(text: str, where: str) -> list[Question]:
    """Raise UsageError for a file that is no set of questions, with the place."""
    try:
        listed = json.loads(text)["questions"]
        found = [_question(number, each) for number, each in enumerate(listed, 1)]
    except json.JSONDecodeError as error:
        raise UsageError(f"is no JSON: {error.msg}", where=where, line=error.lineno, hint=HINT) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"is no set of questions: {_said(error)}", where=where, hint=HINT) from None
    if not found:
        raise UsageError("holds no questions", where=where, hint=HINT)
    return found


def _question(number: int, each: Record) -> Question:
    ways = [each["answers"], *each.get("or_answers", ())]
    places = [place for way in ways for place in way]
    if not isinstance(each["question"], str) or not each["question"].strip() or not all(ways):
        raise TypeError(f"question {number} lacks a question or an answer")
    if not all(map(_is_place, places)):
        raise TypeError(f"question {number} has an answer without `path` and `excerpt`")
    about = {key: value for key, value in each.items() if key not in ("answers", "or_answers", "question")}
    return Question(id=str(each.get("id", number)), text=each["question"], answers=tuple(map(tuple, ways)), about=about)


def _is_place(place: Record) -> bool:
    if "char_start" in place:
        return isinstance(place["path"], str) and type(place["char_start"]) is type(place["char_end"]) is int
    return isinstance(place["path"], str) and isinstance(place["excerpt"], str)


def _said(error: Exception) -> str:
    return f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)


def locate(question: Question, texts: Mapping[str, str], where: str) -> list[list[Answer]]:
    """Where the answers stand in the notes. An excerpt must be in its note exactly once, else UsageError."""
    return [[_answer(question.id, place, texts, where) for place in way] for way in question.answers]


def _answer(question: str, place: Record, texts: Mapping[str, str], where: str) -> Answer:
    path = place["path"]
    if path not in texts:
        raise UsageError(
            f"question `{question}`: the index has no unchanged note `{path}`",
            where=where,
            hint="give paths from the vault's root, and index the vault again if notes have changed",
        )
    text = texts[path]
    if "char_start" in place:
        start, end = place["char_start"], place["char_end"]
        if not 0 <= start < end <= len(text):
            raise UsageError(f"question `{question}`: `{path}` has no characters {start} to {end}", where=where)
        return Answer(path, start, end)
    excerpt = place["excerpt"]
    count = text.count(excerpt) if excerpt.strip() else 0
    if count != 1:
        raise UsageError(
            f"question `{question}`: the excerpt is {count} times in `{path}`: {excerpt[:60]!r}",
            where=where,
            hint="copy a stretch of the note that is in it exactly once",
        )
    return Answer(path, text.index(excerpt), text.index(excerpt) + len(excerpt))


def figures(
    ranking: Sequence[Piece], ways: Iterable[Sequence[Answer]], places: Mapping[str, TokenPlaces], k: int
) -> dict[str, float]:
    """The measures of one question, each for the way to answer that it is best for. `ranking`: best hit first.

    - `nDCG@k`: the gain of a hit is the share of the answer's characters that it adds; the ideal is all of it at once
    - `Recall@k`: the share of the answer's characters in the first k hits
    - `MRR@k`: 1 / the rank after which at least half of one excerpt was seen
    - `R@250` ...: the share of the answer's tokens in so many retrieved tokens, the last hit cut there, repeats paid
      twice; `R@avg` is their mean
    """
    found = [{**_by_rank(ranking[:k], way, k), **_by_budget(ranking, way, places)} for way in ways]
    return {name: max(each[name] for each in found) for name in found[0]}


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def groups(questions: Sequence[Question], key: str) -> dict[str, list[int]]:
    """Numbers of the questions by what they say under `key`, in the order of first appearance."""
    found: dict[str, list[int]] = {}
    for number, question in enumerate(questions):
        value: Json = question.about.get(key)
        found.setdefault("-" if value is None else str(value), []).append(number)
    return found


def _by_rank(ranking: Sequence[Piece], way: Sequence[Answer], k: int) -> dict[str, float]:
    wanted = _by_path((answer.path, Span(answer.start, answer.end)) for answer in way)
    total = sum(span.end - span.start for spans in wanted.values() for span in _merged(spans))
    seen: dict[str, list[Span]] = {}
    covered, first, gain = 0, 0, 0.0
    for rank, piece in enumerate(ranking, 1):
        if piece.span is None or piece.path not in wanted:
            continue
        seen.setdefault(piece.path, []).append(piece.span)
        now = sum(_shared(_merged(spans), _merged(wanted[path])) for path, spans in seen.items())
        gain += (now - covered) / total / log2(rank + 1)
        covered = now
        if not first and any(
            2 * _shared(_merged(seen.get(path, [])), [Span(start, end)]) >= end - start for path, start, end in way
        ):
            first = rank
    return {f"nDCG@{k}": gain, f"Recall@{k}": covered / total, f"MRR@{k}": 1 / first if first else 0.0}


def _by_budget(ranking: Sequence[Piece], way: Sequence[Answer], places: Mapping[str, TokenPlaces]) -> dict[str, float]:
    wanted = {(answer.path, token) for answer in way for token in places[answer.path].between(answer.start, answer.end)}
    found: set[tuple[str, int]] = set()
    shares: dict[str, float] = {}
    spent = 0
    for piece in ranking:
        known = places.get(piece.path) if piece.span else None
        tokens = known.between(*piece.span) if known and piece.span else range(piece.tokens)
        for budget in BUDGETS[len(shares) :]:
            if spent + len(tokens) < budget:
                break
            part = tokens[: budget - spent]
            held = wanted.intersection((piece.path, token) for token in part) if known else set()
            shares[f"R@{budget}"] = len(found | held) / (len(wanted) or 1)
        if known:
            found |= wanted.intersection((piece.path, token) for token in tokens)
        spent += len(tokens)
    for budget in BUDGETS[len(shares) :]:
        shares[f"R@{budget}"] = len(found) / (len(wanted) or 1)
    return {**shares, "R@avg": sum(shares.values()) / len(BUDGETS)}


def _by_path(spans: Iterable[tuple[str, Span]]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for path, span in spans:
        found.setdefault(path, []).append(span)
    return found


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Stretches that touch made one."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def _shared(spans: Sequence[Span], others: Sequence[Span]) -> int:
    """Characters that lie in both; the stretches of each don't overlap."""
    return sum(max(0, min(one.end, two.end) - max(one.start, two.start)) for one in spans for two in others)
