"""Several words where one was meant: a path, a question or a value with blanks, typed without quotes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import takewhile

LONGEST = 20  # words of a path
ASKING = ("search", "related", "show")  # commands that take one question or name
VALUED = (
    "--path", "--type", "--tag", "--area", "--project", "--status", "--exclude", "--vault", "--vault-id", "--store",
    "--collection", "--model", "--types", "--report", "--out",
)  # fmt: skip


def meant_path(words: Sequence[str]) -> str | None:
    """The most words in a row that, joined by blanks, are a path that is there."""
    for count in range(min(len(words), LONGEST), 1, -1):
        for start in range(len(words) - count + 1):
            joined = " ".join(words[start : start + count])
            if os.path.exists(joined):  # noqa: PTH110 (false where the name is too long)
                return joined
    return None


def meant_text(words: Sequence[str]) -> str | None:
    """The question or the name after a command, up to the first option; else the value of an option, up to the next."""
    at = [0] if words[:1] and words[0] in ASKING else []
    for place in (*at, *(place for place, word in enumerate(words) if word in VALUED)):
        given = list(takewhile(lambda word: not word.startswith("-"), words[place + 1 :]))
        if len(given) > 1:
            return " ".join(given)
    return None
