"""`search`: the index opened, the question asked, the hits widened and printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.index.points import line_of
from mindnet_chunker.index.store import Filter, of_notes
from mindnet_chunker.records import Record
from mindnet_chunker.retrieval.expand import links_of, span_around, stored_text
from mindnet_chunker.retrieval.filters import Conditions, conditions
from mindnet_chunker.retrieval.passage import matching_sentence, obsidian_link, place_of
from mindnet_chunker.retrieval.rank import SearchHit
from mindnet_chunker.retrieval.ways import Expand, Mode
from mindnet_chunker.runs.asker import Asker
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import OpenIndex, opened_index
from mindnet_chunker.runs.sources import root_of, unchanged_text, vault_name
from mindnet_chunker.terminal import Talk, one_line, write_lines
from mindnet_chunker.terminal_hits import Shown, show_hits

FIRST = "0001-01-01T00:00:00Z"  # every date is later
DATES = "a property `created` or `date`, a stamp in the file's name, or a daily note's own date"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How a question is answered."""

    top: int = 5
    mode: Mode = "fused"
    where: Conditions = field(default_factory=Conditions)
    expand: Expand | None = None
    model: str | None = None  # name or folder of the index's own model, if its name does not say
    query_prefix: str | None = None


def print_hits(
    question: str,
    vault: Path | None,
    where: StoreOptions,
    options: SearchOptions,
    talk: Talk,
    *,
    as_json: bool,
    why: bool = False,
) -> int:
    """Print the best hits; 0 also where there are none."""
    with opened_index(vault, where, "mindnet-chunk search", talk.say) as index:
        asker = Asker(index, model=options.model, query_prefix=options.query_prefix)
        hits = answer(asker, question, options)
        undated = "" if hits else _without_dates(asker, question, options)
    for path in dict.fromkeys(hit.payload["path"] for hit in hits if hit.stale):
        talk.say(f"{one_line(path)} is not as it was indexed: shown is what the index holds of it")
    if not hits:
        talk.say(f"no hits{undated}")
    if as_json:
        write_lines([line_of(hit.record()) for hit in hits])
    else:
        name = vault_name(index)
        nearness = None if options.mode == "bm25" else partial(asker.nearness, question)
        words_in = partial(asker.words_in, question)
        sentences = [matching_sentence(hit.payload, words_in, nearness) for hit in hits]
        reasons = [[_why(hit, words_in(_own_text(hit)))] if why else [] for hit in hits]
        show_hits([_shown(*each, name) for each in zip(hits, sentences, reasons, strict=True)])
    return 0


def answer(asker: Asker, question: str, options: SearchOptions) -> list[SearchHit]:
    """The hits, widened as asked; those whose file has changed since it was indexed, or is not here, are stale.

    Raises UsageError, a wrong condition before the model is loaded.
    """
    index = asker.index
    where = conditions(options.where, index.store, index.vault)
    hits = asker.search(question, top=options.top, mode=options.mode, where=where)
    if options.expand == "links":
        links = links_of(index.store, index.vault, [hit.payload["note_id"] for hit in hits])
        return [replace(hit, expanded=links[hit.payload["note_id"]]) for hit in hits]
    return _with_text(hits, index, options.expand) if options.expand else hits


def _without_dates(asker: Asker, question: str, options: SearchOptions) -> str:
    """Whether it is for want of dates that a period holds no hit."""
    asked, index = options.where, asker.index
    if not (asked.since or asked.until):
        return ""
    if not index.store.count("chunks", index.vault, Filter(since=FIRST)):
        return f": no note in the index has a date ({DATES})"
    at_any_time = conditions(replace(asked, since=None, until=None), index.store, index.vault)
    ask = partial(asker.search, question, top=1, mode=options.mode)
    if ask(where=at_any_time) and not ask(where=replace(at_any_time, since=FIRST)):
        return f": none of the notes that answer has a date ({DATES})"
    return ""


def _with_text(hits: Sequence[SearchHit], index: OpenIndex, expand: Expand) -> list[SearchHit]:
    notes = _notes_of(hits, index)
    root = root_of(index)
    texts = {note_id: unchanged_text(root, note) if root else None for note_id, note in notes.items()}
    widened: list[SearchHit] = []
    for hit in hits:
        note, text = notes.get(hit.payload["note_id"]), texts.get(hit.payload["note_id"])
        span = span_around(hit.payload, note, expand) if note and "exclusions" in note else None
        if span is None or text is None:
            shown = stored_text(_chunks_of(hit.payload["note_id"], index), span)
        else:
            shown = text[slice(*span)].replace("\r\n", "\n").strip("\n")
        widened.append(replace(hit, expanded=shown, stale=span is not None and text is None))
    return widened


def _notes_of(hits: Sequence[SearchHit], index: OpenIndex) -> dict[str, Record]:
    wanted = of_notes(dict.fromkeys(hit.payload["note_id"] for hit in hits))
    keys = ("note_id", "path", "headings", "exclusions", "char_count", "content_hash")
    return {
        point.payload["note_id"]: point.payload for point in index.store.scroll("notes", index.vault, wanted, keys=keys)
    }


def _chunks_of(note_id: str, index: OpenIndex) -> list[Record]:
    return [point.payload for point in index.store.scroll("chunks", index.vault, of_notes([note_id]))]


def _own_text(hit: SearchHit) -> str:
    """As it was embedded, but without its context."""
    return embedding_text("", hit.payload["text"])


def _shown(hit: SearchHit, sentence: str, reasons: Sequence[str], vault: str) -> Shown:
    chunk = hit.payload
    lines = f":{chunk['line_start']}-{chunk['line_end']}" if chunk["line_start"] else ""
    return Shown(
        rank=hit.rank,
        score=hit.score,
        heading=place_of(chunk),
        sentence=sentence,
        words=hit.words,
        place=f"{chunk['path']}{lines}",
        link=obsidian_link(vault, chunk["path"]),
        more=reasons,
        expanded=_expanded_lines(hit),
    )


def _why(hit: SearchHit, in_text: Sequence[str]) -> str:
    """`in_text`: the words that it holds without its context."""
    ranks = [f"{name} rank {place}" for name, place in (("dense", hit.dense_rank), ("BM25", hit.bm25_rank)) if place]
    above = [word for word in hit.words if word not in in_text]
    words = [f"words: {', '.join(in_text)}"] if in_text else []
    if above:
        words.append(f"{'only' if in_text else 'words only'} in its title and headings: {', '.join(above)}")
    weight = [] if hit.weight == 1 else [f"{hit.payload['kind']} counts {hit.weight:g}"]
    return "; ".join([", ".join(ranks), *(words or ["no word of the question"]), *weight])


def _expanded_lines(hit: SearchHit) -> list[str]:
    """A text by its lines; links by direction and kind."""
    if isinstance(hit.expanded, str):
        return hit.expanded.split("\n")
    groups: dict[str, list[str]] = {}
    for link in hit.expanded or ():
        arrow = "->" if link["direction"] == "out" else "<-"
        part = f" > {link['heading']}" if link["heading"] else f" ^{link['block']}" if link["block"] else ""
        missing = "" if link["resolved"] else " (no such note)"
        groups.setdefault(f"{arrow} {link['kind']}", []).append(f"{link['title']}{part}{missing}")
    return [f"{group}: {', '.join(names)}" for group, names in groups.items()]
