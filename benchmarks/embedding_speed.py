"""How fast texts become vectors: ours against `SentenceTransformer.encode` called per 32 texts, per note, and once.

    python benchmarks/embedding_speed.py                     # a seeded mix of lengths
    python benchmarks/embedding_speed.py VAULT               # the chunks of a vault
    python benchmarks/embedding_speed.py chunks.ndjson       # the same from `mindnet-chunk VAULT --ndjson`

The same texts for all, in the order in which they come; the ways take turns, and the best of the rounds counts, in
tokens per second of CPU time. Texts over the model's window are left out: `encode` would cut them off. The cosine is to
the vectors of `encode` in fp32, the worst of all texts.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.embedding.choose import ModelChoice, choose_model
from mindnet_chunker.embedding.embedder import EmbeddingText
from mindnet_chunker.embedding.model import SentenceEmbedder

Vectors = NDArray[np.float32]
SEED = 7
SENTENCE = "the note about a garden links ideas und Wege zur Quelle with code tests plans every day in small steps"
A_CALL = 32  # texts that the peer is given at a time


class Sample(NamedTuple):
    note: str
    name: str
    text: str
    tokens: int


def main() -> None:
    options = parse_arguments()
    choice = choose_model(options.model)
    samples, over = fitting(load(options.source), choice)
    chosen = sorted(random.Random(SEED).sample(range(len(samples)), min(len(samples), options.texts)))
    samples = [samples[index] for index in chosen]
    tokens = sum(sample.tokens for sample in samples)
    print(
        f"{len(samples)} texts, {tokens} tokens, {choice.name}, {options.threads} thread(s); {over} texts over the window"
    )

    ways = ways_of(choice, samples, options.threads)
    seconds, vectors = race(ways, options.rounds)

    first = next(iter(ways))
    for way in ways:
        cosines = (vectors[way] * vectors[first]).sum(axis=1)
        worst = int(cosines.argmin())
        print(
            f"{way:32} {tokens / seconds[way]:8,.0f} tokens/s {seconds[first] / seconds[way]:6.2f}x   "
            f"worst cosine {cosines[worst]:.6f} ({samples[worst].name})"
        )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, help="a vault, or a file of chunk records")
    parser.add_argument("--texts", type=int, default=1000, help="at most so many, drawn with a seed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--model", help="a name or a folder; default: the bundled model")
    return parser.parse_args()


def load(source: Path | None) -> list[tuple[str, str, str]]:
    """Note, name and text of every chunk, as it is embedded."""
    if source is None:
        return synthetic(2000)
    if source.is_dir():
        command = [sys.executable, "-m", "mindnet_chunker", str(source), "--ndjson"]
        lines = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    else:
        lines = source.read_text(encoding="utf-8")
    records = [json.loads(line) for line in lines.split("\n") if line]
    return [
        (record["note_id"], record["chunk_id"], embedding_text(record["context"], record["text"]))
        for record in records
        if record["record"] == "chunk"
    ]


def synthetic(count: int) -> list[tuple[str, str, str]]:
    """Texts of mixed lengths, many short and many full ones, as notes have them; four of them are a note."""
    draw = random.Random(SEED)
    words = SENTENCE.split()
    lengths = [
        round(draw.triangular(5, 240, 200) if draw.random() < 0.6 else draw.uniform(5, 90)) for _ in range(count)
    ]
    return [
        (f"note {number // 4}", f"text {number}", " ".join(draw.choices(words, k=length)))
        for number, length in enumerate(lengths)
    ]


def fitting(texts: list[tuple[str, str, str]], choice: ModelChoice) -> tuple[list[Sample], int]:
    tokenizer = Tokenizer.from_file(str(choice.tokenizer_json))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    lengths = [
        len(encoding) for encoding in tokenizer.encode_batch([choice.passage_prefix + text for _, _, text in texts])
    ]
    samples = [
        Sample(note, name, text, length)
        for (note, name, text), length in zip(texts, lengths, strict=True)
        if length <= choice.window
    ]
    return samples, len(texts) - len(samples)


def ways_of(choice: ModelChoice, samples: list[Sample], threads: int) -> dict[str, Callable[[], Vectors]]:
    """Each way of embedding all texts, the peer first."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    peer = SentenceTransformer(str(choice.folder), device="cpu", local_files_only=True)
    texts = [sample.text for sample in samples]
    notes = [[sample.text for sample in note] for _, note in groupby(samples, lambda sample: sample.note)]

    def in_calls(calls: list[list[str]]) -> Vectors:
        prompt = choice.passage_prefix
        return np.concatenate([peer.encode(call, prompt=prompt, show_progress_bar=False) for call in calls])

    ways: dict[str, Callable[[], Vectors]] = {
        "encode, 32 texts a call": partial(in_calls, [texts[at : at + A_CALL] for at in range(0, len(texts), A_CALL)]),
        "encode, a note a call": partial(in_calls, notes),
        "encode, all at once": partial(in_calls, [texts]),
    }
    handed = [EmbeddingText(text) for text in texts]
    has_bf16 = torch.backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    for precision in ("fp32", "bf16") if has_bf16 else ("fp32",):
        embedder = SentenceEmbedder(choice, device="cpu", precision=precision, threads=threads)
        embedder.embed(handed[:8])
        ways[f"ours, {precision}"] = partial(embedder.embed, handed)
    return ways


def race(ways: dict[str, Callable[[], Vectors]], rounds: int) -> tuple[dict[str, float], dict[str, Vectors]]:
    """The best CPU seconds of each way, and its vectors at unit length."""
    seconds, vectors = {}, {}
    for _ in range(rounds):
        for way, embed in ways.items():
            begun = time.process_time()
            rows = embed()
            seconds[way] = min(time.process_time() - begun, seconds.get(way, float("inf")))
            vectors[way] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return seconds, vectors


if __name__ == "__main__":
    main()
