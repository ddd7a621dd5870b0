"""Hypothesis strategies for Markdown notes made of all kinds of blocks, and for rows of sizes."""

from __future__ import annotations

import re
from typing import Any

from chunk_notes import row_of
from hypothesis import strategies as st

_WORDS = (
    "der Hund läuft über die Wiese z. B. am 3. Oktober [[Link|Name]] `code x` https://example.org/a/b?c=d $x+y$ #tag ﬁn … "
    "km **fett** Ärger e\u0301 😀 👨\u200d👩\u200d👧 %%geheim%% <!--c--> (Klammer) „Zitat“ 中文 日本語。 foo_bar x:: "
    "![a](data:image/png;base64,QUJD) [^1] \u3000 Dr. usw. 10,5"
)
WORDS = st.sampled_from(_WORDS.split(" "))
_GIANTS = (
    "a" * 3000,
    "…" * 300,
    "字" * 400,
    "x," * 400,
    "e\u0301" * 200,
    "\u0301" * 100,
    "https://a.b/" + "q%20" * 200,
    "庭に梨の木がある。" * 30,
    "สวัสดี ครับ " * 30,
    "👨\u200d👩\u200d👧" * 60,
)
GIANTS = st.sampled_from(_GIANTS)


def joined(words: st.SearchStrategy[str], most: int, glue: str = " ") -> st.SearchStrategy[str]:
    return st.lists(words, min_size=1, max_size=most).map(glue.join)


sentences = st.builds(
    lambda words, end: words + end, joined(WORDS, 25), st.sampled_from([". ", "! ", "? ", ": ", ", ", "\n"])
)
paragraphs = joined(sentences, 8, "").map(lambda text: text.strip() or "x")
headings = st.builds(lambda level, title: f"{'#' * level} {title}", st.integers(1, 6), joined(WORDS, 5))
named = st.sampled_from(["## Related", "### Foo", "## Definition", "## 2024-05-01", "### 09:30", "### 14 Uhr", "## A"])
items = st.builds(
    lambda indent, mark, text: f"{'    ' * indent}{mark} {text.strip()}".replace("\n", " "),
    st.integers(0, 2),
    st.sampled_from(["-", "*", "1.", "- [ ]"]),
    sentences,
)
lists = joined(items, 14, "\n")
rows = joined(joined(WORDS, 3).map(lambda cell: cell.replace("|", "\\|")), 4, " | ").map("| {} |".format)
tables = st.builds(
    lambda head, body: "\n".join([head, "|" + "---|" * (len(re.findall(r"(?<!\\)\|", head)) - 1), *body]),
    rows,
    st.lists(rows, max_size=20),
)
code_lines = st.sampled_from(["def f(x):", "    return x", "", "# Kommentar", "x = 1  # ﬁn", "z" * 300, "## kein Kopf"])
codes = st.builds(
    lambda fence, info, lines, closed: "\n".join([fence + info, *lines, *([fence] if closed else [])]),
    st.sampled_from(["```", "~~~", "````"]),
    st.sampled_from(["", "python", "js x=1"]),
    st.lists(code_lines, max_size=40),
    st.booleans() | st.just(True),
)
quotes = st.builds(
    lambda first, text: "\n".join(f"> {line}" for line in (first + text).split("\n")),
    st.sampled_from(["", "", "[!note] Titel\n"]),
    paragraphs | lists | codes | tables,
)
_OTHERS = (
    "---",
    "^id-1",
    "Diese Liste:",
    "$$\n" + "x = y\n" * 30 + "$$",
    "<div>\nHallo\n</div>",
    "[ref]: https://a.b/x",
    "[^1]: Eine Fußnote.",
    "%%\nverborgen\n%%",
    "<!-- verborgen -->",
    "Zusammenfassung: kurz.",
    "Beispiel: so.",
)
others = st.sampled_from(_OTHERS)
blocks = st.one_of(paragraphs, headings, named, paragraphs, lists, headings, tables, codes, quotes, GIANTS, others)


@st.composite
def notes(draw: st.DrawFn) -> str:
    text = joined(blocks, 14, draw(st.sampled_from(["\n\n", "\n", "\n\n\n\n"])))
    made = draw(st.one_of(text, st.just(""))) + draw(st.sampled_from(["", "\n", "   \n\n"]))
    made = draw(st.sampled_from(["", "", "---\ntitle: T\n---\n", "# note\n\n"])) + made
    return made.replace("\n", draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])))


@st.composite
def row_keys(draw: st.DrawFn) -> dict[str, Any]:
    top = draw(st.sampled_from([16, 20, 32, 64, 128, 450]))
    high = draw(st.integers(top // 2, top))
    low = draw(st.integers(max(1, high // 3), high))
    most = draw(st.integers(0, low - 1))
    return {
        "max": top,
        "target": [low, high],
        "overlap": [draw(st.integers(0, most)), most],
        "min": draw(st.integers(0, low)),
        "oversize": draw(st.sampled_from(["keep", "split"])),
        "merge_sections": draw(st.sampled_from(["never", "small", "target"])),
        "bundle_dates": draw(st.booleans()),
        "keep_lists": draw(st.booleans()),
        "isolate": draw(st.lists(st.sampled_from(["quote", "code", "list", "table"]), max_size=2, unique=True)),
        "isolate_intro": draw(st.booleans()),
        "isolate_sections": draw(st.sampled_from([[], ["Definition"]])),
        "split_levels": draw(st.sampled_from([[2, 3], [2], [1, 2, 3, 4], [], [3]])),
        "context": draw(st.sampled_from(["path", "title", "none"])),
        "context_depth": draw(st.integers(0, 4)),
        "context_aliases": draw(st.booleans()),
        "skip_sections": draw(st.sampled_from([[], ["Foo"]])),
        "skip_before_heading": draw(st.booleans()),
        "list_items": draw(st.sampled_from([[5, 8], [1, 3]])),
    }


structure_rows = row_keys().map(lambda keys: row_of(**keys))
simple_rows = st.builds(
    lambda keys, strategy, count: row_of(**{**keys, "strategy": strategy, "overlap_sentences": count}),
    row_keys(),
    st.sampled_from(["h3_aware", "h2_paragraph_split", "paragraph", "sliding_window"]),
    st.integers(0, 3),
)
