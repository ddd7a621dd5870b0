"""Token counts by the embedding model's own tokenizer, without the model."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from mindnet_chunker.records import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BLANK = " \t\n\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # Zs and the three that every tokenizer parts words at
_WORD = re.compile(f"[^{_BLANK}]+")
_LONGEST = 1_000  # characters of a word that the tokenizer is given whole
_KNOWN_WORDS = 200_000  # so many words are remembered
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf\U0002f800-\U0002fa1f"
_CJK_MARKS = "\u3001-\u3003\u3008-\u3011\u3014-\u301b\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65\u2026"
_CJK = re.compile(f"[{_HAN}{_CJK_MARKS}]")
_SIGNS = re.compile(f"[{_HAN}{_CJK_MARKS}]|[^{_BLANK}{_HAN}{_CJK_MARKS}]+")
_CLAUSES = re.compile(f"[^{_BLANK}{_CJK_MARKS}]*[{_CJK_MARKS}]+|[^{_BLANK}{_CJK_MARKS}]+")
_PROBES = (
    "a b",
    "Der  Hund\n\n- lief\tweg .",
    "don't [x](y) \u00fcber\r\n\r\n3,5 \u20ac",
    "caf\u00e9 \u4f60\u597d \u2014 \u201eja\u201c",
)


@dataclass(frozen=True, slots=True)
class TokenMap:
    """Counts of a text's words, added up: the tokens of any stretch of it in two look-ups."""

    starts: Sequence[int]
    ends: Sequence[int]
    totals: Sequence[int]  # totals[i]: tokens of the first i words

    def between(self, start: int, end: int) -> int:
        """Tokens of `text[start:end]`; a word that is cut counts whole on both sides."""
        first = bisect_right(self.ends, start)
        last = bisect_left(self.starts, end)
        return self.totals[last] - self.totals[first] if last > first else 0


class TokenCounter:
    """Counts tokens as the model's tokenizer would, without special tokens; text like `[MASK]` counts as text.

    `additive`: counts of words parted by blanks add up. `exact_inside_words`: so do those parted at Han signs.
    """

    def __init__(self, tokenizer: Tokenizer, identity: str) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self.identity = identity
        self.specials: int = tokenizer.num_special_tokens_to_add(False)
        self._known: dict[str, int] = {"": 0}
        self.exact_inside_words = type(tokenizer.model).__name__ == "WordPiece"
        self.additive = all(self.encode_count(text) == sum(self._counts(_WORD.findall(text))) for text in _PROBES)

    @classmethod
    def from_file(cls, tokenizer_json: Path) -> TokenCounter:
        """`identity` is the SHA-256 of the file."""
        from tokenizers import Tokenizer

        content = tokenizer_json.read_bytes()
        return cls(Tokenizer.from_buffer(content), hashlib.sha256(content).hexdigest())

    def count(self, text: str) -> int:
        """Tokens of the text; equal to `encode_count` but for words over 1,000 characters, counted in slices."""
        if not self.additive:
            return self.encode_count(text)
        return sum(self._counts(list(self._words(text))))

    def encode_count(self, text: str) -> int:
        """Tokens of a real encode of the whole text."""
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    def measure(self, text: str, raw: Sequence[Span] = ()) -> TokenMap:
        """Count every word of a note once. Words are counted in NFKC, those in `raw` (code, math, URLs) as they are."""
        spans = [Span(*match.span()) for match in self._unit_pattern(text).finditer(text)]
        spans = [piece for span in spans for piece in _slices(span)]
        words = [text[start:end] for start, end in spans]
        if not unicodedata.is_normalized("NFKC", text):
            words = [_form(word, span, raw) for word, span in zip(words, spans, strict=True)]
        counts = [self.count(word) if " " in word else -1 for word in words]
        plain = self._counts([word for word, count in zip(words, counts, strict=True) if count < 0])
        rest = iter(plain)
        totals = accumulate((next(rest) if count < 0 else count for count in counts), initial=0)
        return TokenMap([start for start, _ in spans], [end for _, end in spans], list(totals))

    def _unit_pattern(self, text: str) -> re.Pattern[str]:
        if text.isascii() or not _CJK.search(text):
            return _WORD
        return _SIGNS if self.exact_inside_words else _CLAUSES

    def _words(self, text: str) -> Iterator[str]:
        for match in self._unit_pattern(text).finditer(text):
            for start, end in _slices(Span(*match.span())):
                yield text[start:end]

    def _counts(self, words: Sequence[str]) -> list[int]:
        found = [*map(self._known.get, words)]
        if None in found:
            self._learn({word for word, count in zip(words, found, strict=True) if count is None}, words)
            return [self._known[word] for word in words]
        return found  # type: ignore[return-value]

    def _learn(self, missing: set[str], words: Iterable[str]) -> None:
        if len(self._known) > _KNOWN_WORDS:
            self._known = {"": 0}
            missing = set(words)
        batch = sorted(missing)
        encodings = self._tokenizer.encode_batch_fast(batch, add_special_tokens=False)
        self._known.update(zip(batch, map(len, encodings), strict=True))


def _slices(span: Span) -> Iterator[Span]:
    start, end = span
    if end - start <= _LONGEST:
        yield span
        return
    for at in range(start, end, _LONGEST):
        yield Span(at, min(at + _LONGEST, end))


def _form(word: str, span: Span, raw: Sequence[Span]) -> str:
    if word.isascii():
        return word
    place = bisect_right(raw, span.start, key=lambda region: region.end)
    if place < len(raw) and raw[place].start < span.end:
        return word
    return unicodedata.normalize("NFKC", word)
