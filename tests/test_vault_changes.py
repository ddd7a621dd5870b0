"""A vault changes, and a run writes what that means for the index, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import made_vaults
import pytest
from commands import make_runs_quick, quick_folder
from indexed_vault import Indexed

from mindnet_chunker.index.edge_store import EdgeStore
from mindnet_chunker.index.points import point_id
from mindnet_chunker.index.store import KINDS, Kind, Point
from mindnet_chunker.records import Record

NOTE = "# {name}\n\n## Eins\n\nHier steht ein Satz mit [[{link}]] darin.\n\n## Zwei\n\nHier steht kein Verweis.\n"


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Indexed]:
    """Three notes that link to `Neu`, by name, by heading and by alias, and one that does not."""
    make_runs_quick(monkeypatch)
    links = {"Apfel": "Neu", "Birne": "Neu#Teil", "Quitte": "ordner/Neu|dort", "Zaun": "Apfel"}
    files = {f"{name}.md": NOTE.format(name=name, link=link) for name, link in links.items()}
    with quick_folder() as folder:
        found = Indexed(made_vaults.write(files, folder / "vault"), folder / "store")
        found.index()
        yield found


class Written:
    """The ids of all points that are written or deleted meanwhile, by kind."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.stored: dict[str, set[str]] = {kind: set() for kind in KINDS}
        self.deleted: dict[str, set[str]] = {kind: set() for kind in KINDS}
        upsert, overwrite, delete = EdgeStore.upsert, EdgeStore.overwrite_payload, EdgeStore.delete

        def noted_upsert(store: EdgeStore, kind: Kind, points: Sequence[Point]) -> None:
            self.stored[kind] |= {point.id for point in points}
            upsert(store, kind, points)

        def noted_overwrite(store: EdgeStore, kind: Kind, payloads: Mapping[str, Record]) -> None:
            self.stored[kind] |= payloads.keys()
            overwrite(store, kind, payloads)

        def noted_delete(store: EdgeStore, kind: Kind, ids: Sequence[str]) -> None:
            self.deleted[kind] |= set(ids)
            delete(store, kind, ids)

        patch.setattr(EdgeStore, "upsert", noted_upsert)
        patch.setattr(EdgeStore, "overwrite_payload", noted_overwrite)
        patch.setattr(EdgeStore, "delete", noted_delete)


def only(records: Sequence[Record], kind: str, *paths: str) -> list[Record]:
    return [record for record in records if record["record"] == kind and record["path"] in paths]


def ids(records: Sequence[Record]) -> set[str]:
    return {point_id(record) for record in records}


def references(records: Sequence[Record], source_kind: str) -> list[Record]:
    return [
        record
        for record in records
        if record["record"] == "edge" and record["kind"] == "references" and record["source_kind"] == source_kind
    ]


def add_the_missing_note(vault: Indexed) -> Record:
    path = vault.vault / "ordner" / "Neu.md"
    path.parent.mkdir()
    path.write_text("# Neu\n\n## Teil\n\nEin neuer Satz.\n", encoding="utf-8")
    return vault.index()


HEALED = ("Apfel.md", "Birne.md", "Quitte.md")


def test_a_note_that_is_added_heals_the_links_to_it(vault: Indexed) -> None:
    before = references(vault.exported().records, "note")
    assert {(edge["path"], edge["resolved"]) for edge in before} == {
        *((path, False) for path in HEALED),
        ("Zaun.md", True),
    }

    add_the_missing_note(vault)

    records = vault.exported().records
    healed = [edge for edge in references(records, "note") if edge["path"] in HEALED]
    assert {(edge["path"], edge["target_path"], edge["heading"]) for edge in healed} == {
        ("Apfel.md", "ordner/Neu.md", None),
        ("Birne.md", "ordner/Neu.md", "Teil"),
        ("Quitte.md", "ordner/Neu.md", None),
    }
    backlinks = [edge for edge in records if edge.get("kind") == "backlink" and edge["source_id"] == "ordner/Neu"]
    assert {edge["target_id"] for edge in backlinks} == {"Apfel", "Birne", "Quitte"}


def test_healing_writes_the_chunk_the_edge_and_the_note_and_embeds_nothing(
    vault: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = vault.exported().records
    written = Written(monkeypatch)

    report = add_the_missing_note(vault)

    records = vault.exported().records
    new = only(records, "chunk", "ordner/Neu.md")
    with_link = [chunk for chunk in only(records, "chunk", *HEALED) if "[[" in chunk["text"]]
    edges = [edge for edge in references(records, "note") if edge["path"] in HEALED]
    assert len(with_link) == len(edges) == len(HEALED)
    assert len(only(records, "chunk", *HEALED)) == 2 * len(HEALED)
    assert written.stored["chunks"] == ids(new) | ids(with_link)
    assert written.stored["edges"] == ids(edges)
    assert written.stored["notes"] == ids(only(records, "note", *HEALED, "ordner/Neu.md"))
    unresolved = [edge for edge in references(before, "note") if not edge["resolved"]]
    assert written.deleted == {"chunks": set(), "notes": set(), "edges": ids(unresolved)}
    assert report["embedded"]["texts"] == len(new)
    assert report["embedded"]["context_changed"] == 0
    assert report["writes"] == {
        "upserted": len(new) + len(edges),
        "payload_only": len(with_link),
        "deleted": len(unresolved),
    }
    assert sorted(report["notes_written"]) == sorted([*HEALED, "ordner/Neu.md"])
    assert report["notes"]["unchanged"] == 1


def test_a_note_that_is_deleted_leaves_open_links_and_no_backlinks(vault: Indexed) -> None:
    before = vault.exported().lines
    add_the_missing_note(vault)

    (vault.vault / "ordner" / "Neu.md").unlink()
    report = vault.index()

    records = vault.exported().records
    assert not any("ordner/Neu" in (record["note_id"], record.get("source_id")) for record in records)
    assert not any(record.get("kind") == "backlink" and record["path"] in HEALED for record in records)
    assert vault.exported().lines == before
    assert report["notes"]["deleted"] == 1
    assert report["embedded"]["texts"] == 0


def test_the_backlinks_of_a_note_that_is_deleted_go(vault: Indexed) -> None:
    """Those that it caused: its links point at notes that stay."""
    before = [edge for edge in vault.exported().records if edge.get("kind") == "backlink"]
    assert [(edge["source_id"], edge["target_id"]) for edge in before] == [("Apfel", "Zaun")]

    (vault.vault / "Zaun.md").unlink()
    vault.index()

    assert not any(edge.get("kind") == "backlink" for edge in vault.exported().records)
    assert sorted(vault.exported().lines) == sorted(vault.printed().lines)


def test_a_note_nearer_to_the_name_takes_the_links_over(vault: Indexed) -> None:
    add_the_missing_note(vault)

    (vault.vault / "Neu.md").write_text("# Neu\n\nAuch neu.\n", encoding="utf-8")
    report = vault.index()

    targets = {edge["path"]: edge["target_path"] for edge in references(vault.exported().records, "note")}
    assert targets == {"Apfel.md": "Neu.md", "Birne.md": "Neu.md", "Quitte.md": "ordner/Neu.md", "Zaun.md": "Apfel.md"}
    assert report["embedded"]["texts"] == 1


def test_a_note_that_moves_embeds_nothing_and_keeps_its_links(vault: Indexed) -> None:
    (vault.vault / "tief").mkdir()
    (vault.vault / "Apfel.md").rename(vault.vault / "tief" / "Apfel.md")
    report = vault.index()

    targets = {edge["path"]: edge["target_path"] for edge in references(vault.exported().records, "note")}
    assert targets["Zaun.md"] == "tief/Apfel.md"
    assert report["embedded"]["texts"] == 0
    assert report["notes"]["renamed"] == 1
    assert sorted(vault.exported().lines) == sorted(vault.printed().lines)


def test_an_edited_paragraph_embeds_its_chunk_alone(vault: Indexed) -> None:
    path = vault.vault / "Birne.md"
    path.write_text(path.read_text(encoding="utf-8").replace("kein Verweis", "ein anderer Satz"), encoding="utf-8")
    report = vault.index()

    assert report["embedded"]["texts"] == 1
    assert report["notes_written"] == ["Birne.md"]
    assert sorted(vault.exported().lines) == sorted(vault.printed().lines)


def test_a_folder_that_is_indexed_alone_removes_nothing_outside_of_it(vault: Indexed, tmp_path: Path) -> None:
    add_the_missing_note(vault)
    (vault.vault / "Apfel.md").unlink()

    part = Indexed(vault.vault / "ordner", vault.store)
    report = part.index()

    assert report["notes"]["deleted"] == 0
    assert only(vault.exported().records, "chunk", "Apfel.md")
