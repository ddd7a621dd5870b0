"""One file of a vault: where it is, and its bytes and text as they are now."""

from __future__ import annotations

import errno
import io
import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mindnet_chunker.errors import SkippedFileError, UnreadableError
from mindnet_chunker.records import Problem
from mindnet_chunker.vault.decode import decode

MAX_FILE_SIZE = 100 * 2**20  # bytes

# A name that has become a link out of the vault, or a pipe, since it was listed is not followed and not waited for.
OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultFile:
    """A note or a canvas as it was listed."""

    path: str  # vault-relative, NFC, unique in the vault; U+FFFD for bytes that are no text
    place: bytes  # what the file system calls it
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0
    excluded: str | None = None  # filter | template | option
    in_scope: bool = True  # below the folder that was asked for
    away: bool = False  # a sync service holds its place: what is stored for it stays
    max_size: int = MAX_FILE_SIZE


def lone_file(place: Path, path: str, *, max_size: int = MAX_FILE_SIZE) -> VaultFile:
    """A file that was named by the user, links followed; `path` is what it is called."""
    return VaultFile(path=path, place=os.fsencode(os.path.realpath(place)), max_size=max_size)


def read_file(file: VaultFile) -> tuple[str, str, list[Problem]]:
    """SHA-256 of the bytes, the text, and what was wrong with it.

    Raises `UnreadableError`, or `SkippedFileError` for a file that is no text, too large, not here, or changed while it
    was read.
    """
    if file.away:
        raise SkippedFileError(
            "is not on this machine", where=file.path, hint="let the sync service download it; what is stored stays"
        )
    content = _content(file)
    text, problems = decode(content, file.path)
    return sha256(content).hexdigest(), text, problems


def _content(file: VaultFile) -> bytes:
    try:
        with os.fdopen(os.open(file.place, OPEN_FLAGS), "rb", buffering=0) as opened:
            before = os.fstat(opened.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise SkippedFileError("is no file any more", where=file.path)
            if before.st_size > file.max_size:
                raise SkippedFileError(
                    f"has {before.st_size} bytes, more than {file.max_size}",
                    where=file.path,
                    hint="split it, or raise `--max-file-size`",
                )
            content = _all(opened, before.st_size)
            after = os.fstat(opened.fileno())
    except FileNotFoundError:
        raise SkippedFileError("is gone since the vault was listed", where=file.path) from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise SkippedFileError("is a symbolic link", where=file.path) from None
        raise UnreadableError(
            f"cannot be read: {error.strerror or error}", where=file.path, hint="check the file's permissions"
        ) from None
    if _state(before) != _state(after) or len(content) != after.st_size:
        raise SkippedFileError("changed while it was read", where=file.path, hint="run again")
    return content


def _all(opened: io.FileIO, size: int) -> bytes:
    """What the file holds, and a little more than `size` if it has grown."""
    parts = []
    while part := opened.read(size + 1):
        parts.append(part)
        size -= len(part)
        if size < 0:
            break
    return b"".join(parts)


def _state(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
