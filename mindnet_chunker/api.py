"""The library: chunk a note or a vault, index it, open the index, search it. The command line calls the same code.

Nothing heavy is imported before it is needed: chunking loads a tokenizer, no model and no store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from mindnet_chunker.errors import MindnetError
from mindnet_chunker.records import Problem, Record
from mindnet_chunker.runs.options import EmbedOptions, IndexOptions, StoreOptions, VaultOptions

if TYPE_CHECKING:
    from mindnet_chunker.embedding.embedder import Embedder
    from mindnet_chunker.report import Report
    from mindnet_chunker.retrieval.rank import SearchHit
    from mindnet_chunker.retrieval.ways import Mode
    from mindnet_chunker.runs.places import OpenIndex


def chunk_note(
    text: str, path: str = "note.md", *, vault: Path | None = None, types: Path | None = None, model: str | None = None
) -> list[Record]:
    """The records of one note: its chunks in order, its edges, then the note itself.

    Links resolve in `vault`; without one only links to the note itself do. `types` is a types.yaml, `model` the name or
    folder of the model whose tokenizer counts. Sizes are tokens of the text as embedded. Raises MindnetError where
    types or model cannot be used; what is wrong with the note is among its record's `warnings`.

    >>> [record["record"] for record in chunk_note("# Bees\\n\\nThey dance.\\n", "Bees.md")]
    ['chunk', 'edge', 'edge', 'note']
    """
    from mindnet_chunker.runs.reader import Trouble
    from mindnet_chunker.runs.stream import note_in
    from mindnet_chunker.vault.decode import take

    text, problems = take(text, path)
    records = note_in(vault, path, text, problems, VaultOptions(types=types, model=model), Trouble())
    return list(records.in_order())


def chunk_vault(
    vault: Path,
    *,
    types: Path | None = None,
    model: str | None = None,
    exclude: Sequence[str] = (),
    on_problem: Callable[[Problem], None] = lambda problem: None,
) -> Iterator[Record]:
    """The records of every note and board of a vault, in the order of their paths, as `--ndjson` prints them.

    `exclude`: globs. Notes that fail and warnings about files go to `on_problem`. Raises MindnetError.

    >>> from pathlib import Path
    >>> records = chunk_vault(Path("vault_fixtures/gold"))
    >>> sum(record["record"] == "note" for record in records) > 5
    True
    """
    from mindnet_chunker.runs.reader import Trouble
    from mindnet_chunker.runs.stream import vault_records

    trouble = Trouble()
    options = VaultOptions(types=types, model=model, exclude=tuple(exclude))
    for records in vault_records(vault, options, trouble):
        yield from records.in_order()
        for problem in (*trouble.warnings, *trouble.errors):
            on_problem(problem)
        trouble.warnings.clear()
        trouble.errors.clear()
    for problem in (*trouble.warnings, *trouble.errors):
        on_problem(problem)


def index_vault(
    vault: Path,
    *,
    store: Path | None = None,
    url: str | None = None,
    collection: str | None = None,
    options: VaultOptions | None = None,
    embedding: EmbedOptions | None = None,
    run: IndexOptions | None = None,
    embedder: Embedder | None = None,
    progress: Callable[[int, int], None] = lambda stored, total: None,
) -> Report:
    """Bring the index of a vault up to date; only what changed is embedded and written.

    `store` is the folder of an embedded store (default: in the user's data folder), `url` a Qdrant server instead, its
    key by the environment variable QDRANT_API_KEY. `embedder` replaces the model. `progress(stored, total)` counts
    notes. Raises MindnetError where nothing could be done; notes that failed are in `Report.errors`.

    >>> index_vault(Path("~/Notes").expanduser(), store=Path("/tmp/notes")).exit_code  # doctest: +SKIP
    0
    """
    from mindnet_chunker.runs.index import Listener
    from mindnet_chunker.runs.index import index_vault as index

    _check_embedder(embedder)
    where = StoreOptions(folder=Path(store) if store else None, url=url, collection=collection)
    return index(
        Path(vault),
        options or VaultOptions(),
        where,
        embedding or EmbedOptions(),
        run or IndexOptions(),
        Listener(progress=progress),
        embedder=embedder,
    )


def open_store(
    *, store: Path | None = None, vault: Path | None = None, url: str | None = None, collection: str | None = None
) -> AbstractContextManager[OpenIndex]:
    """Open an index for reading: by its folder, by its vault, on a server, or the only one there is.

    Use it as a context: within, no other process has an embedded store. Raises MindnetError.

    >>> with open_store(store=Path("/tmp/notes")) as index:  # doctest: +SKIP
    ...     print(index.store.count("chunks", index.vault))
    """
    from mindnet_chunker.runs.places import opened_index

    return opened_index(vault, StoreOptions(folder=store, url=url, collection=collection), "mindnet_chunker")


def search(
    index: OpenIndex, question: str, *, top: int = 5, mode: Mode = "fused", embedder: Embedder | None = None
) -> list[SearchHit]:
    """The chunks that answer a question, best first, ties by (-score, id).

    `mode`: "dense" by meaning, "bm25" by words (loads no model), "fused" by both. A hit's `payload` is its chunk's
    record. `embedder` is the one that made the vectors, if it was your own. Raises MindnetError. Source: reciprocal rank fusion, Cormack et al. 2009.

    >>> with open_store(store=Path("/tmp/notes")) as index:  # doctest: +SKIP
    ...     for hit in search(index, "Why do bees swarm?"):
    ...         print(hit.payload["path"], hit.payload["line_start"])
    """
    from mindnet_chunker.retrieval.ways import MODES
    from mindnet_chunker.runs.asker import Asker

    _check_embedder(embedder)
    if mode not in MODES or top < 1:
        raise MindnetError(
            f"no search `{mode}` for {top} hits", hint=f"`mode` is one of {', '.join(MODES)}, `top` 1 or more"
        )

    return Asker(index, embedder=embedder).search(question, top=top, mode=mode)


EMBEDDER_MEMBERS = ("name", "dim", "window", "identity", "counts", "start_loading", "embed", "embed_query")


def _check_embedder(embedder: object) -> None:
    missing = [name for name in EMBEDDER_MEMBERS if embedder is not None and not hasattr(embedder, name)]
    if missing:
        raise MindnetError(
            f"an embedder needs {', '.join(f'`{name}`' for name in missing)}",
            hint="see `mindnet_chunker.Embedder`, and the example in the README",
        )
