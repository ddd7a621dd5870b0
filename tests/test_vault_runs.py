"""What holds for every vault, however it lies on the disk and whatever was indexed before: a whole run at a time."""

from __future__ import annotations

import json
import os
import shutil
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import made_vaults
import pytest
from case_vault import read_vault
from commands import make_runs_quick, quick_folder, run
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from indexed_vault import Indexed

from mindnet_chunker.__main__ import COMMANDS
from mindnet_chunker.records import Record

FIXTURES = Path(__file__).parent.parent / "vault_fixtures"
VAULTS = sorted(folder.name for folder in FIXTURES.iterdir() if folder.is_dir())
NOTHING = {"upserted": 0, "payload_only": 0, "deleted": 0}


@pytest.fixture(scope="module", autouse=True)
def quick_runs() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        make_runs_quick(patch)
        yield


@pytest.fixture
def folder() -> Iterator[Path]:
    with quick_folder() as made:
        yield made


@pytest.fixture(scope="module", params=VAULTS)
def indexed(request: pytest.FixtureRequest) -> Iterator[tuple[Indexed, Record]]:
    """Every fixture vault, and the report of its first run."""
    with quick_folder() as made:
        vault = shutil.copytree(FIXTURES / request.param, made / request.param)
        found = Indexed(vault, made / "store")
        yield found, found.index()


# --- one vault, however it lies on the disk --------------------------------------------------------------------------


@pytest.mark.parametrize("name", VAULTS)
def test_records_do_not_depend_on_the_order_of_the_file_system(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = run(FIXTURES / name, "--ndjson").stdout
    monkeypatch.setattr(os, "scandir", ReversedScan)

    assert run(FIXTURES / name, "--ndjson").stdout == before


class ReversedScan:
    """`os.scandir`, its entries from last to first."""

    scandir = staticmethod(os.scandir)

    def __init__(self, path: Any = ".") -> None:
        with self.scandir(path) as entries:
            self._entries = sorted(entries, key=lambda entry: os.fsencode(entry.name), reverse=True)

    def __iter__(self) -> Iterator[os.DirEntry[Any]]:
        return iter(self._entries)

    def __enter__(self) -> ReversedScan:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """The entries are read already."""


@pytest.mark.parametrize("name", VAULTS)
def test_records_do_not_depend_on_the_normal_form_of_names(name: str, tmp_path: Path) -> None:
    for path, content in read_vault(FIXTURES / name).items():
        place = tmp_path / name / unicodedata.normalize("NFD", path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    assert run(tmp_path / name, "--ndjson").stdout == run(FIXTURES / name, "--ndjson").stdout


@pytest.mark.parametrize("name", VAULTS)
def test_records_do_not_depend_on_the_place_of_the_vault(name: str, tmp_path: Path) -> None:
    copy = shutil.copytree(FIXTURES / name, tmp_path / "elsewhere" / name)

    assert run(copy, "--ndjson").stdout == run(FIXTURES / name, "--ndjson").stdout


def test_no_command_changes_the_vault(folder: Path) -> None:
    vault = shutil.copytree(FIXTURES / "mindnet", folder / "mindnet")
    note = next(iter(sorted(vault.rglob("*.md"))))
    questions = folder / "questions.json"
    questions.write_text('[{"question": "Bienen?", "notes": ["Bienen"]}]', encoding="utf-8")
    here = ("--store", folder / "store")
    before = {path: (content, (vault / path).stat().st_mtime_ns) for path, content in read_vault(vault).items()}

    commands: list[tuple[str | Path, ...]] = [
        (vault, *here, "--dry-run"),
        (vault, *here, "--out", folder / "out"),
        (vault, *here, "--rebuild"),
        (vault, "--ndjson"),
        (note, "--vault", vault),
        ("validate", vault),
        ("validate", "--store", folder / "store"),
        ("show", note, "--vault", vault),
        ("search", "Bienen", "--mode", "bm25", *here),
        ("related", note.stem, *here),
        ("eval", questions, *here),
        ("status", *here),
        ("export", *here),
        ("forget", vault, "--yes", *here),
    ]
    assert {str(words[0]) for words in commands} >= set(COMMANDS) - {"index", "import"}
    for words in commands:
        run(*words)
        after = {path: (content, (vault / path).stat().st_mtime_ns) for path, content in read_vault(vault).items()}
        assert after == before, words


def test_links_out_of_the_vault_open_nothing_there(tmp_path: Path) -> None:
    outside = tmp_path / "aussen"
    vault = tmp_path / "vault"
    made_vaults.write({"geheim.md": "Geheimer Satz. ^b\n\n## Teil\n", "bild.png": ""}, outside)
    board = {"nodes": [{"id": "a", "type": "file", "file": "../aussen/geheim.md"}], "edges": []}
    paths = [
        "../aussen/geheim",
        "../aussen/geheim.md",
        f"{outside}/geheim.md",
        "..\\aussen\\geheim",
        "a/../../aussen/geheim",
    ]
    text = "\n".join(
        f"![[{path}]] [[{path}#Teil]] [x](<{path}>) ![y]({path}#^b) related:: [[{path}]]\n" for path in paths
    )
    head = f"---\nrelated: '[[../aussen/geheim]]'\ndepends_on: {outside}/geheim.md\n---\n"
    made_vaults.write({"Start.md": head + text, "Brett.canvas": json.dumps(board), "a/b.md": text}, vault)

    with opened_files() as opened:
        ran = run(vault, "--ndjson")

    assert any(path.endswith("Start.md") for path in opened)
    assert [path for path in opened if "aussen" in path] == []
    edges = [record for record in ran.records if record["record"] == "edge" and record["kind"] == "references"]
    assert edges
    assert not any(edge["resolved"] for edge in edges)
    assert "Geheimer Satz" not in ran.stdout.decode()


@contextmanager
def opened_files() -> Iterator[list[str]]:
    """The paths of all files and folders that are opened or listed meanwhile."""
    opened: list[str] = []
    LISTENERS.append(opened)
    try:
        yield opened
    finally:
        LISTENERS.remove(opened)


LISTENERS: list[list[str]] = []


def hear(event: str, args: tuple[Any, ...]) -> None:
    if LISTENERS and event in ("open", "os.listdir", "os.scandir") and isinstance(args[0], str | bytes):
        LISTENERS[-1].append(os.fsdecode(args[0]))


sys.addaudithook(hear)  # a hook cannot be taken away again: without a listener it does nothing


# --- a store and its vault -------------------------------------------------------------------------------------------


def test_export_prints_the_lines_of_ndjson(indexed: tuple[Indexed, Record]) -> None:
    vault, _ = indexed

    assert sorted(vault.exported().lines) == sorted(vault.printed().lines)


def test_second_run_writes_nothing_and_says_so(indexed: tuple[Indexed, Record]) -> None:
    vault, _ = indexed
    before = vault.exported().stdout

    report = vault.index()

    notes = report["notes"]
    assert report["writes"] == NOTHING
    assert report["notes_written"] == []
    assert report["embedded"]["texts"] == 0
    assert (notes["unchanged"], notes["indexed"]) == (notes["seen"], notes["seen"] - notes["excluded"])
    assert not any(notes[name] for name in ("changed", "renamed", "deleted", "failed"))
    assert vault.exported().stdout == before


def test_the_report_counts_what_is_stored(indexed: tuple[Indexed, Record]) -> None:
    check_numbers(*indexed)


def check_numbers(vault: Indexed, report: Record) -> None:
    records = vault.exported().records
    lines = Counter(record["record"] for record in records)
    owners = [record for record in records if record["record"] in ("note", "canvas")]
    left_out = [owner for owner in owners if owner["excluded"]]

    assert report["chunks"]["stored"] == lines["chunk"] == sum(owner["n_chunks"] for owner in owners)
    assert lines["edge"] == sum(owner["n_edges"] for owner in owners)
    assert report["edges"]["stored"] == vault.edge_points()
    assert (report["notes"]["seen"], report["canvases"]) == (lines["note"], lines["canvas"])
    assert report["notes"]["indexed"] == lines["note"] - len(left_out)
    assert report["notes"]["excluded"] == len(left_out)
    assert not any(owner["n_chunks"] or owner["n_edges"] for owner in left_out)


def test_the_status_counts_what_is_stored(indexed: tuple[Indexed, Record]) -> None:
    vault, report = indexed

    status = run("status", "--json", "--store", vault.store).records[0]

    lines = Counter(record["record"] for record in vault.exported().records)
    assert (status["chunks"], status["edges"]) == (lines["chunk"], lines["edge"])
    assert status["notes"] + status["boards"] + status["excluded"] == lines["note"] + lines["canvas"]
    assert (status["excluded"], status["pending"]) == (report["notes"]["excluded"], 0)


# Without shrinking: each example is several runs, and there are very many smaller ones.
RUNS = settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


@RUNS
@given(states=st.lists(made_vaults.vaults(), min_size=1, max_size=3))
def test_the_store_holds_what_the_vault_says_whatever_it_held_before(states: list[dict[str, str]]) -> None:
    check_states(states)


@pytest.mark.long
@settings(RUNS, max_examples=150)
@given(states=st.lists(made_vaults.vaults(), min_size=1, max_size=5))
def test_the_store_holds_what_the_vault_says_in_many_runs(states: list[dict[str, str]]) -> None:
    check_states(states)


def check_states(states: list[dict[str, str]]) -> None:
    with quick_folder() as made:
        vault = Indexed(made / "vault", made / "store")
        for files in states:
            made_vaults.write(files, vault.vault)
            report = vault.index()

            assert sorted(vault.exported().lines) == sorted(vault.printed().lines)
            check_numbers(vault, report)
        assert vault.index()["writes"] == NOTHING
