"""Every Markdown construct alone, beside every other one, and inside a list and a quote: what must hold of chunks holds."""

from __future__ import annotations

from itertools import product

import pytest

from mindnet_chunker.chunking.sizing import TypeTable, builtin_types_text, load_types
from mindnet_chunker.pipeline import Rules, lone_note
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.setup import chosen_model, rules_for
from mindnet_chunker.runs.validate import check_records

CONSTRUCTS = {
    "paragraph": "One sentence here. Another one, with *stress* and **weight**.\nA soft line break.",
    "hard break": "A line with two blanks  \nand a backslash\\\nat its end.",
    "atx": "# First\n\nText under it.",
    "deep atx": "#### Fourth ####\n\n##### Fifth\n\nText.",
    "empty atx": "##\n\nText under a heading without words.",
    "setext": "Underlined\n==========\n\nText.\n\nLess so\n---\n\nMore.",
    "heading last": "Text before.\n\n## Nothing after",
    "rule": "***\n\n- - -\n\n___",
    "fence": "```python\n# no heading\nprint('x')\n```",
    "tilde fence": "~~~\n``` not a fence\n~~~",
    "open fence": "```\nnever closed",
    "indented code": "Before.\n\n    # code\n    more code\n\nAfter.",
    "list": "- one\n- two\n  continued\n- three",
    "loose list": "* one\n\n  second paragraph\n\n* two",
    "ordered": "3. three\n4. four\n   1. inner\n5) other mark",
    "nested": "- a\n    - b\n        - c\n- d",
    "empty items": "-\n-\n\n1.\n",
    "tasks": "- [ ] open 📅 2025-03-01\n- [x] done ✅ 2025-03-02\n- [?] unsure",
    "list with code": "- item\n\n  ```sh\n  # comment\n  ```\n- next",
    "quote": "> Said by someone.\n>\n> Twice.\nlazy line",
    "nested quote": "> a\n>> b\n>>> c",
    "quote with list": "> - x\n> - y\n>\n> ```\n> code\n> ```",
    "callout": "> [!tip]- Folded title\n> Body of it.\n> > [!note]\n> > Inner.",
    "table": "| a | b |\n|---|:-:|\n| 1 | x \\| y |\n| 2 | `z \\| z` |",
    "bare table": "a | b\n--|--\n1 | 2",
    "table of one": "| a |\n|---|",
    "html": "<div class=\"x\">\nInside *raw*.\n</div>",
    "html and text": "<details><summary>More</summary>\n\nHidden.\n\n</details>",
    "inline html": "Text <b>bold</b> <br/> and <!-- a comment --> more.",
    "comments": "%% hidden %% shown\n\n%%\nblock\n%%\n\n<!-- gone\n\n# gone too -->\n\nEnd.",
    "open comment": "Before %% never closed.\n\nAfter. <!-- nor this",
    "math": "$$\nx = y^2\n$$\n\nInline $a_1$ and 5 $ to 6 $.",
    "footnotes": "Text[^1] and[^n].\n\n[^1]: Short.\n[^n]:\n    Long one.",
    "definitions": "[ref]: https://example.org \"Title\"\n\nA [ref] and [text][ref].",
    "links": "[[Note|shown]] ![[pic.png|100]] [md](a%20b.md#H) <https://x.org> https://y.org/a_b.",
    "odd links": "[[ ]] [[Alpha]]] [[[b]]] [x](<a b.md>) [y](z(1).md) ![a](b.png \"t\")",
    "data": "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA) after.",
    "tags": "#tag #nested/tag #größe (#no) a#no `#no`",
    "fields": "Key:: value\n\nText [in:: line] and (round:: one).",
    "block ids": "A paragraph. ^id-1\n\n- item ^id-2\n\n> quote\n\n^id-3",
    "escapes": "\\# no heading \\[\\[no link\\]\\] \\*plain\\* \\`no code\\`",
    "entities": "&copy; &#35; &amp; &nbsp; &unknown;",
    "white space": "a\tb\u00a0c\u3000d  \n\n \t \n\nend   ",
    "other line ends": "one\r\ntwo\r\n\r\nthree\rfour",
    "form feed": "one\x0ctwo\u2028three\u0085four",
    "chinese": "今天天气很好。我们去公园散步吧！你觉得怎么样？「好的」她说。",
    "japanese": "庭に梨の木がある。とても静かな朝だった！",
    "thai": "วันนี้อากาศดี เราไปเดินเล่นกันเถอะ",
    "arabic": "هل رأيت البستان؟ فيه أشجار كثيرة، وثمارها حلوة؛ تعال غدا.",
    "hindi": "बाग में नाशपाती के पेड़ हैं। फल मीठे हैं।",
    "emoji": "👩‍👩‍👧‍👦 family 🇩🇪 flag e\u0301 accent",
    "abbreviations": "Das gilt z. B. am 3. Oktober, d. h. ca. 5 Mio. Bienen. Dr. Meier kam. Er ging.",
    "giant word": "x" * 3000,
    "giant line": "word " * 700,
    "link section": "## Mögliche Verbindungen\n\n- [[A]]\n- [[B]] because",
    "definition section": "## Definition\n\nA thing is a thing.\n\n## Rest\n\nMore.",
    "dates": "## 2025-03-01\n\n### 08:00\n\nUp.\n\n### 21:30\n\nDown.",
    "title again": "# Note\n\nText.\n\n# Note\n\nAgain.",
}  # fmt: skip
SMALL = "target: [24, 40]\n  max: 60\n  overlap: [6, 10]\n  min: 10"
TYPES = ("default", "thought", "journal", "task", "project", "concept", "source")


@pytest.fixture(scope="module")
def rules() -> Rules:
    options = VaultOptions()
    return rules_for(options, chosen_model(options, weights=False), root=None, vault="v")[0]


@pytest.fixture(scope="module")
def small() -> TypeTable:
    rows = f"default:\n  {SMALL}\n  oversize: split\n"
    return load_types([("types.yaml", builtin_types_text()), ("small.yaml", rows)])


def wrong(text: str, rules: Rules) -> list[str]:
    records = lone_note("Note.md", text, rules)
    return [f"{problem.code} {problem.message}" for problem in check_records(records, text, rules)]


@pytest.mark.parametrize("name", CONSTRUCTS)
@pytest.mark.parametrize("note_type", TYPES)
def test_each_construct_alone_in_a_note_of_each_type(name: str, note_type: str, rules: Rules) -> None:
    assert wrong(f"---\ntype: {note_type}\n---\n{CONSTRUCTS[name]}\n", rules) == []


@pytest.mark.parametrize("first", CONSTRUCTS)
def test_each_construct_before_every_other_one(first: str, rules: Rules, small: TypeTable) -> None:
    from dataclasses import replace

    tight = replace(rules, types=small)

    for second, blank in product(CONSTRUCTS, ("\n", "\n\n")):
        text = f"{CONSTRUCTS[first]}{blank}{CONSTRUCTS[second]}\n"
        assert wrong(text, tight) == [], f"{first} before {second}: {text!r}"


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_each_construct_within_a_list_and_a_quote(name: str, rules: Rules) -> None:
    lines = CONSTRUCTS[name].split("\n")

    assert wrong("- " + "\n  ".join(lines) + "\n- next\n", rules) == []
    assert wrong("".join(f"> {line}\n" for line in lines), rules) == []
