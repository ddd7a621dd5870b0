"""Switches and fixtures that several test files use."""

from __future__ import annotations

import os

import pytest

# The tests never ask a network, whatever a model's library would like to look up.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew, and fail")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long versions run by `pytest -m long` alone."""
    if "long" not in (config.option.markexpr or ""):
        chosen = [item for item in items if item.get_closest_marker("long") is None]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen
