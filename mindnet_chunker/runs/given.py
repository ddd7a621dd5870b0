"""What a program hands over -> paths and texts as the runs take them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePath

from mindnet_chunker.errors import UsageError
from mindnet_chunker.runs.options import AnyPath, IndexOptions, VaultOptions

Texts = str | Iterable[str]  # one text, or several


def path_of(given: AnyPath) -> Path:
    """Raise UsageError for `~`, which a shell expands and a library does not, and for no path at all."""
    text = os.fspath(given)
    if not text:
        raise UsageError("a path is empty", hint="the current folder is `.`")
    path = Path(text)
    if path.parts[:1] == ("~",):
        raise UsageError("`~` is not expanded here", where=text, hint="give `Path(...).expanduser()`")
    return path


def path_if(given: AnyPath | None) -> Path | None:
    return None if given is None else path_of(given)


def name_if(given: AnyPath | None) -> str | None:
    """Of a model: its folder, or its name."""
    return None if given is None else os.fspath(given)


def note_path(given: AnyPath) -> str:
    """A path in the vault, with `/` on every system."""
    return given if isinstance(given, str) else PurePath(given).as_posix()


def paths_of(given: AnyPath | Iterable[AnyPath]) -> tuple[str, ...]:
    """Of notes and folders, in the vault."""
    return tuple(note_path(path) for path in ([given] if isinstance(given, str | os.PathLike) else given))


def texts_of(given: Texts) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def vault_options(given: VaultOptions) -> VaultOptions:
    return replace(given, types=path_if(given.types), model=name_if(given.model), exclude=texts_of(given.exclude))


def index_options(given: IndexOptions) -> IndexOptions:
    return replace(given, out=path_if(given.out))
