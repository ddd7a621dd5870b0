"""Small vaults with the right answers, written by hand: each is written to disk, run, and held against its facts.

A case of `cases/obsidian.json` tells one note in full, a case of `cases/vaults.json` some facts about a vault. What a
case says is in its `about` and `right`; what a fact means is said by the function of its name.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import case_facts
import case_graph_facts
import case_obsidian_facts
import case_store_facts
import pytest
from case_runs import Bench, Step
from case_vault import Case, Json
from commands import LIKE_OTHERS, make_runs_quick, quick_folder

HERE = Path(__file__).parent / "cases"
ABOUT_VAULTS = (case_facts, case_graph_facts, case_store_facts)
ABOUT_NOTES = (case_obsidian_facts, *ABOUT_VAULTS)
ALWAYS = {"must_not_crash": True, "references_agree": True, "vault_unchanged": True}
ALWAYS_STORED = {"export_equals_ndjson": True, "exit_code_fits_report": True}
NO_FACTS = {"after", "first_run", "concurrent_runs", "each_config"}  # they say which run is meant


def cases() -> Iterator[Any]:
    for name in ("obsidian.json", "vaults.json"):
        for case in json.loads((HERE / name).read_text(encoding="utf-8")):
            yield pytest.param(case, id=case["id"], marks=pytest.mark.long if case.get("long") else ())


@pytest.mark.parametrize("case", list(cases()))
def test_case(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    if case.get("requires") == "not run as root" and os.geteuid() == 0 and not shutil.which(LIKE_OTHERS[0]):
        pytest.skip("root may read every file, and there is no `setpriv` to give that up")
    make_runs_quick(monkeypatch)

    with quick_folder() as folder:
        wrong = list(failures(case, Bench(case, folder)))

    assert not wrong, "\n".join([case["about"], *wrong])


def failures(case: Case, bench: Bench) -> Iterator[str]:
    expect = case["expect"]
    if "configs" in case:
        for config in case["configs"]:
            yield from judged({**ALWAYS, **expect, **expect["each_config"]}, bench.print_records(config), str(config))
    elif case.get("action", "chunk") == "chunk":
        yield from judged({**ALWAYS, **expect}, bench.print_records(case.get("config", {})))
    else:
        steps = bench.index_all()
        for step, facts in zip(steps, facts_by_step(case, len(steps)), strict=True):
            yield from judged(facts, step, f"run {len(step.steps)}: ")


def facts_by_step(case: Case, count: int) -> list[dict[str, Json]]:
    """Facts hold for the last run. Where there is an `after`, those beside it hold for the first."""
    expect = case["expect"]
    own = {name: want for name, want in expect.items() if name not in NO_FACTS}
    late = {name: own.pop(name) for name in list(own) if name.startswith("second_run") or name == "prefer"}
    by_step = [{**ALWAYS, **ALWAYS_STORED} for _ in range(count)]
    if "concurrent_runs" in expect or "kill" in expect.get("first_run", {}):
        by_step[0] = dict(ALWAYS)
    if "after" in expect:
        for facts in by_step:
            facts |= {"exit_code": own["exit_code"]} if "exit_code" in own else {}
        by_step[0] |= own
        by_step[1] |= expect["after"]
        for facts, change in zip(by_step[2:], case.get("repeat_with", ()), strict=True):
            facts |= change["after"]
    else:
        by_step[-1] |= own
    by_step[-1] |= late
    return by_step


def judged(facts: Mapping[str, Json], step: Step, where: str = "") -> Iterator[str]:
    for name, want in facts.items():
        if name in NO_FACTS:
            continue
        if name == "any_of":
            tries = [list(judged(member, step)) for member in want]
            if all(tries):
                yield f"{where}none of these holds: {' | '.join(wrong for one in tries for wrong in one)}"
        elif name == "prefer":
            yield from judged(want, step, where)
        elif name == "second_run":
            yield from judged(want, step.steps[1], where)
        elif name == "chunks_with":
            both = {"text": want, "also_contain": facts["also_contain"]}
            yield from (f"{where}{name}: {wrong}" for wrong in case_facts.chunks_with(both, step))
        elif name != "also_contain":
            yield from (f"{where}{name}: {wrong}" for wrong in fact(name, step)(want, step))


def fact(name: str, step: Step) -> Any:
    """The function of that name: about the one note that a case is about, else about the vault."""
    modules = ABOUT_NOTES if step.note else ABOUT_VAULTS
    return next(found for module in modules if (found := vars(module).get(name)))
