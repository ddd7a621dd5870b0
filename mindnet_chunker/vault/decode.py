"""Bytes -> text: UTF-8 or UTF-16 with a mark, never a crash."""

from __future__ import annotations

import codecs
import re

from mindnet_chunker.errors import SkippedFileError
from mindnet_chunker.records import Problem

NUL_SEARCHED = 8192  # bytes at the start of a file in which a NUL says that it is no text

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
LINE_END = re.compile(rb"\r\n|\r|\n")


def decode(content: bytes, path: str) -> tuple[str, list[Problem]]:
    """The text, one byte order mark removed, line ends as they are. What is no text becomes U+FFFD and a warning.

    Raises `SkippedFileError` for content with NULs at its start.
    """
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if content.startswith(mark):
            text = content[len(mark) :].decode(encoding, "replace")
            if "\0" in text[:NUL_SEARCHED]:
                raise _no_text(path)
            return text, []
    if b"\0" in content[:NUL_SEARCHED]:
        raise _no_text(path)
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8"), []
    except UnicodeDecodeError as error:
        line = len(LINE_END.findall(content, 0, error.start)) + 1
        message = f"byte 0x{content[error.start]:02x} is no UTF-8 and is read as U+FFFD, like others that may follow"
        problem = Problem(code="encoding", message=message, path=path, line=line, hint="save the note as UTF-8")
        return content.decode("utf-8", "replace"), [problem]


def take(text: str, path: str) -> tuple[str, list[Problem]]:
    """The same for what comes as text already: a lone surrogate becomes U+FFFD."""
    if "\0" in text[:NUL_SEARCHED]:
        raise _no_text(path)
    text = text.removeprefix("\ufeff")
    if (found := LONE_SURROGATE.search(text)) is None:
        return text, []
    message = f"U+{ord(found[0]):04X} is half a sign and is read as U+FFFD, like others that may follow"
    return LONE_SURROGATE.sub("\ufffd", text), [Problem(code="encoding", message=message, path=path)]


def _no_text(path: str) -> SkippedFileError:
    return SkippedFileError("holds NUL bytes and is no text", where=path, hint="save the note as UTF-8")
