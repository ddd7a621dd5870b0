from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mindnet_chunker.errors import StoreBusyError, StoreError
from mindnet_chunker.index.locks import default_store, default_stores, run_lock, store_lock

HOLDER = """
import sys, time
from pathlib import Path
from mindnet_chunker.index.locks import store_lock
lock = store_lock(Path(sys.argv[1]), "index garden")
lock.acquire(5)
print("held", flush=True)
while not lock.wanted:
    time.sleep(0.01)
print("wanted", flush=True)
sys.stdin.readline()
lock.give_way(5)
print("back", flush=True)
"""


@contextmanager
def another_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """One that holds the lock of the store."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_second_process_is_told_who_holds_the_store(tmp_path: Path) -> None:
    with another_process(tmp_path) as process, pytest.raises(StoreBusyError, match="in use") as caught:
        store_lock(tmp_path, "search").acquire(0.1)

    assert f"process {process.pid} (`index garden`, since 20" in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert "--wait" in caught.value.hint


def test_a_lock_dies_with_its_process(tmp_path: Path) -> None:
    with another_process(tmp_path) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    lock = store_lock(tmp_path, "search")
    lock.acquire(0)

    assert lock.held


def test_a_holder_lets_go_for_a_process_that_waits_and_takes_the_lock_again(tmp_path: Path) -> None:
    with another_process(tmp_path) as process:
        assert process.stdin and process.stdout
        lock = store_lock(tmp_path, "search")
        process.stdin.write("go\n")
        process.stdin.flush()

        lock.acquire(10)
        assert not lock.wanted
        lock.release()

        assert process.stdout.readline() == "wanted\n"
        assert process.stdout.readline() == "back\n"


def test_who_gives_up_waiting_does_not_go_on_asking(tmp_path: Path) -> None:
    holder = store_lock(tmp_path, "index")
    holder.acquire(0)

    with pytest.raises(StoreBusyError):
        store_lock(tmp_path, "search").acquire(0.1)

    assert not holder.wanted


def test_a_wish_left_by_a_process_that_died_is_cleared(tmp_path: Path) -> None:
    holder = store_lock(tmp_path, "index")
    holder.acquire(0)
    (tmp_path / "store.wanted").touch()

    holder.give_way(0)

    assert holder.held
    assert not holder.wanted


def test_several_readers_all_get_in(tmp_path: Path) -> None:
    holder = store_lock(tmp_path, "index")
    holder.acquire(0)
    done = []

    def read() -> None:
        lock = store_lock(tmp_path, "search")
        lock.acquire(20)
        done.append(1)
        lock.release()

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if holder.wanted:
            holder.give_way(20)

    assert len(done) == 3


def test_a_lock_that_was_released_is_free(tmp_path: Path) -> None:
    first, second = store_lock(tmp_path, "a"), store_lock(tmp_path, "b")
    first.acquire(0)
    first.release()
    first.release()

    second.acquire(0)

    assert second.held
    assert not first.held


def test_only_one_run_at_a_time(tmp_path: Path) -> None:
    with (
        run_lock(tmp_path, "index garden"),
        pytest.raises(StoreBusyError, match="index garden") as caught,
        run_lock(tmp_path, "index again"),
    ):
        pass

    assert "one run" in caught.value.hint
    with run_lock(tmp_path, "index later"):
        pass


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"pid": "x"}', '{"pid": 1}'])
def test_a_holder_that_cannot_be_read_is_another_process(tmp_path: Path, content: str) -> None:
    holder = store_lock(tmp_path, "index")
    holder.acquire(0)
    (tmp_path / "store.holder").write_text(content, encoding="utf-8")

    with pytest.raises(StoreBusyError, match="another process"):
        store_lock(tmp_path, "search").acquire(0)


def test_the_holder_is_written_for_other_processes(tmp_path: Path) -> None:
    store_lock(tmp_path, "index ä").acquire(0)

    fields = json.loads((tmp_path / "store.holder").read_text(encoding="utf-8"))

    assert fields["pid"] == os.getpid()
    assert fields["command"] == "index ä"


def test_the_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    store_lock(tmp_path / "new" / "store", "index").acquire(0)

    assert (tmp_path / "new" / "store").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot write") as caught:
        store_lock(tmp_path / "file" / "store", "index").acquire(0)

    assert "--store" in caught.value.hint


def test_each_vault_has_a_default_store_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *args, **more: tmp_path)
    names = ["Garten", "garten", "Gärten", "笔记", "", "a/b", "..", "x" * 300, "\udce4"]

    stores = [default_store(name) for name in names]
    for store in stores:
        store.mkdir()

    assert len(set(stores)) == len(names)
    assert all(store.parent == tmp_path for store in stores)
    assert default_store("Garten") == stores[0]
    assert default_stores() == sorted(stores)


def test_without_a_data_folder_there_are_no_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *args, **more: tmp_path / "none")

    assert default_stores() == []
