"""The examples for other libraries name what is stored by its real names, and find what our own search finds.

Where a library is not installed, its example is read but not run.
"""

from __future__ import annotations

import ast
import json
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_vault import made_up_vectors
from commands import run
from qdrant_stand_in import StandIn

from mindnet_chunker import chunk_note
from mindnet_chunker.index.store import DENSE, KINDS, indexes_of

EXAMPLES = Path(__file__).parent.parent / "examples"
# file -> the library's modules, and the words that it has for the name of the vector and for the key of the text
BRIDGES = {
    "langchain_bridge.py": (("langchain_qdrant",), "vector_name", "content_payload_key"),
    "llamaindex_bridge.py": (
        ("llama_index.core", "llama_index.vector_stores.qdrant"),
        "dense_vector_name",
        "text_key",
    ),
}
NAME = "bees"
QUESTION = "Wann schwärmen Bienen?"
NOTES = {
    "Bienen.md": "# Bienen\n\n## Schwarm\n\nIm Mai schwärmen sie aus.\n\n## Fang\n\nMan fängt ihn mit einem Korb.\n\n"
    "## Siehe auch\n\n- [[Obst]]\n- [[Wetter]]\n",
    "Obst.md": "# Obst\n\n## Apfel\n\nDer Baum trägt im Oktober.\n\n## Quitte\n\nSie braucht länger.\n",
    "Wetter.md": "Im Mai regnet es oft.\n",
    "Zeit.md": "# Zeit\n\n## Morgen\n\nEs tagt.\n\n## Abend\n\nEs dämmert.\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """Filled by an index run, as the docstrings of the examples say."""
    folder = tmp_path_factory.mktemp("examples")
    vault = folder / "Notes"
    vault.mkdir()
    for path, text in NOTES.items():
        (vault / path).write_text(text, encoding="utf-8")
    with StandIn(folder / "server") as server, made_up_vectors():
        ran = run(vault, "--qdrant-url", server.url, "--collection", NAME)
        assert ran.exit_code == 0, ran.stderr
        yield server


def chunk() -> dict[str, object]:
    return next(record for record in chunk_note(NOTES["Bienen.md"]) if record["record"] == "chunk")


def tree(file: str) -> ast.Module:
    source = (EXAMPLES / file).read_text(encoding="utf-8")
    compile(source, file, "exec")
    return ast.parse(source)


def arguments(file: str, keyword: str) -> set[object]:
    """The literals that are handed over under a keyword, anywhere in a file."""
    return {
        node.value.value
        for node in ast.walk(tree(file))
        if isinstance(node, ast.keyword) and node.arg == keyword and isinstance(node.value, ast.Constant)
    }


@pytest.mark.parametrize("file", BRIDGES)
def test_an_example_names_the_vector_and_the_text_as_they_are_stored(file: str) -> None:
    _, vector, text = BRIDGES[file]

    assert arguments(file, vector) == {DENSE}
    assert arguments(file, text) == {"text"}
    assert "text" in chunk()


@pytest.mark.parametrize("file", BRIDGES)
def test_an_example_reads_and_filters_by_fields_that_a_chunk_has(file: str) -> None:
    read = {
        node.slice.value
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }

    assert read
    assert read <= chunk().keys()
    assert arguments(file, "key")
    assert arguments(file, "key") <= indexes_of("chunks").keys()


@pytest.mark.parametrize("file", BRIDGES)
def test_an_example_asks_the_collection_of_the_chunks(file: str) -> None:
    ends = {
        node.values[-1].value
        for node in ast.walk(tree(file))
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[-1], ast.Constant)
    }

    assert ends & {f"_{kind}" for kind in KINDS} == {"_chunks"}


@pytest.mark.parametrize("file", BRIDGES)
def test_an_example_finds_what_our_own_search_finds_in_the_same_order(
    file: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in BRIDGES[file][0]:
        pytest.importorskip(module, reason=f"examples/{file} was not run: {module} is not installed")
    server: StandIn = request.getfixturevalue("server")
    found = run("search", QUESTION, "--mode", "dense", "--json", "--qdrant-url", server.url, "--collection", NAME)
    hits = [json.loads(line) for line in found.lines]
    monkeypatch.setattr(sys, "argv", [file, server.url, NAME, QUESTION])
    monkeypatch.delenv("QDRANT_API_KEY", raising=False)
    server.seen.clear()

    runpy.run_path(str(EXAMPLES / file), run_name="__main__")

    assert len(hits) == 5
    assert capsys.readouterr().out.splitlines() == [
        f"{hit['path']}:{hit['line_start']} {hit['text']!r}" for hit in hits
    ]
    assert server.requests("^(PUT|PATCH|DELETE) ") == []  # it only reads


def test_every_example_is_listed() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")

    for path in EXAMPLES.iterdir():
        if path.is_file() and path.name != "README.md":
            assert f"]({path.name})" in listed
