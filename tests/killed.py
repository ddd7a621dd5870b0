"""A store that dies before one of its writes, and the change of a vault that it dies in."""

from __future__ import annotations

from typing import Any

from mindnet_chunker.index.store import Store

GARDEN = {
    "a.md": "# Apfel\n\nErster Absatz zum Apfel [[b]].\n\nZweiter Absatz.\n\nDritter Absatz [[fehlt]].",
    "b.md": "# Birne\n\nErster Absatz zur Birne.\n\nZweiter Absatz.",
    "c/d.md": "Nur ein Absatz [[a]].",
    "leer.md": "",
}

AFTER = {
    "a.md": "# Apfel\n\nErster Absatz zum Apfel, neu [[b]].\n\nVierter [[neu]].",
    "c/d.md": "Nur ein Absatz [[a]].\n\nNoch einer.",
    "neu.md": "# Birne\n\nErster Absatz zur Birne.\n\nDritter Absatz [[fehlt]].",
    "leer.md": "Nicht mehr leer.",
}


class Killed(BaseException):
    pass


class Counting:
    """Counts the writes of a store; dies before the one after the last that is allowed."""

    def __init__(self, store: Store, allowed: int | None = None) -> None:
        self._store = store
        self._allowed = allowed
        self.writes: list[str] = []

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._store, name)
        if name not in ("upsert", "overwrite_payload", "delete", "flush"):
            return value

        def write(*args: Any) -> None:
            if name != "flush" and not args[1]:
                return
            if name in ("overwrite_payload", "delete") and self._allowed is not None:
                for part in args[1]:  # engines do these one by one
                    self._step(name)
                    value(args[0], {part: args[1][part]} if name == "overwrite_payload" else [part])
                return
            self._step(name)
            value(*args)

        return write

    def _step(self, name: str) -> None:
        if len(self.writes) == self._allowed:
            raise Killed
        self.writes.append(name)
