"""The sizes of one row, as they hold for one model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mindnet_chunker.chunking.sizing import NoteType

CHARACTERS_PER_TOKEN = 16  # of what is embedded, at most: a word that the tokenizer does not know is one token


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Tokens of the text that is embedded, special tokens included."""

    max: int
    low: int  # the target
    high: int
    min: int
    overlap_low: int
    overlap_high: int
    specials: int

    @classmethod
    def of(cls, row: NoteType, specials: int, window: int) -> Limits:
        """Without context, sizes are capped at the model's window: windows without a context lose in a search."""
        top = min(row.max, window) if row.context == "none" else row.max
        high = min(row.target[1], top)
        low = min(row.target[0], high)
        return cls(
            max=top,
            low=low,
            high=high,
            min=min(row.min, low),
            overlap_low=row.overlap[0],
            overlap_high=min(row.overlap[1], top // 2),
            specials=specials,
        )

    def size(self, tokens: int, characters: int) -> int:
        """What counts: tokens, and no fewer than the characters stand for."""
        return max(tokens + self.specials, -(-characters // CHARACTERS_PER_TOKEN))

    def lowered(self, by: int) -> Limits:
        """Stricter ones, for a text that came out longer than its parts."""
        top = max(self.specials + 1, self.max - by)
        high = min(self.high, top)
        return replace(self, max=top, high=high, low=min(self.low, high), min=min(self.min, high))
