"""What stands between the brackets of a wikilink."""

from __future__ import annotations

import re
from typing import NamedTuple

_BAR = re.compile(r"\\?\|")  # with a backslash within tables


class Target(NamedTuple):
    """What a link names: a path, and a heading or a block in it. An empty path is the note itself."""

    path: str
    heading: str | None
    block: str | None


def target_of(address: str) -> Target | None:
    """Split an address at its first `#`; None where it names nothing."""
    path, _, subpath = address.partition("#")
    path, subpath = path.strip(), subpath.strip()
    heading, block = ("", subpath[1:].strip()) if subpath.startswith("^") else (subpath, "")
    return Target(path, heading or None, block or None) if path or heading or block else None


def wikilink(raw: str) -> tuple[Target, str | None] | None:
    """Target and display text of `[[...]]` or `![[...]]`; None where it names nothing."""
    address, *display = _BAR.split(raw[raw.index("[[") + 2 : -2], maxsplit=1)
    target = target_of(address)
    return (target, display[0].strip() or None if display else None) if target else None
