"""Text -> the form in which words are compared: one for the index and for the question."""

from __future__ import annotations

import re
import unicodedata

FOLDING = 1  # raised whenever `fold` answers differently: stored vectors no longer fit

# Invisible inside words (soft hyphen, zero-width signs), the dot that a folded `İ` leaves, what is no text, and tone
# marks of Thai and Lao: the engine would part words at them.
_DROPPED = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff\u0307\ud800-\udfff\u0e47-\u0e4e\u0ec8-\u0ece]")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_ACCENTS_BUT_UMLAUT = re.compile("[\u0300-\u0307\u0309-\u036f]+")

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = "\u3041-\u3096\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe"
_HANGUL = "\uac00-\ud7a3"  # has blanks, but words end in particles
_THAI_TO_KHMER = "\u0e01-\u0e3a\u0e40-\u0e46\u0e81-\u0ec6\u1000-\u109f\u1780-\u17d3"
_UNPARTED = re.compile(f"[{_HAN}{_KANA}]+|[{_HANGUL}]+|[{_THAI_TO_KHMER}]+")
_HAN_SIGN = re.compile(f"[{_HAN}]")


def fold(text: str, language: str = "") -> str:
    """NFKC, case folded (`ß` is `ss`), accents dropped where the language's stop words have none.

    Scripts without blanks between words are parted into pairs of signs, Han also into single ones, so that a word is
    found inside a sentence.
    """
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = _DROPPED.sub("", unicodedata.normalize("NFD", folded))
    folded = _without_accents(folded, language)
    return _UNPARTED.sub(_parted, unicodedata.normalize("NFKC", folded))


def _without_accents(text: str, language: str) -> str:
    """Of decomposed text. German keeps its umlauts; other languages but English all, as their stop words need them."""
    if language in ("", "en"):
        return _ACCENTS.sub("", text)
    return _ACCENTS_BUT_UMLAUT.sub("", text) if language == "de" else text


def _parted(match: re.Match[str]) -> str:
    run = match.group()
    pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    singles = _HAN_SIGN.findall(run) if len(run) > 1 else []
    return f" {' '.join([*pairs, *singles])} "
