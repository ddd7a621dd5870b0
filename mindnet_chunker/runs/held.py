"""What an index holds of a vault, counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mindnet_chunker.index.store import NoteState, Store, note_states
from mindnet_chunker.records import is_canvas


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Notes and boards that are left out are counted apart, as of them the index holds the name alone."""

    notes: int
    boards: int
    left_out: int
    pending: int  # their points may be incomplete
    edges: int  # as printed


def held(store: Store, vault: str) -> Held:
    return held_in(list(note_states(store, vault)))


def held_in(states: Iterable[NoteState]) -> Held:
    states = list(states)
    inside = [is_canvas(state.path) for state in states if not state.excluded]
    return Held(
        notes=inside.count(False),
        boards=inside.count(True),
        left_out=len(states) - len(inside),
        pending=sum(state.commit is None for state in states),
        edges=sum(state.n_edges for state in states),
    )
