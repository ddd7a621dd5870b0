"""Bodies to read: what the tests of the Markdown stage share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hypothesis import strategies as st
from markdown_it.utils import read_fixture_file

from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.records import Block, Document, Link
from mindnet_chunker.vault.notes import parse_note

CASES = Path(__file__).parent / "cases"

# What Markdown and Obsidian take for a mark, pieces of it, and text between them.
PIECES = (
    *(
        "a",
        "b ",
        "ä",
        " ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\u2028",
        "\u00a0",
        "\x00",
        "\ufffc",
        "\ud800",
    ),
    *("- ", "* ", "1. ", "> ", ">", "# ", "## ", "#", "#t", "---", "===", "***", "- [ ] ", "- [x] ", "^id", " ^id"),
    *(
        "`",
        "``",
        "```",
        "~~~",
        "```js",
        "$",
        "$$",
        "%%",
        "%",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<b>",
        "<br/>",
        "<pre>",
    ),
    *(
        "[",
        "]",
        "[[",
        "]]",
        "![",
        "(",
        ")",
        "](",
        "](b.md)",
        "](<",
        ">",
        "|",
        "|---|",
        "| a | b |",
        "\\",
        "!",
        '"',
        "'",
    ),
    *(
        "[[x]]",
        "[[x|y]]",
        "[a](b.md)",
        "[^1]",
        "[^1]: ",
        "[r]: ",
        "[r]",
        "[!note] ",
        "[!tip]-",
        "::",
        "k:: v",
        "[k:: v]",
    ),
    *("https://x.org", "<https://x.org>", "data:image/png;base64,AAAA", "📅 2024-01-01", "✅", "*", "_", "==", "#x#y"),
)
BODIES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)


def read(text: str, path: str = "n.md") -> Document:
    return read_document(parse_note(path, text))


def cases(name: str) -> list[tuple[str, str, str]]:
    """Title, input and expected output of each case of a file."""
    return [(title, text, expected) for _, title, text, expected in read_fixture_file(CASES / f"{name}.md")]


def lines_of(document: Document, blocks: Iterable[Block], depth: int = 0) -> Iterator[str]:
    """Each block with its lines, those within it indented."""
    for block in blocks:
        first = document.note.line_at(block.span.start)
        last = document.note.line_at(block.span.end - 1)
        level = f" {block.level} {block.title!r}" if block.kind == "heading" else ""
        yield f"{'  ' * depth}{block.kind} {first}{f'-{last}' if last > first else ''}{level}"
        yield from lines_of(document, block.parts, depth + 1)


def shown_link(link: Link) -> str:
    """A link on one line: `kind target #heading ^block "alias"`."""
    parts = [f"embed {link.kind}" if link.embed else link.kind, link.target or "."]
    parts += [f"#{link.heading}"] * (link.heading is not None) + [f"^{link.block}"] * (link.block is not None)
    return " ".join(parts + [f'"{link.alias}"'] * (link.alias is not None))
