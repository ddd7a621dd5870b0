from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.index.manifest import Entry, Manifest, Stat, manifest_path

OLD = Stat(size=10, mtime_ns=1_700_000_000_000_000_001, ctime_ns=1_700_000_000_000_000_002, inode=2**63)


def saved(path: Path, files: dict[str, tuple[Stat, str, Any]]) -> Manifest:
    manifest = Manifest(path)
    for name, (stat, content_hash, facts) in files.items():
        manifest.put(name, stat, content_hash, facts)
    manifest.save()
    return manifest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store" / "manifest"


def test_what_was_put_in_is_known_in_the_next_run(path: Path) -> None:
    saved(path, {"a/ä\n\t.md": (OLD, "h", {"links": ["x\ny"], "n": None})})

    assert Manifest(path).get("a/ä\n\t.md", OLD) == Entry("h", {"links": ["x\ny"], "n": None})


@pytest.mark.parametrize("field", Stat._fields)
def test_any_difference_means_reading(path: Path, field: str) -> None:
    saved(path, {"a.md": (OLD, "h", {})})

    assert Manifest(path).get("a.md", OLD._replace(**{field: 7})) is None
    assert Manifest(path).get("b.md", OLD) is None


def test_a_missing_file_is_an_empty_cache(path: Path) -> None:
    assert len(Manifest(path)) == 0
    assert Manifest(path).get("a.md", OLD) is None


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_any_damage_makes_it_empty_and_harmless(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("m") / "manifest"
    saved(path, {"a.md": (OLD, "h", {"x": 1}), "b.md": (OLD, "i", [])})
    whole = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(whole) - 1))
    kind = data.draw(st.sampled_from(["cut", "flip", "insert"]))
    if kind == "cut":
        del whole[at:]
    elif kind == "flip":
        whole[at] ^= data.draw(st.integers(1, 255))
    else:
        whole[at:at] = data.draw(st.binary(min_size=1, max_size=5))
    path.write_bytes(whole)

    manifest = Manifest(path)

    assert manifest.get("a.md", OLD) in (None, Entry("h", {"x": 1}))
    manifest.put("c.md", OLD, "j", 1)
    manifest.save()
    assert Manifest(path).get("c.md", OLD) == Entry("j", 1)


@pytest.mark.parametrize("content", [b"", b"\n", b"mindnet-manifest 1 x\n[]", b"\xff\0" * 1000, b"[" * 100_000])
def test_garbage_is_an_empty_cache(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)

    assert len(Manifest(path)) == 0


def test_a_folder_in_its_place_is_no_error(path: Path) -> None:
    path.mkdir(parents=True)

    saved(path, {"a.md": (OLD, "h", {})})

    assert len(Manifest(path)) == 0


def test_a_file_that_changed_a_moment_ago_is_read_again(path: Path, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_text("x")
    fresh = note.stat()
    stat = Stat(fresh.st_size, fresh.st_mtime_ns, fresh.st_ctime_ns, fresh.st_ino)
    aged = stat._replace(mtime_ns=OLD.mtime_ns)  # a copy with its old time: only the change time is new

    saved(path, {"a.md": (stat, "h", {}), "b.md": (aged, "h", {}), "c.md": (OLD, "h", {})})

    again = Manifest(path)
    assert again.get("a.md", stat) is None
    assert again.get("b.md", aged) is None
    assert again.get("c.md", OLD) is not None


def test_files_that_are_gone_are_forgotten(path: Path) -> None:
    saved(path, {name: (OLD, "h", {}) for name in ("a.md", "b.md")})

    manifest = Manifest(path)
    manifest.keep_only({"b.md", "c.md"})
    manifest.save()

    assert Manifest(path).get("a.md", OLD) is None
    assert Manifest(path).get("b.md", OLD) is not None


def test_an_unchanged_cache_is_not_written(path: Path) -> None:
    saved(path, {"a.md": (OLD, "h", {})})
    os.utime(path, ns=(1, 1))

    manifest = Manifest(path)
    manifest.keep_only({"a.md"})
    manifest.get("a.md", OLD)
    manifest.save()

    assert path.stat().st_mtime_ns == 1


def test_no_temporary_file_stays(path: Path) -> None:
    saved(path, {"a.md": (OLD, "h", {})})

    assert [file.name for file in path.parent.iterdir()] == ["manifest"]


def test_each_vault_has_its_own(tmp_path: Path) -> None:
    assert manifest_path(tmp_path, "a") != manifest_path(tmp_path, "A")
    assert manifest_path(tmp_path, "\udce4").parent == tmp_path
