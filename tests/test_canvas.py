"""A board: its texts, files, addresses, edges and groups, whatever else the file holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.records import Json
from mindnet_chunker.vault.canvas import Canvas, CanvasEdge, CanvasText, parse_canvas


def board(value: Json) -> Canvas:
    return parse_canvas("Board.canvas", json.dumps(value))


def test_nodes_come_in_the_order_of_the_file() -> None:
    found = board(
        {
            "nodes": [
                {"id": "a", "type": "file", "file": "Folder/Soup.md"},
                {"id": "b", "type": "text", "text": "see [[Bread]]\r\n- [ ] buy"},
                {"id": "c", "type": "link", "url": "https://example.com"},
                {"id": "d", "type": "group", "label": "Evening"},
                {"id": "e", "type": "text", "text": ""},
            ],
            "edges": [
                {"id": "1", "fromNode": "a", "toNode": "b", "label": "leads to"},
                {"id": "2", "fromNode": "b", "toNode": "c"},
            ],
        }
    )

    assert [type(node).__name__ for node in found.nodes] == ["Link", "CanvasText", "ExternalLink", "CanvasText"]
    assert found.texts == (CanvasText(node="b", text="see [[Bread]]\n- [ ] buy"), CanvasText(node="e", text=""))
    assert [url.url for url in found.urls] == ["https://example.com"]
    assert found.groups == ("Evening",)
    assert found.edges == (
        CanvasEdge(source="a", target="b", label="leads to"),
        CanvasEdge(source="b", target="c", label=None),
    )
    assert found.problems == ()


@pytest.mark.parametrize(
    ("subpath", "heading", "block"),
    [(None, None, None), ("#Part#Two", "Part#Two", None), ("#^b-1", None, "b-1"), ("#", None, None), (7, None, None)],
)
def test_a_file_node_is_an_embedded_link_to_a_vault_path(subpath: Json, heading: str | None, block: str | None) -> None:
    (link,) = board({"nodes": [{"type": "file", "file": "U\u0308/a.md", "subpath": subpath}]}).files

    assert (link.kind, link.origin, link.raw, link.target) == ("canvas", "canvas", "U\u0308/a.md", "Ü/a.md")
    assert (link.heading, link.block, link.alias, link.embed) == (heading, block, None, True)


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"nodes": [], "edges": []}', '{"nodes": null, "more": 1}'])
def test_an_empty_board_is_fine(text: str) -> None:
    assert parse_canvas("Board.canvas", text) == Canvas(path="Board.canvas")


@pytest.mark.parametrize(
    "text",
    ["{", "[1]", "null", "text", '{"nodes": 5}', '{"edges": {}}', '{"nodes": [1]}', '{"nodes": [{"type": "text"}]}',
     '{"nodes": [{"type": "file", "file": 3}]}', '{"edges": [{"fromNode": "a"}]}', "[" * 100_000, '{"nodes":' * 100_000,
     "9" * 5000, '{"nodes": [{"type": "text", "text": "x", "x": ' + "9" * 5000 + "}]}"],
)  # fmt: skip
def test_what_is_no_board_is_one_problem_that_names_the_file(text: str) -> None:
    found = parse_canvas("Board.canvas", text)

    assert found.nodes == ()
    assert [(problem.code, problem.path) for problem in found.problems] == [("canvas-invalid", "Board.canvas")]
    assert "\n" not in found.problems[0].message


def test_a_syntax_error_names_its_line() -> None:
    assert parse_canvas("Board.canvas", '{\n"nodes": [\n,]}').problems[0].line == 3


def test_unknown_types_and_fields_are_left_out_in_silence() -> None:
    found = board(
        {"nodes": [{"type": "video", "src": "x"}, {"type": ["text"]}, {"text": "no type"}, {"type": "group"}]}
    )

    assert (found.nodes, found.groups, found.problems) == ((), (), ())


def test_bad_nodes_do_not_hide_good_ones() -> None:
    found = board({"nodes": [None, {"type": "text", "text": 5}, {"id": "a", "type": "text", "text": "kept"}]})

    assert [node.text for node in found.texts] == ["kept"]
    assert len(found.problems) == 1


def test_escapes_leave_no_half_sign_and_no_nul() -> None:
    found = parse_canvas("B.canvas", '{"nodes": [{"type": "text", "text": "\\ud800 \\u0000 \\ud83d\\ude00"}]}')

    assert found.texts[0].text == "\ufffd \ufffd 😀"


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
NODES = st.dictionaries(
    st.sampled_from(["type", "id", "text", "file", "subpath", "url", "label", "fromNode", "toNode"]),
    st.one_of(st.sampled_from(["text", "file", "link", "group", "#^x"]), JSON),
)


@given(st.one_of(st.text(), JSON.map(json.dumps), st.fixed_dictionaries(
    {"nodes": st.lists(st.one_of(NODES, JSON)), "edges": st.lists(st.one_of(NODES, JSON))}).map(json.dumps)))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_no_file_raises(text: str) -> None:
    found = parse_canvas("Board.canvas", text)

    for shown in (*(node.text for node in found.texts), *(link.raw for link in found.files), *found.groups):
        shown.encode("utf-8")
        assert "\r" not in shown
