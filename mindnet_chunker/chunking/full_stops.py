"""Whether a full stop ends a sentence: what the words around it say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mindnet_chunker.chunking import abbreviations as words

_NUMBER = re.compile(r"\d{1,3}(?:[./–-]{1,2}\d{1,3})*\Z")
_ROMAN = re.compile(r"[IVXLC]{1,6}\Z")
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_CUT_SHORT = re.compile(r"(?![AEIOUYaeiouy])[A-Za-z][bcdfghjklmnpqrstvwxzß]{1,4}")  # `Hrn`, `Bhf`


@dataclass(frozen=True, slots=True, kw_only=True)
class FullStop:
    """A full stop, what surrounds it, and whether sentencex would cut there."""

    mark: str
    close: str
    emoji: str
    before: str  # the last words before it, up to 60 characters
    word: str  # the word after it
    label: bool  # which a colon follows: `Status: offen`
    dashed: bool  # a dash comes first
    counts: bool  # a colon stands before it or `2.` follows: `1. Geld, 2. Zeit`
    proposed: bool
    in_bracket: bool  # the bracket that closes here was opened within the sentence

    @property
    def first(self) -> str:
        return self.word[:1]

    @property
    def next(self) -> str:
        """The word after it, in lower case."""
        return self.word.lower()

    @property
    def starts(self) -> bool:
        """Whether the word after it begins sentences as a rule."""
        return self.first.isupper() and (self.label or self.next.partition("'")[0] in words.STARTERS)

    @property
    def figure(self) -> bool:
        """Whether a number follows."""
        return self.first.isdigit() or (len(self.word) > 1 and _ROMAN.match(self.word) is not None)


def ends_sentence(stop: FullStop) -> bool:
    """Whether a sentence ends at the stop, what closes a quote or emphasis included."""
    before = stop.before
    if before[-1:] in "([" and stop.close:  # (!) and [...]
        return stop.starts and stop.mark == "..."
    if stop.emoji and stop.first.isdigit():
        return False
    if stop.in_bracket:
        return stop.starts
    if stop.first.islower():
        return stop.proposed and not stop.dashed and not stop.close.strip("*_=~\t") and _ends_before_lower(stop)
    if stop.mark in ("...", "…"):
        return stop.starts or (before[-1:].isalnum() and (stop.first.isupper() or stop.first.isdigit()))
    if stop.mark != ".":
        return stop.proposed or bool(stop.close or stop.emoji)
    verdict = _verdict(before, stop)
    return verdict if verdict is not None else stop.proposed or bool(stop.close or stop.emoji)


def _verdict(before: str, stop: FullStop) -> bool | None:
    """Whether the words before a full stop say that it ends a sentence; None where they say nothing."""
    tokens = _last_tokens(before)
    if not tokens:
        return None
    word = tokens[-1]
    if _NUMBER.match(word):
        return _after_number(word, tokens[-2] if len(tokens) > 1 else "", stop)
    key = _abbreviation(tokens)
    if key in words.NEVER:
        return False
    if key in words.STOPPING:
        return not stop.first.isdigit()
    if key in words.BEFORE_FIGURE:
        return False if stop.figure else (stop.starts or (None if len(word) > 1 else False))
    if key in words.ENDING or _ACRONYM.match(word) or word.lower().endswith("str"):
        return stop.starts
    if len(word) == 1 and word.isalpha():
        return _after_letter(word, tokens[-2] if len(tokens) > 1 else "", stop)
    if _ROMAN.match(word):
        return False if stop.next in words.ORDINAL_NOUNS else stop.starts or None
    if "." in word:  # a file name
        return stop.starts or None
    if looks_cut_short(word):
        return stop.starts
    return None


def _last_tokens(before: str) -> list[str]:
    """The words of the last clause, bare of brackets and quotes; a hyphen or slash parts the last."""
    tokens = [token.lstrip("(\"'“„»«[*_=~\t") for token in before.split()]
    tokens = [token for token in tokens if token]
    if tokens and not tokens[-1][0].isdigit():
        tokens[-1] = re.split(r"[/(–—-]", tokens[-1])[-1] or tokens[-1]
    return tokens


def _abbreviation(tokens: list[str]) -> str:
    """The longest known abbreviation that the tokens end in, as the table writes it, or the last token."""
    key = best = tokens[-1].lower()
    for token in reversed(tokens[-4:-1]):
        if not token.endswith("."):
            break
        key = token.lower() + key
        if key in words.NEVER or key in words.ENDING or key in words.STOPPING:
            best = key
    return best


def _after_number(number: str, before: str, stop: FullStop) -> bool | None:
    if stop.next in words.ORDINAL_NOUNS or before.endswith((",", ";")) or (number == "1" and stop.counts):
        return False
    if stop.first.isdigit():
        return len(number) > 2
    if "." in number:  # 14.2. or 10.30.
        return stop.starts
    if stop.starts:
        return True
    ordinal = before.lower() in words.ORDINAL_BEFORE and stop.first.isupper()
    return False if ordinal or not stop.first.isupper() else None


def _after_letter(letter: str, before: str, stop: FullStop) -> bool | None:
    if letter == "I":
        return None if stop.proposed else stop.starts
    if before.lower() in words.LABELS and stop.first.isupper():
        return True
    return stop.starts


def looks_cut_short(word: str) -> bool:
    """Few letters, none of them a vowel, and neither an acronym nor a unit."""
    return _CUT_SHORT.fullmatch(word) is not None and word.lower() not in words.UNITS


def _ends_before_lower(stop: FullStop) -> bool:
    """Whether a sentence may end here although a small letter follows."""
    if stop.mark != ".":
        return set(stop.mark) <= set("!?")
    tokens = _last_tokens(stop.before)
    if not tokens:
        return False
    word = tokens[-1]
    key = _abbreviation(tokens)
    return not (
        key in words.LISTED or len(word) < 2 or not word.isalpha() or _ROMAN.match(word) or looks_cut_short(word)
    )
