"""A BERT-style WordPiece, looked up in its vocabulary: what the tokenizer gives for ordinary words, only faster."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_UNKNOWN = 1  # a word that cannot be pieced together is one `[UNK]`
_MARKS = r"!-/:-@\[-`{-~“”„‚‘’–—…•«»"
_LETTERS = "0-9A-Za-z€\u00c0-\u017e"  # Latin as in western and central Europe
_ORDINARY = re.compile(f"[{_LETTERS}{_MARKS}]+")
_PARTS = re.compile(f"[{_MARKS}]|[{_LETTERS}]+")
_BARE = {code: unicodedata.normalize("NFD", chr(code))[0] for code in range(0xC0, 0x17F)}


class WordPiece:
    """Counts the tokens of one ordinary word; everything unusual is left to the tokenizer."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        """`spec` is the content of a tokenizer.json that `fits`."""
        model, normalizer = spec["model"], spec["normalizer"]
        prefix = model["continuing_subword_prefix"]
        self._heads = frozenset(model["vocab"])
        self._tails = frozenset(piece[len(prefix) :] for piece in self._heads if piece.startswith(prefix))
        self._longest = max(map(len, self._heads))
        self._longest_word: int = model["max_input_chars_per_word"]
        self._lower: bool = normalizer["lowercase"]
        accents = normalizer["strip_accents"]
        self._bare: bool = self._lower if accents is None else accents

    @staticmethod
    def fits(spec: Mapping[str, Any]) -> bool:
        """Whether the tokenizer works as BERT's does."""
        kinds = [(spec.get(part) or {}).get("type") for part in ("model", "normalizer", "pre_tokenizer")]
        added = all(token.get("special") for token in spec.get("added_tokens") or ())
        return added and kinds == ["WordPiece", "BertNormalizer", "BertPreTokenizer"]

    def count(self, word: str) -> int | None:
        """The tokens of a word without blanks; None where the tokenizer has to be asked."""
        if not _ORDINARY.fullmatch(word):
            return None
        if self._bare and not word.isascii():
            word = word.translate(_BARE)
        if self._lower:
            word = word.lower()
        if word in self._heads and len(word) <= self._longest_word and word.isalnum():
            return 1
        return sum(1 if len(part) == 1 else self._pieces(part) for part in _PARTS.findall(word))

    def _pieces(self, part: str) -> int:
        if len(part) > self._longest_word:
            return _UNKNOWN
        count = start = 0
        vocabulary = self._heads
        while start < len(part):
            end = min(len(part), start + self._longest)
            while end > start and part[start:end] not in vocabulary:
                end -= 1
            if end == start:
                return _UNKNOWN
            count += 1
            start = end
            vocabulary = self._tails
        return count
