from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_vault import MODEL as FAKE_MODEL
from fake_vault import FakeEmbedder, expected, run, snapshot
from killed import AFTER, GARDEN, Counting, Killed
from store_contract import MODEL, HomeContract, StoreContract, a_point, along, empty, names

import mindnet_chunker.index.edge_store.shards as shards
from mindnet_chunker.errors import StoreBusyError, StoreError
from mindnet_chunker.index.edge_store import EdgeHome, EdgeStore
from mindnet_chunker.index.store import KINDS, DamagedStoreError, Kind, RejectedPointsError, indexes_of


def open_home(folder: Path, wait: float = 0) -> EdgeHome:
    return EdgeHome(folder, command="test", wait=wait)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeStore]:
    """Making shards takes longer than most tests."""
    with open_home(tmp_path_factory.mktemp("shared") / "store") as home:
        yield home.create("first", MODEL)


class TestEdgeStore(StoreContract):
    @pytest.fixture
    def store(self, shared: EdgeStore) -> EdgeStore:
        empty(shared)
        return shared


class TestEdgeHome(HomeContract):
    @pytest.fixture
    def home(self, tmp_path: Path) -> Iterator[EdgeHome]:
        with open_home(tmp_path / "store") as home:
            yield home


def test_every_field_that_is_filtered_by_has_its_index(shared: EdgeStore) -> None:
    for kind in KINDS:
        schema = shared._shard(kind).info().payload_schema
        assert {name: str(info.data_type).split(".")[-1].lower() for name, info in schema.items()} == {
            name: index.replace("tenant", "keyword") for name, index in indexes_of(kind).items()
        }
        assert schema["vault"].params.is_tenant


# --- what the engine does is guarded against --------------------------------------------------------------------------


class Panic(BaseException):
    """Like a panic of the engine: no Exception."""


class Failing:
    """A shard of which some operations fail."""

    def __init__(self, shard: Any, **failures: BaseException) -> None:
        self._shard = shard
        self._failures = failures

    def __getattr__(self, name: str) -> Any:
        def fail(*args: Any) -> Any:
            raise self._failures[name]

        return fail if name in self._failures else getattr(self._shard, name)


def break_shard(store: EdgeStore, kind: Kind, **failures: BaseException) -> None:
    store._shards[kind] = Failing(store._shard(kind), **failures)


@pytest.fixture
def store(shared: EdgeStore) -> Iterator[EdgeStore]:
    shared.discard()
    empty(shared)
    yield shared
    shared.discard()


def test_an_update_that_the_engine_refuses_leaves_a_store_that_works(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.upsert("chunks", [a_point("good")])
    with monkeypatch.context() as unchecked:
        unchecked.setattr(shards, "check_points", lambda *args: None)
        with pytest.raises(RejectedPointsError, match="dimension"):
            store.upsert("chunks", [a_point("bad", vectors=along(1, 2))])

    store.upsert("chunks", [a_point("later")])

    assert names(store.scroll("chunks", "v")) == ["good", "later"]


def test_overwriting_what_is_not_there_is_refused(store: EdgeStore) -> None:
    with pytest.raises(RejectedPointsError):
        store.overwrite_payload("chunks", {a_point("x").id: a_point("x").payload})


@pytest.mark.parametrize("failure", [Panic("index out of bounds"), Exception("io")])
def test_a_panic_while_reading_is_a_damaged_store(store: EdgeStore, failure: BaseException) -> None:
    break_shard(store, "notes", scroll=failure, count=failure, facet=failure, retrieve=failure)

    for read in (
        lambda: list(store.scroll("notes", "v")),
        lambda: store.count("notes", "v"),
        lambda: store.counts_by_note("notes", "v"),
        lambda: store.retrieve("notes", "v", [a_point("x").id]),
    ):
        with pytest.raises(DamagedStoreError, match=str(failure)) as caught:
            read()
        assert "--rebuild" in caught.value.hint


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(3)])
def test_a_stop_is_no_damage(store: EdgeStore, stop: BaseException) -> None:
    break_shard(store, "notes", scroll=stop)

    with pytest.raises(type(stop)):
        list(store.scroll("notes", "v"))


def test_an_error_that_only_the_flush_shows_is_fatal(store: EdgeStore) -> None:
    store.upsert("notes", [a_point("x", of="notes")])
    break_shard(store, "notes", flush=Exception("No space left on device"))

    with pytest.raises(StoreError, match="No space left"):
        store.flush()
    with pytest.raises(StoreError, match="No space left"):
        store.close()


# --- the folder ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a vault in it, made once: most of the time goes into making shards."""
    folder = tmp_path_factory.mktemp("made") / "store"
    with open_home(folder) as home:
        store = home.create("first", FAKE_MODEL)
        home.put_in_force("first")
        home.write_vault("v", {"root": "/garden"})
        run(store, FILES)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of that store."""
    copy_sparse(made, tmp_path / "store")
    return tmp_path / "store"


def copy_sparse(source: Path, target: Path) -> None:
    """The engine's files are mostly holes: copy only what is between them, where the system can tell."""
    if not hasattr(os, "SEEK_DATA"):
        shutil.copytree(source, target)
        return
    if source.is_dir():
        target.mkdir(mode=0o700)
        for path in source.iterdir():
            copy_sparse(path, target / path.name)
        return
    with source.open("rb") as reading, target.open("wb") as writing:
        size = source.stat().st_size
        writing.truncate(size)
        at = 0
        while at < size:
            try:
                at = os.lseek(reading.fileno(), at, os.SEEK_DATA)
            except OSError:  # only a hole is left
                return
            end = os.lseek(reading.fileno(), at, os.SEEK_HOLE)
            reading.seek(at)
            writing.seek(at)
            writing.write(reading.read(end - at))
            at = end


FILES = {"a.md": "Text von A [[b]].\n\nMehr von A.", "b.md": "Text von B."}


def test_a_store_is_there_in_the_next_process(folder: Path) -> None:
    with open_home(folder) as home:
        report = run(home.open(), FILES)

        assert snapshot(home.open()) == expected(FILES)
    assert (report.upserted, report.unchanged) == (0, 2)


def test_only_its_owner_can_read_a_store(folder: Path) -> None:
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_meta_file_says_what_is_in_force(folder: Path) -> None:
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))

    assert meta == {"format": 1, "generation": "first", "vaults": {"v": {"root": "/garden"}}}


def test_a_second_opener_is_refused_and_does_no_harm(folder: Path) -> None:
    with open_home(folder) as home:
        run(home.open(), FILES | {"c.md": "Neu."})
        with pytest.raises(StoreBusyError, match="in use"), open_home(folder, wait=0.1):
            pass
        run(home.open(), FILES)

    with open_home(folder) as home:
        assert snapshot(home.open()) == expected(FILES)


def test_a_folder_of_other_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("mine")

    with pytest.raises(StoreError, match="no store of ours") as caught, open_home(tmp_path):
        pass

    assert "--store" in caught.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"format": 1}', '{"format": 1, "generation": "x", "vaults": {}}', "\0"]
)
def test_a_damaged_meta_file_is_named_with_the_way_out(folder: Path, content: str) -> None:
    (folder / "meta.json").write_text(content, encoding="utf-8")

    with open_home(folder) as home, pytest.raises(DamagedStoreError, match="damaged") as caught:
        home.meta()

    assert "--rebuild" in caught.value.hint


def test_a_store_of_a_later_version_is_not_touched(folder: Path) -> None:
    (folder / "meta.json").write_text('{"format": 2}', encoding="utf-8")

    with open_home(folder) as home, pytest.raises(StoreError, match="later version") as caught:
        home.meta()

    assert not isinstance(caught.value, DamagedStoreError)


@pytest.mark.parametrize("damage", ["no shard", "no files", "no settings", "garbage"])
def test_a_damaged_shard_is_named_with_the_way_out(folder: Path, damage: str) -> None:
    shard = folder / "generations" / "first" / "chunks"
    if damage == "no shard":
        shard.rename(folder / "elsewhere")
    elif damage == "no files":
        shard.rename(folder / "elsewhere")
        shard.mkdir()
    elif damage == "no settings":
        (shard / "edge_config.json").write_bytes(b"{")
    else:
        for file in shard.rglob("tracker.dat"):
            file.write_bytes(b"\xff" * file.stat().st_size)

    with open_home(folder) as home, pytest.raises(DamagedStoreError) as caught:
        list(home.open().scroll("chunks", "v"))

    assert "--rebuild" in caught.value.hint


def test_what_a_process_left_that_died_making_a_generation_is_swept_away(folder: Path) -> None:
    half = folder / "generations" / "half" / "chunks"
    half.mkdir(parents=True)

    with open_home(folder) as home:
        assert home.unfinished() == {}
        home.drop("nothing")

    assert not half.exists()


# --- killed and read by other processes ------------------------------------------------------------------------------

RUN = """
import json, os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from fake_vault import FakeEmbedder, run
from mindnet_chunker.index.edge_store import EdgeHome

class Embedder(FakeEmbedder):
    def dense(self, chunks):
        if len(self.calls) == 1:
            print("embedding", flush=True)
            sys.stdin.readline()
        return super().dense(chunks)

def progress(stored, total):
    if stored >= int(sys.argv[4]):
        os.kill(os.getpid(), signal.SIGKILL)

with EdgeHome(Path(sys.argv[2]), command="index garden", wait=1) as home:
    run(home.open(), json.loads(sys.argv[3]), Embedder(), progress=progress)
print("done", flush=True)
"""


def another_run(folder: Path, files: dict[str, str], kill_after: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(Path(__file__).parent), str(folder), json.dumps(files), str(kill_after)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def many(count: int) -> dict[str, str]:
    return {f"n{i:03}.md": f"Nummer {i} [[n{i + 1:03}]]." for i in range(count)}


def test_a_run_killed_by_the_system_is_healed_by_the_next(folder: Path) -> None:
    process = another_run(folder, many(300), kill_after=130)
    process.communicate("go\n")

    with open_home(folder, wait=5) as home:
        stored = home.open().count("notes", "v")
        report = run(home.open(), many(300))
        healed = snapshot(home.open())

    assert process.returncode == -signal.SIGKILL
    assert stored >= 130
    assert len(report.notes_written) <= 170
    assert healed == expected(many(300))


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.long)])
def test_a_run_that_ends_before_any_of_its_writes_is_healed_by_the_next(folder: Path, step: int) -> None:
    with open_home(folder) as home:
        for allowed in range(1, 1000, step):
            run(home.open(), GARDEN, allow_mass_delete=True)
            try:
                run(Counting(home.open(), allowed), AFTER)
            except Killed:
                home.open().discard()
            else:
                assert allowed > 15
                break
            run(home.open(), AFTER)
            assert snapshot(home.open()) == expected(AFTER), f"ended before write {allowed}"


def test_a_reader_gets_in_while_another_process_embeds_and_while_it_writes(folder: Path) -> None:
    process = another_run(folder, FILES | many(300), kill_after=1000)
    assert process.stdin and process.stdout
    assert process.stdout.readline() == "embedding\n"

    with open_home(folder, wait=5) as home:
        first = home.open().count("chunks", "v")
    process.stdin.write("go\n")
    process.stdin.flush()
    with open_home(folder, wait=20) as home:
        second = home.open().count("chunks", "v")

    assert process.communicate()[0] == "done\n"
    assert 3 <= first <= second <= 303
    with open_home(folder) as home:
        assert snapshot(home.open()) == expected(FILES | many(300))


def test_vectors_are_kept_when_a_section_moves_in_the_real_store(folder: Path) -> None:
    embedder = FakeEmbedder()
    moved = {"ordner/a.md": FILES["a.md"], "b.md": FILES["b.md"]}

    with open_home(folder) as home:
        run(home.open(), moved, embedder)

        assert embedder.texts == []
        assert snapshot(home.open()) == expected(moved)


def test_two_vaults_in_one_embedded_store_do_not_touch_each_other(folder: Path) -> None:
    with open_home(folder) as home:
        run(home.open(), FILES, name="w")
        run(home.open(), {"a.md": "Anders."}, name="w")

        assert snapshot(home.open()) == expected(FILES)
        assert snapshot(home.open(), "w") == expected({"a.md": "Anders."}, "w")
