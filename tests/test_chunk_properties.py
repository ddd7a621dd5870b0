"""What must hold for every note and every row: checked by hand here, and by the invariants of `validate`."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from functools import cache

import note_grammar
import pytest
from chunk_notes import Cut, real_counter, row_of, sentences
from growth import growth_is_within
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from mindnet_chunker.chunking.invariants import check_note
from mindnet_chunker.chunking.pack import cut_note
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.records import Chunk
from mindnet_chunker.vault.notes import parse_note

ROWS = note_grammar.structure_rows | note_grammar.structure_rows | note_grammar.simple_rows
# The long version: MINDNET_EXAMPLES=100000 python -m pytest tests/test_chunk_properties.py
EXAMPLES = int(os.environ.get("MINDNET_EXAMPLES", "60"))
PROPERTY = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


@PROPERTY
@given(text=note_grammar.notes(), row=ROWS)
def test_every_visible_character_is_in_one_chunk_or_one_exclusion(text: str, row: NoteType) -> None:
    cut = Cut(text, row)

    owners = [0] * len(text)
    left_out = [False] * len(text)
    for exclusion in cut.exclusions:
        for at in range(*exclusion.span):
            left_out[at] = True
    for chunk in cut.chunks:
        for at in range(*chunk.span):
            owners[at] += 1
    for at, sign in enumerate(text):
        if not left_out[at] and not re.match(r"[\s\u200b-\u200f\u2060\ufeff]", sign):
            assert owners[at] == 1, (at, text[at : at + 20])
        assert owners[at] < 2


@PROPERTY
@given(text=note_grammar.notes(), row=ROWS)
def test_no_chunk_passes_max_but_one_kept_code_block_or_table(text: str, row: NoteType) -> None:
    for chunk in Cut(text, row).chunks:
        embedded = embedding_text(chunk.context, chunk.text)
        assert real_counter().encode_count(embedded) + real_counter().specials == chunk.embedding_tokens
        if "oversize" not in chunk.flags:
            assert chunk.embedding_tokens <= row.max
            assert len(embedded) <= 16 * row.max
        elif row.strategy == "structure":
            assert row.oversize == "keep"
            assert {"has_code", "has_table"} & set(chunk.flags)


@PROPERTY
@given(text=note_grammar.notes(), row=ROWS)
def test_the_invariants_hold(text: str, row: NoteType) -> None:
    cut = Cut(text, row, aliases=("Ein Name",))

    assert check_note(text, cut.records(), cut.record(), real_counter(), row=row) == []
    assert [problem for problem in cut.problems if problem.code != "broken-fence"] == []


@cache
def gluing_counter() -> TokenCounter:
    """Of a byte-level BPE, which glues blanks to words: its counts do not add up."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([sentences(50)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return TokenCounter(tokenizer.to_str().encode())


@PROPERTY
@given(text=note_grammar.notes(), row=ROWS)
def test_the_invariants_hold_for_a_tokenizer_whose_counts_do_not_add_up(text: str, row: NoteType) -> None:
    cut = Cut(text, row, counter=gluing_counter())

    assert not gluing_counter().additive
    assert check_note(text, cut.records(), cut.record(), gluing_counter(), row=row) == []


def test_an_indent_that_alone_would_pass_max_is_left_out() -> None:
    row = row_of(max=16, target=[2, 8], overlap=0, min=0)
    cut = Cut("# der der\n\n- der.\n        - der.", row, counter=gluing_counter())

    assert [chunk.text for chunk in cut.chunks] == ["# der der", "- der.", "- der."]
    assert not any("oversize" in chunk.flags for chunk in cut.chunks)


def test_an_indent_of_code_that_may_be_cut_is_left_out_where_it_alone_would_pass_max() -> None:
    row = row_of(max=16, target=[2, 8], overlap=0, min=0, oversize="split")
    cut = Cut("der.\n\n# der der\n\n        - der.", row, counter=gluing_counter())

    assert not any("oversize" in chunk.flags for chunk in cut.chunks)


@pytest.mark.parametrize(
    "text", ["```", "```python-with-a-long-name", "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "- ```abcdefghijklmnopq"]
)
def test_an_opened_fence_without_code_is_cut_where_it_alone_passes_max(text: str) -> None:
    row = row_of(max=16, target=[2, 8], overlap=0, min=0, oversize="split")
    cut = Cut(f"# der der\n\n{text}", row, counter=gluing_counter())

    assert cut.chunks


@PROPERTY
@given(text=note_grammar.notes(), row=ROWS)
def test_the_chunks_hold_the_words_of_the_body_in_order(text: str, row: NoteType) -> None:
    cut = Cut(text, row)

    kept = "".join(
        sign
        for at, sign in enumerate(text)
        if not any(exclusion.span.start <= at < exclusion.span.end for exclusion in cut.exclusions)
    )
    owned = "".join(_own_text(chunk) for chunk in cut.chunks)
    assert _letters(owned) == _letters(kept)


def _own_text(chunk: Chunk) -> str:
    """What the chunk owns of the file."""
    text = chunk.text
    for one in reversed(chunk.added):
        text = text[: one.at] + text[one.at + len(one.text) :]
    return text[chunk.own_start :]


def _letters(text: str) -> str:
    """Composed only without the blanks: between two chunks there are none that could keep an accent from a letter."""
    return unicodedata.normalize("NFC", re.sub(r"[\s\u200b-\u200f\u2060\ufeff]+", "", text))


@PROPERTY
@given(text=note_grammar.notes(), row=ROWS)
def test_the_same_input_gives_the_same_chunks(text: str, row: NoteType) -> None:
    assert Cut(text, row).chunks == Cut(text, row).chunks


@PROPERTY
@given(
    before=note_grammar.paragraphs,
    after=note_grammar.paragraphs,
    rest=st.lists(note_grammar.paragraphs | note_grammar.lists, min_size=1, max_size=6),
)
def test_an_edit_leaves_the_chunks_of_other_sections_as_they_were(before: str, after: str, rest: list[str]) -> None:
    def chunks(edited: str) -> list[str]:
        # A section that shows nothing would hand its heading on to the next one.
        parts = [f"## Teil {n}\n\n{text}" for n, text in enumerate([*rest, f"Ein Satz.\n\n{edited}", *rest])]
        cut = Cut("\n\n".join(parts))
        return [chunk.text for chunk in cut.chunks if f"Teil {len(rest)}" not in str(chunk.headings)]

    assert chunks(before) == chunks(after)


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=300), row=ROWS)
def test_any_text_at_all_is_cut_without_loss(text: str, row: NoteType) -> None:
    text = text.encode("utf-8", "replace").decode()
    cut = Cut(text, row)

    assert check_note(text, cut.records(), cut.record(), real_counter(), row=row) == []


HOSTILE = {
    "one line of letters": "a" * 100,
    "one line of ellipses": "…" * 100,
    "one line of combining marks": "e" + "\u0301" * 99,
    "one line of Han signs": "字" * 100,
    "one line of words": "wort " * 20,
    "clause signs": ",;)" * 33 + " ",
    "list marks": "- a\n" * 25,
    "deep lists": "".join(f"{'  ' * n}- a\n" for n in range(7)),
    "quote marks": "> " * 50,
    "headings": "#### a\n\n" * 12,
    "headings with text": "## a\n\nb\n\n" * 10,
    "empty headings": "#\n" * 50,
    "one-letter paragraphs": "a\n\n" * 33,
    "rules": "---\n\n" * 20,
    "fences": "```\n" * 25,
    "pipes": "|" * 100,
    "table rows": "| a | b |\n" * 10,
    "comments": "%%a%% " * 16,
    "blank lines": "a" + "\n" * 99,
    "brackets": "[[" * 50,
}


def cutting(text: str, row: NoteType) -> Callable[[], object]:
    document = read_document(parse_note("note.md", text))
    return lambda: cut_note(document, "note", (), row, real_counter(), 256)


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("oversize", ["keep", "split"])
def test_the_time_grows_with_the_length_of_a_hostile_note_alone(unit: str, oversize: str) -> None:
    row = row_of(oversize=oversize)

    # 8 times as much text; a quadratic step would take 64 times as long.
    assert growth_is_within(24, cutting(unit * 25, row), cutting(unit * 200, row))


def test_the_time_grows_with_the_length_of_one_long_section_alone() -> None:
    assert growth_is_within(24, cutting(sentences(250), row_of()), cutting(sentences(2000), row_of()))
