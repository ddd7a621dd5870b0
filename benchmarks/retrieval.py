"""Chunk files for a scorer of retrieval: ours and LangChain's, of the same notes.

    python benchmarks/retrieval.py CORPUS --out chunks

Writes `chunks/ours.ndjson` and `chunks/langchain.ndjson`, one object a line: `path, char_start, char_end, text,
embed_text`. Positions are characters of the file as UTF-8 with its own newlines, of what the chunk owns; `embed_text` is
what is embedded, heading path and overlap included. Ours come from the command, by a table of types that keeps all of
them within the model's window (`chunks/types.yaml`): a scorer cuts off what lies past it, as the others do. With
`--oversize keep` code and tables stay whole, as in the built-in table, and their ends are lost to the scorer. LangChain's
are cut at headings, then recursively (300 tokens, 50 repeated), the heading path put before the text. Boards are left
out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from folder import files_in
from measured import COMMAND
from peers import langchain_split

from mindnet_chunker.chunking.sizing import SETTINGS, builtin_types_text
from mindnet_chunker.chunking.wording import embedding_text

WINDOW = 254  # tokens that the bundled model reads, special tokens aside
SIZES = ("max", "target", "overlap", "min")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a folder of notes")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the chunk files")
    parser.add_argument("--window", type=int, default=WINDOW, help="tokens")
    parser.add_argument(
        "--oversize", choices=("split", "keep"), default="split", help="code and tables past the window"
    )
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    types = args.out / "types.yaml"
    types.write_text(capped(args.window, args.oversize), encoding="utf-8")
    notes = {
        file.relative_to(args.corpus).as_posix(): file.read_bytes().decode("utf-8", "replace")
        for file in files_in(args.corpus)
    }
    for name, lines in (("ours", ours(args.corpus, notes, types)), ("langchain", langchain(notes))):
        place = args.out / f"{name}.ndjson"
        with place.open("w", encoding="utf-8") as file:
            count = sum(1 for line in lines if file.write(json.dumps(line, ensure_ascii=False) + "\n"))
        print(f"{count:7} chunks of {len(notes)} notes in {place}")


def capped(window: int, oversize: str) -> str:
    """The built-in table with no `max` past the window; a row whose `max` is gets all its sizes in proportion."""
    table: dict[str, Any] = yaml.safe_load(builtin_types_text())
    for name, row in table.items():
        if name != SETTINGS:
            share = min(1.0, window / row["max"])
            row |= {key: scaled(row[key], share) for key in SIZES if key in row}
            row["oversize"] = oversize
    return yaml.safe_dump(table, allow_unicode=True, sort_keys=False)


def scaled(size: int | list[int], share: float) -> int | list[int]:
    return [round(one * share) for one in size] if isinstance(size, list) else round(size * share)


def ours(corpus: Path, notes: dict[str, str], types: Path) -> Iterator[dict[str, Any]]:
    command = [*COMMAND, str(corpus), "--ndjson", "--types", str(types)]
    printed = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
    for record in map(json.loads, filter(None, printed.split("\n"))):
        if record["record"] != "chunk" or record["char_start"] is None:
            continue
        path = record["path"]
        if path not in notes:
            raise SystemExit(f"{path}: {corpus} is no vault of its own but part of one; copy the folder")
        mark = notes[path].startswith("\ufeff")  # is not counted by us
        yield {
            "path": path,
            "char_start": record["char_start"] + mark,
            "char_end": record["char_end"] + mark,
            "text": record["text"][record["own_start"] :],
            "embed_text": embedding_text(record["context"], record["text"]),
        }


def langchain(notes: dict[str, str]) -> Iterator[dict[str, Any]]:
    split = langchain_split()
    for path, text in notes.items():
        places, signs = signs_of(text)
        at = 0
        for piece in split(text):
            wanted = signs_of(piece.text)[1]
            found = signs.find(wanted, at)
            if not wanted or found < 0:
                print(f"left out, not found in {path}: {piece.text[:60]!r}")
                continue
            at = found
            yield {
                "path": path,
                "char_start": places[found],
                "char_end": places[found + len(wanted) - 1] + 1,
                "text": piece.text,
                "embed_text": "\n\n".join(filter(None, [" > ".join(piece.headings), piece.text])),
            }


def signs_of(text: str) -> tuple[list[int], str]:
    """What the splitter keeps of a text wherever it cuts, all that is seen, and where each sign stood."""
    places = [at for at, sign in enumerate(text) if sign.isprintable() and not sign.isspace()]
    return places, "".join(text[at] for at in places)


if __name__ == "__main__":
    main()
