"""Notes made up from a seed: headings, paragraphs of sentences, lists, code, links and tags, in a made-up language.

The same seed gives the same notes everywhere. Words are as unevenly frequent as in a real language, a third of them are
English function words, so that token counts and the vote on the language have what they have in real notes.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, islice, product
from random import Random

SMALL = ["the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "with", "on", "are", "this", "by", "not"]
STARTS = ["b", "br", "d", "f", "g", "gl", "h", "k", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr", "v", "w", "z"]
VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
ENDS = ["", "l", "n", "r", "s", "t", "nd", "st"]
SYLLABLES = [start + vowel + end for start, vowel, end in product(STARTS, VOWELS, ENDS)]
KINDS = ("paragraph",) * 6 + ("list",) * 2 + ("code",)


class MadeUp:
    """Draws text; two of the same seed draw the same."""

    def __init__(self, seed: int, vocabulary: int = 8000) -> None:
        self.draw = Random(seed)
        words = ["".join(self.draw.choices(SYLLABLES, k=self.draw.choice((1, 2, 2, 3)))) for _ in range(vocabulary)]
        self._words = SMALL + words
        rare = [1 / (rank + 10) for rank in range(vocabulary)]
        small = sum(rare) / 2 / len(SMALL)
        self._weights = list(accumulate([small] * len(SMALL) + rare))

    def words(self, count: int) -> list[str]:
        return self.draw.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self) -> str:
        return " ".join(self.words(self.draw.randint(6, 18))).capitalize() + "."

    def paragraph(self, words: int) -> str:
        sentences: list[str] = []
        while words > 0:
            sentences.append(self.sentence())
            words -= sentences[-1].count(" ") + 1
        return " ".join(sentences)

    def block(self, words: int) -> str:
        match self.draw.choice(KINDS):
            case "list":
                return "\n".join(f"- {' '.join(self.words(8))}" for _ in range(max(2, words // 8)))
            case "code":
                return "```python\n" + "\n".join(" = ".join(self.words(2)) for _ in range(max(2, words // 4))) + "\n```"
            case _:
                return self.paragraph(words)

    def title(self) -> str:
        return " ".join(self.words(3)).capitalize()


def vault(seed: int, notes: int, *, sections: int, words: int) -> Iterator[tuple[str, str]]:
    """Path and text of each note: a head, `sections` sections of about `words` words, links to other notes."""
    made = MadeUp(seed)
    for number in range(notes):
        head = f"---\ntags: [t{number % 40}]\ncreated: 20{number % 25:02}-03-04\n---\n# {made.title()} {number}\n"
        parts = [head]
        for _ in range(sections):
            target = made.draw.randrange(notes)
            parts.append(f"\n## {made.title()}\n\n{made.block(words)}\n\nSee [[note-{target:06}]].\n")
        yield f"{number % 97:02}/note-{number:06}.md", "".join(parts)


def long_note(seed: int, size: int) -> Iterator[str]:
    """Pieces of one note of about `size` bytes."""
    made = MadeUp(seed)
    while size > 0:
        level = made.draw.choice(("##", "##", "###", "####"))
        piece = f"{level} {made.title()}\n\n" + "".join(
            f"{made.block(made.draw.randint(15, 120))}\n\n" for _ in range(made.draw.randint(1, 6))
        )
        yield piece
        size -= len(piece)


def small_notes(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Path and text of notes of about 300 bytes."""
    return islice(vault(seed, count, sections=1, words=30), count)
