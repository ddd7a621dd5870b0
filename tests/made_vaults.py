"""Hypothesis strategies for whole vaults: notes of all kinds under few names, so that links find and miss each other."""

from __future__ import annotations

import json
from pathlib import Path

import note_grammar
from hypothesis import strategies as st

NAMES = (
    "Alpha.md", "alpha plan.md", "ordner/Alpha.md", "ordner/U\u0308bung.md", "ordner/tief/Gamma.md", "Vorlage.md",
    "2024-05-01.md", "Brett.canvas", "ordner/bild.png", "类/笔记.md",
)  # fmt: skip
TARGETS = (
    "Alpha", "alpha", "ordner/Alpha", "Übung", "Gamma#Teil", "Gamma#^b1", "#Teil", "Niemand", "bild.png", "Brett.canvas",
    "../../etc/passwd", "Alpha|Name", "笔记", "2024-05-01", "ordner/tief/Gamma.md", "", "a]] [[b",
)  # fmt: skip
PROPERTIES = (
    "id: eins", "id: eins", "id: Alpha", "aliases: [Alpha, Beta]", "tags: [x/y, ' #z']", "type: concept", "index: false",
    'related: "[[Alpha]]"', "depends_on: [Übung, '[[Niemand]]']", "title: Gamma", "kaputt: [", "created: 2024-05-01",
    "chunking: {max: 64, target: [20, 40], overlap: 0, min: 0}",
)  # fmt: skip

targets = st.sampled_from(TARGETS)
links = st.one_of(
    targets.map("Siehe [[{}]] dort.".format),
    targets.map("![[{}]]".format),
    targets.map("[Text](<{}>)".format),
    targets.map("related:: [[{}]]".format),
    targets.map("## Related\n\n- [[{}]]".format),
    st.sampled_from(["## Teil", "Ein Absatz. ^b1", "#tag/unter"]),
)
heads = st.lists(st.sampled_from(PROPERTIES), max_size=3, unique_by=lambda line: line.split(":")[0]).map(
    lambda lines: "\n".join(["---", *lines, "---", ""]) if lines else ""
)
notes = st.builds(
    lambda head, parts: head + "\n\n".join(parts) + "\n",
    heads,
    st.lists(st.one_of(links, links, note_grammar.blocks), max_size=8),
)
boards = st.builds(
    lambda text, file: json.dumps(
        {"nodes": [{"id": "a", "type": "text", "text": text}, {"id": "b", "type": "file", "file": file}], "edges": []}
    ),
    notes,
    st.sampled_from(NAMES),
)


@st.composite
def vaults(draw: st.DrawFn) -> dict[str, str]:
    """Path -> content."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=7, unique=True))
    return {name: draw(boards if name.endswith(".canvas") else notes) for name in names}


def write(files: dict[str, str], vault: Path) -> Path:
    """Make the folder hold these files and no others."""
    (vault / ".obsidian").mkdir(parents=True, exist_ok=True)
    for path in sorted(vault.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(vault).as_posix() not in files:
            path.unlink()
    for name, text in files.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    return vault
