"""The folder of an embedded store: which generations it has, which one is in force.

meta.json                         the generation in force, and the vaults
generations/<name>/generation.json   its model; written last, so that a generation is there whole or not at all
generations/<name>/{chunks,notes,edges}/
run.lock, store.lock, manifest...    (see `locks`, `manifest`)
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.files import private_folder, unwritable, write_whole
from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.store import KINDS, DamagedStoreError, Model
from mindnet_chunker.records import Json, Record

FORMAT = 1  # of these files; raised when an earlier version could not read them
REBUILD = "the vault is the truth: fill the store again with `--rebuild`"
OURS = ("run.", "store.", "manifest", "meta.json", "generations")


class EdgeFolder:
    """Reads and writes the files above; whoever writes must hold `store.lock`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._meta = folder / "meta.json"
        self._generations = folder / "generations"

    def refuse_foreign(self) -> None:
        """Raise StoreError if the folder holds other people's files and no store: nothing of ours goes in there."""
        try:
            names = [path.name for path in self.folder.iterdir()] if self.folder.exists() else []
        except OSError as error:
            raise unwritable(self.folder, error) from error
        if "meta.json" not in names and any(not name.startswith(OURS) for name in names):
            raise StoreError(
                "the folder is no store of ours, and it is not empty",
                where=str(self.folder),
                hint="name an empty folder, or one that is not there yet, with `--store DIR`",
            )

    def meta(self) -> StoreMeta | None:
        """None: nothing is in force yet."""
        if not self._meta.exists():
            return None
        fields = self._read(self._meta)
        try:
            generation, vaults = str(fields["generation"]), dict(fields["vaults"])
        except (KeyError, TypeError, ValueError) as error:
            raise self.damaged(f"`meta.json` lacks {error}") from error
        model = self.model(generation)
        if model is None:
            raise self.damaged(f"the generation `{generation}` is not there")
        return StoreMeta(model=model, generation=generation, vaults=vaults)

    def write_meta(self, generation: str, vaults: Record) -> None:
        """The one step by which a generation takes over."""
        self._write(self._meta, {"format": FORMAT, "generation": generation, "vaults": vaults})

    def generations(self) -> list[str]:
        """Names of all that are whole, in force or not."""
        try:
            names = sorted(path.name for path in self._generations.iterdir())
        except FileNotFoundError:
            return []
        return [name for name in names if (self._generations / name / "generation.json").exists()]

    def model(self, generation: str) -> Model | None:
        """None: there is no such generation."""
        path = self.place(generation) / "generation.json"
        if not path.exists():
            return None
        fields = self._read(path)
        try:
            return Model(**fields["model"])
        except (KeyError, TypeError) as error:
            raise self.damaged(f"`{path.name}` lacks {error}") from error

    def place(self, generation: str) -> Path:
        return self._generations / generation

    def prepare(self, generation: str) -> Path:
        """An empty place for a new generation."""
        place = self.place(generation)
        self.drop(generation)
        for kind in KINDS:
            private_folder(place / kind)
        return place

    def finish(self, generation: str, model: Model) -> None:
        """The generation is whole."""
        self._write(self.place(generation) / "generation.json", {"format": FORMAT, "model": asdict(model)})

    def drop(self, generation: str) -> None:
        place = self.place(generation)
        try:
            (place / "generation.json").unlink(missing_ok=True)  # first: what is left is no generation any more
            if place.exists():
                shutil.rmtree(place)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def sweep(self) -> None:
        """Drop what was left by a process that died while it made or dropped a generation."""
        whole = self.generations()
        if self._generations.exists():
            for path in self._generations.iterdir():
                if path.is_dir() and path.name not in whole:
                    self.drop(path.name)

    def reset(self) -> None:
        """Drop everything that is stored."""
        try:
            self._meta.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        for generation in self.generations():
            self.drop(generation)
        self.sweep()

    def damaged(self, what: str) -> DamagedStoreError:
        return DamagedStoreError(f"the store is damaged: {what}", where=str(self.folder), hint=REBUILD)

    def _read(self, path: Path) -> Record:
        try:
            fields: Json = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise self.damaged(f"`{path.name}` cannot be read: {error}") from error
        if not isinstance(fields, dict) or not isinstance(fields.get("format"), int):
            raise self.damaged(f"`{path.name}` is not what we write")
        if fields["format"] > FORMAT:
            raise StoreError(
                f"the store was made by a later version (format {fields['format']}, not {FORMAT})",
                where=str(self.folder),
                hint="install that version, or name another folder with `--store DIR`",
            )
        return fields

    def _write(self, path: Path, fields: Record) -> None:
        content = json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        try:
            write_whole(path, content.encode("utf-8"), durable=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error
