"""A text too large for a chunk -> units: cut at clauses, then between words, then between characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.limits import CHARACTERS_PER_TOKEN
from mindnet_chunker.chunking.units import CHARACTER, CLAUSE, WORD, Seam, Unit

_CLAUSE_END = re.compile(
    r"(?<![,;:–—)\]}])[,;:–—)\]}]++(?=\s)|[、，；：）」』】》〉،؛]++|[\r\n]++|(?<=[\u0e00-\u0e7f])[ \t]++(?=[\u0e00-\u0e7f])"
)
_WORD = re.compile(r"\S+")
_CLOSERS = frozenset(",;:.!?…)]}»”’\"'、。，．；：？！）」』】》〉")
_OPENERS = frozenset("([{«“„‚（「『【《〈")
_BACK = 64  # characters that are looked back over for a better place


class Room(NamedTuple):
    """What a unit may come to."""

    tokens: int
    characters: int

    def holds(self, tokens: int, characters: int) -> bool:
        return tokens <= self.tokens and characters <= self.characters

    def less(self, tokens: int, characters: int = 0) -> Room:
        return Room(self.tokens - tokens, self.characters - characters)

    def part(self, wanted: int) -> Room:
        """Room for units of about `wanted` tokens."""
        tokens = max(1, min(self.tokens, wanted))
        return Room(tokens, max(1, min(self.characters, tokens * CHARACTERS_PER_TOKEN)))


def cut_text(body: Body, start: int, end: int, room: Room, wanted: Room) -> Iterator[Unit]:
    """All that is visible of a stretch, each unit within `room`; where clauses do not fit, of about `wanted`."""
    done = start
    for match in _CLAUSE_END.finditer(body.solid(), start, end):
        yield from _cut_clause(body, done, match.end(), room, wanted)
        done = match.end()
    yield from _cut_clause(body, done, end, room, wanted)


def _cut_clause(body: Body, start: int, end: int, room: Room, wanted: Room) -> Iterator[Unit]:
    span = body.visible(start, end)
    if span is None:
        return
    tokens, characters = body.measured(*span), body.characters(*span)
    if room.holds(tokens, characters):
        yield Unit(*span, tokens, characters, Seam(CLAUSE))
    else:
        first, *rest = cut_words(body, body.solid(), *span, room, wanted)
        yield first._replace(seam=Seam(CLAUSE))
        yield from rest


def cut_words(body: Body, text: str, start: int, end: int, room: Room, wanted: Room) -> Iterator[Unit]:
    """Units of about `wanted`, cut at the blanks of `text`: the body's, in which some blanks may be hidden."""
    open_at = open_end = start
    for match in _WORD.finditer(text, start, end):
        word_start, word_end = match.span()
        if not room.holds(body.measured(word_start, word_end), body.characters(word_start, word_end)):
            if open_end > open_at:
                yield _unit(body, open_at, open_end)
            yield from _cut_word(body, word_start, word_end, wanted)
            open_at = open_end = word_end
        elif open_end > open_at and wanted.holds(body.tokens(open_at, word_end), word_end - open_at):
            open_end = word_end
        else:
            if open_end > open_at:
                yield _unit(body, open_at, open_end)
            open_at, open_end = word_start, word_end
    if open_end > open_at:
        yield _unit(body, open_at, open_end)


def _unit(body: Body, start: int, end: int) -> Unit:
    return Unit(start, end, body.measured(start, end), body.characters(start, end), Seam(WORD))


def _cut_word(body: Body, start: int, end: int, wanted: Room) -> Iterator[Unit]:
    """Units of a word without blanks. Every character is encoded a bounded number of times, however long the word."""
    cost = WORD
    guess = wanted.tokens * 2
    while start < end:
        stop = min(end, start + max(1, min(guess, wanted.characters)))
        tokens = body.count(start, stop)
        while tokens > wanted.tokens and stop - start > 1:
            stop = start + max(1, min(stop - start - 1, (stop - start) * wanted.tokens * 9 // (tokens * 10)))
            tokens = body.count(start, stop)
        if (better := _better_end(body.seen, start, stop, end)) != stop:
            stop, tokens = better, body.count(start, better)
        if (visible := body.visible(start, stop)) is not None:
            yield Unit(*visible, tokens, body.characters(*visible), Seam(cost))
        guess = (stop - start) * 2 if tokens * 2 <= wanted.tokens else (stop - start) * 9 // 8 + 1
        start, cost = stop, CHARACTER


def _better_end(text: str, start: int, stop: int, end: int) -> int:
    """A place at or shortly before `stop`: behind a sign rather than inside a word, never inside one character."""
    if stop >= end:
        return stop
    floor = max(start + 1, stop - _BACK, stop - (stop - start) // 2)
    whole = [at for at in range(stop, floor - 1, -1) if _parts_characters(text, at)]
    after_sign = (at for at in whole if not text[at - 1].isalnum() and text[at - 1] not in _OPENERS)
    best = next((at for at in after_sign if text[at] not in _CLOSERS), None)
    if best is None:
        best = next((at for at in whole if text[at] not in _CLOSERS and text[at - 1] not in _OPENERS), None)
    if best is None and not whole:
        whole = [at for at in range(floor - 1, max(start, stop - _BACK), -1) if _parts_characters(text, at)]
    return best or (whole[0] if whole else stop)


def _parts_characters(text: str, at: int) -> bool:
    """Whether a reader sees one character before `at` and another one after it."""
    before, after = text[at - 1], text[at]
    if after.isascii():
        return True
    joined = after in "\u200d\ufe0e\ufe0f" or before == "\u200d" or "\U0001f3fb" <= after <= "\U0001f3ff"
    flags = "\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff"
    return not (joined or flags or unicodedata.category(after)[0] == "M")
