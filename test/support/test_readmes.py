"""README.zh.md has what README.md has: the same commands, programs and numbers."""

from __future__ import annotations

import re
from pathlib import Path

from kc.support import registry

ROOT = Path(__file__).resolve().parents[2]
ENGLISH = (ROOT / "README.md").read_text()
CHINESE = (ROOT / "README.zh.md").read_text()


def code(text: str) -> list[str]:
    """The fenced blocks, without comments and what pads them."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    return [
        "\n".join(re.sub(r"\s*# .*", "", line).rstrip() for line in block.split("\n"))
        for block in blocks
    ]


def test_the_programs_are_the_same():
    english, chinese = code(ENGLISH), code(CHINESE)
    assert [block for block in english if block not in chinese] == []


def test_the_numbers_are_the_same():
    """Of docs/performance.md, in both languages: each as often; the order of words differs."""

    def numbers(name: str) -> list[str]:
        return re.findall(r"\d[\d.,]*\d|\d", (ROOT / "docs" / name).read_text())

    assert len(numbers("performance.md")) > 100
    assert sorted(numbers("performance.zh.md")) == sorted(numbers("performance.md"))


def test_the_primitives_are_the_same():
    def names(text: str) -> set[str]:
        return set(re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", text)) & set(registry.current().primitives)

    assert len(names(ENGLISH)) > 20
    assert names(ENGLISH) == names(CHINESE)


def test_links_lead_somewhere():
    for text in (ENGLISH, CHINESE):
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            assert link.startswith("https://") or (ROOT / link).exists(), link


def test_each_leads_to_the_other():
    assert "(README.zh.md)" in ENGLISH
    assert "(README.md)" in CHINESE
