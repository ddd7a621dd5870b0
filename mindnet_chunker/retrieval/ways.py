"""The ways in which a question can be asked and a hit widened."""

from __future__ import annotations

from typing import Literal, get_args

Mode = Literal["fused", "dense", "bm25"]
MODES: tuple[Mode, ...] = get_args(Mode)
Expand = Literal["section", "note", "links"]
EXPANSIONS: tuple[Expand, ...] = get_args(Expand)
