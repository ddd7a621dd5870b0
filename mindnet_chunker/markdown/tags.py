"""What a tag is: in the text of a body, and as a string by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mindnet_chunker.markdown.mask import FILLER

_END = rf"\s\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{{|}}~\[\]\\{FILLER}"
# Written at a line's start or after white space. After `>` and `|` only where these are marks of a quote or a table:
# the reader of the line decides. A run such as `#x#y` is taken as one.
TAGS = rf"\#(?<![^\s>|]\#)[^{_END}]+(?:\#[^{_END}]+)*+"

_ONE = re.compile(r"#[^#]+")
_ONLY_TAGS = re.compile(rf"(?:\s*+\#[^{_END}]+)+\s*")
_DIGITS = re.compile(r"[0-9]+")


def split_tags(run: str) -> Iterator[tuple[int, int]]:
    """Where the tags of a run stand in it, `#` included. What follows a string that is no tag is none either."""
    for match in _ONE.finditer(run):
        text = match[0][1:].rstrip("/")
        if not text or _DIGITS.fullmatch(text):
            return
        yield match.start(), match.start() + 1 + len(text)


def only_tags(text: str) -> bool:
    """Whether a paragraph is nothing but tags."""
    return _ONLY_TAGS.fullmatch(text) is not None
