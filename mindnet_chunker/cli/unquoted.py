"""Several words where one was meant: a path or a question with blanks, typed without quotes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import takewhile

LONGEST = 20  # words of a path


def meant_path(words: Sequence[str]) -> str | None:
    """The most words in a row that, joined by blanks, are a path that is there."""
    for count in range(min(len(words), LONGEST), 1, -1):
        for start in range(len(words) - count + 1):
            joined = " ".join(words[start : start + count])
            if os.path.exists(joined):  # noqa: PTH110 (false where the name is too long)
                return joined
    return None


def meant_question(words: Sequence[str]) -> str | None:
    """What stands after `search`, up to the first option."""
    asked = list(takewhile(lambda word: not word.startswith("-"), words[1:]))
    return " ".join(asked) if words[:1] == ["search"] and len(asked) > 1 else None
