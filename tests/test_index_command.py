"""An index run among other processes, signals and options; an index that is brought elsewhere or removed."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import made_vaults
import numpy as np
import pytest
from changed_vault import NOTES, write_notes
from commands import LIKE_OTHERS, Ran, make_runs_quick, quick_folder, run, run_processes
from fake_embedder import FakeEmbedder
from indexed_vault import Indexed
from qdrant_stand_in import StandIn

from mindnet_chunker import open_store, search
from mindnet_chunker.embedding.embedder import EmbeddingText
from mindnet_chunker.index import locks
from mindnet_chunker.index.write import GROUP_NOTES
from mindnet_chunker.records import Record
from mindnet_chunker.runs import index as index_runs
from mindnet_chunker.runs.embedder import ChunkEmbedder
from mindnet_chunker.runs.facts import VaultFacts

NOTHING = {"upserted": 0, "payload_only": 0, "deleted": 0}


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Iterator[Indexed]:
    """Some notes that are not indexed yet."""
    make_runs_quick(monkeypatch)
    with quick_folder() as folder:
        yield Indexed(write_notes(folder / "vault"), folder / "store")


def index(vault: Indexed, *words: str, heard: Callable[[str], None] = lambda text: None) -> Ran:
    return run(vault.vault, "--store", vault.store, "--report", report_file(vault), *words, heard=heard)


def report_file(vault: Indexed) -> Path:
    return vault.store.parent / "report.json"


def report_of(vault: Indexed) -> Record:
    found: Record = json.loads(report_file(vault).read_bytes())
    return found


def write_many(vault: Indexed, count: int, text: str) -> None:
    """Notes `Note 00.md` and so on; `{}` in the text is the number."""
    for path in vault.vault.rglob("*.md"):
        path.unlink()
    for number in range(count):
        (vault.vault / f"Note {number:02}.md").write_text(f"---\ntitle: N\n---\n{text.format(number)}\n", "utf-8")


class Listening(FakeEmbedder):
    """Does something else while it embeds."""

    def __init__(self, dim: int, meanwhile: Callable[[], None]) -> None:
        super().__init__(dim)
        self._meanwhile = meanwhile

    def embed(self, texts: Sequence[EmbeddingText], progress: Callable[[int], None] | None = None) -> Any:
        self._meanwhile()
        return super().embed(texts, progress)


def while_embedding(patch: pytest.MonkeyPatch, meanwhile: Callable[[], None]) -> None:
    patch.setattr(ChunkEmbedder, "_loaded", lambda embedder: Listening(embedder.choice.dim, meanwhile))


# --- beside other processes ------------------------------------------------------------------------------------------


def test_of_two_runs_at_once_one_works_and_the_other_is_told_by_whom(
    vault: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: list[Ran] = []
    while_embedding(monkeypatch, lambda: others.append(index(vault)))

    ran = index(vault)

    assert ran.exit_code == 0
    assert [other.exit_code for other in others] == [2]
    assert f"in use by process {os.getpid()} (`mindnet-chunk {vault.vault}`, since " in others[0].stderr
    assert "hint:" in others[0].stderr
    assert sorted(vault.exported().lines) == sorted(vault.printed().lines)


def test_a_search_is_answered_while_a_run_embeds(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    index(vault)
    (vault.vault / "Bees.md").write_text("Other words.\n", encoding="utf-8")
    answers: list[Ran] = []
    words = ("search", "nectar", "--mode", "bm25", "--json", "--store", vault.store, "--wait", "0")
    while_embedding(monkeypatch, lambda: answers.append(run(*words)))

    assert index(vault).exit_code == 0

    assert [answer.exit_code for answer in answers] == [0]
    assert [hit["path"] for hit in answers[0].records] == ["Bees.md"]


def test_a_search_gets_in_between_the_groups_of_a_run(vault: Indexed) -> None:
    write_many(vault, 4 * GROUP_NOTES, "One text for all.")
    held: list[int] = []

    def ask() -> None:
        with open_store(store=vault.store) as opened:
            search(opened, "text", mode="bm25")
            held.append(opened.store.count("notes", opened.vault))

    asking = threading.Thread(target=ask)

    def ask_after_the_first_group(said: str) -> None:
        if "stored" in said and asking.ident is None:
            asking.start()
            while asking.is_alive() and not (vault.store / "store.wanted").exists():
                pass

    ran = index(vault, heard=ask_after_the_first_group)
    asking.join()

    assert ran.exit_code == 0
    assert held[0] < 4 * GROUP_NOTES
    assert report_of(vault)["notes"]["indexed"] == 4 * GROUP_NOTES


# --- stopped ---------------------------------------------------------------------------------------------------------


def test_sigterm_ends_a_run_at_a_safe_point_and_the_next_one_does_the_rest(
    vault: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(vault, 4 * GROUP_NOTES, "A text of its own for note {}.")
    embedder: list[FakeEmbedder] = []

    def loaded(chunk_embedder: ChunkEmbedder) -> FakeEmbedder:
        embedder[:] = embedder or [FakeEmbedder(chunk_embedder.choice.dim)]
        return embedder[0]

    def stop_after_the_first_group(said: str) -> None:
        if re.search(r"stored (\d+)/", said) and not stopped:
            stopped.append(said)
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(ChunkEmbedder, "_loaded", loaded)
    stopped: list[str] = []

    ran = index(vault, heard=stop_after_the_first_group)

    left = report_of(vault)["left_over"]
    assert ran.exit_code == 128 + signal.SIGTERM
    assert 0 < left < 4 * GROUP_NOTES
    assert f"stopped with {left} notes left" in ran.stderr

    again = index(vault)

    assert again.exit_code == 0
    assert report_of(vault)["notes"]["changed"] == left
    assert len(embedder[0].embedded) == len(set(embedder[0].embedded)) == 4 * GROUP_NOTES
    assert sorted(vault.exported().lines) == sorted(vault.printed().lines)


def test_until_a_first_run_has_ended_readers_are_told_to_repeat_it(
    vault: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(vault, 4 * GROUP_NOTES, "A text of its own for note {}.")
    ask = ("search", "text", "--mode", "bm25", "--top", "1", "--store", vault.store)
    signals: list[int] = []

    def stop(said: str) -> None:
        if "stored" in said and not signals:
            signals.append(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)

    def fail() -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        while_embedding(patch, fail)
        failed = index(vault)
    before = run(*ask)
    stopped = index(vault, heard=stop)
    meanwhile = run(*ask)
    index(vault)
    after = run(*ask)

    note = (
        "no run over this vault has ended yet, so much of it may be missing; unless one is under way, "
        f"repeat `mindnet-chunk {vault.vault} --store {vault.store}`\n"
    )
    assert (failed.exit_code, stopped.exit_code) == (130, 128 + signal.SIGTERM)
    assert (before.stdout, before.stderr) == (b"", f"{note}no hits\n")
    assert (bool(meanwhile.stdout), meanwhile.stderr) == (True, note)
    assert (bool(after.stdout), after.stderr) == (True, "")


def test_a_run_with_failed_notes_has_ended(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    real = VaultFacts.build

    def build(facts: VaultFacts, file: Any, settings: str) -> Any:
        assert file.path != "Bees.md", "a fault of ours"
        return real(facts, file, settings)

    monkeypatch.setattr(VaultFacts, "build", build)

    assert index(vault).exit_code == 1
    assert run("search", "hive", "--mode", "bm25", "--store", vault.store).stderr == ""


# --- options ---------------------------------------------------------------------------------------------------------


def test_a_dry_run_says_what_the_run_then_does_and_writes_nothing(vault: Indexed) -> None:
    index(vault)
    (vault.vault / "Bees.md").unlink()
    (vault.vault / "New.md").write_text("See [[Hive]].\n", encoding="utf-8")
    before = vault.exported().lines

    dry = index(vault, "--dry-run")
    foretold, held = report_of(vault), vault.exported().lines
    index(vault)

    assert dry.exit_code == 0
    assert "would write 2 notes, 2 unchanged, 0 renamed, 1 removed" in dry.stderr
    assert "would embed 1 text (" in dry.stderr
    assert "nothing was written" in dry.stderr
    assert held == before
    done = report_of(vault)
    for name in ("writes", "embedded", "notes_written"):
        assert foretold[name] == done[name]


def test_a_dry_run_without_an_index_makes_none(vault: Indexed) -> None:
    dry = index(vault, "--dry-run")

    assert dry.exit_code == 0
    assert f"would write {len(NOTES)} notes" in dry.stderr
    assert not (vault.store / "meta.json").exists()
    assert vault.exported().exit_code == 2


def test_many_notes_are_removed_only_when_that_is_allowed(vault: Indexed) -> None:
    write_many(vault, 20, "Text {}.")
    index(vault)
    for number in range(11):
        (vault.vault / f"Note {number:02}.md").unlink()

    held = index(vault)
    held_report, kept = report_of(vault), len(vault.exported().records)
    allowed = index(vault, "--allow-mass-delete")

    assert (held.exit_code, allowed.exit_code) == (1, 0)
    assert "11 notes are gone or empty" in held.stderr
    assert "--allow-mass-delete" in held.stderr
    assert (held_report["held_back"], held_report["notes"]["deleted"], held_report["writes"]) == (11, 0, NOTHING)
    assert report_of(vault)["notes"]["deleted"] == 11
    assert len(vault.exported().records) == kept * 9 // 20


def test_a_store_that_cannot_be_written_is_one_line_and_a_hint(vault: Indexed) -> None:
    if os.geteuid() == 0 and not shutil.which(LIKE_OTHERS[0]):
        pytest.skip("root may write everywhere, and there is no `setpriv` to give that up")
    closed = vault.store.parent / "closed"
    closed.mkdir(mode=0o500)

    ran = run_processes(
        (vault.vault, "--store", closed / "store"), folder=vault.store.parent, like_others=True
    )[0]  # fmt: skip

    assert ran.exit_code == 2
    assert "Traceback" not in ran.stderr
    assert str(closed / "store") in ran.stderr
    assert "--store" in ran.stderr
    assert not any(closed.iterdir())


# --- what is said ----------------------------------------------------------------------------------------------------


MIXED = {
    ".obsidian/app.json": '{"userIgnoreFilters": ["Archive/"]}',
    "Archive/Old.md": "Old words.\n",
    "Archive/Old.canvas": '{"nodes": [], "edges": []}',
    "Diary.md": "---\nindex: false\n---\nMy own words.\n",
    "Bees.md": "Bees dance.\n",
    "Board.canvas": '{"nodes": [{"id": "a", "type": "text", "text": "Bees swarm."}], "edges": []}',
}


def test_all_lines_of_a_run_count_the_same_way(vault: Indexed) -> None:
    made_vaults.write(MIXED, vault.vault)

    ran = index(vault)

    lines = ran.stderr.splitlines()
    assert lines[0] == f"vault    {vault.vault} (3 notes and 2 boards)"
    assert lines[1] == "left out 2 notes and 1 board (2 by filter, 1 by property)"
    assert lines[4].startswith("to do    1 note and 1 board, 2 chunks with ")
    assert lines[-4:] == [
        "stored 2/2 notes and boards",
        "wrote 1 note and 1 board, 0 unchanged, 0 renamed, 0 removed, 3 left out, 0 failed; "
        f"embedded 2 texts ({report_of(vault)['embedded']['tokens']} tokens)",
        "the index holds 1 note and 1 board, 2 chunks",
        f'next: mindnet-chunk search "your question" --store {vault.store}',
    ]


def test_what_did_not_change_is_counted_without_what_is_left_out(
    vault: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_runs, "settled_until", lambda: time.time_ns() + 10_000_000_000)
    made_vaults.write(MIXED, vault.vault)
    index(vault)
    told_from_outside = index(vault)
    (vault.store / "store.seal").unlink()
    looked_into = index(vault)

    for ran in (told_from_outside, looked_into):
        assert (
            "\nwrote 0 notes, 2 unchanged, 0 renamed, 0 removed, 3 left out, 0 failed; embedded 0 texts" in ran.stderr
        )
        assert "the index holds 1 note and 1 board, 2 chunks" in ran.stderr


def test_the_notes_of_a_report_add_up_without_boards(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_runs, "settled_until", lambda: time.time_ns() + 10_000_000_000)
    made_vaults.write({**MIXED, "Broken.canvas": "{"}, vault.vault)
    (vault.vault / "Empty.canvas").write_bytes(b"\0\0")
    index(vault)
    reports = [report_of(vault)]
    index(vault)
    reports.append(report_of(vault))
    (vault.vault / "Bees.md").write_text("Bees sing.\n", encoding="utf-8")
    index(vault)
    reports.append(report_of(vault))

    notes = [report["notes"] for report in reports]
    assert [(one["changed"], one["unchanged"]) for one in notes] == [(3, 0), (0, 3), (1, 2)]
    assert [(one["seen"], one["excluded"], one["failed"]) for one in notes] == [(3, 2, 0)] * 3


def test_a_board_that_fails_is_told_and_counts_as_no_note(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    real = VaultFacts.build

    def build(facts: VaultFacts, file: Any, settings: str) -> Any:
        assert file.path != "Board.canvas", "a fault of ours"
        return real(facts, file, settings)

    monkeypatch.setattr(VaultFacts, "build", build)
    made_vaults.write(MIXED, vault.vault)

    ran = index(vault)

    assert ran.exit_code == 1
    assert " left out, 1 failed; " in ran.stderr
    assert report_of(vault)["notes"] | {"changed": 3, "unchanged": 0, "failed": 0} == report_of(vault)["notes"]


def test_what_becomes_left_out_is_told_as_removed_once(vault: Indexed) -> None:
    made_vaults.write({"Bees.md": "Bees dance.\n", "Hive.md": "Combs hang.\n"}, vault.vault)
    index(vault)

    foretold = index(vault, "--exclude", "Hive.md", "--dry-run")
    ran = index(vault, "--exclude", "Hive.md")
    report = report_of(vault)
    again = index(vault, "--exclude", "Hive.md")

    told = "notes, 1 unchanged, 0 renamed, {} removed, 1 left out, 0 failed; "
    assert "stored" not in ran.stderr
    assert f"\nwould write 0 {told.format(1)}" in foretold.stderr
    assert f"\nwrote 0 {told.format(1)}embedded 0 texts" in ran.stderr
    assert f"\nwrote 0 {told.format(0)}" in again.stderr
    assert "the index holds 1 note, 1 chunk\n" in ran.stderr
    assert (report["notes_written"], report["notes"]["deleted"]) == (["Hive.md"], 0)


def test_a_note_that_moves_to_where_it_is_left_out_is_told_as_removed(vault: Indexed) -> None:
    made_vaults.write({"Bees.md": "Bees dance.\n", "Hive.md": "Combs hang.\n"}, vault.vault)
    index(vault)
    (vault.vault / "Archive").mkdir()
    (vault.vault / "Hive.md").rename(vault.vault / "Archive" / "Hive.md")

    ran = index(vault, "--exclude", "Archive/*")

    assert "\nwrote 0 notes, 1 unchanged, 0 renamed, 1 removed, 1 left out, 0 failed; " in ran.stderr


def test_one_is_never_told_as_several(vault: Indexed) -> None:
    made_vaults.write({"Board.canvas": MIXED["Board.canvas"]}, vault.vault)
    said = [index(vault).stderr]
    file = vault.store.parent / "export.ndjson"
    file.write_bytes(run("export", "--vectors", "--store", vault.store).stdout)
    said.append(run("import", file, "--store", vault.store.parent / "copy").stderr)
    said.append(run("forget", vault.vault, "--yes", "--store", vault.store).stderr)

    assert "the index holds 1 board, 1 chunk\n" in said[0]
    assert said[1].startswith("imported 1 board into ")
    assert said[2].startswith("removed 1 board, 1 chunk; ")
    plural = re.compile(r"(?<!/)\b1 (notes|boards|chunks|texts|tokens|edges)\b")
    assert [line for line in said if plural.search(line)] == []


def test_the_next_command_finds_the_index(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "data_folder", lambda: vault.store.parent / "my data")

    with StandIn(vault.store.parent / "server") as server:
        for place in (
            (),
            ("--store", vault.store.parent / "my store"),
            ("--qdrant-url", server.url),
            ("--qdrant-url", server.url, "--vault-id", "hive"),
        ):
            said = run(vault.vault, *place).stderr.splitlines()[-1]
            words = shlex.split(said.removeprefix("next: mindnet-chunk "))

            assert run(*words, "--mode", "bm25").exit_code == 0, said


# --- brought elsewhere, removed --------------------------------------------------------------------------------------


def test_forget_removes_the_index_and_leaves_the_vault(vault: Indexed) -> None:
    index(vault)
    before = vault.printed().lines

    ran = run("forget", vault.vault, "--yes", "--store", vault.store)

    assert ran.exit_code == 0
    assert f"removed {len(NOTES)} notes, 11 chunks" in ran.stderr
    assert run("status", "--store", vault.store).exit_code == 2
    assert vault.printed().lines == before
    assert index(vault).exit_code == 0


def test_forget_asks_and_takes_no_for_an_answer(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    index(vault)
    before = vault.exported().lines
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    ran = run("forget", vault.vault, "--store", vault.store)

    assert ran.exit_code == 1
    assert "nothing was removed" in ran.stderr
    assert vault.exported().lines == before


def test_forget_without_a_vault_takes_the_only_one_of_a_store(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    other = write_notes(vault.vault.parent / "other")
    words = ("forget", "--store", vault.store)
    none = run(*words)
    index(vault, "--vault-id", "hive")
    run(other, "--store", vault.store)
    several = run(*words)
    run("forget", other, "--yes", "--store", vault.store)
    shutil.rmtree(vault.vault)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    removed = run(*words)

    assert (none.exit_code, none.stderr.splitlines()[0]) == (2, f"error: {vault.store}: no index is here")
    assert several.exit_code == 2
    assert several.stderr.endswith(f"holds several vaults\nhint: name one of them:\n  {vault.vault}\n  {other}\n")
    assert removed.exit_code == 0
    assert removed.stderr.startswith("remove the index of `hive` (")
    assert run("status", "--store", vault.store).exit_code == 2
    assert run("forget").stderr.startswith("error: which index?\nhint: name its vault, ")


def test_forget_of_a_vault_without_an_index_leaves_nothing(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    data = vault.store.parent / "data"
    monkeypatch.setattr(locks, "data_folder", lambda: data)

    with StandIn(vault.store.parent / "server") as server:
        for place in ((), ("--store", vault.store), ("--qdrant-url", server.url)):
            ran = run("forget", vault.vault, "--yes", *place)

            assert ran.exit_code == 2
            assert "no index of `vault` is here" in ran.stderr
    assert not data.exists()
    assert not vault.store.exists()


def exported_with_vectors(vault: Indexed) -> Path:
    index(vault)
    file = vault.store.parent / "export.ndjson"
    file.write_bytes(run("export", "--vectors", "--store", vault.store).stdout)
    return file


def assert_same(found: Sequence[Record], wanted: Sequence[Record]) -> None:
    """Records are equal, vectors too but for the last digit: an engine makes them of unit length again."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        mine, theirs = one.pop("vector", None), other.pop("vector", None)
        assert one == other
        if theirs is not None:
            assert mine["bm25"] == theirs["bm25"]
            assert np.allclose(mine["dense"], theirs["dense"], atol=1e-6)


def test_an_import_holds_what_was_exported_and_a_run_finds_it_up_to_date(vault: Indexed) -> None:
    file = exported_with_vectors(vault)
    copy = Indexed(vault.vault, vault.store.parent / "copy")

    ran = run("import", file, "--store", copy.store)

    again = run("export", "--vectors", "--store", copy.store)
    assert ran.exit_code == 0
    assert_same(again.records, run("export", "--vectors", "--store", vault.store).records)
    report = copy.index()
    assert (report["writes"], report["embedded"]["texts"]) == (NOTHING, 0)
    assert report["notes"]["unchanged"] == len(NOTES)


def test_an_import_into_a_server_holds_what_was_exported(vault: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    file = exported_with_vectors(vault)
    monkeypatch.setattr(locks, "data_folder", lambda: vault.store.parent / "data")

    with StandIn(vault.store.parent / "server") as server:
        there = ("--qdrant-url", server.url)
        ran = run("import", file, *there)
        again = run("export", "--vectors", *there)
        up_to_date = run(vault.vault, *there, "--report", report_file(vault))

    assert (ran.exit_code, up_to_date.exit_code) == (0, 0)
    assert_same(again.records, run("export", "--vectors", "--store", vault.store).records)
    assert report_of(vault)["writes"] == NOTHING


def test_an_import_is_refused_where_there_is_an_index(vault: Indexed) -> None:
    file = exported_with_vectors(vault)
    before = vault.exported().lines

    ran = run("import", file, "--store", vault.store)

    assert ran.exit_code == 2
    assert "there is an index of `vault` already" in ran.stderr
    assert vault.exported().lines == before
