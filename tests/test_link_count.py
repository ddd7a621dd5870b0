"""The links that we find are those that an independent counter finds, apart from differences that are explained here."""

from __future__ import annotations

from pathlib import Path

import pytest
from link_counter import counted

from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.vault.notes import parse_note
from mindnet_chunker.vault.read import read_file, scan

VAULTS = Path(__file__).parent.parent / "vault_fixtures"

# What only the counter finds, by vault: it knows neither indented code nor HTML blocks.
ONLY_COUNTED = {"traps": {("Traps.md", 20, "[[No]]"), ("Traps.md", 40, "[[No]]")}}


def found(vault: Path) -> set[tuple[str, int, str]]:
    links = set()
    for file in scan(vault).notes:
        _, text, _ = read_file(file)
        document = read_document(parse_note(file.path, text))
        links |= {(file.path, link.line, link.raw) for link in document.inline.links}
    return links


@pytest.mark.parametrize("vault", sorted(path.name for path in VAULTS.iterdir() if path.is_dir()))
def test_an_independent_counter_finds_the_same_links(vault: str) -> None:
    ours, counted_links = found(VAULTS / vault), counted(VAULTS / vault)

    assert ours - counted_links == set()
    assert counted_links - ours == ONLY_COUNTED.get(vault, set())


def test_the_counter_fits_on_a_page() -> None:
    source = (Path(__file__).parent / "link_counter.py").read_text(encoding="utf-8")

    assert source.count("\n") <= 60
    assert "mindnet" not in source
