"""Files of our own: folders for the owner alone, files written whole or not at all, files that show their damage."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from mindnet_chunker.errors import StoreError


def private_folder(folder: Path) -> None:
    """Make a folder that only its owner can read, unless it is there; raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise unwritable(folder, error) from error


def unwritable(folder: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write in the store's folder: {error.strerror or error}",
        where=str(folder),
        hint="name another folder with `--store DIR`",
    )


def write_whole(path: Path, content: bytes, *, durable: bool) -> None:
    """Replace a file at once, by a temporary one beside it. `durable`: it is there even after a power cut.

    Raises OSError.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if durable and os.name == "posix":  # elsewhere a folder cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def sealed(name: str, body: bytes) -> bytes:
    """The body below a line with a name and the body's SHA-256."""
    return f"{name} {hashlib.sha256(body).hexdigest()}\n".encode("ascii") + body


def unsealed(name: str, content: bytes) -> bytes:
    """The body of what `sealed` made; raises ValueError on anything else."""
    body = content.partition(b"\n")[2]
    if content != sealed(name, body):
        raise ValueError(f"no {name}, or a damaged one")
    return body
