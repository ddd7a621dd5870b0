"""An independent list of a note's internal links, by regular expressions; it knows less than the program."""

from __future__ import annotations

import re
from pathlib import Path

HEAD = re.compile(r"\A\ufeff?---[ \t]*\n.*?\n---[ \t]*(?:\n|\Z)", re.S)
FENCE = re.compile(r"^(?P<lead>[ >\t]*(?:[-*+]\s+|\d+[.)]\s+)?)(?P<mark>`{3,}|~{3,})[^\n]*$")
COMMENT, MATH = r"%%.*?%%|<!--.*?-->", r"\$\$.+?\$\$|(?<![\\$])\$(?=\S)[^$\n]+?(?<=\S)\$(?!\d)"
CODE, ESCAPE = r"(?<!`)(?P<tick>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=tick)(?!`)", r"\\[\[\]!]"
HIDDEN = re.compile(f"{COMMENT}|{MATH}|{CODE}|{ESCAPE}", re.S)
WIKI = re.compile(r"!?\[\[(?P<inside>(?:(?!\[\[|\]\])[^\n])+)\]\]")
DEST, TITLE = r"(?P<dest><[^<>\n]*>|(?:[^\s()]|\([^\s()]*\))+)", r"(?:\s+(?:\"[^\"]*\"|'[^']*'))?"
MARKDOWN = re.compile(rf"!?\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\({DEST}{TITLE}\)")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


def without_fences(text: str) -> str:
    """Fenced code as empty lines."""
    kept, closer = [], ""
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if closer:
            bare = line.strip(" >\t")
            closer = "" if bare.startswith(closer) and not bare.strip(closer[0]) else closer
            kept.append("")
        elif fence and not ("`" in fence["mark"] and "`" in line[fence.end("mark") :]):
            closer = fence["mark"]
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def internal_links(text: str) -> set[tuple[int, str]]:
    """(line, raw) of every wikilink, embed and internal Markdown link of the body."""
    body = HIDDEN.sub(blank, without_fences(HEAD.sub(blank, text)))
    found = {
        (body.count("\n", 0, match.start()) + 1, match[0])
        for match in WIKI.finditer(body)
        if re.sub(r"\\?\|.*", "", match["inside"]).strip("# ")
    }
    for match in MARKDOWN.finditer(WIKI.sub(blank, body)):
        if not SCHEME.match(match["dest"].strip("<>")):
            found.add((body.count("\n", 0, match.start()) + 1, match[0]))
    return found


def counted(vault: Path) -> set[tuple[str, int, str]]:
    return {
        (path.relative_to(vault).as_posix(), line, raw)
        for path in sorted(vault.rglob("*.md"))
        if not any(part.startswith(".") for part in path.relative_to(vault).parts)
        for line, raw in internal_links(path.read_text(encoding="utf-8"))
    }
