"""The check of every point before it is sent: what an engine refuses, keeps half, or cannot read again.

A refused update may stay in the log of Qdrant Edge and turn up later; it takes NaN in vectors without a word; payloads
nested deeper than about 125 levels make its log unreadable. So nothing of this kind may get that far.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.store import Kind, Point, Sparse
from mindnet_chunker.records import Json, Record

MAX_DEPTH = 100  # levels of lists and mappings
MAX_INT, MIN_INT = 2**63 - 1, -(2**63)
MAX_SPARSE_INDEX = 2**32 - 1
TIMES = ("created_at", "updated_at")  # indexed as dates: any other form would be stored and never match

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def check_points(kind: Kind, points: Sequence[Point], dim: int) -> None:
    """Raise StoreError, naming the note, unless a store of `dim` dimensions can hold every point."""
    for point in points:
        check_payload(point.id, point.payload)
        dense, sparse = point.vectors
        if kind != "chunks":
            if dense is not None or sparse is not None:
                raise _refusal(point.payload, f"only chunks have vectors, not {kind}")
            continue
        fault = _dense_fault(dense, dim) or (_sparse_fault(sparse) if sparse is not None else None)
        if fault:
            raise _refusal(point.payload, fault)


def check_payload(point_id: str, payload: Record) -> None:
    """Raise StoreError, naming the note, unless this can be stored under this id."""
    fault = None if _ID.fullmatch(point_id) else f"`{point_id}` is no point id: a UUID in lower case is needed"
    fault = fault or _payload_fault(payload) or _fault(payload, 1)
    if fault:
        raise _refusal(payload, fault)


def _refusal(payload: Mapping[str, Json], fault: str) -> StoreError:
    where = payload.get("path") or payload.get("note_id") or ""
    return StoreError(f"cannot be stored: {fault}", where=str(where).encode("utf-8", "replace").decode())


def _payload_fault(payload: Record) -> str | None:
    for key in ("vault", "note_id"):
        if not (isinstance(payload.get(key), str) and payload[key]):
            return f"`{key}` must be text, not {payload.get(key)!r}"
    for key in TIMES:
        time = payload.get(key)
        if time is not None and not (isinstance(time, str) and _TIME.fullmatch(time)):
            return f"`{key}` must be like 2026-01-31T12:00:00Z, not {time!r}"
    return None


def _fault(value: Json, depth: int) -> str | None:
    """What makes a value no JSON that comes back as it went in."""
    kind = type(value)
    if kind is str:
        return None if value.isascii() or _is_text(value) else f"{value[:40]!r} holds half a surrogate pair"
    if kind is dict or kind is list:
        if depth > MAX_DEPTH:
            return f"nested deeper than {MAX_DEPTH} levels"
        if kind is list:
            members = value
        else:
            members = value.values()
            for key in value:
                if type(key) is not str or not (key.isascii() or _is_text(key)):
                    return f"{key!r} is no text and cannot be a key"
        for member in members:
            if member is None or (type(member) is str and member.isascii()):
                continue  # most are, and a call for each takes longer than all the rest
            if fault := _fault(member, depth + 1):
                return fault
        return None
    if value is None or kind is bool:
        return None
    if kind is int:
        return None if MIN_INT <= value <= MAX_INT else f"an integer of {value.bit_length()} bits does not fit in 64"
    if kind is float:
        return None if math.isfinite(value) else f"{value} is no number that can be stored"
    return f"{value!r:.40} is of type {kind.__name__}, which is no JSON"


def _is_text(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _dense_fault(dense: object, dim: int) -> str | None:
    import numpy as np

    if dense is None:
        return "a chunk without a vector"
    vector = np.asarray(dense, dtype=np.float32)
    if vector.shape != (dim,):
        return f"a vector of shape {vector.shape}, not ({dim},)"
    length = float(np.dot(vector, vector))  # NaN and infinity show here as well
    if not math.isfinite(length):
        return "a vector that is not finite"
    return None if length else "a vector of zeros"


def _sparse_fault(sparse: Sparse) -> str | None:
    indices, values = sparse
    if not len(indices) or len(indices) != len(values):
        return f"a sparse vector of {len(indices)} indices and {len(values)} weights"
    if len(set(indices)) != len(indices) or not 0 <= min(indices) <= max(indices) <= MAX_SPARSE_INDEX:
        return "a sparse vector with indices that repeat or do not fit in 32 bits"
    return None if all(map(math.isfinite, values)) else "a sparse vector that is not finite"
