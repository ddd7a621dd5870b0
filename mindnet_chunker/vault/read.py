"""A folder -> which files are notes, boards and link targets, and what the vault's settings say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mindnet_chunker.errors import UnreadableError, UsageError
from mindnet_chunker.records import Problem
from mindnet_chunker.vault.decode import decode, take
from mindnet_chunker.vault.files import MAX_FILE_SIZE, VaultFile, lone_file, read_file
from mindnet_chunker.vault.globs import filter_excluder, glob_excluder
from mindnet_chunker.vault.listing import Found, Listing, shown
from mindnet_chunker.vault.settings import FILES, VaultSettings, parse_settings

__all__ = ["Vault", "VaultFile", "decode", "find_root", "lone_file", "read_file", "scan", "take", "vault_path"]

SETTINGS_FOLDER = ".obsidian"
MAX_SETTINGS_SIZE = 2**20  # bytes
NAME_A_FOLDER = "name the folder of a vault, or one inside it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    """The files of a vault as they were listed, and its settings."""

    root: Path
    scope: str  # vault path of the folder that was asked for; "" is the whole vault
    name: str
    notes: tuple[VaultFile, ...]  # of the whole vault, sorted by path
    canvases: tuple[VaultFile, ...]
    paths: tuple[str, ...]  # of all files: what links can point at
    settings: VaultSettings
    away_folders: tuple[str, ...]  # could not be listed: what is known below them is not gone
    problems: tuple[Problem, ...]

    def is_away(self, path: str) -> bool:
        """Whether a file that is not listed may still be there."""
        return any(not folder or path.startswith(f"{folder}/") for folder in self.away_folders)


def find_root(path: Path) -> Path:
    """The nearest folder at or above `path` that holds `.obsidian`, else `path`, absolute."""
    return _root_and_start(path)[0]


def vault_path(path: Path, root: Path) -> str | None:
    """What the vault at `root` calls the file or folder, "" for the root itself; None if it lies outside."""
    for start, base in ((_absolute(path), _absolute(root)), (path.resolve(), root.resolve())):
        if start.is_relative_to(base):
            return "" if start == base else shown(os.fsencode(start.relative_to(base).as_posix()))
    return None


def scan(
    path: Path,
    *,
    exclude: Sequence[str] = (),
    include_templates: bool = False,
    max_file_size: int = MAX_FILE_SIZE,
    follow_links: bool = False,
) -> Vault:
    """List the vault that holds the folder `path`. Nothing is read but the settings.

    `exclude`: see `glob_excluder`. Hidden names are skipped. A link to a file is never followed; one to a folder only
    with `follow_links`, where it leads out of the vault to a folder not seen yet. A folder that cannot be listed is a
    problem `unreadable`; only for `path` itself it is an error.
    """
    root, start = _root_and_start(path)
    _check_folder(start)
    scope = vault_path(start, root) or ""
    settings, problems = _settings(root)
    reason, faults = _excluder(settings, exclude, include_templates)
    listing = Listing(root=os.fsencode(root), follow_links=follow_links)
    listing.walk()
    files = list(listing.files())
    of_kind: dict[str, list[VaultFile]] = {"md": [], "canvas": []}
    for found in files:
        kind = found.path.rpartition(".")[2].lower()
        if kind in of_kind:
            in_scope = not scope or found.path.startswith(f"{scope}/")
            of_kind[kind].append(_file(found, reason(found.path), in_scope, max_file_size))
    return Vault(
        root=root,
        scope=scope,
        name=shown(os.fsencode(root.name)) or "vault",
        notes=tuple(of_kind["md"]),
        canvases=tuple(of_kind["canvas"]),
        paths=tuple(found.path for found in files),
        settings=settings,
        away_folders=tuple(sorted(listing.away_folders)),
        problems=(
            *problems,
            *faults,
            *sorted(listing.problems, key=lambda problem: problem.path),
            *(() if listing.away_folders else _without_file(exclude, [found.path for found in files])),
        ),
    )


def _without_file(globs: Sequence[str], paths: Sequence[str]) -> Iterator[Problem]:
    """Globs that leave out nothing anywhere in the vault: mistyped, most likely."""
    for glob in dict.fromkeys(globs):
        if not any(map(glob_excluder([glob]), paths)):
            start = "; a glob with a slash inside begins at the vault's top folder" if "/" in glob.strip("/") else ""
            yield Problem(code="exclude-unmatched", message=f"`--exclude {glob}` fits no file of the vault{start}")


def _excluder(
    settings: VaultSettings, exclude: Sequence[str], include_templates: bool
) -> tuple[Callable[[str], str | None], list[Problem]]:
    """Why a path is left out, None where it is not; and which filters cannot be used."""
    ignored, faults = filter_excluder(settings.ignore_filters)
    by_option = glob_excluder(exclude)

    def reason(path: str) -> str | None:
        if ignored(path):
            return "filter"
        if not include_templates and settings.is_template(path):
            return "template"
        return "option" if by_option(path) else None

    where = f"{SETTINGS_FOLDER}/app.json"
    return reason, [Problem(code="settings-invalid", message=fault, path=where) for fault in faults]


def _file(found: Found, excluded: str | None, in_scope: bool, max_size: int) -> VaultFile:
    status = found.status
    return VaultFile(
        path=found.path,
        place=found.place,
        size=status.st_size if status else 0,
        mtime_ns=status.st_mtime_ns if status else 0,
        ctime_ns=status.st_ctime_ns if status else 0,
        inode=status.st_ino if status else 0,
        excluded=excluded,
        in_scope=in_scope,
        away=found.placeholder,
        max_size=max_size,
    )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 (`..` goes, links stay)


def _root_and_start(path: Path) -> tuple[Path, Path]:
    """The root, and `path` as a path below it: as given, or with links resolved where only that lies in a vault."""
    for start in (_absolute(path), path.resolve()):
        for folder in (start, *start.parents):
            if _is_folder(folder / SETTINGS_FOLDER):
                return folder, start
    return _absolute(path), _absolute(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _check_folder(path: Path) -> None:
    try:
        os.scandir(path).close()
    except FileNotFoundError:
        is_note = path.suffix.lower() == ".md"
        what, hint = ("no such file", "name a note by its path") if is_note else ("no such folder", NAME_A_FOLDER)
        raise UsageError(what, where=str(path), hint=hint) from None
    except NotADirectoryError:
        raise UsageError("is no folder", where=str(path), hint=NAME_A_FOLDER) from None
    except OSError as error:
        raise UnreadableError(
            f"cannot be listed: {error.strerror or error}", where=str(path), hint="check the folder's permissions"
        ) from None


def _settings(root: Path) -> tuple[VaultSettings, list[Problem]]:
    texts, problems = {}, []
    for name in FILES:
        try:
            with (root / SETTINGS_FOLDER / name).open("rb") as opened:
                texts[name] = opened.read(MAX_SETTINGS_SIZE).decode("utf-8-sig", "replace")
        except FileNotFoundError:
            continue
        except OSError as error:
            problems.append(
                Problem(
                    code="settings-invalid",
                    message=f"cannot be read ({error.strerror or error}); the defaults are used",
                    path=f"{SETTINGS_FOLDER}/{name}",
                )
            )
    settings, more = parse_settings(texts)
    return settings, problems + more
