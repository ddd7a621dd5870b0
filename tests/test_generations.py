from __future__ import annotations

from pathlib import Path

import pytest
from fake_vault import MODEL, FakeEmbedder, FakeVault, expected, run, snapshot
from memory_store import MemoryHome

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.edge_store import EdgeHome
from mindnet_chunker.index.generations import finish, generation_name, look_at_target, open_target
from mindnet_chunker.index.store import DamagedStoreError, Model
from mindnet_chunker.index.sync import SyncReport, sync

FILES = {"a.md": "Text von A [[b]].", "b.md": "Text von B."}
OTHER = Model(name="Other/Model", dim=5, identity="ffff0123456789")
ABOUT = {"root": "/garden"}


def index(
    home: MemoryHome | EdgeHome,
    model: Model = MODEL,
    *,
    vault: str = "v",
    files: dict[str, str] = FILES,
    rebuild: bool = False,
    stop: bool = False,
) -> SyncReport:
    """A run as the pipeline makes it; `stop`: it is stopped after its first batch."""
    target = open_target(home, vault, ABOUT, model, rebuild=rebuild)
    embedder = FakeEmbedder(model.dim)
    report = sync(
        target.store, vault, FakeVault(files, vault).wanted(), embedder,
        afresh=target.afresh, should_stop=lambda: stop and bool(embedder.calls),
    )  # fmt: skip
    if not report.left_over:
        finish(home, target, vault, ABOUT)
    return report


def many(count: int) -> dict[str, str]:
    return {f"n{i:03}.md": f"Nummer {i}." for i in range(count)}


def test_a_first_run_is_in_force_from_its_start() -> None:
    home = MemoryHome()

    index(home, files=many(200), stop=True)

    assert 0 < home.open().count("notes", "v") < 200
    assert home.vaults == {"v": ABOUT}


def test_the_same_model_goes_on_in_its_generation() -> None:
    home = MemoryHome()
    index(home)

    again = index(home)

    assert again.unchanged == 2
    assert list(home.stores) == [generation_name(MODEL)]


def test_another_model_takes_over_when_its_generation_is_complete() -> None:
    home = MemoryHome()
    index(home)

    report = index(home, OTHER)

    assert report.embedded_texts == 2
    assert home.open().model == OTHER
    assert list(home.stores) == [generation_name(OTHER)]
    assert home.vaults == {"v": ABOUT}


def test_the_old_generation_serves_while_the_new_one_is_filled() -> None:
    home = MemoryHome()
    index(home, files=many(200))

    index(home, OTHER, files=many(200), stop=True)

    assert home.open().model == MODEL
    assert home.open().count("notes", "v") == 200


def test_an_unfinished_generation_goes_on_in_the_next_run() -> None:
    home = MemoryHome()
    index(home, files=many(200))
    first = index(home, OTHER, files=many(200), stop=True)

    second = index(home, OTHER, files=many(200))

    assert 0 < first.embedded_texts < 200
    assert first.embedded_texts + second.embedded_texts == 200
    assert home.open().model == OTHER


def test_an_unfinished_generation_is_dropped_by_a_run_of_another_model() -> None:
    home = MemoryHome()
    index(home, files=many(200))
    index(home, OTHER, files=many(200), stop=True)

    index(home, files=many(200))

    assert list(home.stores) == [generation_name(MODEL)]


def test_a_rebuild_fills_a_new_generation_of_the_same_model() -> None:
    home = MemoryHome()
    index(home)
    old = home.open()

    report = index(home, rebuild=True)
    again = index(home, rebuild=True)

    assert report.embedded_texts == again.embedded_texts == 2
    assert home.open() is not old
    assert len(home.stores) == 1
    assert snapshot(home.open()) == expected(FILES)


def test_a_rebuild_that_was_stopped_begins_again() -> None:
    home = MemoryHome()
    index(home, files=many(200))
    index(home, files=many(200), rebuild=True, stop=True)

    report = index(home, files=many(200), rebuild=True)

    assert report.embedded_texts == 200
    assert len(home.stores) == 1


def test_another_model_is_refused_where_other_vaults_use_the_store() -> None:
    home = MemoryHome()
    index(home, vault="v")
    index(home, vault="w")

    for rebuild in (False, True):
        with pytest.raises(StoreError, match="Other/Model") as caught:
            index(home, OTHER, vault="w", rebuild=rebuild)
        assert "--model fake" in caught.value.hint

    assert snapshot(home.open(), "v") == expected(FILES, "v")


def test_a_rebuild_leaves_other_vaults_in_the_store_alone() -> None:
    home = MemoryHome()
    index(home, vault="v")
    index(home, vault="w")

    report = index(home, vault="w", rebuild=True, files={"a.md": FILES["a.md"]})

    assert report.embedded_texts == 1
    assert snapshot(home.open(), "v") == expected(FILES, "v")
    assert snapshot(home.open(), "w") == expected({"a.md": FILES["a.md"]}, "w")


def test_a_damaged_store_is_filled_again_only_on_request() -> None:
    class Damaged(MemoryHome):
        damaged = True

        def meta(self):  # type: ignore[no-untyped-def]
            if self.damaged:
                raise DamagedStoreError("meta.json")
            return super().meta()

        def reset(self) -> None:
            super().reset()
            self.damaged = False

    home = Damaged()
    with pytest.raises(DamagedStoreError):
        index(home)

    index(home, rebuild=True)

    assert snapshot(home.open()) == expected(FILES)


def test_a_dry_run_looks_and_makes_nothing() -> None:
    home = MemoryHome()
    empty = look_at_target(home, MODEL, rebuild=False)
    index(home)
    full = look_at_target(home, MODEL, rebuild=False)
    other = look_at_target(home, OTHER, rebuild=False)

    assert run(empty, FILES, dry_run=True).embedded_texts == 2
    assert run(full, FILES, dry_run=True).embedded_texts == 0
    assert run(other, FILES, dry_run=True).embedded_texts == 2
    assert run(look_at_target(home, MODEL, rebuild=True), FILES, dry_run=True).embedded_texts == 2
    assert list(home.stores) == [generation_name(MODEL)]


@pytest.mark.parametrize("name", ["a/b c", "Ä", "", "..", "x" * 200, "C:\\models\\e5"])
def test_a_generation_has_a_name_that_any_folder_may_have(name: str) -> None:
    made = generation_name(Model(name=name, dim=384, identity="0123456789"))

    assert made.isascii()
    assert not set(made) & set('/\\:*?"<>| ')
    assert 0 < len(made) < 64
    assert not made.startswith(".")


def test_with_an_embedded_store_a_new_model_takes_over_and_the_old_files_go(tmp_path: Path) -> None:
    with EdgeHome(tmp_path / "store", command="test", wait=0) as home:
        index(home)
    with EdgeHome(tmp_path / "store", command="test", wait=0) as home:
        index(home, OTHER)
    with EdgeHome(tmp_path / "store", command="test", wait=0) as home:
        store = home.open()
        assert store.model == OTHER
        assert store.count("chunks", "v") == 2

    assert [path.name for path in (tmp_path / "store" / "generations").iterdir()] == [generation_name(OTHER)]
