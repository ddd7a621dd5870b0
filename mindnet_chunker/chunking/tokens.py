"""Token counts by the embedding model's own tokenizer, without the model."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindnet_chunker.chunking.wordpiece import WordPiece
from mindnet_chunker.records import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_LONGEST = 1_000  # characters of a word that the tokenizer is given whole
_KNOWN_WORDS = 200_000  # so many words are remembered
_LONGEST_KNOWN = 100  # characters of a word that is remembered

# Zs and the three blanks that every tokenizer parts words at; others, such as form feeds, some drop without parting.
_BLANK = " \t\n\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
_WIDE_MARKS = (
    "\u2026\u3001-\u3003\u3008-\u3011\u3014-\u301b\uff01-\uff03\uff05-\uff0a\uff0c-\uff0f\uff1a\uff1b\uff1f\uff20"
    "\uff3b-\uff3d\uff3f\uff5b\uff5d\uff5f-\uff65"
)
_WIDE = re.compile(f"[{_HAN}{_WIDE_MARKS}]")
_WORDS = re.compile(f"([^{_BLANK}]+)")
_SIGNS = re.compile(f"([{_HAN}{_WIDE_MARKS}]|[^{_BLANK}{_HAN}{_WIDE_MARKS}]+)")  # Han signs are words of their own
_CLAUSES = re.compile(f"([^{_BLANK}{_WIDE_MARKS}]*[{_WIDE_MARKS}]+|[^{_BLANK}{_WIDE_MARKS}]+)")
_ASCII_MARKS = r"!-/:-@\[-`{-~"
_PARTS = re.compile(f"[{_ASCII_MARKS}]+|[^{_ASCII_MARKS}]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
# May not be in NFKC. What is left out is, alone and next to anything else that is left out.
_MAY_CHANGE = re.compile(
    "[^\x00-\x7f\u00c0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u0410-\u044f\u3041-\u3093\u30a1-\u30f6\u4e00-\u9fff\u3001\u3002“”„‘’–—]"
)
_PROBES = (
    "a b",
    "Der  Hund\n\n- lief\tweg .",
    "don't [x](y) \u00fcber\r\n\r\n3,5 \u20ac",
    "caf\u00e9 \u4f60\u597d \u2014 \u201eja\u201c",
)
_WORD_PROBES = (
    "Stra\u00dfe \u00dcber \u0141\u00f3d\u017a \u0130ki na\u00efve co\u00f6peration Donaudampfschifffahrtsgesellschaft "
    "don't e-mail https://a.de/b?c=1 3,50\u20ac [MASK] foo_bar() \u201eja\u201c \u2013 \u2026 x\u2026 #tag *a* CamelCase "
    f"1234567 \u0178 \u0110 \u00e6\u00f8 {'a' * 100} {'a' * 101} {'b1' * 60}."
)


@dataclass(frozen=True, slots=True)
class TokenMap:
    """Counts of a text's words, added up: the tokens of any stretch of it in two look-ups."""

    starts: Sequence[int]
    ends: Sequence[int]
    totals: Sequence[int]  # totals[i]: tokens of the first i words

    def between(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`; a word that is cut counts whole on both sides, so never too few."""
        first = bisect_right(self.ends, start)
        last = bisect_left(self.starts, end)
        return self.totals[last] - self.totals[first] if last > first else 0


class TokenCounter:
    """Counts tokens as the model's tokenizer would, without special tokens; text like `[MASK]` counts as text.

    `additive`: counts of words parted by blanks add up. `exact_inside_words`: so do those parted at Han signs and
    full-width marks. `specials`: tokens that are added to every text. `identity`: SHA-256 of the tokenizer's file.
    """

    def __init__(self, content: bytes) -> None:
        """`content` is that of a tokenizer.json."""
        from tokenizers import Tokenizer

        self._tokenizer: Tokenizer = Tokenizer.from_buffer(content)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.identity = hashlib.sha256(content).hexdigest()
        self.specials: int = self._tokenizer.num_special_tokens_to_add(False)
        self._known: dict[str, int] = {}  # word -> tokens
        self._formed: dict[str, int] = {}  # word -> tokens of its NFKC
        spec = json.loads(content)
        self._pieces = self._look_up_table(spec)
        self.exact_inside_words = WordPiece.fits(spec) and bool(spec["normalizer"]["handle_chinese_chars"])
        self.additive = True
        self.additive = all(self.encode_count(text) == self.count(text) for text in _PROBES)

    @classmethod
    def from_file(cls, tokenizer_json: Path) -> TokenCounter:
        return cls(tokenizer_json.read_bytes())

    def count(self, text: str) -> int:
        """Tokens of the text, equal to `encode_count`.

        Only for words over 1,000 characters, counted in slices, it may be a little more; never for a BERT-style
        WordPiece, to which a long run of letters is one unknown token.
        """
        pattern = _SIGNS if self.exact_inside_words and _has_wide(text) else _WORDS
        pieces = pattern.split(text)
        if max(map(len, pieces)) > _LONGEST:
            pieces = self._sliced(pieces)
        elif not self.additive:
            return self.encode_count(text)
        return sum(self._counts(pieces[1::2]) if self.additive else self._counts_with_blanks(pieces))

    def encode_count(self, text: str) -> int:
        """Tokens of a real encode of the whole text."""
        return len(self._tokenizer.encode(_encodable(text), add_special_tokens=False))

    def measure(self, text: str, raw: Sequence[Span] = ()) -> TokenMap:
        """Count every word of a note once, as it will be embedded.

        Words are counted in NFKC, but as they are in `raw` (code, math, addresses; in order, not overlapping). Where
        counts do not add up, each word counts with a blank before it if that is more, and line ends count too.
        """
        pattern = _WORDS
        if _has_wide(text):
            pattern = _SIGNS if self.exact_inside_words else _CLAUSES
        pieces = pattern.split(text)
        if max(map(len, pieces)) > _LONGEST:
            pieces = self._sliced(pieces)
        borders = list(accumulate(map(len, pieces)))
        starts, ends = borders[:-1:2], borders[1::2]
        counts = self._counts(pieces[1::2]) if self.additive else self._counts_with_blanks(pieces)
        for place in _changing(text, starts):
            counts[place] = self._count_form(text, Span(starts[place], ends[place]), raw)
        return TokenMap(starts, ends, list(accumulate(counts, initial=0)))

    def _sliced(self, pieces: Sequence[str]) -> list[str]:
        """The pieces of a split (by turns what parts words, and a word), long words in slices."""
        sliced = [pieces[0]]
        for word, blanks in zip(pieces[1::2], pieces[2::2], strict=True):
            for part in self._slices(word) if len(word) > _LONGEST else (word,):
                sliced += (part, "")
            sliced[-1] = blanks
        return sliced

    def _slices(self, word: str) -> Iterator[str]:
        """A long word in parts that are counted alone. WordPiece parts words at every punctuation mark anyway."""
        for part in _PARTS.findall(word) if self.exact_inside_words else [word]:
            if self.exact_inside_words and part.isalnum():
                yield part  # one unknown token, however long
            else:
                yield from (part[at : at + _LONGEST] for at in range(0, len(part), _LONGEST))

    def _counts(self, words: Sequence[str]) -> list[int]:
        if max(map(len, words), default=0) > _LONGEST:
            words = [word[:_LONGEST] for word in words]  # of an unknown word, the beginning is as unknown
        found = [*map(self._known.get, words)]
        if None not in found:
            return found  # type: ignore[return-value]
        # One by one: a batch is no cheaper in CPU time, and its threads would not survive a fork of this process.
        missing = dict.fromkeys(word for word, count in zip(words, found, strict=True) if count is None)
        new = {word: self._tokens(word) for word in missing}
        if len(self._known) + len(new) > _KNOWN_WORDS:
            self._known = {}
        self._known |= {word: count for word, count in new.items() if len(word) <= _LONGEST_KNOWN}
        return [new[word] if count is None else count for word, count in zip(words, found, strict=True)]

    def _tokens(self, word: str) -> int:
        count = self._pieces.count(word) if self._pieces else None
        return self.encode_count(word) if count is None else count

    def _counts_with_blanks(self, pieces: Sequence[str]) -> list[int]:
        words = pieces[1::2]
        alone, after_blank = self._counts(words), self._counts([f" {word}" for word in words])
        blanks = [
            count if piece not in ("", " ") else 0
            for piece, count in zip(pieces[::2], self._counts(pieces[::2]), strict=True)
        ]
        counts = [max(pair) + before for *pair, before in zip(alone, after_blank, blanks, strict=False)]
        if counts:
            counts[-1] += blanks[-1]
        return counts

    def _count_form(self, text: str, span: Span, raw: Sequence[Span]) -> int:
        """Tokens of a word as it is embedded."""
        place = bisect_right(raw, span.start, key=_end)
        if place < len(raw) and raw[place].start < span.end:
            return self.count(_form(text, span, raw, place))
        word = text[span.start : span.end]
        count = self._formed.get(word)
        if count is None:
            if len(self._formed) > _KNOWN_WORDS:
                self._formed = {}
            count = self._formed[word] = self.count(unicodedata.normalize("NFKC", word))
        return count

    def _look_up_table(self, spec: dict[str, Any]) -> WordPiece | None:
        if not WordPiece.fits(spec):
            return None
        table = WordPiece(spec)
        agrees = all(table.count(word) in (None, self.encode_count(word)) for word in _WORD_PROBES.split())
        return table if agrees else None


def _has_wide(text: str) -> bool:
    return not text.isascii() and _WIDE.search(text) is not None


def _changing(text: str, starts: Sequence[int]) -> list[int]:
    """The places of words that may not be in NFKC."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        return []
    places = (bisect_right(starts, match.start()) - 1 for match in _MAY_CHANGE.finditer(text))
    return list(dict.fromkeys(place for place in places if place >= 0))  # blanks before the first word change too


def _form(text: str, span: Span, raw: Sequence[Span], place: int) -> str:
    """Prose in NFKC, the raw rest from `place` on in NFC, as every stored text is."""
    pieces: list[str] = []
    start, end = span
    while place < len(raw) and raw[place].start < end:
        from_, to = max(raw[place].start, start), min(raw[place].end, end)
        pieces += (unicodedata.normalize("NFKC", text[start:from_]), unicodedata.normalize("NFC", text[from_:to]))
        start = to
        place += 1
    return "".join((*pieces, unicodedata.normalize("NFKC", text[start:end])))


def _end(span: Span) -> int:
    return span.end


def _encodable(text: str) -> str:
    """Lone surrogates have no UTF-8."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
