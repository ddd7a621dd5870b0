"""A canvas file -> its texts, links, edges."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mindnet_chunker.records import ExternalLink, Json, Link, Problem, nfc

LINE_END = re.compile(r"\r\n|\r")
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # NUL and lone surrogates: escapes can make them


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasText:
    """A text node: Markdown."""

    node: str
    text: str  # line ends \n


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasEdge:
    source: str  # node ids
    target: str
    label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Canvas:
    """A board of JSON Canvas 1.0; unknown fields and types are left out."""

    path: str
    nodes: tuple[CanvasText | Link | ExternalLink, ...] = ()  # text, file and link nodes in the file's order
    edges: tuple[CanvasEdge, ...] = ()
    groups: tuple[str, ...] = ()  # labels
    problems: tuple[Problem, ...] = ()

    @property
    def texts(self) -> tuple[CanvasText, ...]:
        return tuple(node for node in self.nodes if isinstance(node, CanvasText))

    @property
    def files(self) -> tuple[Link, ...]:
        return tuple(node for node in self.nodes if isinstance(node, Link))

    @property
    def urls(self) -> tuple[ExternalLink, ...]:
        return tuple(node for node in self.nodes if isinstance(node, ExternalLink))


def parse_canvas(path: str, text: str) -> Canvas:
    """Never raises: what is no board, and nodes and edges of a wrong form, are problems."""
    try:
        board = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply, or an impossible number"
        return Canvas(path=path, problems=(_problem(path, f"is no JSON: {what.lower()}", line),))
    if not isinstance(board, dict):
        return Canvas(path=path, problems=(_problem(path, "is no board: its JSON is no object"),))
    wrong: list[str] = []
    nodes: list[CanvasText | Link | ExternalLink] = []
    groups: list[str] = []
    for node in _objects(board, "nodes", wrong):
        match node:
            case {"type": "text", "text": str(content)}:
                nodes.append(CanvasText(node=_id(node.get("id")), text=_text(content)))
            case {"type": "file", "file": str(file)} if file.strip():
                nodes.append(_file_link(file, node.get("subpath")))
            case {"type": "link", "url": str(url)} if url.strip():
                nodes.append(ExternalLink(url=_text(url.strip()), text=None, line=1, span=None))
            case {"type": "group"}:
                if isinstance(label := node.get("label"), str) and label.strip():
                    groups.append(_text(label))
            case {"type": "text" | "file" | "link" as kind}:
                wrong.append(f"a {kind} node without its {'url' if kind == 'link' else kind}")
    edges: list[CanvasEdge] = []
    for edge in _objects(board, "edges", wrong):
        source, target, label = (edge.get(key) for key in ("fromNode", "toNode", "label"))
        if isinstance(source, str | int) and isinstance(target, str | int):
            shown = _text(label) if isinstance(label, str) else None
            edges.append(CanvasEdge(source=_id(source), target=_id(target), label=shown))
        else:
            wrong.append("an edge without both its nodes")
    problems = (_problem(path, f"left out: {', '.join(dict.fromkeys(wrong))}"),) if wrong else ()
    return Canvas(path=path, nodes=tuple(nodes), edges=tuple(edges), groups=tuple(groups), problems=problems)


def _objects(board: dict[str, Json], key: str, wrong: list[str]) -> Iterator[dict[str, Json]]:
    listed = board.get(key)
    if listed is None:
        return
    if not isinstance(listed, list):
        wrong.append(f"`{key}`, which is no list")
        return
    for entry in listed:
        if isinstance(entry, dict):
            yield entry
        else:
            wrong.append(f"an entry of `{key}` that is no object")


def _file_link(file: str, subpath: Json) -> Link:
    written = _text(file.strip())
    place = _text(subpath).strip().removeprefix("#") if isinstance(subpath, str) else ""
    return Link(
        kind="canvas",
        raw=written,
        target=nfc(written),
        heading=None if place.startswith("^") else place or None,
        block=place[1:].strip() or None if place.startswith("^") else None,
        alias=None,
        embed=True,
        line=1,
        span=None,
        origin="canvas",
    )


def _id(value: Json) -> str:
    return _text(str(value)) if isinstance(value, str | int) else ""


def _text(text: str) -> str:
    return NO_TEXT.sub("\ufffd", LINE_END.sub("\n", text))


def _problem(path: str, message: str, line: int | None = None) -> Problem:
    return Problem(
        code="canvas-invalid", message=message, path=path, line=line, hint="open it in Obsidian and save it again"
    )
