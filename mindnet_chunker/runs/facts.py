"""The facts of all files of a vault: from the cache where a file has not changed, else by reading it."""

from __future__ import annotations

from collections import Counter
from functools import partial

from mindnet_chunker.errors import SkippedFileError, UnreadableError
from mindnet_chunker.index.manifest import Manifest, Stat
from mindnet_chunker.index.plan import Built, Wanted
from mindnet_chunker.index.points import digest
from mindnet_chunker.pipeline import Rules, canvas_of, read_note, records_of
from mindnet_chunker.records import is_canvas
from mindnet_chunker.runs.reader import Trouble
from mindnet_chunker.survey import Facts, commit_of, facts_of, facts_of_canvas, reading_of, targets_of
from mindnet_chunker.vault.canvas import parse_canvas
from mindnet_chunker.vault.names import Outline
from mindnet_chunker.vault.read import Vault, VaultFile, read_file


class VaultFacts:
    """What must be known of every note before any is indexed, and which of them are wanted in the index."""

    def __init__(self, vault: Vault, rules: Rules, manifest: Manifest, trouble: Trouble) -> None:
        """Reads every file that the cache lacks."""
        self.vault = vault
        self.rules = rules
        self.trouble = trouble
        self._reading = reading_of(rules)
        self._facts: dict[str, Facts] = {}
        self._missing: set[str] = set()  # there, but not to be read now
        self._rows: dict[str, str] = {}
        trouble.warnings += vault.problems
        for file in (*vault.notes, *vault.canvases):
            self._look_at(file, manifest)
        declared = {file.path: self._declared(file.path) for file in vault.notes}
        self.targets, problems = targets_of(vault.paths, declared, self._outline)
        trouble.warnings += problems
        manifest.keep_only({*self._facts, *self._missing})

    def away(self, path: str) -> bool:
        """Whether a note that is not wanted may still be there: what is stored of it stays."""
        return path in self._missing or self.vault.is_away(path)

    def main_language(self) -> str:
        """The language of most notes, by code; `und` where none has one."""
        found = Counter(facts.lang for facts in self._facts.values() if facts.lang != "und" and not facts.excluded)
        return max(found, key=lambda lang: (found[lang], lang)) if found else "und"

    def types_without_row(self) -> Counter[str]:
        """Types that notes name and the table does not have."""
        known = set(self.rules.types.names)
        return Counter(facts.type for facts in self._facts.values() if facts.type not in known and not facts.excluded)

    def wanted(self, settings: str) -> list[Wanted]:
        """Every note and canvas below the folder asked for that can be read now.

        `settings`: the identity of model, prefixes and sparse vectors.
        """
        return [
            Wanted(
                path=file.path,
                note_id=self._note_id(file.path),
                commit=self._commit(file, self._facts[file.path], settings),
                build=partial(self.build, file, settings),
            )
            for file in sorted((*self.vault.notes, *self.vault.canvases), key=lambda file: file.path)
            if file.in_scope and file.path in self._facts
        ]

    def excluded(self, file: VaultFile) -> str | None:
        """Why a note is left out: by the vault's settings, an option, or its own property."""
        facts = self._facts.get(file.path)
        return file.excluded or (facts.excluded if facts else None)

    def build(self, file: VaultFile, settings: str) -> Built:
        """Read, cut and link one note or canvas."""
        content_hash, text, problems = read_file(file)
        if is_canvas(file.path):
            canvas = parse_canvas(file.path, text)
            records = canvas_of(
                canvas, self.targets, self.rules, content_hash=content_hash, excluded=file.excluded, problems=problems
            )
            facts = facts_of_canvas(canvas, self.rules, content_hash, self._reading)
        else:
            read = read_note(file.path, text, self.rules, content_hash=content_hash, problems=problems)
            records = records_of(read, self._note_id(file.path), self.targets, self.rules, file.excluded)
            facts = facts_of(read, self._reading)
        return Built(records=records, commit=self._commit(file, facts, settings))

    def _look_at(self, file: VaultFile, manifest: Manifest) -> None:
        stat = Stat(file.size, file.mtime_ns, file.ctime_ns, file.inode)
        try:
            facts = None if file.away else self._known(file.path, stat, manifest)
            if facts is None:
                facts = self._read(file)
                manifest.put(file.path, stat, facts.content_hash, facts.record())
            self._facts[file.path] = facts
        except Exception as error:  # one bad note never stops a run
            self._missing.add(file.path)
            if file.in_scope or not isinstance(error, UnreadableError | SkippedFileError):
                self.trouble.add(file, error)

    def _known(self, path: str, stat: Stat, manifest: Manifest) -> Facts | None:
        entry = manifest.get(path, stat)
        try:
            facts = Facts.from_record(entry.facts) if entry else None
        except (KeyError, TypeError, ValueError):
            return None
        return facts if facts and facts.reading == self._reading else None

    def _read(self, file: VaultFile) -> Facts:
        content_hash, text, _ = read_file(file)
        if is_canvas(file.path):
            return facts_of_canvas(parse_canvas(file.path, text), self.rules, content_hash, self._reading)
        return facts_of(read_note(file.path, text, self.rules, content_hash=content_hash), self._reading)

    def _note_id(self, path: str) -> str:
        return self.targets.note_ids.get(path, path)

    def _declared(self, path: str) -> str | None:
        facts = self._facts.get(path)
        return facts.declared_id if facts else None

    def _outline(self, path: str) -> Outline | None:
        facts = self._facts.get(path)
        return facts.outline if facts else None

    def _commit(self, file: VaultFile, facts: Facts, settings: str) -> str:
        row = digest([self._row(facts.type), facts.chunking])
        return commit_of(facts, file.path, self.targets, settings, row, file.excluded)

    def _row(self, name: str) -> str:
        if name not in self._rows:
            self._rows[name] = repr(self.rules.types.row(name))
        return self._rows[name]
