"""The published shape of the records: one table, from which the JSON Schema and the check of a record are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mindnet_chunker.index.points import SCHEMA
from mindnet_chunker.records import Record

Shape = Mapping[str, Any]  # a JSON Schema, of the few keywords used here

TEXT: Shape = {"type": "string"}
COUNT: Shape = {"type": "integer", "minimum": 0}
FLAG: Shape = {"type": "boolean"}


def maybe(shape: Shape) -> Shape:
    return {**shape, "type": [shape["type"], "null"]}


def choice(*values: str) -> Shape:
    return {"type": "string", "enum": list(values)}


def many(shape: Shape) -> Shape:
    return {"type": "array", "items": shape}


def fields(members: Mapping[str, Shape], **more: Shape) -> Shape:
    """An object with exactly these members; those of `more` may be missing."""
    return {
        "type": "object",
        "properties": {**members, **more},
        "required": list(members),
        "additionalProperties": False,
    }


DATE: Shape = {"type": ["string", "null"], "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
LINE: Shape = {"type": "integer", "minimum": 1}
UUID: Shape = {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$"}
HASH: Shape = {"type": "string", "pattern": "^[0-9a-f]{32,64}$"}
VERSION: Shape = {"type": "integer", "const": SCHEMA}
LINK_KIND = choice("wikilink", "markdown", "property", "canvas")
TARGET_KIND = choice("note", "chunk", "section", "attachment", "canvas", "missing")
ORIGIN = choice("body", "property", "field", "link_section", "canvas")
PROBLEM = fields({"path": TEXT, "line": maybe(LINE), "code": TEXT, "message": TEXT, "hint": TEXT})
NUMBERS = many({"type": "number"})
VECTOR = fields({"dense": NUMBERS}, bm25=fields({"indices": many(COUNT), "values": NUMBERS}))
HEADING = fields({"level": {"type": "integer", "minimum": 0, "maximum": 6}, "text": TEXT})
SOURCE = fields({"text": TEXT, "url": maybe(TEXT), "path": maybe(TEXT)})
ABOUT: dict[str, Shape] = {
    "type": TEXT,
    "status": maybe(TEXT),
    "area": maybe(TEXT),
    "project": maybe(TEXT),
    "priority": {"type": ["string", "number", "null"]},
    "people": many(TEXT),
    "tags": many(TEXT),
    "tag_keys": many(TEXT),
    "aliases": many(TEXT),
}
LINK = fields(
    {
        "kind": LINK_KIND,
        "raw": TEXT,
        "target": TEXT,
        "target_path": maybe(TEXT),
        "heading": maybe(TEXT),
        "block": maybe(TEXT),
        "alias": maybe(TEXT),
        "embed": FLAG,
        "line": COUNT,
        "subpath_line": maybe(LINE),
    }
)
REFERENCE = fields(
    {
        "target_id": TEXT,
        "target_kind": TARGET_KIND,
        "target_path": maybe(TEXT),
        "resolved": FLAG,
        "kind": LINK_KIND,
        "origin": ORIGIN,
        "raw": TEXT,
        "alias": maybe(TEXT),
        "heading": maybe(TEXT),
        "block": maybe(TEXT),
        "embed": FLAG,
    }
)
FLAGS = (
    "has_code", "has_table", "has_math", "has_tasks", "oversize", "windowed", "sparse", "headings_only",
    "cut_sentence", "cut_row", "cut_line", "cut_item", "list_cut",
)  # fmt: skip

RECORDS: dict[str, Shape] = {
    "chunk": fields(
        {
            "record": {"const": "chunk"},
            "chunk_id": TEXT,
            "point_id": UUID,
            "note_id": TEXT,
            "vault": TEXT,
            "note_title": TEXT,
            "path": TEXT,
            "folders": many(TEXT),
            **ABOUT,
            "chunk_index": COUNT,
            "kind": choice("text", "list", "table", "code", "quote", "callout", "math", "html", "links", "canvas"),
            "text": TEXT,
            "own_start": COUNT,
            "context": TEXT,
            "added": many(
                fields({"at": COUNT, "text": TEXT, "why": choice("fence_open", "fence_close", "table_header")})
            ),
            "char_start": maybe(COUNT),
            "char_end": maybe(COUNT),
            "overlap_start": maybe(COUNT),
            "line_start": maybe(LINE),
            "line_end": maybe(LINE),
            "token_count": COUNT,
            "overlap_tokens": COUNT,
            "embedding_tokens": COUNT,
            "section_title": TEXT,
            "section_path": {"type": "string", "pattern": "^/"},
            "header_path": many(HEADING),
            "lang": TEXT,
            "wikilinks": many(TEXT),
            "external_links": many(TEXT),
            "references": many(REFERENCE),
            "references_meta": maybe(SOURCE),
            "neighbors": fields({"prev": maybe(TEXT), "next": maybe(TEXT)}),
            "block_ids": many(TEXT),
            "flags": many(choice(*FLAGS)),
            "summary": maybe(TEXT),
            "created_at": DATE,
            "updated_at": DATE,
            "text_hash": HASH,
            "payload_hash": HASH,
            "schema": VERSION,
        },
        vector=VECTOR,
    ),
    "note": fields(
        {
            "record": {"const": "note"},
            "note_id": TEXT,
            "vault": TEXT,
            "title": TEXT,
            "path": TEXT,
            "folders": many(TEXT),
            **ABOUT,
            "created_at": DATE,
            "updated_at": DATE,
            "frontmatter": {"type": "object"},
            "has_frontmatter": FLAG,
            "frontmatter_error": maybe(TEXT),
            "lang": TEXT,
            "headings": many(
                fields(
                    {
                        "level": {"type": "integer", "minimum": 1, "maximum": 6},
                        "text": TEXT,
                        "line": LINE,
                        "char_start": COUNT,
                        "char_end": COUNT,
                    }
                )
            ),
            "links": many(LINK),
            "external_links": many(TEXT),
            "block_ids": many(TEXT),
            "callouts": many(
                fields({"type": TEXT, "title": maybe(TEXT), "fold": {"enum": ["+", "-", None]}, "line": LINE})
            ),
            "inline_fields": many(fields({"key": TEXT, "value": TEXT, "line": LINE})),
            "tasks": many(
                fields(
                    {
                        "status": TEXT,
                        "text": TEXT,
                        "dates": fields(
                            dict.fromkeys(("due", "scheduled", "start", "done", "created", "cancelled"), maybe(TEXT))
                        ),
                        "line": LINE,
                    }
                )
            ),
            "exclusions": many(fields({"char_start": COUNT, "char_end": COUNT, "reason": TEXT})),
            "n_chunks": COUNT,
            "n_edges": COUNT,
            "char_count": COUNT,
            "content_hash": HASH,
            "excluded": {"enum": [None, "filter", "template", "option", "property"]},
            "warnings": many(PROBLEM),
            "schema": VERSION,
        },
        commit=maybe(TEXT),
    ),
    "edge": fields(
        {
            "record": {"const": "edge"},
            "edge_id": UUID,
            "kind": choice(
                "belongs_to", "prev", "next", "references", "backlink", "has_section", "depends_on", "assigned_to",
                "discussed_in", "authored_by", "related",
            ),
            "vault": TEXT,
            "source_id": TEXT,
            "source_kind": choice("chunk", "note", "canvas"),
            "target_id": TEXT,
            "target_kind": TARGET_KIND,
            "target_path": maybe(TEXT),
            "resolved": FLAG,
            "note_id": TEXT,
            "path": TEXT,
            "origin": {"enum": [*ORIGIN["enum"], None]},
            "raw": maybe(TEXT),
            "alias": maybe(TEXT),
            "heading": maybe(TEXT),
            "block": maybe(TEXT),
            "embed": FLAG,
        }
    ),
    "canvas": fields(
        {
            "record": {"const": "canvas"},
            "note_id": TEXT,
            "vault": TEXT,
            "path": TEXT,
            "folders": many(TEXT),
            "excluded": {"enum": [None, "filter", "template", "option"]},
            "title": TEXT,
            "links": many(LINK),
            "external_links": many(TEXT),
            "canvas_edges": many(fields({"from": TEXT, "to": TEXT, "label": maybe(TEXT)})),
            "canvas_groups": many(TEXT),
            "n_chunks": COUNT,
            "n_edges": COUNT,
            "content_hash": HASH,
            "warnings": many(PROBLEM),
            "schema": VERSION,
        },
        commit=maybe(TEXT),
    ),
    "store": fields(  # the first line of `export --vectors`
        {
            "record": {"const": "store"},
            "vault": TEXT,
            "model": fields({"name": TEXT, "dim": COUNT, "identity": TEXT, "about": {"type": "object"}}),
            "about": {"type": "object"},
            "schema": VERSION,
        }
    ),
}  # fmt: skip


def json_schema() -> Record:
    """The JSON Schema of one line of NDJSON; `records.schema.json` in the wheel is this."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mindnet-chunk record",
        "description": f"One line of `mindnet-chunk VAULT --ndjson`, version {SCHEMA}.",
        "oneOf": [dict(shape) for shape in RECORDS.values()],
    }
