"""What a run is about to do, before the long part: chunks, tokens, languages, and whether the model knows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from mindnet_chunker.counted import counted, notes_and_boards
from mindnet_chunker.embedding.choose import ModelChoice, multilingual_hint
from mindnet_chunker.index.plan import Built, Wanted
from mindnet_chunker.records import is_canvas

SAMPLE = 60  # notes that are cut for the forecast
KEPT_CHUNKS = 2000  # of the notes that need not be cut again
FOREIGN = 0.2  # share of chunks in other languages from which a run speaks of a multilingual model


@dataclass(slots=True)
class Forecast:
    """Estimated from a sample, exact where all notes are in it."""

    notes: int = 0
    boards: int = 0
    chunks: int = 0
    tokens: int = 0
    languages: Counter[str] = field(default_factory=Counter)  # chunks of the sample
    exact: bool = True
    built: dict[str, Built] = field(default_factory=dict)  # note_id -> a note of the sample, to be taken when it is due

    def lines(self, choice: ModelChoice, vault: str, place: str) -> list[str]:
        """`place`: the options that name the store, for the command that is proposed."""
        what = notes_and_boards(self.notes, self.boards)
        if not self.chunks:
            return [f"to do    {what}, nothing to embed"] if self.notes or self.boards else []
        about = "" if self.exact else "about "
        shares = self.languages.most_common(4)
        whole = self.languages.total()
        shown = ", ".join(f"{lang} {100 * count / whole:.0f} %" for lang, count in shares)
        lines = [
            f"to do    {what}, {about}{counted(self.chunks, 'chunk')} with {counted(self.tokens, 'token')} at most ({shown})"
        ]
        foreign = sum(count for lang, count in self.languages.items() if lang not in ("und", choice.languages))
        if choice.languages not in (None, "multilingual") and foreign >= FOREIGN * whole:
            lines.append(
                f"note     {choice.name} is made for `{choice.languages}`, and {100 * foreign / whole:.0f} % of the "
                f"chunks are in other languages; a multilingual model finds more:\n         {multilingual_hint(vault)}{place}"
            )
        return lines


def forecast(changed: Sequence[Wanted]) -> Forecast:
    """Cut some of the notes that changed, evenly spread, and reckon with the rest being like them."""
    step = max(1, -(-len(changed) // SAMPLE))
    sample = changed[::step]
    boards = sum(is_canvas(one.path) for one in changed)
    found = Forecast(notes=len(changed) - boards, boards=boards, exact=step == 1)
    seen = 0
    for note in sample:
        try:
            built = note.build()
        except Exception:  # named when the note's turn comes
            continue
        records = built.records
        if found.chunks < KEPT_CHUNKS:
            found.built[note.note_id] = built
        seen += 1
        found.chunks += len(records.chunks)
        found.tokens += sum(chunk["embedding_tokens"] for chunk in records.chunks)
        found.languages.update(chunk["lang"] for chunk in records.chunks)
    if seen and not found.exact:
        found.chunks = round(found.chunks * len(changed) / seen)
        found.tokens = round(found.tokens * len(changed) / seen)
    return found
