"""Body -> `Block`s with exact spans, by markdown-it's block rules and our own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, fence, list_block, reference
from markdown_it.token import Token
from mdit_py_plugins.footnote.index import footnote_def

from mindnet_chunker.markdown import rules
from mindnet_chunker.markdown.callouts import CALLOUT
from mindnet_chunker.records import Block, Fence, Span

_KINDS = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "footnote_reference_open": "footnote",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
}
_MAX_QUOTES = 12  # within each other
_MAX_DEFINITION_LINES = 8
_LINE_END = re.compile("\n")
_LIST_MARK = re.compile(r"[^>\s]")


@dataclass(slots=True)
class _Node:
    """A token and what lies in it, before the spans are known."""

    token: Token
    line: int  # its first, counted from 0 in the body
    parts: Sequence[_Node] = ()


def parse_blocks(source: str, start: int) -> tuple[Block, ...]:
    """The top-level blocks of the body `source[start:]`; they tile it, unless it is blank: then there are none.

    `source` has `\\n` as its only line end, with comments hidden (see `mask`). A block runs to the first line of the
    next one: blank lines belong to the block above, those at the top to the first block. Blocks within another tile it
    in the same way.
    """
    body = source[start:]
    tokens: list[Token] = []
    _PARSER.block.parse(body, _PARSER, {}, tokens)
    lines = [start, *(start + end.end() for end in _LINE_END.finditer(body))]
    return _blocks(_tree(tokens), source, lines, Span(start, len(source)))


def _tree(tokens: Sequence[Token]) -> list[_Node]:
    top: list[_Node] = []
    open_lists = [top]
    for token in tokens:
        if token.nesting < 0:
            open_lists.pop()
            continue
        node = _Node(token, token.map[0] if token.map else 0)
        open_lists[-1].append(node)
        if token.nesting > 0:
            parts: list[_Node] = []
            node.parts = parts
            open_lists.append(parts)
    return top


def _blocks(nodes: Sequence[_Node], source: str, lines: Sequence[int], span: Span) -> tuple[Block, ...]:
    if not nodes:
        return ()
    starts = [span.start, *[lines[node.line] for node in nodes[1:]], span.end]
    return tuple([_block(node, source, lines, Span(*ends)) for node, ends in zip(nodes, pairwise(starts), strict=True)])


def _block(node: _Node, source: str, lines: Sequence[int], span: Span) -> Block:
    token = node.token
    kind = _KINDS.get(token.type, token.type)
    if kind == "heading":
        return Block(kind=kind, span=span, level=int(token.tag[1]), title=token.content)
    if kind == "table":
        return Block(kind=kind, span=span, parts=_rows(token, lines, span))
    if token.type == "fence":
        return Block(kind=kind, span=span, fence=_fence_of(token, source, lines))
    if kind == "quote" and _is_callout(node, source, lines):
        kind = "callout"
    return Block(kind=kind, span=span, parts=_blocks(node.parts, source, lines, span))


def _rows(table: Token, lines: Sequence[int], span: Span) -> tuple[Block, ...]:
    """The header with the row of dashes below it, then a block for each line."""
    first, end = table.map or (0, 0)
    starts = [span.start, *[lines[line] for line in range(first + 2, end)], span.end]
    return tuple([Block(kind="row" if at else "header", span=Span(*ends)) for at, ends in enumerate(pairwise(starts))])


def _is_callout(quote: _Node, source: str, lines: Sequence[int]) -> bool:
    first = quote.parts[0] if quote.parts else None
    if first is None or first.line != quote.line or not first.token.content.startswith("[!"):
        return False
    return CALLOUT.match(source, source.index("[!", lines[first.line])) is not None


def _fence_of(token: Token, source: str, lines: Sequence[int]) -> Fence:
    first, end = token.map or (0, 0)
    opener, closer = (_line(source, lines, line) for line in (first, end - 1))
    if not token.meta["closed"]:
        closer = _LIST_MARK.sub(" ", opener[: opener.index(token.markup)]) + token.markup
    return Fence(opener=opener, closer=closer, info=token.info.strip(), closed=token.meta["closed"])


def _line(source: str, lines: Sequence[int], line: int) -> str:
    end = lines[line + 1] if line + 1 < len(lines) else len(source)
    return source[lines[line] : end].rstrip()


# --- the parser ------------------------------------------------------------------------------------------------------


class _Parser(MarkdownIt):
    """With addresses as written: they are judged where links are read."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


def _fence(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    found = fence(state, line, end, silent)
    if found and not silent:
        token, last = state.tokens[-1], state.line - 1
        text = state.src[state.bMarks[last] + state.tShift[last] : state.eMarks[last]].rstrip(" \t")
        closes = text.startswith(token.markup) and not text.strip(token.markup[0]) and not state.is_code_block(last)
        token.meta = {"closed": last > line and closes}
    return found


def _footnote(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    opened = len(state.tokens)
    found: bool = footnote_def(state, line, end, silent)
    if found and not silent:
        state.tokens[opened].map = [line, state.line]
    return found


def _definition(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """The parser copies what it has of a definition for every further line: so few lines may make one."""
    last, state.lineMax = state.lineMax, min(state.lineMax, line + _MAX_DEFINITION_LINES)
    found = reference(state, line, end, silent)
    state.lineMax = last
    return found


def _quote(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Each quote reads all its lines again, also those that go on without a mark: so few may lie in each other."""
    depth = state.env.get("quotes", 0)
    if depth >= _MAX_QUOTES and not silent:
        return False
    state.env["quotes"] = depth + 1
    found: bool = blockquote(state, line, end, silent)
    state.env["quotes"] = depth
    return found


def _parser() -> MarkdownIt:
    containers: rules.Starts = {">": (_quote,), "+": (list_block,), **dict.fromkeys("0123456789", (list_block,))}
    flat: rules.Starts = {
        "#": (rules.heading,),
        "`": (_fence,),
        "~": (_fence,),
        "_": (rules.thematic_break,),
        "-": (rules.thematic_break,),
        "*": (rules.thematic_break,),
        "<": (rules.html,),
        "$": (rules.math,),
        "[": (_definition,),
    }
    nested: rules.Starts = {
        **flat,
        **containers,
        "-": (rules.thematic_break, list_block),
        "*": (rules.thematic_break, list_block),
        "[": (_footnote, _definition),
    }
    interrupting: rules.Starts = {**nested, "[": (_footnote,)}
    in_list = {sign: found for sign, found in nested.items() if sign in "`~>_"}
    in_list |= {"-": (rules.thematic_break,), "*": (rules.thematic_break,)}
    in_quote = {sign: found for sign, found in nested.items() if sign != "["}

    # Past its own limit of nesting the parser drops the rest of the text: ours comes first.
    parser = _Parser("commonmark", {"inline_definitions": True, "maxNesting": 2 * rules.MAX_LEVEL})
    ruler = parser.block.ruler
    ruler.push("any_block", rules.block_rule(nested, flat, interrupting), {"alt": []})
    ruler.push("end_text", rules.interrupt_rule(interrupting, with_tables=True), {"alt": ["paragraph", "reference"]})
    ruler.push("end_quote", rules.interrupt_rule(in_quote, with_tables=False), {"alt": ["blockquote"]})
    ruler.push("end_item", rules.interrupt_rule(in_list, with_tables=False), {"alt": ["list"]})
    ruler.enableOnly(["any_block", "end_text", "end_quote", "end_item", "code"])
    return parser


_PARSER = _parser()
