"""Head split from body; YAML 1.2 core; a line for every key."""

from __future__ import annotations

import re
from typing import Any

import frontmatter

from mindnet_chunker.records import Frontmatter, Json
from mindnet_chunker.vault.yaml12 import Loaded, YamlError, load

OPENING = re.compile(r"---(?:\r\n|\r|\n)")
CLOSING = re.compile(r"(?<![^\r\n])---[ \t]*+(?:\r\n|\r|\n|\Z)")


def split_head(text: str) -> tuple[int, int, int] | None:
    """Where the head's YAML starts and ends, and where the body begins; None without frontmatter.

    The first line is exactly `---`; the next line that is `---` closes (blanks may follow there). Without a closing
    line there is no head, and `...` closes nothing.
    """
    opening = OPENING.match(text)
    if opening is None:
        return None
    closing = CLOSING.search(text, opening.end())
    if closing is None:
        return None
    return opening.end(), closing.start(), closing.end()


class _Head(frontmatter.default_handlers.BaseHandler):  # type: ignore[misc]
    """What python-frontmatter is to do with a head that has been split off already."""

    FM_BOUNDARY = CLOSING  # asked for, never used: the library's own splitting moves lines and loses bodies
    START_DELIMITER = "---\n"
    END_DELIMITER = "---"

    loaded: Loaded

    def split(self, text: str) -> tuple[str, str]:
        return text[len(self.START_DELIMITER) : -len(self.END_DELIMITER)], ""

    def load(self, fm: str, **kwargs: Any) -> Json:
        self.loaded = load(fm)
        return self.loaded.value


def read_frontmatter(text: str) -> tuple[Frontmatter, int]:
    """The properties of a note, and where its body begins. Never raises.

    `text` has no byte order mark. A head that is no valid YAML has an error and no properties, but is no body either;
    one that is valid and no mapping has neither.
    """
    head = split_head(text)
    if head is None:
        return Frontmatter(), 0
    start, end, body_start = head
    handler = _Head()
    try:
        fields, _ = frontmatter.parse(f"---\n{text[start:end]}---", handler=handler)
    except YamlError as error:
        return Frontmatter(present=True, error=error.what, error_line=error.line + 1), body_start
    loaded = handler.loaded
    lines = {key: line + 1 for key, line in loaded.lines.items()}
    return Frontmatter(present=True, fields=fields, lines=lines, written=loaded.written), body_start
