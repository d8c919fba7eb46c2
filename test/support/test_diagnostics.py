"""The number of lines of a diagnostic."""

import pytest

from kc.support.diagnostics import KCError


@pytest.mark.parametrize(
    ("facts", "hints", "shown_facts", "shown_hints"),
    [
        (0, 3, 0, 3),
        (12, 0, ["f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "... 3 more"], 0),
        (4, 6, 4, 6),
        (4, 9, 4, ["h0", "h1", "h2", "h3", "h4", "... 4 more"]),
        (8, 9, ["f0", "f1", "f2", "... 5 more"], ["h0", "h1", "h2", "h3", "h4", "... 4 more"]),
        (8, 4, ["f0", "f1", "f2", "f3", "f4", "... 3 more"], 4),
        (1, 30, 1, ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "... 22 more"]),
    ],
)
def test_a_diagnostic_has_at_most_twelve_lines(facts, hints, shown_facts, shown_hints):
    """Facts and hints share the lines below the title and above ``why``; the others are counted."""
    if isinstance(shown_facts, int):
        shown_facts = [f"f{n}" for n in range(shown_facts)]
    if isinstance(shown_hints, int):
        shown_hints = [f"h{n}" for n in range(shown_hints)]
    error = KCError(
        "KC3000",
        "split: it cannot be",
        why="a reason",
        facts=[f"f{n}" for n in range(facts)],
        hints=[f"h{n}" for n in range(hints)],
    )
    text = error.render().splitlines()
    assert text == [
        "error[KC3000]: split: it cannot be",
        *(f"   |  {fact}" for fact in shown_facts),
        "  why: a reason",
        *(f"  try: {hint}" for hint in shown_hints),
    ]
    assert len(text) <= 12
    assert len(error.to_json()["hints"]) == hints
