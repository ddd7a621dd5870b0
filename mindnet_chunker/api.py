"""The library: chunk a note or a vault, index it, open the index, search it. The command line calls the same code.

Nothing heavy is imported before it is needed: chunking loads a tokenizer, no model and no store. A path may be text or
anything that `os.fspath` takes. A library expands no `~`: such a path is refused, since it would name a folder `~`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import TYPE_CHECKING

from mindnet_chunker.errors import MindnetError, UsageError
from mindnet_chunker.records import Problem, Record
from mindnet_chunker.runs.given import (
    Texts,
    index_options,
    name_if,
    note_path,
    path_if,
    path_of,
    paths_of,
    texts_of,
    vault_options,
)
from mindnet_chunker.runs.options import AnyPath, EmbedOptions, IndexOptions, StoreOptions, VaultOptions

if TYPE_CHECKING:
    from mindnet_chunker.embedding.embedder import Embedder
    from mindnet_chunker.report import Report
    from mindnet_chunker.retrieval.rank import SearchHit
    from mindnet_chunker.retrieval.ways import Expand, Mode
    from mindnet_chunker.runs.places import OpenIndex


def chunk_note(
    text: str,
    path: AnyPath = "note.md",
    *,
    vault: AnyPath | None = None,
    types: AnyPath | None = None,
    model: AnyPath | None = None,
) -> list[Record]:
    """The records of one note: its chunks in order, its edges, then the note itself.

    `path` is what the note is called in the vault; nothing is read there. Links resolve in `vault`; without one only
    links to the note itself do. `types` is a types.yaml, `model` the name or folder of the model whose tokenizer
    counts. Sizes are tokens of the text as embedded. Raises MindnetError where types or model cannot be used; what is
    wrong with the note is among its record's `warnings`.

    >>> [record["record"] for record in chunk_note("# Bees\\n\\nThey dance.\\n", "Bees.md")]
    ['chunk', 'edge', 'edge', 'note']
    """
    from mindnet_chunker.runs.reader import Trouble
    from mindnet_chunker.runs.stream import note_in
    from mindnet_chunker.vault.decode import take

    name = note_path(path)
    options = vault_options(VaultOptions(types=types, model=model))
    text, problems = take(text, name)
    return list(note_in(path_if(vault), name, text, problems, options, Trouble()).in_order())


def chunk_vault(
    vault: AnyPath,
    *,
    types: AnyPath | None = None,
    model: AnyPath | None = None,
    exclude: Texts = (),
    on_problem: Callable[[Problem], None] = lambda problem: None,
) -> Iterator[Record]:
    """The records of every note and board of a vault, in the order of their paths, as `--ndjson` prints them.

    `exclude`: globs. Notes that fail and warnings about files go to `on_problem`. Raises MindnetError, once the first
    record is asked for.

    >>> records = chunk_vault("vault_fixtures/mindnet")
    >>> sum(record["record"] == "note" for record in records)
    29
    """
    from mindnet_chunker.runs.reader import Trouble
    from mindnet_chunker.runs.stream import vault_records

    trouble = Trouble()
    options = vault_options(VaultOptions(types=types, model=model, exclude=texts_of(exclude)))
    for records in vault_records(path_of(vault), options, trouble):
        yield from records.in_order()
        for problem in (*trouble.warnings, *trouble.errors):
            on_problem(problem)
        trouble.warnings.clear()
        trouble.errors.clear()
    for problem in (*trouble.warnings, *trouble.errors):
        on_problem(problem)


def index_vault(
    vault: AnyPath,
    *,
    store: AnyPath | None = None,
    url: str | None = None,
    collection: str | None = None,
    options: VaultOptions | None = None,
    embedding: EmbedOptions | None = None,
    run: IndexOptions | None = None,
    wait: float = 10.0,
    timeout: float = 60.0,
    ca_cert: AnyPath | None = None,
    insecure: bool = False,
    embedder: Embedder | None = None,
    progress: Callable[[int, int], None] = lambda stored, total: None,
) -> Report:
    """Bring the index of a vault up to date; only what changed is embedded and written.

    `store` is the folder of an embedded store (default: in the user's data folder), `url` a Qdrant server instead, its
    key by the environment variable QDRANT_API_KEY. `wait`: seconds for a store in use; `timeout`: seconds for a request
    to a server; `ca_cert`: a PEM file; `insecure`: send the key over plain http to another host. `embedder` replaces
    the model. `progress(stored, total)` counts notes. Raises MindnetError where nothing could be done; notes that failed are in `Report.errors`.

    >>> index_vault("vault_fixtures/mindnet", store="bees").exit_code
    0
    """
    from mindnet_chunker.runs.index import Listener
    from mindnet_chunker.runs.index import index_vault as index

    _check_embedder(embedder)
    return index(
        path_of(vault),
        vault_options(options or VaultOptions()),
        StoreOptions(
            folder=path_if(store),
            url=url,
            collection=collection,
            wait=wait,
            timeout=timeout,
            ca_cert=path_if(ca_cert),
            insecure=insecure,
        ),
        embedding or EmbedOptions(),
        index_options(run or IndexOptions()),
        Listener(progress=progress),
        embedder=embedder,
    )


def open_store(
    *,
    store: AnyPath | None = None,
    vault: AnyPath | None = None,
    url: str | None = None,
    collection: str | None = None,
    wait: float = 10.0,
    timeout: float = 60.0,
    ca_cert: AnyPath | None = None,
    insecure: bool = False,
) -> AbstractContextManager[OpenIndex]:
    """Open an index for reading: by its folder, by its vault, on a server, or the only one there is.

    Use it as a context: within, no other process has an embedded store. `index.store.scroll(kind, index.vault)` gives
    all that is stored of a kind ("chunks", "notes", "edges"), each with its record as `payload`. `wait` to `insecure` are
    those of `index_vault`. Raises MindnetError.

    >>> with open_store(store="bees") as index:
    ...     paths = [note.payload["path"] for note in index.store.scroll("notes", index.vault)]
    >>> "Menschen/Jonas Vogt.md" in paths
    True
    """
    from mindnet_chunker.runs.places import opened_index

    where = StoreOptions(
        folder=path_if(store),
        url=url,
        collection=collection,
        wait=wait,
        timeout=timeout,
        ca_cert=path_if(ca_cert),
        insecure=insecure,
    )
    return opened_index(path_if(vault), where, "mindnet_chunker")


def search(
    index: OpenIndex,
    question: str,
    *,
    top: int = 5,
    mode: Mode = "fused",
    expand: Expand | None = None,
    type: Texts = (),
    tag: Texts = (),
    path: AnyPath | Iterable[AnyPath] = (),
    area: Texts = (),
    project: Texts = (),
    status: Texts = (),
    lang: Texts = (),
    since: str | date | None = None,
    until: str | date | None = None,
    model: AnyPath | None = None,
    query_prefix: str | None = None,
    embedder: Embedder | None = None,
) -> list[SearchHit]:
    """The chunks that answer a question, at most `top`, best first, ties by (-score, id).

    `mode`: "dense" by meaning, "bm25" by words (loads no model), "fused" by both.

    The filters are those of `mindnet-chunk search`; each takes one text or several. `type`, `area`, `project`,
    `status`: notes with any of these values. `lang`: chunks in any of these languages. `tag`: notes with all of these
    tags, or tags nested in them. `path`: notes below any of these folders of the vault, or these notes. `since`,
    `until`: notes created then or later, then or before, in UTC; a date, or a text: "2025", "2025-03", "2025-03-31T18:30".

    A hit's `payload` is its chunk's record; lines count from 1. `expand` fills a hit's `expanded`: "section" and "note"
    with the text around the chunk as the file has it now (where the file has changed since, the hit is `stale` and the
    text is the index's), "links" with a list of `{direction, kind, note_id, path, title, resolved, ...}`, what the note
    links to ("out") and what links to it ("in").

    `model` is where the index's own model lies now, if its name does not say, `query_prefix` replaces what that model
    wants before a question. `embedder` is the one that made the vectors, if it was your own.

    Raises MindnetError, its `hint` the way out: for an empty question, a value that nothing in the index has, a model
    that is not the index's, an index that was closed. Source: reciprocal rank fusion, Cormack et al. 2009.

    >>> with open_store(store="bees") as index:
    ...     hits = search(index, "painted hives", tag="bees", mode="bm25", top=1, expand="section")
    >>> print(f"{hits[0].payload['path']}:{hits[0].payload['line_start']}")
    20_experiences/20250823-1810-experience-painted-hives-of-radovljica.md:16
    >>> hits[0].expanded.splitlines()[0]
    '## What I saw'
    """
    from mindnet_chunker.retrieval.filters import Conditions
    from mindnet_chunker.retrieval.ways import EXPANSIONS, MODES
    from mindnet_chunker.runs.asker import Asker
    from mindnet_chunker.runs.search import SearchOptions, answer

    _check_embedder(embedder)
    _check_word("mode", mode, MODES)
    _check_word("expand", expand, (*EXPANSIONS, None))
    if index.closed.is_set():
        raise UsageError("the index is closed", where=index.place, hint="ask within `with open_store(...) as index:`")
    if top < 1:
        raise UsageError(f"`top` is {top}", hint="a whole number from 1 upwards")
    where = Conditions(
        type=texts_of(type),
        tag=texts_of(tag),
        path=paths_of(path),
        area=texts_of(area),
        project=texts_of(project),
        status=texts_of(status),
        lang=texts_of(lang),
        since=since.isoformat() if isinstance(since, date) else since,
        until=until.isoformat() if isinstance(until, date) else until,
    )
    asker = Asker(index, model=name_if(model), query_prefix=query_prefix, embedder=embedder)
    return answer(asker, question, SearchOptions(top=top, mode=mode, where=where, expand=expand))


def _check_word(name: str, word: str | None, allowed: Sequence[str | None]) -> None:
    if word not in allowed:
        raise UsageError(f"`{name}` is {word!r}", hint="one of: " + ", ".join(map(repr, allowed)))


EMBEDDER_MEMBERS = ("name", "dim", "window", "identity", "counts", "start_loading", "embed", "embed_query")


def _check_embedder(embedder: object) -> None:
    missing = [name for name in EMBEDDER_MEMBERS if embedder is not None and not hasattr(embedder, name)]
    if missing:
        raise MindnetError(
            f"an embedder needs {', '.join(f'`{name}`' for name in missing)}",
            hint="see `mindnet_chunker.Embedder`, and the example in the README",
        )
