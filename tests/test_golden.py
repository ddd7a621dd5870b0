"""Whole output, letter by letter: a change of it must be meant, and then raises `CODE_VERSION` in `survey.py`.

`pytest tests/test_golden.py --update-golden` writes the files anew and fails; their difference is read like code.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from mindnet_chunker.index.points import SCHEMA, line_of
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble
from mindnet_chunker.runs.stream import vault_records
from mindnet_chunker.survey import CODE_VERSION

HERE = Path(__file__).parent
VAULTS = HERE.parent / "vault_fixtures"
VERSIONS = HERE / "golden" / "versions.json"


def printed(vault: str) -> str:
    found = vault_records(VAULTS / vault, VaultOptions(), Trouble())
    return "".join(f"{line_of(record)}\n" for records in found for record in records.in_order())


@pytest.mark.parametrize("vault", ["mindnet", "gold"])
def test_output_is_what_it_was(vault: str, request: pytest.FixtureRequest) -> None:
    golden, got = HERE / "golden" / f"{vault}.ndjson", printed(vault)

    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(got, encoding="utf-8", newline="")
        pytest.fail(f"{golden.name} was written anew: read its difference")
    assert got.split("\n") == golden.read_text(encoding="utf-8").split("\n")


def test_changed_output_has_a_new_version(request: pytest.FixtureRequest) -> None:
    """What is stored is compared by a hash that holds the version: the same version must mean the same output."""
    now = hashlib.sha256("".join(map(printed, ("mindnet", "gold"))).encode()).hexdigest()
    known = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.exists() else {}
    name = f"{CODE_VERSION}.{SCHEMA}"

    if request.config.getoption("--update-golden") and name not in known:
        VERSIONS.write_text(json.dumps({**known, name: now}, indent=2) + "\n", encoding="utf-8")
        pytest.fail(f"version {name} is recorded")
    assert known.get(name) == now, "the output changed: raise CODE_VERSION in survey.py, then `--update-golden`"


def test_two_runs_print_the_same_bytes() -> None:
    assert printed("mindnet") == printed("mindnet")
