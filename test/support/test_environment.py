"""Environment variables: all that are read are declared, and the docs have the same table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kc.support import environment
from kc.support.diagnostics import InternalError

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("kc", "dialects", "analysis", "transforms", "conversion", "codegen", "tools")
NOT_VARIABLES = {
    "KC_RESTRICT",  # a macro of C headers
    "KC_UNIVERSE",  # the entry point for xDSL
}


def sources() -> Iterator[tuple[Path, str]]:
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.is_symlink():
                yield path, path.read_text()


def test_every_variable_in_the_source_is_declared():
    named = {
        name for _, text in sources() for name in re.findall(r"\bKC_[A-Z][A-Z_]*[A-Z]\b", text)
    }
    own = {name for name in environment.VARIABLES if name.startswith("KC_")}
    assert named - NOT_VARIABLES == own


def test_variables_are_read_in_one_place():
    readers = [
        str(path.relative_to(ROOT))
        for path, text in sources()
        if re.search(r"os\.environ|getenv\(|import environ\b", text)
    ]
    assert readers == ["kc/support/environment.py"]  # and pool.c, KC_NUM_THREADS


def test_the_table_of_the_documentation():
    text = (ROOT / "docs" / "environment.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", text, re.M)
    assert rows == [
        (variable.name, variable.default, variable.meaning)
        for variable in environment.VARIABLES.values()
    ]


def test_reading(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_CACHE_DIR", "/tmp/somewhere")
    assert environment.read("KC_CACHE_DIR") == "/tmp/somewhere"
    for value, on in (("", False), ("0", False), ("1", True), ("yes", True)):
        monkeypatch.setenv("KC_PERF", value)
        assert environment.is_on("KC_PERF") is on
    monkeypatch.delenv("KC_PERF")
    assert environment.is_on("KC_PERF") is False
    with pytest.raises(InternalError, match="KC_PERFF is not declared"):
        environment.read("KC_PERFF")
