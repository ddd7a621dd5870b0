"""The wording of a chunk: as it is stored, and as it is embedded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from mindnet_chunker.chunking.verbatim import verbatim_spans

_BLANK_LINES = re.compile(r"\n{3,}")
_LINE_ENDS = re.compile(r"\r\n?")
# Possessive, and every step ends at a line end: linear in long runs of blanks.
_BLANK_REST = re.compile(r"(?:[^\S\r\n]*+(?:\r\n|[\r\n]))*+")


def tidy(text: str) -> str:
    r"""The text as chunks hold it: NFC, line ends `\n`, no trailing blanks, one blank line where there were several.

    Blank lines at either end go, the first line keeps its indent. Lines end at CRLF, LF or CR and at nothing else;
    a line is blank where it holds only white space of any kind. `tidy(tidy(text)) == tidy(text)`.
    """
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    text = "\n".join(map(str.rstrip, text.split("\n")))
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


def tidy_mapped(text: str, positions: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    """`tidy(text)`, and where each position of `text` lies in it.

    A position before blank lines is moved behind them, so that the tidied text from there on is the tidied rest.
    """
    whole = tidy(text)
    return whole, tuple(_mapped(text, whole, position) for position in positions)


def _mapped(text: str, whole: str, position: int) -> int:
    rest = _BLANK_REST.match(text, position)
    start = rest.end() if rest else position
    if not text[start:].strip():
        return len(whole)
    # A letter in place of the rest keeps blanks that stand before it, as the rest does.
    return min(len(tidy(text[:start] + "x")) - 1, len(whole))


def embedding_form(text: str) -> str:
    """Prose in NFKC, so that `ﬁ` is read as `fi`; code, math and URLs stay as they are.

    Depends on this text alone: what was embedded can be had again from a stored record.
    """
    if unicodedata.is_normalized("NFKC", text):
        return text
    pieces: list[str] = []
    done = 0
    for start, end in verbatim_spans(text):
        pieces += (unicodedata.normalize("NFKC", text[done:start]), text[start:end])
        done = end
    pieces.append(unicodedata.normalize("NFKC", text[done:]))
    return "".join(pieces)


def embedding_text(context: str, text: str) -> str:
    """What is embedded: the context, which is prose, a blank line, the text; the text alone where there is no context."""
    form = embedding_form(text)
    return f"{unicodedata.normalize('NFKC', context)}\n\n{form}" if context else form
