"""`keep_lists`: a list that fits `max` stays whole, where the target alone would have cut it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mindnet_chunker.chunking.sizing import builtin_types_text, load_types
from mindnet_chunker.pipeline import lone_note
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.setup import chosen_model, rules_for

LIST = "\n".join(f"- item {number} about the bees and the hive" for number in range(9))
NOTE = (
    "One sentence tells of the garden and of the rain. Another one tells of the garden and of the rain.\n\n"
    f"{LIST}\n\n" + " ".join(f"Sentence {number} tells of the winter and of the snow." for number in range(3))
)


@pytest.mark.parametrize(("keep", "whole"), [("true", True), ("false", False)])
def test_a_list_stays_whole_past_the_target_only_where_the_row_says_so(keep: str, whole: bool) -> None:
    row = f"default: {{target: [60, 80], max: 120, overlap: 0, min: 10, keep_lists: {keep}}}\n"
    options = VaultOptions()
    rules, _ = rules_for(options, chosen_model(options, weights=False), root=None, vault="v")
    table = load_types([("types.yaml", builtin_types_text()), ("row.yaml", row)])

    chunks = lone_note("Note.md", NOTE, replace(rules, types=table)).chunks

    assert any(LIST in chunk["text"] for chunk in chunks) is whole
