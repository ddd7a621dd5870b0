"""How many chunks one edited sentence changes: what a second run embeds again.

    python benchmarks/locality.py ~/Notes

In each of the notes, drawn with a seed, one sentence is edited: words are added, taken away or replaced. A chunk has
changed if its `text_hash` was not among the note's before; where it is cut and what it repeats of its neighbour both
count. The share is that of the note's chunks.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from folder import notes_in

from mindnet_chunker.chunking.sentences import sentence_spans
from mindnet_chunker.errors import MindnetError
from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.pipeline import Rules, lone_note
from mindnet_chunker.records import Block, Span
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.setup import chosen_model, rules_for
from mindnet_chunker.vault.notes import parse_note

SHORTEST = 4  # words of a sentence that is edited; signs, where no blanks part words
NEW_WORDS = ("clearly", "often", "rather", "without", "further", "delay", "as", "noted", "below")


class Edit(NamedTuple):
    path: str
    chunks: int  # of the note after it
    changed: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of notes")
    parser.add_argument("--notes", type=int, default=300, help="how many are drawn")
    parser.add_argument("--min-chunks", type=int, default=1, help="of a note that is drawn")
    parser.add_argument("--seed", type=int, default=20261130)
    args = parser.parse_args()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    options = VaultOptions()
    rules, _ = rules_for(options, chosen_model(options, weights=False), root=None, vault="benchmark")
    draw = Random(args.seed)
    notes = list(notes_in(args.folder).items())
    draw.shuffle(notes)

    edits: list[Edit] = []
    for edit in edited(notes, rules, draw):
        if edit.chunks >= args.min_chunks:
            edits.append(edit)
        if len(edits) == args.notes:
            break
    if not edits:
        raise SystemExit("no note has a sentence to edit")
    show(edits)


def edited(notes: list[tuple[str, str]], rules: Rules, draw: Random) -> Iterator[Edit]:
    """Each note that has a sentence and can be cut, with what an edit of one did."""
    for path, text in notes:
        spans = sentences(path, text)
        if not spans:
            continue
        span = draw.choice(spans)
        after = text[: span.start] + reworded(text[span.start : span.end], draw) + text[span.end :]
        try:
            before, now = hashes(path, text, rules), hashes(path, after, rules)
        except MindnetError:  # its type lets it fail
            continue
        yield Edit(path, now.total(), (now - before).total())


def sentences(path: str, text: str) -> list[Span]:
    """The sentences of paragraphs, in lists and quotes too, that have some words."""
    document = read_document(parse_note(path, text))
    found = [
        span
        for block in paragraphs(document.blocks)
        for span in sentence_spans(text, block.span.start, block.span.end, document.regions)
    ]
    return [span for span in found if len(words_of(text[span.start : span.end])[0]) >= SHORTEST]


def paragraphs(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        if block.kind == "paragraph":
            yield block
        yield from paragraphs(block.parts)


def reworded(sentence: str, draw: Random) -> str:
    """The sentence with some words more, fewer or others, from its second word on: what it begins with stays."""
    words, between = words_of(sentence)
    at = draw.randrange(1, len(words) - 2)
    count = draw.randint(1, 3)
    taken, given = draw.choice(((0, count), (count, 0), (count, count)))
    last = min(at + taken, len(words) - 1)
    return between.join([*words[:at], *draw.sample(NEW_WORDS, given), *words[last:]])


def words_of(sentence: str) -> tuple[list[str], str]:
    """Its words and what parts them: nothing, in scripts without blanks."""
    words = sentence.split(" ")
    return (words, " ") if len(words) >= SHORTEST or sentence.isascii() else (list(sentence), "")


def hashes(path: str, text: str, rules: Rules) -> Counter[str]:
    return Counter(chunk["text_hash"] for chunk in lone_note(path, text, rules).chunks)


def show(edits: list[Edit]) -> None:
    print(f"{len(edits)} notes, one sentence edited in each; {mean(edit.chunks for edit in edits):.1f} chunks a note")
    print(f"{'':<28} {'notes':>6} {'mean':>7} {'p95':>5} {'max':>5} {'share of chunks':>16}")
    for name, least in (("all notes", 1), ("notes of 5 chunks or more", 5)):
        of_size = [edit for edit in edits if edit.chunks >= least]
        if of_size:
            counts = sorted(edit.changed for edit in of_size)
            share = sum(counts) / sum(edit.chunks for edit in of_size)
            p95 = counts[min(len(counts) - 1, int(0.95 * len(counts)))]
            print(f"{name:<28} {len(counts):>6} {mean(counts):>7.2f} {p95:>5} {counts[-1]:>5} {share:>16.1%}")
    worst = max(edits, key=lambda edit: edit.changed)
    print(f"most: {worst.changed} of {worst.chunks} chunks in {worst.path}")


if __name__ == "__main__":
    main()
