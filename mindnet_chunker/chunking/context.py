"""The heading path of a chunk -> the context that is put before its text when it is embedded."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mindnet_chunker.chunking.limits import CHARACTERS_PER_TOKEN
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.records import HeadingRef


class Context(NamedTuple):
    text: str
    tokens: int
    characters: int  # with the blank line that parts it from the text


NO_CONTEXT = Context("", 0, 0)


class Contexts:
    """The contexts of one note, each made once.

    At most a third of `max`: aliases go first, then outer levels, then the end of what is left, between words.
    """

    def __init__(self, row: NoteType, aliases: Sequence[str], counter: TokenCounter, max_tokens: int) -> None:
        self._depth = {"path": row.context_depth, "title": min(1, row.context_depth), "none": 0}[row.context]
        self._aliases = ", ".join(filter(None, map(_one_line, aliases))) if row.context_aliases else ""
        self._counter = counter
        self._most = max_tokens // 3
        self._made: dict[tuple[tuple[HeadingRef, ...], frozenset[int]], Context] = {}
        self._labelled: dict[str, Context] = {}

    def of(self, headings: tuple[HeadingRef, ...], shown: frozenset[int]) -> Context:
        """The context of a text under `headings`; the steps `shown` are those that the text itself begins with."""
        made = self._made.get((headings, shown))
        if made is None:
            made = self._made[headings, shown] = self._fitted(self._drafts(headings, shown))
        return made

    def labelled(self, label: str) -> Context:
        """The context of a text whose label is not its heading path."""
        if label not in self._labelled:
            self._labelled[label] = self._fitted(iter([_one_line(label)] if self._depth else ()))
        return self._labelled[label]

    def _drafts(self, headings: Sequence[HeadingRef], shown: frozenset[int]) -> Iterator[str]:
        """Contexts, from all that is wanted down to the innermost level alone."""
        if not self._depth:
            return
        steps = [
            step for at, h in enumerate(headings[: self._depth]) if at not in shown and (step := _one_line(h.text))
        ]
        if self._aliases:
            has_title = bool(steps) and 0 not in shown
            first = f"{steps[0]} ({self._aliases})" if has_title else self._aliases
            yield " > ".join([first, *steps[1:]] if has_title else [first, *steps])
        for outer in range(len(steps)):
            yield " > ".join(steps[outer:])

    def _fitted(self, drafts: Iterator[str]) -> Context:
        draft = ""
        for draft in drafts:
            if (made := self._measured(draft)) is not None:
                return made
        words = draft[: self._most * CHARACTERS_PER_TOKEN].split(" ")
        whole_words = self._longest(len(words) - 1, lambda count: " ".join(words[:count]))
        return whole_words or self._longest(len(words[0]), lambda count: words[0][:count]) or NO_CONTEXT

    def _longest(self, most: int, make: Callable[[int], str]) -> Context | None:
        """The longest text that fits, of texts that grow with their number."""
        low, high = 0, most + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._measured(make(middle)) else (low, middle)
        return self._measured(make(low)) if low else None

    def _measured(self, text: str) -> Context | None:
        characters = len(text) + 2 if text else 0
        if characters > self._most * CHARACTERS_PER_TOKEN:
            return None
        tokens = self._counter.count(unicodedata.normalize("NFKC", text))
        return Context(text, tokens, characters) if tokens <= self._most else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
