"""docs/glossary.md: every pass of kc's own and every primitive has its term, with Chinese."""

from __future__ import annotations

import re
from pathlib import Path

from kc.support import registry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "glossary.md"


def rows() -> list[tuple[str, str, str]]:
    entries: list[tuple[str, str, str]] = []
    for line in PAGE.read_text().splitlines():
        if line.startswith("| ") and not line.startswith("| term "):
            term, chinese, what = (cell.strip() for cell in line.strip("|").split("|"))
            entries.append((term, chinese, what))
    return entries


def test_every_term_has_chinese_and_a_meaning():
    assert len(rows()) > 100
    for term, chinese, what in rows():
        assert term
        assert what
        assert re.search("[\u4e00-\u9fff]", chinese), term
        assert not re.search("[\u4e00-\u9fff]", term), term


def test_no_term_twice():
    terms = [term for term, _, _ in rows()]
    assert sorted(terms) == sorted(set(terms))


def test_every_pass_is_there():
    text = PAGE.read_text()
    own = [name for family in ("tir", "conversion") for name in registry.PASSES[family][1]]
    assert [name for name in own if f"`{name}`" not in text] == []
