"""A vault on disk -> the records of its notes, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from mindnet_chunker.embedding.choose import ModelChoice
from mindnet_chunker.errors import MindnetError, SkippedFileError, UnreadableError
from mindnet_chunker.graph import Targets
from mindnet_chunker.pipeline import Rules, canvas_of, read_note, records_of
from mindnet_chunker.records import NoteRecords, Problem, is_canvas, nfc
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.setup import chosen_model, rules_for
from mindnet_chunker.survey import targets_of
from mindnet_chunker.terminal import Talk
from mindnet_chunker.vault.canvas import parse_canvas
from mindnet_chunker.vault.frontmatter import read_frontmatter
from mindnet_chunker.vault.names import Outline
from mindnet_chunker.vault.notes import declared_id
from mindnet_chunker.vault.read import Vault, VaultFile, read_file, scan

KEPT_OUTLINES = 2048  # of notes that links with a heading or block point at


@dataclass(slots=True)
class Trouble:
    """What went wrong so far."""

    warnings: list[Problem] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)  # notes that failed

    def add(self, file: VaultFile, error: Exception) -> None:
        """A note that cannot be read or done. A file that is not here, or no text, is a warning."""
        if isinstance(error, SkippedFileError):
            self.skip(error)
        else:
            self.fail(file.path, error)

    def skip(self, error: SkippedFileError) -> None:
        self.warnings.append(
            Problem(code="file-skipped", message=error.what, path=error.where, line=error.line, hint=error.hint)
        )

    def fail(self, path: str, error: Exception, *, line: int | None = None) -> None:
        if isinstance(error, MindnetError):
            code = "file-unreadable" if isinstance(error, UnreadableError) else "note-failed"
            problem = Problem(code=code, message=error.what, path=path, line=error.line or line, hint=error.hint)
        else:
            what = f"{type(error).__name__}: {error}"
            hint = "this is a fault of mindnet-chunk, not of the note; please report it"
            problem = Problem(code="note-failed", message=what, path=path, line=line, hint=hint)
        self.errors.append(problem)

    def tell(self, talk: Talk) -> int:
        """Say what has come up since it was last told, and forget it; how many notes failed."""
        talk.warnings(self.warnings)
        talk.errors(self.errors)
        failed = len(self.errors)
        self.warnings.clear()
        self.errors.clear()
        return failed


def open_vault(path: Path, options: VaultOptions, *, weights: bool) -> tuple[Vault, ModelChoice, Rules, str]:
    """The files below `path`, the model that counts, the rules, and where the table of types comes from."""
    choice = chosen_model(options, weights=weights)
    vault = scan(
        path,
        exclude=options.exclude,
        include_templates=options.include_templates,
        max_file_size=options.max_file_size,
    )
    rules, source = rules_for(
        options, choice, root=vault.root, vault=nfc(options.vault_id or vault.name), daily=vault.settings.daily
    )
    return vault, choice, rules, source


class VaultReader:
    """Reads the notes of one vault. Ids and names of all are read first, then each note is done by itself."""

    def __init__(self, vault: Vault, rules: Rules, trouble: Trouble) -> None:
        self.vault = vault
        self.rules = rules
        self.trouble = trouble
        trouble.warnings += vault.problems
        self._files = {file.path: file for file in vault.notes}
        self._outline = lru_cache(KEPT_OUTLINES)(self._read_outline)
        self.targets = self._survey()

    def files(self) -> list[VaultFile]:
        """Notes and canvases that are asked for and here, in the order of their paths."""
        wanted = (*self.vault.notes, *self.vault.canvases)
        return sorted((file for file in wanted if file.in_scope), key=lambda file: file.path)

    def records(self) -> Iterator[NoteRecords]:
        """Everything that is printed for the vault. Notes that fail are in `trouble`."""
        for file in self.files():
            if (records := self.records_of(file)) is not None:
                yield records

    def records_of(self, file: VaultFile) -> NoteRecords | None:
        try:
            return self.build(file)
        except Exception as error:  # one bad note never stops a run
            self.trouble.add(file, error)
            return None

    def build(self, file: VaultFile) -> NoteRecords:
        content_hash, text, problems = read_file(file)
        if is_canvas(file.path):
            return canvas_of(
                parse_canvas(file.path, text), self.targets, self.rules, content_hash=content_hash,
                excluded=file.excluded, problems=problems,
            )  # fmt: skip
        read = read_note(file.path, text, self.rules, content_hash=content_hash, problems=problems)
        return records_of(read, self.targets.note_ids[file.path], self.targets, self.rules, file.excluded)

    def _survey(self) -> Targets:
        declared: dict[str, str | None] = {}
        for file in self.vault.notes:
            declared[file.path] = None
            try:
                _, text, _ = read_file(file)
            except (UnreadableError, SkippedFileError):
                continue  # told when the note itself is read
            declared[file.path] = declared_id(read_frontmatter(text)[0])
        targets, problems = targets_of(self.vault.paths, declared, self._outline)
        self.trouble.warnings += problems
        return targets

    def _read_outline(self, path: str) -> Outline | None:
        try:
            _, text, _ = read_file(self._files[path])
        except (KeyError, MindnetError):
            return None
        return read_note(path, text, self.rules).outline
