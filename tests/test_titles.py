"""Titles of sections: names in a row, dates, times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_chunker.chunking.titles import is_date, is_time, plain_title


@pytest.mark.parametrize(
    "title",
    ["Siehe auch", "siehe auch:", "**Siehe auch**", "🔗 Siehe auch", "[[Siehe auch]]", "Siehe  auch ::", "SIEHE AUCH"],
)
def test_titles_are_compared_without_case_marks_and_colon(title: str) -> None:
    assert plain_title(title) == "siehe auch"


def test_titles_are_compared_in_one_normal_form() -> None:
    assert plain_title("Mo\u0308gliche Verbindungen") == plain_title("Mögliche Verbindungen")


@pytest.mark.parametrize(
    "title",
    [
        "2024-05-01",
        "01.05.2024",
        "1.5.",
        "1. Mai 2024",
        "Mittwoch, 1. Mai 2024",
        "2024-05-01 (Mittwoch)",
        "Mi 01.05.2024",
        "May 1, 2024",
        "Wednesday, May 1st, 2024",
        "1st of May",
        "Monday",
        "[[2024-05-01]]",
        "2024年5月1日",
        "20240501",
    ],
)
def test_a_title_that_is_a_day_is_a_date(title: str) -> None:
    assert is_date(title)


@pytest.mark.parametrize("title", ["", "2024", "Mai", "Ziele für 2024-05-01", "3 Hühner", "Version 1.2.3", "Montags"])
def test_other_titles_are_no_dates(title: str) -> None:
    assert not is_date(title)


@pytest.mark.parametrize("title", ["09:30", "9 Uhr", "14:00 Treffen", "9.30 Uhr", "10 am", "9:00 - 10:30", "um 9 Uhr"])
def test_a_title_that_begins_with_a_time_of_day_is_a_time(title: str) -> None:
    assert is_time(title)


@pytest.mark.parametrize("title", ["", "3.5 Liter", "12 Hühner", "1.2.3", "Treffen um 9:30", "2024-05-01"])
def test_other_titles_are_no_times(title: str) -> None:
    assert not is_time(title)


@given(st.text())
def test_any_title_can_be_asked(title: str) -> None:
    assert is_date(title) in (True, False)
    assert is_time(title) in (True, False)
    assert plain_title(plain_title(title)) == plain_title(title)
