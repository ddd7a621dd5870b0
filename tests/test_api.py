"""The library: few names, the same records as the command line, an embedder of one's own."""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime, timedelta, timezone
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pytest
from asked_vault import asked_vault, made_up_vectors
from commands import run
from numpy.typing import NDArray

import mindnet_chunker
from mindnet_chunker import (
    IndexOptions,
    MindnetError,
    VaultOptions,
    api,
    chunk_note,
    chunk_vault,
    index_vault,
    open_store,
    search,
)
from mindnet_chunker.embedding.embedder import EmbedCounts, EmbeddingText
from mindnet_chunker.errors import StoreBusyError
from mindnet_chunker.index.points import line_of
from mindnet_chunker.retrieval.ways import MODES, Expand, Mode
from mindnet_chunker.runs.options import AnyPath
from mindnet_chunker.runs.places import OpenIndex

ROOT = Path(__file__).parent.parent


class LetterEmbedder:
    """A text's vector counts its letters: enough to find what is written alike."""

    name, dim, window, identity = "letters", 26, 512, "letters-1"

    def __init__(self) -> None:
        self.counts = EmbedCounts()

    def start_loading(self) -> None:
        pass

    def embed(
        self, texts: Sequence[EmbeddingText], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        self.counts = EmbedCounts(self.counts.texts + len(texts), 0, 0)
        return np.stack([self.embed_query(text.text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        found = np.array([text.lower().count(chr(97 + place)) for place in range(26)], dtype=np.float32) + 0.01
        return found / np.linalg.norm(found)


def test_the_examples_in_the_docstrings_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "vault_fixtures" / "mindnet", tmp_path / "vault_fixtures" / "mindnet")
    monkeypatch.chdir(tmp_path)

    with made_up_vectors():
        result = doctest.testmod(api)

    assert result.attempted > 5
    assert result.failed == 0


def test_public_names_are_few_and_all_there() -> None:
    for name in mindnet_chunker.__all__:
        assert getattr(mindnet_chunker, name) is not None
    with pytest.raises(AttributeError):
        mindnet_chunker.nothing  # noqa: B018


def test_a_vault_gives_the_lines_of_the_command_line() -> None:
    lines = [line_of(record) for record in chunk_vault(ROOT / "vault_fixtures" / "gold")]

    done = subprocess.run(
        [sys.executable, "-m", "mindnet_chunker", "vault_fixtures/gold", "--ndjson", "-q"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip

    assert lines == done.stdout.splitlines()


def test_a_note_is_json_from_end_to_end() -> None:
    for record in chunk_note("---\ntags: [a]\n---\n# T\n\nText with [[Link]].\n", "T.md"):
        assert json.loads(line_of(record)) == record


def test_an_embedder_of_ones_own_makes_and_answers_an_index(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("Zebra zigzag pizza.\n", encoding="utf-8")
    (tmp_path / "vault" / "b.md").write_text("Moon and moor and room.\n", encoding="utf-8")
    own = LetterEmbedder()

    first = index_vault(tmp_path / "vault", store=tmp_path / "store", embedder=own)
    again = index_vault(tmp_path / "vault", store=tmp_path / "store", embedder=own)
    with open_store(store=tmp_path / "store") as index:
        hits = search(index, "zzz pizza", mode="dense", embedder=own)

    assert (first.exit_code, first.notes["indexed"], own.counts.texts) == (0, 2, 2)
    assert (again.notes["unchanged"], again.writes.total()) == (2, 0)
    assert hits[0].payload["path"] == "a.md"


def test_an_index_by_an_own_embedder_cannot_be_asked_by_meaning_without_it(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("Zebra.\n", encoding="utf-8")
    index_vault(tmp_path / "vault", store=tmp_path / "store", embedder=LetterEmbedder())

    with open_store(store=tmp_path / "store") as index:
        assert search(index, "zebra", mode="bm25")[0].payload["path"] == "a.md"
        with pytest.raises(mindnet_chunker.MindnetError, match="letters"):
            search(index, "zebra")


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Path, Path]]:
    with asked_vault() as places:
        yield places


@pytest.fixture
def index(asked: tuple[Path, Path]) -> Iterator[OpenIndex]:
    with open_store(store=asked[1]) as opened:
        yield opened


EVERY_FILTER: dict[str, Any] = {
    "type": "concept", "tag": "#Tiere", "path": "Garten", "area": "garten", "lang": "de", "since": "2025", "until": "2025-06",
}  # fmt: skip


def words_for(filters: Mapping[str, Any]) -> list[str]:
    return [word for name, value in filters.items() for word in (f"--{name}", str(value))]


@pytest.mark.parametrize("expand", [None, "section", "note", "links"])
@pytest.mark.parametrize("mode", ["fused", "dense", "bm25"])
def test_a_question_gets_the_hits_of_the_command(asked: tuple[Path, Path], mode: Mode, expand: Expand | None) -> None:
    for filters in ({}, EVERY_FILTER, {"path": "Garten/Obst"}):
        words = words_for({**filters, "mode": mode, "top": 3} | ({"expand": expand} if expand else {}))
        printed = run("search", "Mai Apfelbaum", *words, "--store", asked[1], "--json").records

        with open_store(store=asked[1]) as index:
            hits = search(index, "Mai Apfelbaum", top=3, mode=mode, expand=expand, **filters)

        assert [hit.record() for hit in hits] == printed
        assert hits
        assert not any(hit.stale for hit in hits)


def test_the_filters_are_those_of_the_command() -> None:
    import inspect

    from mindnet_chunker.cli import asking
    from mindnet_chunker.retrieval.filters import Conditions

    ours, theirs = (inspect.signature(each).parameters for each in (search, asking.search))

    assert {field.name for field in fields(Conditions)} <= set(ours)
    assert {"top", "mode", "expand", "model", "query_prefix"} <= set(ours) & set(theirs)


def test_each_filter_takes_one_text_or_several(index: OpenIndex) -> None:
    def found(**filters: Any) -> set[str]:
        return {hit.payload["path"] for hit in search(index, "Mai", mode="dense", top=50, **filters)}

    both = {"Garten/Bienen & Co.md", "Garten/Obst.md"}
    assert found(type="concept") == found(type=["concept"]) == both
    assert found(path=Path("Garten/Obst.md")) == {"Garten/Obst.md"}
    assert found(path=["Wetter", PurePath("Ort.md")]) == {"Wetter.md", "Ort.md"}
    assert found(tag=("tiere", "tiere/bienen")) == {"Garten/Bienen & Co.md"}
    assert found(type=()) == found()


def test_since_and_until_take_dates(index: OpenIndex) -> None:
    def found(**when: Any) -> set[str]:
        return {hit.payload["path"] for hit in search(index, "Mai", mode="bm25", top=50, **when)}

    assert found(since=date(2025, 5, 1), until=date(2025, 5, 1)) == {"Garten/Bienen & Co.md"}
    assert found(since=datetime(2025, 5, 1, 0, 0, 1)) == set()
    assert found(until=datetime(2025, 5, 1, 2, tzinfo=timezone(timedelta(hours=2)))) == {"Garten/Bienen & Co.md"}


def test_a_hit_of_a_changed_file_is_stale_and_answered_from_the_index(
    asked: tuple[Path, Path], index: OpenIndex
) -> None:
    file = asked[0] / "Garten/Bienen & Co.md"
    before = file.read_bytes()
    file.write_text("Ganz anders.", encoding="utf-8")

    hits = search(index, "Korb", mode="bm25", expand="section")

    file.write_bytes(before)
    assert (hits[0].stale, hits[0].expanded) == (True, "### Fang\n\nMan fängt ihn mit einem Korb.")


@pytest.mark.parametrize(
    ("asked_for", "what", "hint"),
    [
        ({"type": "conzept"}, "nothing in the index has the type `conzept`", "did you mean `concept`?"),
        ({"since": "soon"}, "`since` is no date: `soon`", "allowed are 2025"),
        ({"since": "2025", "until": "2024"}, "`since` 2025 is after `until` 2024", "exchange the two"),
        ({"mode": "both"}, "`mode` is 'both'", "one of: 'fused', 'dense', 'bm25'"),
        ({"expand": "all"}, "`expand` is 'all'", "one of: 'section', 'note', 'links', None"),
        ({"top": 0}, "`top` is 0", "a whole number from 1"),
        ({"question": " "}, "the question is empty", "Why do bees swarm?"),
        ({"model": "intfloat/e5-small"}, "the vectors were made by `all-MiniLM-L6-v2`, not by", "leave `--model` out"),
    ],
)
def test_what_cannot_be_asked_is_an_error_with_the_way_out(
    index: OpenIndex, asked_for: dict[str, Any], what: str, hint: str
) -> None:
    with pytest.raises(MindnetError) as caught:
        search(index, **{"question": "Mai", **asked_for})

    assert caught.value.what.startswith(what)
    assert hint in caught.value.hint


def test_an_index_is_asked_while_it_is_open(asked: tuple[Path, Path]) -> None:
    with open_store(store=asked[1]) as index:
        pass

    with pytest.raises(MindnetError, match="the index is closed"):
        search(index, "Mai", mode="bm25")


def test_an_embedder_that_did_not_make_the_index_is_refused(index: OpenIndex) -> None:
    for mode in MODES:
        with pytest.raises(MindnetError, match=r"the vectors were made by `all-MiniLM-L6-v2`, not by .* `letters`"):
            search(index, "Mai", mode=mode, embedder=LetterEmbedder())


# --- paths -----------------------------------------------------------------------------------------------------------


class Place:
    """A path that is neither text nor `Path`."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __fspath__(self) -> str:
        return self._text


def everything_with(form: Callable[[str], AnyPath], folder: Path) -> list[object]:
    """What every public function gives whose paths are all of one form."""
    vault, types, out = folder / "vault", folder / "types.yaml", folder / f"out-{form.__name__}"
    store = form(str(folder / f"store-{form.__name__}"))
    own = LetterEmbedder()
    chunks = list(chunk_vault(form(str(vault)), types=form(str(types))))
    note = chunk_note("[[b]]", form("a.md"), vault=form(str(vault)), types=form(str(types)))
    report = index_vault(
        form(str(vault)),
        store=store,
        options=VaultOptions(types=form(str(types))),
        run=IndexOptions(out=form(str(out))),
        embedder=own,
    )
    with open_store(store=store) as index:
        stored = index.store.count("chunks", index.vault)
    with open_store(store=store, vault=form(str(vault))) as index:
        assert index.store.count("chunks", index.vault) == stored
    return [chunks, note, report.notes, stored, (out / "a" / "chunks.json").is_file()]


def test_a_path_may_be_text_or_anything_that_is_one(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "a.md").write_text("# A\n\nSee [[b]].\n", encoding="utf-8")
    (tmp_path / "vault" / "b.md").write_text("Zebra.\n", encoding="utf-8")
    (tmp_path / "types.yaml").write_text("default: {max: 300}\n", encoding="utf-8")

    by_path = everything_with(Path, tmp_path)

    assert by_path[-2:] == [2, True]
    assert everything_with(str, tmp_path) == by_path
    assert everything_with(Place, tmp_path) == by_path


@pytest.mark.parametrize(
    "call",
    [
        lambda path: list(chunk_vault(path)),
        lambda path: list(chunk_vault(ROOT / "vault_fixtures" / "gold", types=path)),
        lambda path: chunk_note("x", vault=path),
        lambda path: chunk_note("x", types=path),
        lambda path: index_vault(path),
        lambda path: index_vault(ROOT / "vault_fixtures" / "gold", store=path),
        lambda path: index_vault(ROOT / "vault_fixtures" / "gold", options=VaultOptions(types=path)),
        lambda path: index_vault(ROOT / "vault_fixtures" / "gold", run=IndexOptions(out=path)),
        lambda path: open_store(store=path),
        lambda path: open_store(vault=path),
    ],
)
def test_a_tilde_is_not_expanded_nor_taken_for_a_folder(
    call: Callable[[AnyPath], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    for path in ("~/Notes", "~", Path("~/Notes")):
        with pytest.raises(MindnetError) as caught:
            call(path)
        assert str(caught.value) == f"{path}: `~` is not expanded here"
        assert "expanduser" in caught.value.hint
    with pytest.raises(MindnetError, match="a path is empty"):
        call("")
    assert list(tmp_path.iterdir()) == []


def test_one_glob_may_be_given_as_text(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "old/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Text.", encoding="utf-8")

    chunks = [record["path"] for record in chunk_vault(tmp_path, exclude="old") if record["record"] == "chunk"]

    assert chunks == ["a.md", "b.md"]


def test_a_server_is_reached_from_python_on_the_terms_of_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_certificates = str(tmp_path / "ca.pem")
    with pytest.raises(MindnetError) as caught, open_store(url="https://localhost:1", ca_cert=no_certificates):
        pass
    assert caught.value.where == no_certificates

    monkeypatch.setenv("QDRANT_API_KEY", "key")
    with pytest.raises(MindnetError, match="over plain http"):
        index_vault(ROOT / "vault_fixtures" / "gold", url="http://192.0.2.1:6333")


def test_a_store_in_use_is_waited_for_as_long_as_one_likes(asked: tuple[Path, Path]) -> None:
    _, store = asked
    begun = time.monotonic()

    with open_store(store=store), pytest.raises(StoreBusyError), open_store(store=store, wait=0):
        pass

    assert time.monotonic() - begun < 9
