"""How fast notes become chunks, beside LangChain and chonkie, or as notes grow.

    python benchmarks/chunking_speed.py ~/Notes
    python benchmarks/chunking_speed.py --growth

The first: megabytes of text a second of CPU time, all in one process, each from cold (no round before the one that
counts), taking turns every hundred notes. Files are read before; every tokenizer is the bundled model's. What the others
do not do is left out of our figure and shown by itself: links, edges and records, and the language of each chunk.

The second: one long note, and a stream of small ones, each at a quarter and in full, by the command itself. Time should
grow by four; the peak of the stream should stay.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import ParamSpec, TypeVar

from folder import notes_in
from made_up import long_note, small_notes
from measured import COMMAND, measure
from peers import Split, chonkie_split, langchain_split

from mindnet_chunker.assemble import CutNote, note_records
from mindnet_chunker.chunking.language import note_language
from mindnet_chunker.chunking.pack import cut_note
from mindnet_chunker.markdown import read as reading
from mindnet_chunker.markdown.links import property_links
from mindnet_chunker.pipeline import Rules, default_id, lone_targets, outline_of
from mindnet_chunker.records import Home
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.setup import chosen_model, rules_for
from mindnet_chunker.vault.notes import describe, parse_note

P = ParamSpec("P")
T = TypeVar("T")
A_TURN = 100  # notes
READING, PACKING, LINKS, LANGUAGE = (
    "reading and blocks",
    "packing, tokens included",
    "links, edges, records",
    "language",
)
CHUNKING = (READING, PACKING)


class Watch:
    """CPU seconds by name; what is timed within something timed counts for the inner name alone."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._inner = 0.0

    def timed(self, name: str, function: Callable[P, T]) -> Callable[P, T]:
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            outer, self._inner = self._inner, 0.0
            begun = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.process_time() - begun
                self.seconds[name] += spent - self._inner
                self._inner = outer + spent

        return call


def our_split(watch: Watch, rules: Rules) -> Callable[[str, str], int]:
    """A note -> how many chunks; its stages on the watch, in the order of the pipeline."""
    reading.find_inline = watch.timed(LINKS, reading.find_inline)
    parse, read = watch.timed(READING, parse_note), watch.timed(READING, reading.read_document)
    about, pack = watch.timed(READING, describe), watch.timed(PACKING, cut_note)
    of_note, of_chunk = watch.timed(LANGUAGE, note_language), watch.timed(LANGUAGE, rules.languages.of)
    linked, records = watch.timed(LINKS, property_links), watch.timed(LINKS, note_records)

    def split(path: str, text: str) -> int:
        note = parse(path, text)
        document = read(note)
        inline = document.inline
        tags = [tag.text for tag in inline.tags]
        meta = about(note, heading=document.first_heading, tags=tags, types=rules.types.names)
        row = rules.types.row(meta.type)
        chunks, exclusions, _ = pack(document, meta.title, meta.aliases, row, rules.counter, rules.window)
        lang = of_note(rules.languages, note.text[note.body_start :])
        for chunk in chunks:
            of_chunk(chunk.text[chunk.own_start :], lang)
        cut = CutNote(
            document=document, meta=meta, chunks=chunks, exclusions=exclusions, lang=lang, content_hash="",
            excluded=None, problems=(),
        )  # fmt: skip
        home = Home(vault=rules.vault, note_id=default_id(path), path=path)
        links = (*linked(note.frontmatter), *inline.links)
        records(cut, home, links, lone_targets(path, home.note_id, outline_of(document)), rules.embedded)
        return len(chunks)

    return split


def beside(folder: Path, limit: int | None) -> None:
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # one core for all
    notes = notes_in(folder, limit)
    megabytes = sum(len(text.encode()) for text in notes.values()) / 1e6
    watch = Watch()
    options = VaultOptions()
    rules, _ = rules_for(options, chosen_model(options, weights=False), root=None, vault="benchmark")
    ours = our_split(watch, rules)
    peers: dict[str, Split] = {
        "LangChain, header + recursive": langchain_split(),
        "chonkie, recursive": chonkie_split(),
    }
    timed = {name: watch.timed(name, split) for name, split in peers.items()}
    found: Counter[str] = Counter()
    for turn in turns(notes):
        for path, text in turn:
            found["ours"] += ours(path, text)
        for name, split in timed.items():
            for _, text in turn:
                found[name] += len(split(text))

    seconds = watch.seconds
    print(f"{len(notes)} notes, {megabytes:.2f} MB; CPU time of one process, each from cold")
    base = sum(seconds[name] for name in CHUNKING)
    row("ours, chunking", megabytes, base, base, found["ours"])
    for name in peers:
        row(name, megabytes, seconds[name], base, found[name])
    print("ours by stage:")
    for name in (*CHUNKING, LINKS, LANGUAGE):
        row(f"  {name}", megabytes, seconds[name], base)
    row("  all of these", megabytes, sum(seconds[name] for name in (*CHUNKING, LINKS, LANGUAGE)), base)


def turns(notes: dict[str, str]) -> Iterator[list[tuple[str, str]]]:
    waiting = iter(notes.items())
    while turn := list(islice(waiting, A_TURN)):
        yield turn


def row(name: str, megabytes: float, seconds: float, base: float, chunks: int | None = None) -> None:
    count = "" if chunks is None else f"{chunks:7} chunks"
    print(f"{name:<32} {megabytes / seconds:7.2f} MB/s {seconds:8.2f} s {seconds / base:7.2f}x the time  {count}")


def growth(size: int, count: int, seed: int) -> None:
    with tempfile.TemporaryDirectory(prefix="chunking-speed-") as folder:
        note, stream = Path(folder, "long.md"), Path(folder, "notes.ndjson")
        print(measure([*COMMAND, "-"]).row("an empty note"))
        for share in quarter_and_whole(size):
            with note.open("w", encoding="utf-8") as file:
                file.writelines(long_note(seed, share))
            print(measure([*COMMAND, str(note)]).row(f"one note of {share / 1e6:.0f} MB"))
        for share in quarter_and_whole(count):
            with stream.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps({"path": p, "text": t}) + "\n" for p, t in small_notes(seed, share))
            megabytes = stream.stat().st_size / 1e6
            run = measure([*COMMAND, "-", "--from", "ndjson"], stdin=stream)
            print(run.row(f"a stream of {share} notes, {megabytes:.0f} MB"))


def quarter_and_whole(size: int) -> tuple[int, ...]:
    return (size // 4, size) if size else ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder of notes")
    parser.add_argument("--notes", type=int, help="at most so many, in the order of their paths")
    parser.add_argument("--growth", action="store_true", help="one long note, and a stream of small ones")
    parser.add_argument("--bytes", type=int, default=20_000_000, help="of the long note; 0: none")
    parser.add_argument("--stream", type=int, default=100_000, help="small notes; 0: none")
    parser.add_argument("--seed", type=int, default=20261130)
    args = parser.parse_args()
    if args.folder is None and not args.growth:
        parser.error("give a folder of notes, or --growth")
    if args.folder is not None:
        beside(args.folder, args.notes)
    if args.growth:
        growth(args.bytes, args.stream, args.seed)


if __name__ == "__main__":
    main()
