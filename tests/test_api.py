"""The library: few names, the same records as the command line, an embedder of one's own."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import mindnet_chunker
from mindnet_chunker import api, chunk_note, chunk_vault, index_vault, open_store, search
from mindnet_chunker.embedding.embedder import EmbedCounts, EmbeddingText
from mindnet_chunker.index.points import line_of

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


def test_the_examples_in_the_docstrings_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    result = doctest.testmod(api)

    assert result.attempted > 3
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
