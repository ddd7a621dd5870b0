"""Block rules for markdown-it that are our own: what Obsidian adds, and what must stay linear on any input.

Each leaves one token with its lines; the parser's own rules would cut text into cells and inline tokens that nobody
reads. A rule is asked only for lines whose first character it starts with, so most lines cost one look-up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from mindnet_chunker.markdown.mask import visible

MAX_LEVEL = 40  # containers within containers (a list counts twice); deeper marks are text


class _HtmlBlock(NamedTuple):
    """What opens an HTML block and what closes it: without a closer a blank line does."""

    opener: re.Pattern[str]
    closer: re.Pattern[str] | None
    interrupts: bool = True  # whether it may begin on the line after text


_DELIMITER_ROW = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?")
_PIPE = re.compile(r"(?<!\\)\|")
_BLOCK_ID = re.compile(r"\^[A-Za-z0-9-]+[ \t]*")
_SETEXT = re.compile(r"(?:-+|=+)[ \t]*")
_ATX = re.compile(r"(#{1,6})(?=[ \t]|$)[ \t]*+")

_HTML_NAMES = """address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div
dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link
main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr
track ul"""
_HTML_TAG = (
    r"/[A-Za-z][A-Za-z0-9-]*+[ \t]*+>|[A-Za-z][A-Za-z0-9-]*+"
    r"(?:[ \t]++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:[ \t]*+=[ \t]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\"'=<>`]++))?+)*+[ \t]*+/?>"
)
# Comments are hidden before the parse, and one left open hides nothing: so `<!--` opens no block here.
_HTML_BLOCKS = (
    _HtmlBlock(
        re.compile(r"<(?:script|pre|style|textarea)(?=[ \t>]|$)", re.I | re.A),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I | re.A),
    ),
    _HtmlBlock(re.compile(r"<\?"), re.compile(r"\?>")),
    _HtmlBlock(re.compile(r"<![A-Za-z]"), re.compile(r">")),
    _HtmlBlock(re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    _HtmlBlock(re.compile(rf"</?(?:{'|'.join(_HTML_NAMES.split())})(?=[ \t]|/?>|$)", re.I | re.A), None),
    _HtmlBlock(re.compile(rf"<(?:{_HTML_TAG})[ \t]*+$"), None, interrupts=False),
)


class State(Protocol):
    """What our rules use of markdown-it's `StateBlock`: marks are offsets into `src`, by line."""

    src: str
    env: Any
    bMarks: list[int]  # noqa: N815
    eMarks: list[int]  # noqa: N815
    tShift: list[int]  # noqa: N815
    sCount: list[int]  # noqa: N815
    blkIndent: int  # noqa: N815
    lineMax: int  # noqa: N815
    line: int
    level: int
    parentType: str  # noqa: N815
    md: Any

    def push(self, ttype: str, tag: str, nesting: Any) -> Any: ...
    def is_code_block(self, line: int) -> bool: ...


Rule = Callable[[Any, int, int, bool], bool]  # state, line, end line, silent -> whether a block begins here
Starts = Mapping[str, Sequence[Rule]]  # first character of a line -> the rules that may begin there


def block_rule(starts: Starts, flat_starts: Starts, interrupting: Starts) -> Rule:
    """The rule that finds every block but indented code.

    `flat_starts` has no containers: it serves where they are nested too deep.
    """
    text = _text_rule(interrupting)

    def begin(state: State, line: int, end: int, silent: bool) -> bool:
        if table(state, line, end, silent):
            return True
        rules = starts if state.level < MAX_LEVEL else flat_starts
        for rule in rules.get(state.src[_first(state, line)], ()):
            if rule(state, line, end, silent):
                return True
        return text(state, line, end, silent)

    return begin


def interrupt_rule(starts: Starts, *, with_tables: bool) -> Rule:
    """Whether a block begins on a line that could also go on with the one before."""

    def begins(state: State, line: int, end: int, silent: bool) -> bool:
        at = _first(state, line)
        if state.is_code_block(line):
            return False
        if at < state.eMarks[line]:
            for rule in starts.get(state.src[at], ()):
                if rule(state, line, end, True):
                    return True
        return with_tables and table(state, line, end, True)

    return begins


def _text_rule(interrupting: Starts) -> Rule:
    """A paragraph, or the setext heading that it turns out to be, in one walk over its lines."""
    interrupts = interrupt_rule(interrupting, with_tables=True)

    def text(state: State, line: int, end: int, silent: bool) -> bool:
        src, indents, indent = state.src, state.sCount, state.blkIndent
        outer, state.parentType = state.parentType, "paragraph"
        level, following = 0, line + 1
        while following < state.lineMax:
            at, stop = _first(state, following), state.eMarks[following]
            if at >= stop:
                break
            if indents[following] - indent <= 3:
                sign = src[at]
                if (
                    sign in "-="
                    and following < end
                    and indents[following] >= indent
                    and _SETEXT.fullmatch(src, at, stop)
                ):
                    level = 1 if sign == "=" else 2
                    break
                if indents[following] >= 0 and interrupts(state, following, end, True):
                    break
            following += 1
        state.parentType = outer
        if level:
            title = " ".join(src[_first(state, i) : state.eMarks[i]].strip(" \t") for i in range(line, following))
            _push(state, "heading", line, following + 1, tag=f"h{level}", content=visible(title))
        else:
            at = _first(state, line)
            _push(state, "paragraph", line, following, content="[!" if src.startswith("[!", at) else "")
        return True

    return text


def heading(state: State, line: int, end: int, silent: bool) -> bool:
    match = _ATX.match(state.src, _first(state, line), state.eMarks[line])
    if match and not silent:
        title = visible(state.src[match.end() : state.eMarks[line]]).rstrip(" \t")
        bare = title.rstrip("#")
        if not bare or bare[-1] in " \t":
            title = bare.rstrip(" \t")  # a run of marks that closes the line
        _push(state, "heading", line, line + 1, tag=f"h{len(match[1])}", content=title)
    return match is not None


def thematic_break(state: State, line: int, end: int, silent: bool) -> bool:
    at, stop = _first(state, line), state.eMarks[line]
    sign = state.src[at]
    marks = state.src[at:stop]
    if marks.strip(f"{sign} \t") or marks.count(sign) < 3:
        return False
    if not silent:
        _push(state, "hr", line, line + 1)
    return True


def table(state: State, line: int, end: int, silent: bool) -> bool:
    """A header row, a delimiter row of as many cells, and rows up to a blank line or another block.

    A line that is a block id alone ends it too: it names the table.
    """
    if line + 2 > end or state.sCount[line + 1] < state.blkIndent:
        return False
    src = state.src
    at, stop = _first(state, line + 1), state.eMarks[line + 1]
    if at >= stop or src[at] not in "|-:" or state.is_code_block(line + 1) or state.is_code_block(line):
        return False
    delimiters = src[at:stop].rstrip(" \t")
    is_list = delimiters[0] == "-" and delimiters[1:2] in ("", " ", "\t")
    if is_list or not _DELIMITER_ROW.fullmatch(delimiters):
        return False
    header = src[_first(state, line) : state.eMarks[line]].strip(" \t")
    if "|" not in header or not 0 < _cells(header) == _cells(delimiters):
        return False
    if silent:
        return True
    outer, state.parentType = state.parentType, "table"
    ends = state.md.block.ruler.getRules("blockquote")
    following = line + 2
    while following < end and state.sCount[following] >= state.blkIndent and not state.is_code_block(following):
        at, stop = _first(state, following), state.eMarks[following]
        if at >= stop or _BLOCK_ID.fullmatch(src, at, stop) or any(rule(state, following, end, True) for rule in ends):
            break
        following += 1
    state.parentType = outer
    _push(state, "table", line, following)
    return True


def _cells(row: str) -> int:
    edges = row.startswith("|") + (row.endswith("|") and not row.endswith("\\|"))
    return len(_PIPE.findall(row)) + 1 - edges


def html(state: State, line: int, end: int, silent: bool) -> bool:
    """An HTML block by CommonMark's rules, comments apart."""
    at, stop = _first(state, line), state.eMarks[line]
    kind = next((kind for kind in _HTML_BLOCKS if kind.opener.match(state.src, at, stop)), None)
    if kind is None or silent:
        return kind is not None and kind.interrupts
    closer = kind.closer
    following = line + 1
    closed = closer and closer.search(state.src, at, stop)
    while not closed and following < end and not _is_outside(state, following, blank_ends=closer is None):
        closed = closer and closer.search(state.src, state.bMarks[following], state.eMarks[following])
        following += 1
    _push(state, "html_block", line, following)
    return True


def math(state: State, line: int, end: int, silent: bool) -> bool:
    """`$$` at the start of a line up to the next `$$`, blank lines and all. One that is never closed is text."""
    at, stop = _first(state, line), state.eMarks[line]
    if not state.src.startswith("$$", at):
        return False
    closer, following = state.src.find("$$", at + 2, stop), line
    if closer == at + 2 or (closer > 0 and state.src[closer + 2 : stop].strip(" \t")):
        return False  # math within a line of text
    unclosed = state.env.setdefault("unclosed math", {})  # end line -> first line from which nothing closes
    if closer < 0 and line >= unclosed.get(end, end):
        return False
    while closer < 0:
        following += 1
        if following >= end:
            unclosed[end] = line
            return False
        if _is_outside(state, following, blank_ends=False):
            return False
        closer = state.src.find("$$", state.bMarks[following], state.eMarks[following])
    if not silent:
        _push(state, "math", line, following + 1)
    return True


def _is_outside(state: State, line: int, *, blank_ends: bool) -> bool:
    """Whether a line no longer belongs to the block of the line before, by its indent or as a blank line."""
    blank = _first(state, line) >= state.eMarks[line]
    return blank_ends if blank else state.sCount[line] < state.blkIndent


def _first(state: State, line: int) -> int:
    """Where the line's first character stands that is neither indent nor a container's mark."""
    return state.bMarks[line] + state.tShift[line]


def _push(state: State, kind: str, line: int, end: int, *, tag: str = "", content: str = "") -> None:
    token = state.push(kind, tag, 0)
    token.map = [line, end]
    token.content = content
    state.line = end
