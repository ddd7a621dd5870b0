"""What `status` says to a person."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from changed_vault import write_notes
from commands import make_runs_quick, quick_folder, run
from indexed_vault import Indexed

from mindnet_chunker.runs.status import readable_size, readable_time


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("the zone cannot be set here")
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("size", "said"),
    [(812, "812 B"), (1000, "1.0 kB"), (12_345, "12.3 kB"), (3_449_000, "3.4 MB"), (7_200_000_000, "7.2 GB")],
)
def test_a_size_has_a_unit(size: int, said: str) -> None:
    assert readable_size(size) == said


def test_a_time_is_local_and_names_its_zone(berlin: None) -> None:
    assert readable_time("2025-03-31T16:30:05+00:00") == "2025-03-31 18:30:05+02:00"
    assert readable_time("2025-01-31T16:30:05+00:00") == "2025-01-31 17:30:05+01:00"


def test_people_read_units_and_local_time_programs_bytes_and_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    make_runs_quick(monkeypatch)
    with quick_folder() as folder:
        vault = Indexed(write_notes(folder / "vault"), folder / "store")
        vault.index()

        lines = run("status", "--store", vault.store).stdout.decode().splitlines()
        found = run("status", "--store", vault.store, "--json").records[0]

    assert isinstance(found["size"], int)
    assert found["last_run"].endswith("+00:00")
    assert f"size         {readable_size(found['size'])}" in lines
    assert f"last run     {readable_time(found['last_run'])}" in lines
