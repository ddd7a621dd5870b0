"""A small vault, indexed once with made-up vectors, for tests that ask it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import Ran, make_runs_quick, quick_folder, run
from fake_embedder import FakeEmbedder

from mindnet_chunker.runs.asker import Asker

NOTES = {
    "Garten/Bienen & Co.md": (
        "---\ntags: [tiere/bienen]\ntype: concept\narea: garten\ncreated: 2025-05-01\naliases: [Imme]\n---\n"
        "# Bienen\n\nDie Bienen wohnen unter der Linde.\n\n## Schwarm\n\nIm Mai schwärmen sie aus. Der Schwarm hängt im "
        "Apfelbaum, siehe [[Obst#Apfel]].\n\n### Fang\n\nMan fängt ihn mit einem Korb.\n\n## Siehe auch\n\n- [[Wetter]]\n"
    ),
    "Garten/Obst.md": (
        "---\ntype: concept\ncreated: 2024-10-03\n---\n# Obst\n\n## Apfel\n\nDer Apfelbaum trägt im Oktober. "
        "Quitten brauchen länger.\n\n## Kompott\n\n```sh\nkoche --quitten 20min\n```\n"
    ),
    "Wetter.md": "---\nrelated: \"[[Garten/Obst]]\"\n---\nIm Mai regnet es oft. Die Straße ist dann nass.\n",
    "Zwilling 1.md": "---\ntitle: Zwilling\n---\nGenau derselbe Satz über Zwillinge.\n",
    "Zwilling 2.md": "---\ntitle: Zwilling\n---\nGenau derselbe Satz über Zwillinge.\n",
    "Ort.md": "Unterm Dach liegen 20 m² Heu, ein ｃａｆé und ein Weg nach [[Nirgendwo]].\n",
    "leer.md": "",
}  # fmt: skip


def write_notes(vault: Path) -> None:
    for path, text in NOTES.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text, encoding="utf-8")


@contextmanager
def made_up_vectors() -> Iterator[None]:
    """In this process, for index runs and questions."""
    with pytest.MonkeyPatch.context() as patch:
        make_runs_quick(patch)
        patch.setattr(Asker, "_embedder", property(lambda asker: FakeEmbedder(asker.index.meta.model.dim)))
        yield


@contextmanager
def asked_vault() -> Iterator[tuple[Path, Path]]:
    """The vault's folder and that of its store."""
    with quick_folder() as folder, made_up_vectors():
        vault = folder / "Mein Garten"
        write_notes(vault)
        ran: Ran = run(vault, "--store", folder / "store")
        assert ran.exit_code == 0, ran.stderr
        yield vault, folder / "store"
