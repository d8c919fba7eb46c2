"""Diffs in which lines that only moved right are unchanged."""

import difflib
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kc.support.text_diff import diff_lines, unified

LINES = st.lists(st.sampled_from(["a", "  a", "b", "    b", "}", "  }", ""]), max_size=12)

BEFORE = """\
for i in 16 {
  for j in 16 {
    block C
  }
}
other
"""
AFTER = """\
for i in 16 {
  for j_o in 4 {
    for j_i in 4 {
      block C
    }
  }
}
other
"""


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def words(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


@given(LINES, LINES)
def test_both_texts_are_in_a_diff(old: list[str], new: list[str]):
    lines = diff_lines(text(old), text(new))
    assert [line for sign, line in lines if sign != "-"] == new
    assert words([line for sign, line in lines if sign != "+"]) == words(old)


@given(LINES)
def test_indentation_is_no_change(old: list[str]):
    moved = [f"    {line}" for line in old]
    assert all(sign == " " for sign, _ in diff_lines(text(old), text(moved)))
    assert list(unified(text(old), text(moved), "a", "b")) == []


def test_what_is_inside_a_new_loop_is_context():
    assert list(unified(BEFORE, AFTER, "before split", "after split")) == [
        "--- before split",
        "+++ after split",
        "@@ -1,6 +1,8 @@",
        " for i in 16 {",
        "-  for j in 16 {",
        "+  for j_o in 4 {",
        "+    for j_i in 4 {",
        "       block C",
        "+    }",
        "   }",
        " }",
        " other",
    ]


@pytest.mark.parametrize("number", range(4))
def test_hunks_are_those_of_difflib(number: int):
    """Hunks agree with difflib's if no line moves."""
    old = [f"line {n}" for n in range(30)]
    new = list(old)
    if number < 3:
        new[2:4] = ["x"]
    if number > 0:
        new.insert(20, "y")
    if number > 1:
        del new[27:]
    expected = list(difflib.unified_diff(old, new, "a", "b", lineterm=""))
    assert list(unified("\n".join(old), "\n".join(new), "a", "b")) == expected


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch")
def test_patch_applies_it(tmp_path):
    file = tmp_path / "file"
    file.write_text(BEFORE)
    diff = "\n".join(unified(BEFORE, AFTER, "a", "b")) + "\n"
    subprocess.run(["patch", "-l", str(file)], input=diff, text=True, check=True, timeout=60)
    assert words(file.read_text().splitlines()) == words(AFTER.splitlines())
