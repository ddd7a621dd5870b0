from __future__ import annotations

from hypothesis import given, settings
from read_body import BODIES, read

from mindnet_chunker.markdown.read import exclusions, read_document
from mindnet_chunker.records import Frontmatter, Note


def left_out(text: str) -> list[tuple[str, str]]:
    return [(one.reason, text[slice(*one.span)]) for one in exclusions(read(text))]


def test_head_comments_and_data_are_left_out() -> None:
    text = "---\na: 1\n---\nb %%c%% ![d](data:image/png;base64,AAA) <!-- e -->\n"

    assert left_out(text) == [
        ("frontmatter", "---\na: 1\n---\n"),
        ("comment", "%%c%%"),
        ("data_url", "AAA"),
        ("comment", "<!-- e -->"),
    ]


def test_nothing_is_left_out_of_plain_text() -> None:
    assert left_out("# a\n\n`%%b%%` 50%% 60%%\n") == []


def test_a_note_of_a_comment_has_no_blocks() -> None:
    document = read("%% only a comment %%\n")

    assert document.blocks == ()
    assert [exclusion.reason for exclusion in exclusions(document)] == ["comment"]


def test_a_drawing_is_left_out_and_names_no_note() -> None:
    text = (
        "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nHello [[World]] ^a\n\n"
        "%%\n# Drawing\n```json\n{}\n[[no]]\n```\n%%\n"
    )
    document = read(text)

    assert [link.target for link in document.inline.links] == ["World"]
    assert [block.id for block in document.inline.block_ids] == ["a"]
    assert document.first_heading is None
    assert left_out(text)[1:] == [("drawing", "%%\n# Drawing\n```json\n{}\n[[no]]\n```\n%%")]


def test_a_picture_of_megabytes_is_read_at_once() -> None:
    document = read(f"# a\n\nb [[c]]\n\n![d](data:image/png;base64,{'AbC1+/' * 250_000})\n\ne [[f]]\n")

    assert [link.target for link in document.inline.links] == ["c", "f"]


def test_a_note_may_be_made_by_hand() -> None:
    note = Note(path="a.md", text="[[b]]", frontmatter=Frontmatter(), body_start=0, line_starts=(0,))

    assert [link.target for link in read_document(note).inline.links] == ["b"]


def test_comments_that_keep_moving_the_blocks_come_to_an_end() -> None:
    document = read("%%\n```\n%%\n" * 50 + "\n%% a %% [[b]]\n")

    assert document.blocks


@settings(max_examples=300, deadline=None)
@given(BODIES)
def test_no_comment_is_left_in_what_is_found(text: str) -> None:
    document = read(text)
    comments = [region for region in document.regions if region.kind == "comment"]

    for link in document.inline.links:
        assert link.span is not None
        assert not any(comment.start <= link.span.start < comment.end for comment in comments)
    assert all("\ufffc" not in h.text or "\ufffc" in text for h in document.headings)


@settings(max_examples=200, deadline=None)
@given(BODIES)
def test_what_is_left_out_is_in_order_and_does_not_overlap(text: str) -> None:
    places = [place for one in exclusions(read(text)) for place in one.span]

    assert places == sorted(places)


@settings(max_examples=200, deadline=None)
@given(BODIES.filter(lambda text: not text.startswith("---")))
def test_a_head_moves_everything_by_its_length(text: str) -> None:
    head = "---\na: 1\n---\n"

    alone, below = read(text), read(head + text)

    assert [(r.start + len(head), r.end + len(head), r.kind) for r in alone.regions] == [
        tuple(r) for r in below.regions
    ]
    assert [block.kind for block in alone.blocks] == [block.kind for block in below.blocks]
    assert [h.text for h in alone.headings] == [h.text for h in below.headings]
