"""A text too large for a chunk: clauses, then words, then characters."""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from chunk_notes import real_counter
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.cut import Room, cut_text
from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.vault.notes import parse_note

ROOM = Room(20, 320)


def body_of(text: str) -> Body:
    return Body(read_document(parse_note("note.md", text)), (), (), real_counter())


def pieces(text: str, room: Room = ROOM, wanted: int = 10) -> list[str]:
    units = cut_text(body_of(text), 0, len(text), room, room.part(wanted))
    return [text[unit.start : unit.end] for unit in units]


def test_clauses_are_cut_after_commas_dashes_and_brackets() -> None:
    assert pieces("Erst dies, dann das; also (kurz) so – und Schluss.") == [
        "Erst dies,",
        "dann das;",
        "also (kurz)",
        "so –",
        "und Schluss.",
    ]


def test_a_comma_inside_a_number_or_a_word_is_no_border() -> None:
    assert pieces("Es sind 3,5 Liter und a,b dazu.") == ["Es sind 3,5 Liter und a,b dazu."]


def test_wide_commas_need_no_blank_and_thai_is_cut_at_its_blanks() -> None:
    assert pieces("他说，我来，你走") == ["他说，", "我来，", "你走"]
    assert pieces("สวัสดี ครับ") == ["สวัสดี", "ครับ"]


def test_a_line_end_is_a_border() -> None:
    assert pieces("eine Zeile\nnoch eine") == ["eine Zeile", "noch eine"]


def test_a_clause_that_does_not_fit_is_cut_between_words() -> None:
    found = pieces("Wort " * 100)

    assert " ".join(found).split() == ["Wort"] * 100
    assert all(real_counter().count(piece) <= 10 for piece in found)


def test_links_and_code_are_not_cut_at_their_blanks() -> None:
    link = "[[Ein Ziel mit vielen Wörtern]]"
    found = pieces(f"Wort Wort {link} Wort `code mit blank` Wort " * 20)

    assert sum(link in piece for piece in found) == 20
    assert sum("`code mit blank`" in piece for piece in found) == 20


def test_a_word_that_does_not_fit_is_cut_between_characters() -> None:
    found = pieces("…" * 500)

    assert "".join(found) == "…" * 500
    assert all(real_counter().count(unicodedata.normalize("NFKC", piece)) <= 10 for piece in found)


def test_a_long_unknown_word_is_cut_by_its_characters() -> None:
    found = pieces("a" * 5000)

    assert "".join(found) == "a" * 5000
    assert max(map(len, found)) <= 160


def test_an_address_is_cut_behind_a_sign_rather_than_inside_a_word() -> None:
    found = pieces("https://example.org/" + "teil=eins&mehr=zwei/" * 40)

    assert all(piece[-1] in "&=/" for piece in found[:-1])


@pytest.mark.parametrize("sign", ["e\u0301", "👨\u200d👩\u200d👧", "👍🏽", "🇩🇪", "नि"])
def test_no_cut_goes_through_what_a_reader_sees_as_one_sign(sign: str) -> None:
    found = pieces(sign * 200)

    assert "".join(found) == sign * 200
    assert all(piece == sign * (len(piece) // len(sign)) for piece in found)


def test_no_piece_begins_with_a_closing_sign_where_another_place_is_near() -> None:
    found = pieces("「梨の木」がある、と彼女は言った！" * 40, Room(20, 320), 18)

    assert not any(piece.startswith(("」", "、", "！")) for piece in found)


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet="ab ,;(…字\n\u0301`[]🇩👍🏽\u3000", max_size=200), tokens=st.integers(3, 30))
def test_pieces_cover_what_is_visible_and_fit(text: str, tokens: int) -> None:
    body = body_of(text)
    room = Room(tokens, tokens * 16)

    units = list(cut_text(body, 0, len(text), room, room.part(tokens // 2)))

    assert "".join(text[unit.start : unit.end] for unit in units).split() == text.split() or (
        "".join("".join(text[unit.start : unit.end] for unit in units).split()) == "".join(text.split())
    )
    assert all(unit.end <= after.start for unit, after in itertools.pairwise(units))
    assert all(room.holds(unit.tokens, unit.characters) or unit.end - unit.start == 1 for unit in units)
