"""Every error a user can cause, and the form of its message."""

from __future__ import annotations


class MindnetError(Exception):
    """What is wrong, where, and what to do about it.

    `what` is lower case without a full stop and holds the value; `where` is a file or setting, `line` is 1-based.
    `str(error)` is `where:line: what`; the hint is printed on a line of its own.
    """

    def __init__(self, what: str, *, where: str = "", line: int | None = None, hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.where, self.line) if part)
        return f"{place}: {self.what}" if place else self.what


class UsageError(MindnetError):
    """The command cannot be carried out as it was given: exit code 2."""


class TypeTableError(MindnetError):
    """A row of types.yaml, or a note's `chunking:` property, is impossible."""


class UnreadableError(MindnetError):
    """A file is there but cannot be read: what is stored for it stays."""


class SkippedFileError(MindnetError):
    """A file is not taken as a note (no text, too large, not here yet): a warning, what is stored stays."""


class ModelError(MindnetError):
    """The embedding model cannot be had or used."""


class StoreError(MindnetError):
    """The store cannot be opened, read or written."""


class StoreBusyError(StoreError):
    """Another process holds the store or runs on the same vault."""


class ReaderGoneError(Exception):
    """Whoever read standard output has closed it: nothing more is wanted, and that is no error."""
