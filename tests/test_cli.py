"""The command line as a person meets it: exit codes, one clear line for each mistake, data apart from talk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindnet_chunker.__main__ import route


def run(*words: str, stdin: bytes = b"", cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "mindnet_chunker", *words]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env={**os.environ, **env}, check=False)


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8")


def records(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, object]]:
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]


@pytest.mark.parametrize(
    ("words", "piped", "routed"),
    [
        ((), True, ["index"]),
        ((), False, ["--help"]),
        (("notes",), False, ["index", "notes"]),
        (("--vault", "v"), True, ["index", "--vault", "v"]),
        (("search", "x"), False, ["search", "x"]),
        (("index", "search"), False, ["index", "search"]),
        (("./-x.md",), False, ["index", "./-x.md"]),
        (("validate",), True, ["validate"]),
        (("validate",), False, ["validate", "--help"]),
        (("validate", "--store"), False, ["validate", "--stored"]),
        (("validate", "--store", "d"), False, ["validate", "--store", "d"]),
    ],
)
def test_the_first_word_decides(words: tuple[str, ...], piped: bool, routed: list[str]) -> None:
    assert route(words, piped=piped) == routed


def test_a_piped_note_is_answered_with_its_records() -> None:
    done = run(stdin=b"# Bienen\n\nEin Satz.\n")

    assert done.returncode == 0
    assert [record["record"] for record in records(done)] == ["chunk", "edge", "edge", "note"]
    assert records(done)[-1]["path"] == "stdin.md"


def test_empty_input_prints_nothing_but_a_dash_asks_for_a_note() -> None:
    assert run().stdout == b""
    assert [record["record"] for record in records(run("-"))] == ["note"]


def test_output_is_utf8_whatever_the_console() -> None:
    done = run("-", stdin="Größe 🐝\n".encode(), LC_ALL="C", LANG="C", PYTHONIOENCODING="latin-1")

    assert "Größe 🐝" in str(records(done)[0]["text"])


def one_error(done: subprocess.CompletedProcess[bytes], *parts: str) -> None:
    lines = said(done).splitlines()

    assert done.returncode == 2
    assert "Traceback" not in said(done)
    assert sum(line.startswith("error: ") for line in lines) == 1
    for part in parts:
        assert part in said(done)


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    one_error(run(str(tmp_path / "nowhere")), "nowhere", "no such folder", "hint: ")


def test_a_file_that_is_no_markdown_is_refused_with_what_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "NOTE.pdf").write_bytes(b"%PDF")

    one_error(run(str(tmp_path / "NOTE.pdf")), "NOTE.pdf", "no Markdown", "`.md`")


def test_a_note_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_bytes(b"\x00\x01\x02")

    one_error(run(str(tmp_path / "n.md")), "n.md", "NUL")


def test_an_impossible_types_file_names_line_and_value(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("default:\n  target: [100, 200]\n  max: 50\n", encoding="utf-8")
    (tmp_path / "n.md").write_text("Text.\n", encoding="utf-8")

    one_error(run(str(tmp_path / "n.md"), "--types", str(tmp_path / "t.yaml")), "t.yaml:", "50", "200")


def test_a_store_inside_the_vault_is_refused(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("Text.\n", encoding="utf-8")

    one_error(run(str(tmp_path), "--store", str(tmp_path / "store")), "--store", "inside the vault")
    assert [path.name for path in tmp_path.iterdir()] == ["n.md"]


def test_a_folder_that_is_no_store_of_ours_is_left_alone(tmp_path: Path) -> None:
    vault, other = tmp_path / "vault", tmp_path / "photos"
    vault.mkdir()
    other.mkdir()
    (vault / "n.md").write_text("Text.\n", encoding="utf-8")
    (other / "a.jpg").write_bytes(b"x")

    one_error(run(str(vault), "--store", str(other)), "photos", "no store")
    assert [path.name for path in other.iterdir()] == ["a.jpg"]


def test_asking_without_an_index_says_what_to_do(tmp_path: Path) -> None:
    one_error(run("search", "bees", XDG_DATA_HOME=str(tmp_path)), "nothing is indexed", "mindnet-chunk VAULT")
    one_error(run("status", "--store", str(tmp_path / "none")), "nothing is indexed")


def test_a_stream_goes_on_after_a_bad_line_and_ends_with_one(tmp_path: Path) -> None:
    lines = b'{"path": "a.md", "text": "A."}\nnonsense\n{"path": "b.md", "text": "B."}\n'

    done = run("-", "--from", "ndjson", stdin=lines)

    assert done.returncode == 1
    assert "stdin:2" in said(done)
    assert [record["path"] for record in records(done) if record["record"] == "note"] == ["a.md", "b.md"]


def test_a_note_of_a_vault_resolves_its_links_in_it(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Bees.md").write_text("---\nid: bees\n---\nBuzz.\n", encoding="utf-8")

    alone = records(run("-", stdin=b"[[Bees]]"))[-1]["links"]
    inside = records(run("-", "--vault", str(tmp_path), stdin=b"[[Bees]]"))[-1]["links"]

    assert [link["target_path"] for link in alone] == [None]  # type: ignore[attr-defined]
    assert [link["target_path"] for link in inside] == ["Bees.md"]  # type: ignore[attr-defined]


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"{number}.md").write_text(f"# {number}\n\n" + "Ein Satz mit Worten. " * 40, encoding="utf-8")
    command = [sys.executable, "-m", "mindnet_chunker", str(tmp_path), "--ndjson"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout and child.stderr
        child.stdout.readline()
        child.stdout.close()
        said_then = child.stderr.read().decode()

    assert child.returncode == 0
    assert "Traceback" not in said_then


def test_show_prints_one_note_as_it_is_cut(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("# N\n\n## A\n\nEins.\n\n## B\n\nZwei. [[Fehlt]]\n", encoding="utf-8")

    done = run("show", str(tmp_path / "n.md"))

    assert done.returncode == 0
    assert "#c01 /B" in done.stdout.decode()
    assert "Fehlt (not looked up: no vault" in done.stdout.decode()
    assert "Fehlt (no such note yet)" in run("show", "n.md", "--vault", str(tmp_path)).stdout.decode()


def test_validate_finds_nothing_wrong_with_a_good_vault(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("# N\n\nEin Satz.\n", encoding="utf-8")

    assert run("validate", str(tmp_path)).returncode == 0


def test_validate_names_path_line_and_code_of_a_broken_head(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("---\na: [\n---\nText.\n", encoding="utf-8")

    done = run("validate", str(tmp_path))

    assert done.returncode == 1
    assert done.stdout.decode().startswith("n.md:")
    assert "frontmatter-invalid" in done.stdout.decode()


@pytest.mark.parametrize(("words", "meant"), [(("serach", "bees"), "search"), (("stauts",), "status")])
def test_a_mistyped_command_is_told_what_was_meant(words: tuple[str, ...], meant: str) -> None:
    one_error(run(*words), f"did you mean `mindnet-chunk {meant}`")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("My", "own", "Notes"), "My own Notes"),
        (("My", "own", "Notes", "--ndjson"), "My own Notes"),
        (("Index", "-", "old"), "Index - old"),
        (("show", "My", "own", "Notes/Bees", "1.md"), "My own Notes/Bees 1.md"),
        (("search", "bees", "--vault", "My", "own", "Notes"), "My own Notes"),
        (("search", "why", "do", "bees", "dance?", "--top", "3"), "why do bees dance?"),
        (("search", "--top", "3", "bees", "--path", "Küche", "und", "Haus", "--why"), "Küche und Haus"),
        (("search", "bees", "--top", "3", "--tag", "two", "words"), "two words"),
        (("related", "Großmutter", "Änne", "--unlinked"), "Großmutter Änne"),
        (("show", "Großmutter", "Änne"), "Großmutter Änne"),
    ],
)
def test_words_without_quotes_are_told_what_was_meant(tmp_path: Path, words: tuple[str, ...], meant: str) -> None:
    for folder in ("My own Notes", "Index - old"):
        (tmp_path / folder).mkdir()
    (tmp_path / "My own Notes" / "Bees 1.md").touch()

    done = run(*words, cwd=tmp_path)

    assert done.returncode == 2
    assert said(done).endswith(f'hint: did you mean "{meant}"?\n')


def test_words_that_are_no_path_get_no_hint(tmp_path: Path) -> None:
    for words in (("My", "Notes"), ("a" * 300, "b" * 300)):
        done = run(*words, cwd=tmp_path)

        assert done.returncode == 2
        assert "did you mean" not in said(done)


def test_a_name_that_is_too_long_is_one_line() -> None:
    done = run("a" * 300)

    assert done.returncode == 2
    assert said(done).startswith("error: ")


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("Text.\n", encoding="utf-8")

    one_error(run(str(tmp_path), "--ndjson", "--report", "r.json"), "--report", "no meaning")


def test_a_note_that_is_not_there_is_no_folder(tmp_path: Path) -> None:
    one_error(run("show", str(tmp_path / "n.md")), "n.md: no such note")
    one_error(run(str(tmp_path / "n.md")), "n.md: no such file", "hint: name a note by its path")


def test_show_says_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "Ideas").mkdir()
    for name in ("Board.canvas", "Bees.pdf"):
        (tmp_path / name).touch()

    for name, what in {
        "Ideas": "is a folder",
        "Board.canvas": "is a board",
        "Bees.pdf": "is no Markdown file",
        "Bees": "no such note",
    }.items():
        done = run("show", name, cwd=tmp_path, XDG_DATA_HOME=str(tmp_path / "none"))
        one_error(done, f"error: {name}: {what}\n", "hint: `show` takes one note")


def test_show_finds_a_note_of_the_vault_around_it_by_path_or_name(tmp_path: Path) -> None:
    for folder in (".obsidian", "Ideas", "Old"):
        (tmp_path / folder).mkdir()
    (tmp_path / "Ideas" / "Bees.md").write_text("They dance.\n", encoding="utf-8")

    for name in ("Ideas/Bees.md", "Ideas/Bees", "Bees", "bees.md"):
        done = run("show", name, cwd=tmp_path / "Old", XDG_DATA_HOME=str(tmp_path / "none"))
        assert (done.returncode, said(done)) == (0, "")
        assert "They dance." in done.stdout.decode()

    (tmp_path / "Old" / "Bees.md").touch()
    done = run("show", "Bees", cwd=tmp_path, XDG_DATA_HOME=str(tmp_path / "none"))
    one_error(done, "several notes are called `Bees`", "`Ideas/Bees.md`, `Old/Bees.md`")


def test_a_private_note_stays_private_though_its_head_is_broken(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("---\nindex: false\ntags: [a, b\n---\nSecret.\n", encoding="utf-8")

    printed = records(run(str(tmp_path), "--ndjson"))

    assert [(record["record"], record.get("excluded")) for record in printed] == [("note", "property")]


def test_a_property_index_that_is_neither_true_nor_false_is_told(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("---\nindex: nein\n---\nText.\n", encoding="utf-8")

    told = said(run(str(tmp_path), "--ndjson"))
    checked = run("validate", str(tmp_path))

    assert "n.md:2: `index` is neither true nor false, so the note is not left out: `nein`\n" in told
    assert "hint: write `index: false` to leave the note out\n" in told
    assert checked.returncode == 1
    assert checked.stdout.decode().startswith("n.md:2: index-unclear `index` is neither true nor false")


def test_a_warning_shows_its_hint_once_for_each_kind(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"---\ntags: {name}\n---\nText.\n", encoding="utf-8")

    assert said(run(str(tmp_path), "--ndjson")) == (
        "warning: a.md:2: `tags` is no list\n"
        "hint: write it as a list: `tags: [a]`\n"
        "warning: b.md:2: `tags` is no list\n"
    )


def test_an_import_that_is_no_export_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "export.ndjson").write_text("nonsense\n", encoding="utf-8")
    words = ("import", "--store", str(tmp_path / "store"))

    one_error(run(*words, "export.ndjson", cwd=tmp_path), "error: export.ndjson:1: is no JSON")
    one_error(run(*words, stdin=b"nonsense\n"), "error: stdin:1: is no JSON")


def test_an_unknown_key_of_a_note_is_told_with_its_line_and_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "n.md").write_text("---\ntitle: N\nChunking: {maximum: 30}\n---\nText.\n", encoding="utf-8")

    lines = said(run(str(tmp_path), "--ndjson")).splitlines()

    assert lines[0] == "warning: n.md:3: property `chunking`: unknown key `maximum`; the row `default` is used"
    assert lines[1].startswith("hint: did you mean `max`? one of: target, ")
