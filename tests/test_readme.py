"""The README's lines work, and it names the commands and options that there are."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from asked_vault import made_up_vectors

from mindnet_chunker import chunk_vault
from mindnet_chunker.__main__ import COMMANDS
from mindnet_chunker.chunking.sizing import builtin_types_text, load_types

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)\n```\n<!-- /{name} -->", README, re.S)
    assert found, f"the README has no block `{name}`"
    return found[1]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mindnet_chunker", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_quickstart_is_one_line_that_indexes_and_answers(tmp_path: Path) -> None:
    line = block("quickstart")
    steps = [shlex.split(step.strip()) for step in line.split("&&")]
    ours = [words[1:] for words in steps if words[0].endswith("mindnet-chunk")]

    assert "\n" not in line
    assert len(ours) == 2
    for words in ours:
        done = run(*(str(tmp_path / "demo") if word.startswith(".venv") else word for word in words))
        assert done.returncode == 0, done.stderr
    assert "obsidian://open?vault=mindnet" in done.stdout


def test_the_test_line_is_one_line() -> None:
    line = block("tests")

    assert "\n" not in line
    assert line.endswith("-m pytest")


def named_commands() -> list[str]:
    """Every `mindnet-chunk ...` in code, with its words up to what a shell would take elsewhere."""
    code = re.findall(r"`((?:\S*/)?mindnet-chunk[^`\n]*)`", README) + re.findall(
        r"^(?:.*\| )?(mindnet-chunk .*)$", README, re.M
    )
    return sorted({re.split(r"\s[|>&]|\\\|", text)[0].strip() for text in code})


@pytest.mark.parametrize("text", named_commands())
def test_a_command_in_the_readme_has_the_options_that_it_names(text: str) -> None:
    words = text.split()[1:]
    command = words[0] if words and words[0] in COMMANDS else "index"
    options = {word.split("=")[0] for word in words if word.startswith("--")}

    help_text = run(command, "--help").stdout if options else ""
    for option in options - {"--help"}:
        assert re.search(rf"{option}\b", help_text), f"`{command}` has no {option}"


def test_every_tag_that_a_command_names_is_in_the_demo_vault() -> None:
    stored = {
        key
        for record in chunk_vault(ROOT / "vault_fixtures" / "mindnet")
        if record["record"] == "chunk"
        for key in record["tag_keys"]
    }

    named = set(re.findall(r"--tag ([\w/-]+)", README))
    assert named
    assert named <= stored


@pytest.mark.parametrize("name", ["python", "embedder"])
def test_the_python_in_the_readme_runs_as_it_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    code = block(name).replace("/tmp/", f"{tmp_path}/")

    with made_up_vectors():
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})

    said = capsys.readouterr().out.splitlines()
    if name == "python":
        assert said[:6] == ["chunk", "edge", "edge", "edge", "edge", "note"]
        assert re.fullmatch(r"(\d+) \1 0", said[6])
        assert any(line.endswith("-> Menschen/Wilma Harms.md") for line in said)
    else:
        assert said == ["The painted hives of Radovljica"]


def test_the_rows_in_the_readme_are_rows() -> None:
    types = load_types([("types.yaml", builtin_types_text()), ("README.md", block("types"))])

    assert (types.row("concept").target, types.row("concept").isolate_intro) == ((200, 300), False)
    assert types.row("rezept").keep_lists


def test_every_command_stands_in_the_readme() -> None:
    missing = [name for name in COMMANDS if name != "index" and f"mindnet-chunk {name}" not in README]

    assert missing == []


def test_every_row_key_stands_in_the_readme() -> None:
    from dataclasses import fields

    from mindnet_chunker.chunking.sizing import NoteType

    missing = [field.name for field in fields(NoteType) if field.name != "name" and f"`{field.name}`" not in README]

    assert missing == []


def test_every_field_of_every_record_stands_in_the_readme() -> None:
    from mindnet_chunker.index.schema import RECORDS

    names = {name for shape in RECORDS.values() for name in shape["required"]}

    assert sorted(name for name in names if f"`{name}`" not in README) == []


def test_the_changelog_has_what_is_unreleased_on_top() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

    assert re.search(r"^## ", changelog, re.M)
    assert changelog.index("## Unreleased") == changelog.index("## ")
