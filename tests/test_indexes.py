"""Which index is meant, where several vaults are indexed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import made_vaults
import pytest
from commands import make_runs_quick, quick_folder, run

from mindnet_chunker.index import locks
from mindnet_chunker.index.locks import default_store


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """With two indexed vaults in it, `Bees` and `Old Houses`; runs begin in it."""
    make_runs_quick(monkeypatch)
    with quick_folder() as found:
        monkeypatch.setattr(locks, "data_folder", lambda: found / "data")
        monkeypatch.chdir(found)
        for name in ("Bees", "Old Houses"):
            index(found / name)
        yield found


def index(vault: Path, *words: str | Path) -> None:
    made_vaults.write({"Notes/One.md": f"About {vault.name}.\n"}, vault)
    ran = run(vault, *words)
    assert ran.exit_code == 0, ran.stderr


def asked(*words: str | Path) -> str:
    """The vault that answers."""
    ran = run("status", "--json", *words)
    assert ran.exit_code == 0, ran.stderr
    vault: str = ran.records[0]["vault"]
    return vault


def test_elsewhere_each_is_listed_with_the_option_that_chooses_it(folder: Path) -> None:
    for command in (("search", "bees"), ("related", "One"), ("status",), ("export",), ("validate", "--store")):
        ran = run(*command)

        assert ran.exit_code == 2
        assert ran.stderr == (
            "error: there are several indexes\n"
            "hint: name one of them, or go into its vault:\n"
            f"  --vault {folder}/Bees\n"
            f"  --vault '{folder}/Old Houses'\n"
        )
    assert asked("--vault", folder / "Old Houses") == "Old Houses"


def test_a_folder_without_an_index_is_told_so_with_those_that_have_one(folder: Path) -> None:
    (folder / "New").mkdir()
    ways = f"name one of those that are indexed:\n  --vault {folder}/Bees\n  --vault '{folder}/Old Houses'\n"

    for command in (("search", "bees"), ("related", "One"), ("status",), ("export",)):
        gone, new = run(*command, "--vault", "Gone"), run(*command, "--vault", "New")

        assert (gone.exit_code, gone.stderr) == (2, f"error: Gone: no such folder\nhint: {ways}")
        assert (new.exit_code, new.stderr) == (
            2,
            f"error: New: this vault is not indexed yet\nhint: index it: `mindnet-chunk New`, or {ways}",
        )


def test_where_nothing_is_indexed_a_folder_is_told_how_to_begin(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "data_folder", lambda: folder / "empty")

    assert run("status", "--vault", "Gone").stderr == (
        "error: Gone: no such folder\nhint: index a vault: `mindnet-chunk VAULT`\n"
    )


def test_inside_a_vault_its_index_is_taken_and_that_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder / "Old Houses" / "Notes")

    ran = run("search", "houses", "--mode", "bm25", "--json")

    assert ran.stderr == f"the current folder lies in {folder / 'Old Houses'}: its index is taken\n"
    assert ran.records[0]["text"] == "About Old Houses."
    assert run("search", "houses", "--mode", "bm25", "-q").stderr == ""


def test_a_folder_reached_by_a_link_is_the_one_it_leads_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "link").symlink_to(folder / "Bees")
    monkeypatch.chdir(folder / "link" / "Notes")

    assert asked() == "Bees"


def test_of_nested_vaults_the_innermost_is_meant(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index(folder / "Bees" / "Wild")

    monkeypatch.chdir(folder / "Bees" / "Wild" / "Notes")
    assert asked() == "Wild"
    monkeypatch.chdir(folder / "Bees" / "Notes")
    assert asked() == "Bees"


def test_a_vault_with_several_indexes_is_not_guessed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index(folder / "Bees", "--vault-id", "Hive")
    monkeypatch.chdir(folder / "Bees")

    ran = run("status")

    assert ran.exit_code == 2
    assert f"  --store {default_store('Hive')}  (`Hive`, {folder}/Bees)\n" in ran.stderr
    assert f"  --vault '{folder}/Old Houses'\n" in ran.stderr
    assert asked("--store", default_store("Hive")) == "Hive"


def test_a_vault_that_is_gone_is_named_by_its_store(folder: Path) -> None:
    shutil.rmtree(folder / "Bees")

    assert f"  --store {default_store('Bees')}  (`Bees`, {folder}/Bees)\n" in run("status").stderr


def test_of_several_vaults_in_one_store_too_the_one_around_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = folder / "store"
    for name in ("Bees", "Old Houses"):
        index(folder / name, "--store", store)

    outside = run("status", "--store", store)
    monkeypatch.chdir(folder / "Bees")

    assert outside.stderr == (
        f"error: {store}: holds several vaults\n"
        f"hint: name one of those that it holds:\n  --vault {folder}/Bees\n  --vault '{folder}/Old Houses'\n"
    )
    assert asked("--store", store) == "Bees"


def test_the_only_index_is_meant_everywhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("forget", folder / "Old Houses", "--yes").exit_code == 0

    assert asked() == "Bees"
    monkeypatch.chdir(folder / "Old Houses")
    assert asked() == "Bees"


def test_show_finds_a_note_of_the_only_index(folder: Path) -> None:
    assert run("show", "Notes/One.md").exit_code == 2
    shutil.rmtree(default_store("Old Houses"))

    for name in ("Notes/One.md", "One"):
        ran = run("show", name)
        assert (ran.exit_code, ran.stderr) == (0, "")
        assert "About Bees." in ran.stdout.decode()


def test_a_current_folder_that_is_gone_lies_in_no_vault(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()

    assert "there are several indexes" in run("status").stderr
    os.chdir(folder)


def test_a_store_that_cannot_be_read_does_not_hide_the_others(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (default_store("Bees") / "meta.json").write_text("[", encoding="utf-8")

    assert f"  --store {default_store('Bees')}\n" in run("status").stderr
    monkeypatch.chdir(folder / "Old Houses")
    assert asked() == "Old Houses"


def test_a_vault_under_another_name_is_told_how_to_go_on_with_its_index(folder: Path) -> None:
    (folder / "Bees").rename(folder / "Wild Bees")

    for place in ((), ("--store", folder / "store")):
        if place:
            index(folder / "Bees", *place)
            shutil.rmtree(folder / "Bees")
        first = run(folder / "Wild Bees", "--dry-run", *place)
        index(folder / "Wild Bees", *place)
        second = run(folder / "Wild Bees", *place)

        hint = "hint     if this is `Bees` under another name: its index goes on with --vault-id Bees, given with every run\n"
        assert hint in first.stderr
        assert "hint" not in second.stderr


def test_a_folder_that_has_an_index_under_another_id_is_told_which(folder: Path) -> None:
    (folder / "Old Houses").rename(folder / "Houses")
    again = run(folder / "Houses", "--vault-id", "Old Houses")

    ran = run(folder / "Houses")

    assert "hint" not in again.stderr
    assert "0 notes, 1 unchanged" in again.stderr
    assert (
        "hint     this folder is indexed as `Old Houses`: its index goes on with --vault-id 'Old Houses', given with every run"
    ) in ran.stderr


def test_a_new_vault_beside_others_gets_no_hint(folder: Path) -> None:
    made_vaults.write({"One.md": "About wasps.\n"}, folder / "Wasps")

    assert "hint" not in run(folder / "Wasps").stderr


def test_who_names_an_id_gets_no_hint(folder: Path) -> None:
    shutil.rmtree(folder / "Bees")
    made_vaults.write({"One.md": "About wasps.\n"}, folder / "Wasps")

    assert "hint" not in run(folder / "Wasps", "--vault-id", "wasps").stderr
