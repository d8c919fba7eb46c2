"""Diffs of IR and loop trees that treat lines as unchanged if only their indentation changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

Line = tuple[str, str]
"""A sign, ``" "``, ``"-"`` or ``"+"``, and the text of a line."""


def diff_lines(before: str, after: str) -> list[Line]:
    """A diff of two texts by lines. Unchanged lines have the indentation of the second text.

    A step that puts a loop around other loops indents its body; these lines count as unchanged.
    """
    old, new = before.splitlines(), after.splitlines()
    old_words, new_words = [line.strip() for line in old], [line.strip() for line in new]
    first = _equal_at_start(old_words, new_words)
    last = _equal_at_start(old_words[first:][::-1], new_words[first:][::-1])
    end, new_end = len(old) - last, len(new) - last
    # Only the part between the equal ends is compared, because a step changes a small part of a
    # module.
    matcher = difflib.SequenceMatcher(
        None, old_words[first:end], new_words[first:new_end], autojunk=False
    )
    lines = [(" ", line) for line in new[:first]]
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            lines += [(" ", line) for line in new[first + c : first + d]]
        else:
            lines += [("-", line) for line in old[first + a : first + b]]
            lines += [("+", line) for line in new[first + c : first + d]]
    return lines + [(" ", line) for line in new[new_end:]]


def _equal_at_start(one_text: Sequence[str], another: Sequence[str]) -> int:
    count = 0
    for line, line_of_another in zip(one_text, another, strict=False):
        if line != line_of_another:
            break
        count += 1
    return count


def near_changes(lines: Sequence[Line], context: int = 3) -> set[int]:
    """The lines that changed, and ``context`` lines on both sides of each."""
    changed = [n for n, (sign, _) in enumerate(lines) if sign != " "]
    last = len(lines) - 1
    return {m for n in changed for m in range(max(0, n - context), min(last, n + context) + 1)}


def unified(
    before: str, after: str, old_name: str, new_name: str, context: int = 3
) -> Iterator[str]:
    """A unified diff; empty if there is no change. ``patch -l`` applies it, because indentation is
    ignored.
    """
    lines = diff_lines(before, after)
    near = near_changes(lines, context)
    if not near:
        return
    yield f"--- {old_name}"
    yield f"+++ {new_name}"
    old_number = new_number = 0
    hunk: list[str] = []
    start = (1, 1)
    for n, (sign, line) in enumerate(lines):
        if n in near and not hunk:
            start = old_number + 1, new_number + 1
        old_number += sign != "+"
        new_number += sign != "-"
        if n in near:
            hunk.append(sign + line)
        if hunk and n + 1 not in near:
            counts = [sum(text[0] != other_sign for text in hunk) for other_sign in "+-"]
            yield f"@@ -{_range(start[0], counts[0])} +{_range(start[1], counts[1])} @@"
            yield from hunk
            hunk = []


def _range(start: int, count: int) -> str:
    """A range as in ``diff -u``: the count is omitted if it is 1."""
    if count == 1:
        return str(start)
    return f"{start if count else start - 1},{count}"
