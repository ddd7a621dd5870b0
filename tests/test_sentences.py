from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.chunking.sentences import sentence_spans
from mindnet_chunker.chunking.verbatim import verbatim_spans
from mindnet_chunker.records import Region, Span

LINES = (Path(__file__).parent / "cases" / "sentences.md").read_text(encoding="utf-8").split("\n")
CASES = [line.removeprefix("- ") for line in LINES if line.startswith("- ")]

# Text of the signs that the rules look at, and some that they should not stumble over.
SIGNS = "aAzZ .!?…。！？｡．\"'”“»«()[]{}*_=~`$#^<>|\\:;,-–—1９é梨と\n\r\t\u00a0\u3000\u200b\u2028😀\ufe0f؟।" + "\ud800"
STRANGE = st.text(st.sampled_from(SIGNS), max_size=120) | st.text(max_size=80)


def sentences(text: str, regions: list[Region] | None = None) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, 0, len(text), regions or [])]


@pytest.mark.parametrize("case", CASES)
def test_a_line_of_a_note_is_cut_between_its_sentences_only(case: str) -> None:
    expected = case.split(" ¦ ")

    assert sentences(" ".join(expected)) == expected


def test_the_table_of_lines_is_long_enough_to_mean_something() -> None:
    assert len(CASES) >= 300


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "「庭に梨の木がある」と彼女は言った。とても静かな朝だった！",
            ["「庭に梨の木がある」と彼女は言った。", "とても静かな朝だった！"],
        ),
        ("「はい。」と言った。そうか。", ["「はい。」と言った。", "そうか。"]),
        ("这是梨。那是什么？不知道……走吧！", ["这是梨。", "那是什么？", "不知道……", "走吧！"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("版本１．５很好。谢谢。", ["版本１．５很好。", "谢谢。"]),
        ("Das ist Version 2．5 davon.", ["Das ist Version 2．5 davon."]),
        ("هل رأيت البستان؟ فيه أشجار كثيرة.", ["هل رأيت البستان؟", "فيه أشجار كثيرة."]),
        ("बाग में पेड़ हैं। फल मीठे हैं।", ["बाग में पेड़ हैं।", "फल मीठे हैं।"]),
        ("Привет. Как дела? Хорошо!", ["Привет.", "Как дела?", "Хорошо!"]),
        ("Δύο ευρώ. Πού είναι;", ["Δύο ευρώ.", "Πού είναι;"]),
    ],
)
def test_other_scripts_have_their_own_stops(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_line_end_is_no_boundary_and_a_blank_line_is() -> None:
    assert sentences("Eine Zeile\nund noch eine\n\nEin Absatz") == ["Eine Zeile\nund noch eine", "Ein Absatz"]


def test_a_sentence_may_end_at_a_line_end() -> None:
    assert sentences("Erste Zeile.\r\nZweite Zeile.\rDritte.") == ["Erste Zeile.", "Zweite Zeile.", "Dritte."]


def test_marks_of_a_quote_at_line_starts_belong_to_no_sentence_start() -> None:
    assert sentences("> Eins zwei.\n> Drei vier z. B.\n> fünf. Sechs.") == [
        "> Eins zwei.",
        "> Drei vier z. B.\n> fünf.",
        "Sechs.",
    ]


def test_a_line_break_in_html_counts_as_a_blank() -> None:
    assert sentences("Erste Zeile.<br>Zweite Zeile.") == ["Erste Zeile.<br>", "Zweite Zeile."]


def test_no_cut_falls_into_a_region() -> None:
    text = "Siehe foo. Bar baz. Danach mehr."
    code = Region(6, 19, "code")

    assert sentences(text, [code]) == ["Siehe foo. Bar baz. Danach mehr."]


def test_a_comment_ends_the_sentence_that_it_follows() -> None:
    text = "Erster Satz. %%geheim. Ja.%% Zweiter Satz."
    comment = Region(13, 28, "comment")

    assert sentences(text, [comment]) == ["Erster Satz.", "%%geheim. Ja.%% Zweiter Satz."]


def test_spans_count_from_the_start_of_the_text() -> None:
    text = "# Titel\n\nEins zwei. Drei vier.\n"

    assert sentence_spans(text, 9, len(text)) == [Span(9, 19), Span(20, 30)]


def test_a_long_quote_is_cut_at_its_sentences() -> None:
    quote = "“" + " ".join(f"This is sentence number {n} of many." for n in range(20)) + "” Then he left."

    assert len(sentences(quote)) > 10


def test_text_without_blanks_is_cut_at_full_width_stops_however_long_it_is() -> None:
    assert len(sentences("静かな朝だった。" * 3_000)) == 3_000


@settings(max_examples=300, deadline=None)
@given(STRANGE)
def test_spans_are_in_order_and_leave_only_blanks_out(text: str) -> None:
    spans = sentence_spans(text, 0, len(text))

    at = 0
    for start, end in spans:
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@settings(max_examples=200, deadline=None)
@given(STRANGE, STRANGE)
def test_no_cut_falls_into_inline_code_or_an_address(before: str, inside: str) -> None:
    text = f"{before}\n\n`{inside.replace('`', '')}` und https://a.de/{inside}"

    spans = sentence_spans(text, 0, len(text))

    for region in verbatim_spans(text):
        whole = text[region.start : region.end]
        if whole.startswith("`") and whole.isprintable():
            assert not any(region.start < start < region.end for start, _ in spans)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(CASES), min_size=1, max_size=4))
def test_joined_paragraphs_are_cut_as_each_alone(cases: list[str]) -> None:
    texts = [" ".join(case.split(" ¦ ")) for case in cases]

    assert sentences("\n\n".join(texts)) == [sentence for text in texts for sentence in sentences(text)]


HOSTILE = [
    *(
        ". ",
        "! ",
        ".) ",
        '"a. ',
        ". #a",
        ". #. ",
        "[[",
        "[a](",
        "`",
        "> ",
        "\n>",
        "<a ",
        "$a ",
        "$",
        "a",
        "梨",
        "a.b://",
    ),
    *("a. B ", ". 😀", ".[a", "1. ", "z. ", "…", "(", " ", "\n", 'x. "', ".", "。", "\\`", "](", "](`", "1. a, 2. "),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    long = unit * (200_000 // len(unit))

    spans = sentence_spans(long, 0, len(long))

    assert not spans or spans[-1].end <= len(long)


def test_the_same_text_is_cut_the_same_way_in_any_order() -> None:
    texts = [" ".join(case.split(" ¦ ")) for case in CASES]
    first = [sentences(text) for text in texts]
    order = list(range(len(texts)))
    random.Random(1).shuffle(order)

    again = {place: sentences(texts[place]) for place in order}

    assert [again[place] for place in range(len(texts))] == first
