"""A run over a vault of which nothing has changed looks at its files from outside, and into no note and no store."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from changed_vault import write_notes
from commands import make_runs_quick, quick_folder, run
from indexed_vault import Indexed

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.edge_store import EdgeStore
from mindnet_chunker.records import Record
from mindnet_chunker.runs import facts, unchanged
from mindnet_chunker.runs import index as index_runs
from mindnet_chunker.runs.facts import VaultFacts

NOTE = "Ideas/Bees.md"
LATER = 10_000_000_000  # nanoseconds


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Indexed]:
    """An indexed vault, whose files count as older than they are."""
    make_runs_quick(monkeypatch)
    monkeypatch.setattr(index_runs, "settled_until", lambda: time.time_ns() + LATER)
    with quick_folder() as folder:
        found = Indexed(write_notes(folder / "vault"), folder / "store")
        (found.vault / NOTE).parent.mkdir(exist_ok=True)
        (found.vault / NOTE).write_text("---\ntags: [bees]\n---\nBees dance. See [[picture.png]].\n")
        (found.vault / "types.yaml").write_text("thought: {target: [100, 200], max: 300}\n")
        found.index()
        yield found


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was looked into."""
    seen: list[str] = []

    def spy(owner: type, name: str, what: str) -> None:
        real: Callable[..., Any] = getattr(owner, name)

        def told(*args: Any, **named: Any) -> Any:
            seen.append(what)
            return real(*args, **named)

        monkeypatch.setattr(owner, name, told)

    spy(EdgeStore, "_shard", "store")
    spy(VaultFacts, "__init__", "notes")
    return seen


def lasting(report: Record) -> Record:
    return {name: value for name, value in report.items() if name not in ("run_id", "timings")}


def test_it_reports_what_a_look_into_notes_and_store_would_show(vault: Indexed, looked: list[str]) -> None:
    from_outside = vault.index()
    assert looked == []

    (vault.store / "store.seal").unlink()
    from_inside = vault.index()
    assert set(looked) == {"store", "notes"}
    assert lasting(from_outside) == lasting(from_inside)
    assert from_outside["notes"]["unchanged"] == from_outside["notes"]["indexed"] > 1


def test_it_says_what_such_a_look_would_say(vault: Indexed, looked: list[str]) -> None:
    from_outside = run(vault.vault, "--store", vault.store)
    (vault.store / "store.seal").unlink()
    from_inside = run(vault.vault, "--store", vault.store)

    assert (from_outside.exit_code, from_outside.stderr) == (from_inside.exit_code, from_inside.stderr)


def test_it_writes_nothing_but_a_later_time_of_the_last_run(vault: Indexed) -> None:
    def states() -> dict[Path, tuple[int, int]]:
        files = (path for path in vault.store.rglob("*") if path.is_file() and path.suffix != ".holder")
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}

    before = states()
    vault.index()

    assert states() == before


def test_questions_between_two_runs_change_nothing(vault: Indexed, looked: list[str]) -> None:
    assert run("search", "dance", "--mode", "bm25", "--store", vault.store).exit_code == 0
    assert run("export", "--store", vault.store).exit_code == 0
    assert "store" in looked
    looked.clear()

    vault.index()

    assert looked == []


def edit_unseen(vault: Indexed) -> None:
    """As long as before, and as old."""
    note = vault.vault / NOTE
    stat = note.stat()
    note.write_text(note.read_text().replace("dance", "stand"))
    os.utime(note, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def hide_in_settings(vault: Indexed) -> None:
    (vault.vault / ".obsidian").mkdir()
    (vault.vault / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["Ideas/"]}')


def wear_out(vault: Indexed) -> None:
    """A file of the store is written, with the bytes that it had."""
    file = next((vault.store / "generations").rglob("segment.json"))
    file.write_bytes(file.read_bytes())


def damage_seal(vault: Indexed) -> None:
    seal = vault.store / "store.seal"
    seal.write_bytes(seal.read_bytes().replace(b'"seen": 5', b'"seen": 6'))
    assert b'"seen": 6' in seal.read_bytes()


CHANGES: dict[str, Callable[[Indexed], object]] = {
    "a note that looks the same from outside": edit_unseen,
    "a note that is gone": lambda vault: (vault.vault / NOTE).unlink(),
    "a note that was moved": lambda vault: (vault.vault / NOTE).rename(vault.vault / "Bees.md"),
    "a new file that a link may point at": lambda vault: (vault.vault / "picture.png").write_bytes(b"png"),
    "another row of types.yaml": lambda vault: (vault.vault / "types.yaml").write_text("thought: {max: 400}\n"),
    "settings of Obsidian": hide_in_settings,
    "a file of the store": wear_out,
    "the seal itself": damage_seal,
    "a store of an older run, brought back": lambda vault: shutil.copytree(
        shutil.move(vault.store, vault.store.parent / "backup"), vault.store
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_is_seen(vault: Indexed, looked: list[str], change: Callable[[Indexed], object]) -> None:
    change(vault)

    vault.index()

    assert set(looked) == {"store", "notes"}


@pytest.mark.parametrize("words", [("--exclude", "Ideas/**"), ("--rebuild",), ("--dry-run",)])
def test_other_options_are_seen(vault: Indexed, looked: list[str], words: tuple[str, ...]) -> None:
    vault.index(*words)

    assert "notes" in looked


def test_after_a_run_that_broke_off_between_two_writes_the_store_is_looked_into(
    vault: Indexed, looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.vault / NOTE).write_text("Bees sing.\n")

    def broken(self: EdgeStore, kind: str, points: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        upsert = EdgeStore.upsert
        patch.setattr(EdgeStore, "upsert", lambda self, kind, points: (
            upsert(self, kind, points) if kind == "notes" else broken(self, kind, points)
        ))  # fmt: skip
        assert run(vault.vault, "--store", vault.store).exit_code == 2
    looked.clear()

    report = vault.index()

    assert set(looked) == {"store", "notes"}
    assert report["notes"]["changed"] == 1
    assert "sing" in str(vault.exported().records)


def test_the_warnings_of_the_last_run_are_told_again(vault: Indexed, looked: list[str]) -> None:
    (vault.vault / "Binary.md").write_bytes(b"\0\0\0")
    first = vault.index()
    looked.clear()
    again = vault.index()

    assert looked == []
    assert first["warnings"]
    assert again["warnings"] == first["warnings"]


def test_after_a_run_in_which_a_note_failed_all_is_looked_into(
    vault: Indexed, looked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.vault / NOTE).write_text("Bees sing.\n")
    with monkeypatch.context() as patch:
        patch.setattr(facts, "records_of", lambda *args: 1 / 0)
        assert run(vault.vault, "--store", vault.store).exit_code == 1
    looked.clear()

    vault.index()

    assert set(looked) == {"store", "notes"}


def test_a_vault_beside_it_in_the_same_store_stays_known(vault: Indexed, looked: list[str]) -> None:
    other = vault.vault.parent / "other"
    other.mkdir()
    (other / "One.md").write_text("Ants carry.\n")
    second = Indexed(other, vault.store)
    second.index()
    looked.clear()

    vault.index()
    second.index()

    assert looked == []


def test_a_file_that_has_only_just_changed_is_not_trusted(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_runs, "settled_until", unchanged.settled_until)
    (vault.vault / NOTE).touch()
    (vault.store / "store.seal").unlink()

    vault.index()

    assert not (vault.store / "store.seal").exists()
