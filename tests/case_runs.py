"""A case on disk, the runs that it asks for, and what can be seen after each of them."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from case_vault import Case, Json, change_vault, read_vault, write_vault
from commands import Ran, run, run_processes

from mindnet_chunker.embedding.choose import choose_model
from mindnet_chunker.records import Record, nfc

STORED = re.compile(r"stored (\d+)/(\d+) notes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What can be seen after one run. `earlier`: the steps before it, oldest first."""

    ran: Ran
    records: list[Record]  # that the store holds now; for `--ndjson`, those printed
    files: Mapping[str, bytes]  # of the vault
    harmed: list[str]  # files of the vault that the run changed
    note: str | None = None  # the note that the case is about
    report: Record | None = None
    exported: Ran | None = None
    printed: Ran | None = None  # `--ndjson` of the same vault
    validated: Ran | None = None
    at_once: tuple[Ran, ...] = ()  # all runs that were started together
    vectors: tuple[list[float], ...] = ()
    earlier: tuple[Step, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        return (*self.earlier, self)

    @property
    def killed(self) -> bool:
        return self.ran.exit_code == 128 + signal.SIGTERM

    def of(self, kind: str) -> list[Record]:
        return [record for record in self.records if record["record"] == kind]

    @property
    def chunks(self) -> list[Record]:
        return self.of("chunk")

    @property
    def placed_chunks(self) -> list[Record]:
        """Those of a canvas have no place in a file."""
        return [chunk for chunk in self.chunks if chunk["kind"] != "canvas"]

    def chunks_of(self, path: str) -> list[Record]:
        return [chunk for chunk in self.chunks if chunk["path"] == nfc(path)]

    @property
    def notes(self) -> dict[str, Record]:
        return {note["path"]: note for note in self.of("note")}

    @property
    def focus(self) -> Record:
        """The record of the note or canvas that the case is about."""
        return self.record_of(self.note or "")

    def record_of(self, path: str) -> Record:
        found = [record for record in (*self.of("note"), *self.of("canvas")) if record["path"] == nfc(path)]
        assert len(found) == 1, f"expected one record of {path}, got {len(found)}"
        return found[0]

    @property
    def warnings(self) -> str:
        """All that was said: on standard error, in the report, in the records of notes."""
        said = [each.stderr for each in (self.ran, *self.at_once)]
        for owner in (self.report or {}, *self.of("note"), *self.of("canvas")):
            said += [json.dumps(problem, ensure_ascii=False) for problem in owner.get("warnings", ())]
            said += [json.dumps(problem, ensure_ascii=False) for problem in owner.get("errors", ())]
        return "\n".join(said)


class Bench:
    """One case in a folder of its own."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self.folder = folder
        self.vault = folder / "vault"
        self.store = folder / "store"
        self._steps: list[Step] = []
        write_vault(case, self.vault)

    def print_records(self, config: Json) -> Step:
        before = read_vault(self.vault)
        ran = self._run(self.vault, "--ndjson", *self._options(config), judged=True)
        return self._step(ran, before, records=ran.records, printed=ran)

    def index_all(self) -> list[Step]:
        """Every run over the store that the case asks for, in order."""
        case, expect = self.case, self.case["expect"]
        config = case.get("config", {})
        self._index(config, at_once=expect.get("concurrent_runs", 1), kill="kill" in expect.get("first_run", {}))
        if "concurrent_runs" in expect:
            self._index(config)
        if case["action"] == "index_twice":
            for _ in range(case.get("runs", 2) - 1):
                self._index(case.get("second_run_config", config), scope=case.get("second_run_scope", ""))
        for change in (case["change"], *case.get("repeat_with", ())) if "change" in case else ():
            change_vault(change, self.vault)
            self._index(config)
        return self._steps

    def _index(self, config: Json, *, scope: str = "", at_once: int = 1, kill: bool = False) -> None:
        before = read_vault(self.vault)
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        words = (self.vault / scope, "--store", self.store, "--report", report, *self._options(config))
        if at_once > 1:
            runs = run_processes(*[words] * at_once, folder=self.folder)
        elif kill:
            runs = [run(*words, heard=_StopAfterAThird())]
        else:
            runs = [self._run(*words, judged=True)]
        exported = run("export", "--store", self.store)
        printed = self._run(self.vault, "--ndjson", *self._options(config))
        wanted = json.dumps(self.case["expect"])
        vectors = run("export", "--store", self.store, "--vectors").records if "all_vectors_from" in wanted else []
        self._steps.append(
            self._step(
                runs[0],
                before,
                records=exported.records,
                exported=exported,
                printed=printed,
                at_once=tuple(runs),
                report=json.loads(report.read_bytes()) if report.exists() else None,
                validated=run("validate", self.vault) if "report_lines_ok" in wanted else None,
                vectors=tuple(record["vector"]["dense"] for record in vectors if record["record"] == "chunk"),
                earlier=tuple(self._steps),
            )
        )

    def _run(self, *words: str | Path, judged: bool = False) -> Ran:
        """In this process, except where the case is about the process."""
        closed_files = self.case.get("requires") == "not run as root"
        measured = judged and "max_memory_mb" in self.case["expect"]
        if not (closed_files or measured or "env" in self.case):
            return run(*words)
        return run_processes(words, folder=self.folder, env=self.case.get("env"), like_others=closed_files)[0]

    def _step(self, ran: Ran, before: Mapping[str, bytes], **seen: Json) -> Step:
        files = read_vault(self.vault)
        harmed = sorted(path for path in {*before, *files} if before.get(path) != files.get(path))
        return Step(ran=ran, files=files, harmed=harmed, note=self.case.get("note"), **seen)

    def _options(self, config: Json) -> list[str | Path]:
        options: list[str | Path] = []
        if "max_tokens" in config:
            types = self.folder / "types.yaml"
            types.write_text(_row(config["max_tokens"], config["overlap_tokens"]), encoding="utf-8")
            options += ["--types", types]
        if "model" in config:
            options += ["--model", smaller_model(self.folder / "model")]
        return options


def smaller_model(folder: Path) -> Path:
    """The bundled model's files, with another size of vectors and weights that nobody loads."""
    shutil.copytree(choose_model().folder, folder, ignore=shutil.ignore_patterns("*.safetensors"), dirs_exist_ok=True)
    config = json.loads((folder / "config.json").read_bytes())
    (folder / "config.json").write_text(json.dumps({**config, "hidden_size": 48}), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"made up")
    return folder


def _row(top: int, overlap: int) -> str:
    """The row `default` that a case's limit means."""
    low, high = top * 6 // 10, top * 8 // 10
    return (
        f"default:\n  target: [{low}, {high}]\n  max: {top}\n  min: {max(0, low // 2)}\n"
        f"  overlap: [{min(overlap, max(0, overlap // 2))}, {overlap}]\n  oversize: split\n"
    )


class _StopAfterAThird:
    """Sends SIGTERM to this process, once, as soon as the run says that a third of the notes is stored."""

    def __init__(self) -> None:
        self.sent = False

    def __call__(self, said: str) -> None:
        found = STORED.search(said)
        if found and not self.sent and 3 * int(found[1]) >= int(found[2]):
            self.sent = True
            signal.raise_signal(signal.SIGTERM)
