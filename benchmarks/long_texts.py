"""Whether the end of a text over the model's window is found as well as its beginning.

    python benchmarks/long_texts.py ~/Notes

Texts of one and a quarter to two and a half windows are made of the paragraphs of notes, one after the other. Every
sentence of their first and of their last quarter is asked for as it stands; recall@1 is the share of sentences whose own
text is nearest of all. Notes begin with what they are about, so each text counts twice: once with its paragraphs in the
order of the notes, once from last to first. Beside it the same with texts that are cut off at the window, as `encode` does.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from folder import notes_in
from numpy.typing import NDArray

from mindnet_chunker.chunking.sentences import sentence_spans
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.embedding.choose import ModelChoice, choose_model
from mindnet_chunker.embedding.embedder import EmbeddingText
from mindnet_chunker.embedding.model import SentenceEmbedder

Vectors = NDArray[np.float32]
SEED = 11
QUARTERS = 4
ASKED = {0: "first quarter", 3: "last quarter"}
LEAST, MOST = 30, 300  # characters of a sentence that is asked for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of notes")
    parser.add_argument("--texts", type=int, default=200)
    args = parser.parse_args()
    choice = choose_model(None)
    embedder = SentenceEmbedder(choice)
    paragraphs = list(islice(long_texts(notes_in(args.folder), choice, Random(SEED)), args.texts))
    print(f"{len(paragraphs)} texts over the window of {choice.window} tokens, forwards and backwards; recall@1")
    print(f"{'':26}" + "".join(f"{name:>15}" for name in ASKED.values()))
    texts = [["\n\n".join(each[::step]) for each in paragraphs] for step in (1, -1)]
    for name, embed in (("in windows, as we do it", windows(embedder)), ("cut off at the window", cut_off(embedder))):
        found = [recalls(some, embed(some), embedder) for some in texts]
        print(f"{name:26}" + "".join(f"{sum(shares) / len(shares):15.3f}" for shares in zip(*found, strict=True)))


def windows(embedder: SentenceEmbedder) -> Callable[[list[str]], Vectors]:
    return lambda texts: embedder.embed([EmbeddingText(text) for text in texts])


def cut_off(embedder: SentenceEmbedder) -> Callable[[list[str]], Vectors]:
    model = embedder._ready().model
    return lambda texts: model.encode(texts, show_progress_bar=False, normalize_embeddings=True)


def long_texts(notes: dict[str, str], choice: ModelChoice, draw: Random) -> Iterator[list[str]]:
    """The paragraphs of each."""
    counter = TokenCounter.from_file(choice.tokenizer_json)
    wanted, parts, size = 0, [], 0
    for text in notes.values():
        for paragraph in text.split("\n\n"):
            wanted = wanted or draw.randint(5 * choice.window // 4, 5 * choice.window // 2)
            parts.append(paragraph)
            size += counter.count(paragraph)
            if size >= wanted:
                yield parts
                wanted, parts, size = 0, [], 0


def recalls(texts: list[str], rows: Vectors, embedder: SentenceEmbedder) -> list[float]:
    """The mean over all texts for the sentences of each quarter that is asked for."""
    found = []
    for quarter in ASKED:
        asked = [(sentence, owner) for owner, text in enumerate(texts) for sentence in sentences_of(text, quarter)]
        questions = embedder.embed([EmbeddingText(sentence) for sentence, _ in asked])
        nearest = (questions @ np.asarray(rows, np.float32).T).argmax(axis=1)
        found.append(float((nearest == [owner for _, owner in asked]).mean()))
    return found


def sentences_of(text: str, quarter: int) -> list[str]:
    """Those that lie in the quarter and nowhere else in the text."""
    found = []
    for start, end in sentence_spans(text, 0, len(text)):
        inside = quarter * len(text) <= QUARTERS * start and QUARTERS * end <= (quarter + 1) * len(text)
        if inside and LEAST <= end - start <= MOST and text.count(text[start:end]) == 1:
            found.append(text[start:end])
    return found


if __name__ == "__main__":
    main()
