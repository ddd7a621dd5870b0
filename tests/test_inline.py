from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from read_body import BODIES, cases, read

from mindnet_chunker.records import Document


def shown(document: Document) -> Iterator[str]:
    inline = document.inline
    yield from (f"tag {tag.text}" for tag in inline.tags)
    yield from (f"id {block.id}" for block in inline.block_ids)
    yield from (f"callout {one.type} {one.fold or '-'} {one.title!r}" for one in inline.callouts)
    yield from (f"field {field.key} = {field.value}" for field in inline.fields)
    yield from (f"task {task.status!r} {task.text} {dict(task.dates)}" for task in inline.tasks)


@pytest.mark.parametrize(("title", "text", "expected"), cases("inline"))
def test_inline_syntax_is_found_as_written(title: str, text: str, expected: str) -> None:
    assert "".join(f"{line}\n" for line in shown(read(text))) == expected


def test_everything_knows_its_line() -> None:
    inline = read("---\na: 1\n---\n\n> [!x] t\n> #b\n\n- [ ] c ^d\n\ne:: f\n").inline

    assert [callout.line for callout in inline.callouts] == [5]
    assert [tag.line for tag in inline.tags] == [6]
    assert [task.line for task in inline.tasks] == [8]
    assert [block.line for block in inline.block_ids] == [8]
    assert [field.line for field in inline.fields] == [10]


@settings(max_examples=300, deadline=None)
@given(BODIES)
def test_places_hold_what_is_said_to_stand_there(text: str) -> None:
    inline = read(text).inline

    assert all(text[slice(*tag.span)] == f"#{tag.text}" for tag in inline.tags)
    assert all(text[slice(*block.span)] == f"^{block.id}" for block in inline.block_ids)
    assert all("::" in text[slice(*field.span)] for field in inline.fields)


@settings(max_examples=300, deadline=None)
@given(BODIES)
def test_everything_is_in_reading_order(text: str) -> None:
    inline = read(text).inline

    for places in (
        [tag.span.start for tag in inline.tags],
        [block.span.start for block in inline.block_ids],
        [field.span.start for field in inline.fields],
        [callout.line for callout in inline.callouts],
        [task.line for task in inline.tasks],
    ):
        assert places == sorted(places)
