from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote.index import footnote_def

from mindnet_chunker.markdown.blocks import parse_blocks
from mindnet_chunker.records import Block

Shape = list[tuple[str, int]]  # kind and first line of each block, containers before what they hold

# Marks of CommonMark, tables and footnotes; none of Obsidian's own.
MARKS = (
    *("a", "b ", "- ", "* ", "+ ", "1. ", "2) ", "> ", ">", "#", "# ", "## ", "\n", "\n\n", "  ", "    ", "\t", " "),
    *(
        "---",
        "===",
        "- - -",
        "***",
        "_ _ _",
        "`",
        "```",
        "~~~",
        "```js",
        "`````",
        "| a | b |",
        "|---|---|",
        "--|--",
        "|",
    ),
    *("<div>", "</div>", "<b>", '<a x="y">', "<pre>", "</pre>", "<?", "?>", "<!X", "<![CDATA[", "]]>", "-", ":--", "="),
    *("[a]: b", '[a]: <b> "t"', "[^1]: ", "[", "](b)", "*", "_", "\\"),
)
KINDS = {
    **dict.fromkeys(("bullet_list_open", "ordered_list_open"), "list"),
    "list_item_open": "item",
    "blockquote_open": "quote",
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
    "definition": "definition",
}


def stock_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"inline_definitions": True, "maxNesting": 100}).enable("table")
    parser.block.ruler.before("reference", "footnote_def", footnote_def, {"alt": ["paragraph", "reference"]})
    return parser


STOCK = stock_parser()


def stock_shape(text: str) -> Shape:
    tokens: list[Token] = []
    STOCK.block.parse(text, STOCK, {}, tokens)
    found: Shape = []
    for token in tokens:
        if token.type in KINDS and token.map:
            found.append((KINDS[token.type], token.map[0]))
    return found


def our_shape(text: str) -> Shape:
    """Blocks that are first in another begin with it: what they have is their own first line."""
    found: Shape = []

    def add(blocks: tuple[Block, ...]) -> None:
        for block in blocks:
            if block.kind not in ("footnote", "header", "row"):
                found.append((block.kind, text.count("\n", 0, block.span.start)))
            add(block.parts)

    add(parse_blocks(text, 0))
    return found


@settings(max_examples=1500, deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=14).map("".join))
@example("> a\n    ---\n- ")
@example("| a |\n---\n")
def test_blocks_are_those_of_commonmark_with_tables_and_footnotes(text: str) -> None:
    ours, stock = our_shape(text), stock_shape(text)

    assert [kind for kind, _ in ours] == [kind for kind, _ in stock]
    assert all(mine <= theirs for (_, mine), (_, theirs) in zip(ours, stock, strict=True))


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(MARKS), max_size=14).map("".join))
def test_top_level_blocks_begin_on_the_lines_of_commonmark(text: str) -> None:
    text = f"first\n\n{text}"
    tokens: list[Token] = []
    STOCK.block.parse(text, STOCK, {}, tokens)
    stock = [token.map[0] for token in tokens if token.level == 0 and token.map and token.type in KINDS]

    ours = [text.count("\n", 0, block.span.start) for block in parse_blocks(text, 0) if block.kind != "footnote"]

    assert ours == stock
