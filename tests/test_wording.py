from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.chunking.verbatim import verbatim_spans
from mindnet_chunker.chunking.wording import embedding_form, embedding_text, tidy, tidy_mapped

SIGNS = "ab.é\n\n\n\r \t\x0b\x0c\x1f\x85\u00a0\u2028\u3000\u200b\u0301\u0308ﬁ…①`$~>#-*[]()\\:/1カ゛\ud800"
TEXT = st.text(st.sampled_from(SIGNS), max_size=80) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("", ""),
        (" \n\t\n\u3000\n", ""),
        ("Ein Satz.", "Ein Satz."),
        ("\n\n  Ein Satz. \t\n", "  Ein Satz."),
        ("eins\n\n\n\nzwei\n \nvier", "eins\n\nzwei\n\nvier"),
        ("eins\n\u3000\n\x0c\n\u2028\nzwei", "eins\n\nzwei"),
        ("eins\r\nzwei\rdrei\r\n\r\n\r\nvier", "eins\nzwei\ndrei\n\nvier"),
        ("ein\x0cWort\u2028noch\x85eins\x0bund", "ein\x0cWort\u2028noch\x85eins\x0bund"),
        ("U\u0308bung", "Übung"),
        ("10\u00a0km  weit", "10\u00a0km  weit"),
        ("- eins\n    - zwei  \n", "- eins\n    - zwei"),
        ("\tall:\n\t\techo", "\tall:\n\t\techo"),
        ("ﬁ … ①", "ﬁ … ①"),
        ("Zeichen\u200b\n", "Zeichen\u200b"),
    ],
)
def test_a_text_is_tidied_and_nothing_else_changes(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_a_tidy_text_stays_as_it_is(text: str) -> None:
    once = tidy(text)

    assert tidy(once) == once


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_tidying_loses_nothing_but_blanks(text: str) -> None:
    assert "".join(tidy(text).split()) == "".join(unicodedata.normalize("NFC", text).split())


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_a_tidy_text_has_no_blanks_to_spare(text: str) -> None:
    lines = tidy(text).split("\n")

    assert "\r" not in tidy(text)
    assert lines == [line.rstrip() for line in lines]
    assert (lines[0] and lines[-1]) or lines == [""]
    assert "\n\n\n" not in tidy(text)


@settings(max_examples=400, deadline=None)
@given(TEXT, st.integers(0, 80))
def test_a_mapped_position_begins_the_tidied_rest(text: str, position: int) -> None:
    text = unicodedata.normalize("NFC", text)
    position = min(position, len(text))

    whole, (at,) = tidy_mapped(text, [position])

    assert whole == tidy(text)
    if position == len(text) or not unicodedata.combining(text[position]):
        assert whole[at:] == tidy(text[position:])


def test_positions_are_mapped_together() -> None:
    text = "\nU\u0308ber.  \n\n\n\n  - Punkt\r\n\r\nEnde"

    whole, places = tidy_mapped(text, [0, 7, text.index("  -"), text.index("Ende"), len(text)])

    assert whole == "Über.\n\n  - Punkt\n\nEnde"
    assert places == (0, 7, 7, 18, 22)


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("Nur Text mit 5 $ und 3 $ darin.", []),
        ("Der `code…` und ``noch ` einer`` hier.", ["`code…`", "``noch ` einer``"]),
        ("Ein \\`keiner\\` hier, ``auch nicht`.", []),
        ("Ein `offener\n\nabsatz`.", []),
        ("Ein `über\nzwei` Zeilen.", ["`über\nzwei`"]),
        ("Mathe $x_i$ und $$y$$, nicht 5$ oder $ 6.", ["$x_i$", "$$y$$"]),
        ("Preise: 5$ - 10$ und $5, $6.", []),
        ("$$\na\n\nb\n$$ Ende", ["$$\na\n\nb\n$$"]),
        ("vor\n```python\nx = '…'\n```\nnach", ["```python\nx = '…'\n```"]),
        ("~~~\n```\n~~~\nnach `c`", ["~~~\n```\n~~~", "`c`"]),
        ("````\n```\n````\nnach", ["````\n```\n````"]),
        ("```\noffen … `x`", ["```\noffen … `x`"]),
        ("> ```\n> x\n> ```\n> Text", ["```\n> x\n> ```"]),
        ("- ```\n  x\n  ```\n- y", ["```\n  x\n  ```"]),
        ("``` a ` b\n` c", ["` b\n`"]),
        ("Siehe https://a.de/ü…?q=1 dort.", ["https://a.de/ü…?q=1"]),
        ("Siehe <https://a.de/x> und mailto:a@b.de.", ["https://a.de/x", "mailto:a@b.de."]),
        ("Ein [Wort](ziel…%20x.md) hier.", ["](ziel…%20x.md"]),
        ("obsidian://open?vault=x ok", ["obsidian://open?vault=x"]),
        ("`https://a.de` und https://b.de/`c`", ["`https://a.de`", "https://b.de/`c`"]),
        ("a ://b c", ["://b"]),
    ],
)  # fmt: skip
def test_code_math_and_addresses_are_found(text: str, raw: list[str]) -> None:
    assert [text[start:end] for start, end in verbatim_spans(text)] == raw


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_spans_are_in_order_and_inside_the_text(text: str) -> None:
    at = 0
    for start, end in verbatim_spans(text):
        assert at <= start < end <= len(text)
        at = end


@pytest.mark.parametrize(
    "unit", ["`", "``` ", "`\n", "~~~\n", "```\n", "$", "$a", "$$ ", "](", "a://", "a.b+c-", "\\`", "> ", ">", "1. ", "mailto:", "\n \n"]
)  # fmt: skip
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    text = unit * (500_000 // len(unit))

    assert all(end <= len(text) for _, end in verbatim_spans(text))


def test_backtick_runs_of_many_lengths_cost_no_more_than_their_length() -> None:
    text = " ".join("`" * length for length in range(1, 1_000))

    assert verbatim_spans(text) == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("ﬁnden … ① m²", "finden ... 1 m2"),
        ("Zeile `ﬁ…` und …", "Zeile `ﬁ…` und ..."),
        ("$x²$ ist x²", "$x²$ ist x2"),
        ("https://a.de/ﬁ ﬁ", "https://a.de/ﬁ fi"),
        ("```\nﬁ…\n```\nﬁ", "```\nﬁ…\n```\nfi"),
        ("10\u00a0km", "10 km"),
        ("ｶﾞ", "ガ"),
        ("nur ASCII", "nur ASCII"),
    ],
)
def test_prose_is_embedded_in_nfkc_and_the_rest_as_it_is(text: str, form: str) -> None:
    assert embedding_form(text) == form


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_what_is_no_code_math_or_address_is_in_nfkc(text: str) -> None:
    if not verbatim_spans(text):
        assert embedding_form(text) == unicodedata.normalize("NFKC", text)


def test_the_context_stands_before_the_text_with_a_blank_line_between() -> None:
    assert embedding_text("Garten > Bäume …", "Text …") == "Garten > Bäume ...\n\nText ..."
    assert embedding_text("", "Text") == "Text"
