"""Who may import whom: the plan of the house, read from the imports with `ast`."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "mindnet_chunker"
BASE = ("errors", "records", "counted")

# Ours: prefixes of modules below `mindnet_chunker`. A stage may import itself, the base, and what is named here.
OURS: dict[str, tuple[str, ...]] = {
    "errors": (),
    "records": ("errors",),
    "counted": (),
    "vault": ("vault",),
    "markdown": ("markdown",),
    "chunking": ("chunking", "markdown.read", "markdown.sections"),
    "embedding": ("embedding",),
    "index": ("index",),
    "runs": (
        "runs",
        "vault",
        "markdown",
        "chunking",
        "embedding",
        "index",
        "graph",
        "assemble",
        "pipeline",
        "survey",
        "retrieval",
        "evaluate",
        "report",
        "terminal",
        "terminal_hits",
        "terminal_note",
    ),
    "retrieval": ("retrieval", "index.store", "chunking.sentences"),
    "evaluate": (),
    "graph": ("vault.names",),
    "assemble": ("graph", "index.points", "index.edges", "vault.notes"),
    "pipeline": ("assemble", "graph", "chunking", "markdown", "vault"),
    "survey": ("pipeline", "graph", "vault", "index.points"),
    "report": (),
    "terminal": (),
    "terminal_note": ("terminal",),
    "terminal_hits": ("terminal",),
}
# Edges: each owns one outside thing. `runs` and `cli` put them into the pipeline; an edge may use another.
EDGES_OF_OURS = (
    "vault.read", "vault.files", "vault.listing", "embedding.choose", "embedding.digests", "embedding.hub",
    "embedding.model_files", "embedding.tokenizer_file", "embedding.model", "embedding.bm25", "index.edge_store",
    "index.server_store", "index.locks", "index.manifest", "index.files", "terminal", "terminal_note", "terminal_hits",
)  # fmt: skip
MAY_USE_EDGES = ("runs", "cli", "__main__", "__init__")

# Outside libraries, and the only files that may import them.
LIBRARIES: dict[str, tuple[str, ...]] = {
    "markdown_it": ("markdown.blocks",),
    "mdit_py_plugins": ("markdown.blocks",),
    "frontmatter": ("vault.frontmatter",),
    "yaml": ("vault.yaml12", "chunking.type_yaml"),
    "sentencex": ("chunking.sentences", "chunking.sentence_mask"),
    "tokenizers": ("chunking.tokens", "chunking.token_spans"),
    "langdetect": ("chunking.language",),
    "torch": ("embedding.model",),
    "sentence_transformers": ("embedding.model",),
    "transformers": ("embedding.model", "embedding.tokenizer_file"),
    "numpy": ("embedding", "index", "retrieval.related", "runs"),
    "qdrant_edge": ("index.edge_store", "embedding.bm25"),
    "qdrant_client": ("index.server_store",),
    "httpx": ("index.server_store",),
    "portalocker": ("index.locks",),
    "platformdirs": ("index.locks", "embedding.digests"),
    "rich": ("terminal", "terminal_hits", "terminal_note"),
    "typer": ("cli",),
}


def modules() -> list[str]:
    return sorted(
        ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__")
        for path in HOUSE.rglob("*.py")
    )


def imports_of(module: str) -> Iterator[str]:
    path = HOUSE.joinpath(*module.split(".")).with_suffix(".py")
    if not path.exists():
        path = HOUSE.joinpath(*module.split("."), "__init__.py") if module != "__init__" else HOUSE / "__init__.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def below(module: str, *prefixes: str) -> bool:
    return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)


@pytest.mark.parametrize("module", modules())
def test_imports_follow_the_plan_of_the_house(module: str) -> None:
    stage = next((name for name in OURS if below(module, name)), None)

    for name in imports_of(module):
        root = name.split(".")[0]
        if root in LIBRARIES:
            assert below(module, *LIBRARIES[root]), f"{module} imports {name}"
        if root == "mindnet_chunker" and "." in name:
            ours = name.removeprefix("mindnet_chunker.")
            if stage is not None:
                assert below(ours, *BASE, *OURS[stage]) or ours == "__version__", f"{module} imports {name}"
            if not below(module, *MAY_USE_EDGES, *EDGES_OF_OURS):
                assert not below(ours, *EDGES_OF_OURS), f"{module} imports the edge {name}"


@pytest.mark.parametrize("module", modules())
def test_no_file_is_over_350_lines(module: str) -> None:
    path = HOUSE.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    if path.exists():
        assert len(path.read_text(encoding="utf-8").split("\n")) <= 351


def loaded_by(*arguments: str, stdin: str = "") -> set[str]:
    """Modules that a command has imported when it ends."""
    script = (
        "import sys, atexit; atexit.register(lambda: print('\\n'.join(sys.modules), file=sys.stderr));"
        f"sys.argv = ['mindnet-chunk', *{list(arguments)!r}];"
        "from mindnet_chunker.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], input=stdin, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return {line.split(".")[0] for line in done.stderr.split("\n")}


HEAVY = {"torch", "sentence_transformers", "transformers", "qdrant_client"}


def test_help_loads_nothing_heavy() -> None:
    loaded = loaded_by("--help")

    assert not loaded & (HEAVY | {"qdrant_edge", "tokenizers", "numpy", "markdown_it"})


def test_a_piped_note_loads_no_model_and_no_store() -> None:
    loaded = loaded_by("-", stdin="# A\n\nText.\n")

    assert "tokenizers" in loaded
    assert not loaded & (HEAVY | {"qdrant_edge"})
