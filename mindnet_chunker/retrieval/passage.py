"""What a hit shows at a glance: the sentence that matches, where it stands, and a link that opens the note."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from mindnet_chunker.chunking.sentences import sentence_spans
from mindnet_chunker.records import Record

_MARKS = re.compile(r"[>\s]*+(?:[-*+]\s+(?:\[.\]\s+)?|\d{1,9}[.)]\s+)?")
_ITEM = re.compile(r"[>\s]*+(?:[-*+]|\d{1,9}[.)])\s")
_HEADING = re.compile(r"#{1,6}\s")
_SILENT = re.compile(r"[\s|:+=_*~-]*+|\[!.*")  # rules, the line below a table's head, the title of a callout
_FENCE = re.compile(r"```|~~~")
_LONGEST = 50_000  # characters of a chunk that are looked at


def matching_sentence(
    chunk: Record,
    words_in: Callable[[str], Sequence[str]],
    nearness: Callable[[Sequence[str]], Sequence[float]] | None = None,
) -> str:
    """The sentence or line of a chunk's own text that holds most words of the question.

    Of several, the one that is nearest in meaning, else the first.
    """
    sentences = _own_sentences(chunk)
    counts = [len(words_in(sentence)) for sentence in sentences]
    best = [sentence for sentence, count in zip(sentences, counts, strict=True) if count == max(counts)]
    if nearness is None or len(best) == 1:
        return best[0]
    near = nearness(best)
    return best[near.index(max(near))]


def first_sentence(chunk: Record) -> str:
    return _own_sentences(chunk)[0]


def _own_sentences(chunk: Record) -> list[str]:
    return sentences_of(chunk["text"][chunk["own_start"] :][:_LONGEST]) or [" ".join(chunk["text"].split())]


def sentences_of(text: str) -> list[str]:
    """Sentences of prose, lines of tables and code, without marks of lists and quotes; headings only where alone."""
    found: list[str] = []
    headings: list[str] = []
    prose: list[str] = []
    in_code = False
    for line in text.split("\n"):
        bare = _MARKS.sub("", line, count=1).strip()
        fence = _FENCE.match(bare) is not None
        alone = in_code or bare.startswith("|")
        if prose and (fence or alone or not bare or _ITEM.match(line) or _HEADING.match(bare)):
            found += _split(prose)
            prose = []
        if fence:
            in_code = not in_code
        elif _HEADING.match(bare) and not in_code:
            headings.append(bare.lstrip("#").strip())
        elif not _SILENT.fullmatch(bare):
            if alone:
                found.append(bare)
            else:
                prose.append(bare)
    return (found + _split(prose)) or headings


def _split(lines: Sequence[str]) -> list[str]:
    text = " ".join(lines)
    return [text[start:end] for start, end in sentence_spans(text, 0, len(text))]


def place_of(chunk: Record) -> str:
    """`Title > Section > Subsection`."""
    steps = [step["text"] for step in chunk["header_path"]]
    return " > ".join(steps if steps[:1] == [chunk["note_title"]] else [chunk["note_title"], *steps])


def obsidian_link(vault_name: str, path: str) -> str:
    """An address that opens the note in Obsidian."""
    file = path[:-3] if path.lower().endswith(".md") else path
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(file, safe='', errors='replace')}"
