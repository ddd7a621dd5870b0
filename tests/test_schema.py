"""The published schema is the shape of what is printed, and `validate -` finds what is damaged."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.index.points import line_of
from mindnet_chunker.index.schema import RECORDS, json_schema
from mindnet_chunker.index.shape import misshapen
from mindnet_chunker.records import Record
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble
from mindnet_chunker.runs.setup import chosen_model
from mindnet_chunker.runs.stream import vault_records
from mindnet_chunker.runs.validate import stream_findings

VAULTS = Path(__file__).parent.parent / "vault_fixtures"


def printed(vault: str) -> list[Record]:
    found = vault_records(VAULTS / vault, VaultOptions(), Trouble())
    return [json.loads(line_of(record)) for records in found for record in records.in_order()]


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return TokenCounter.from_file(chosen_model(VaultOptions(), weights=False).tokenizer_json)


def findings(records: list[Record], counter: TokenCounter) -> list[str]:
    lines = io.BytesIO("".join(f"{json.dumps(record)}\n" for record in records).encode())
    return [f"{problem.code} {problem.message}" for problem in stream_findings(lines, counter)]


def test_the_schema_in_the_wheel_is_made_from_the_code() -> None:
    shipped = json.loads(files("mindnet_chunker").joinpath("records.schema.json").read_text(encoding="utf-8"))

    assert shipped == json_schema()
    jsonschema.Draft202012Validator.check_schema(shipped)


@pytest.mark.parametrize("vault", sorted(path.name for path in VAULTS.iterdir() if path.is_dir()))
def test_every_line_is_of_the_published_shape_and_in_its_key_order(vault: str, counter: TokenCounter) -> None:
    records = printed(vault)
    validator = {kind: jsonschema.Draft202012Validator(dict(shape)) for kind, shape in RECORDS.items()}

    for record in records:
        validator[record["record"]].validate(record)
        assert not list(misshapen(record))
        assert list(record) == list(RECORDS[record["record"]]["required"])
    assert findings(records, counter) == []


def first(records: list[Record], kind: str, where: Callable[[Record], bool] = lambda record: True) -> Record:
    return next(record for record in records if record["record"] == kind and where(record))


def drop(key: str) -> Callable[[Record], Any]:
    return lambda record: record.pop(key)


def put(**changes: Any) -> Callable[[Record], Any]:
    return lambda record: record.update(changes)


DAMAGES: list[tuple[str, str, Callable[[Record], Any], str]] = [
    ("a missing field", "chunk", drop("context"), "shape `context` is missing"),
    ("a field too many", "note", put(colour="red"), "shape `colour` is not a field"),
    ("a number as text", "chunk", put(embedding_tokens="12"), "shape `embedding_tokens` is '12'"),
    ("an unknown kind", "edge", put(kind="likes"), "shape `kind` is 'likes'"),
    ("an id that is no UUID", "edge", put(edge_id="7"), "shape `edge_id`"),
    ("another schema", "note", put(schema=99), "shape `schema` is 99"),
    ("a date that is none", "note", put(created_at="yesterday"), "shape `created_at`"),
    ("a wrong token count", "chunk", put(embedding_tokens=3), "token-count"),
    ("a place that is taken", "chunk", put(chunk_index=7), "index"),
    ("a wrong number of chunks", "note", put(n_chunks=90), "chunk-count"),
    ("an edge from nowhere", "edge", put(source_id="5d0c7c8e-6b0f-5c1e-9a57-2f6d1f0f3b11"), "edge-source"),
    ("a neighbour that is not there", "chunk", put(neighbors={"prev": "#c41", "next": None}), "prev-next"),
]


@pytest.mark.parametrize(("name", "kind", "damage", "reason"), DAMAGES, ids=[case[0] for case in DAMAGES])
def test_a_damaged_copy_is_rejected_for_the_right_reason(
    name: str, kind: str, damage: Callable[[Record], Any], reason: str, counter: TokenCounter
) -> None:
    records = copy.deepcopy(printed("gold"))
    damage(first(records, kind))

    assert any(found.startswith(reason) for found in findings(records, counter))


def test_a_line_that_is_no_json_is_named_by_its_number(counter: TokenCounter) -> None:
    found = list(stream_findings(io.BytesIO(b'{"record":\n'), counter))

    assert [(problem.code, problem.line) for problem in found] == [("no-json", 1)]


def test_chunks_without_their_note_are_reported(counter: TokenCounter) -> None:
    chunk = first(printed("gold"), "chunk")

    assert findings([chunk], counter)[0].startswith("no-note")
