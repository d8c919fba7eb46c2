"""Questions that are not decided: answered as hoped only where the user said so, and reported."""

from __future__ import annotations

import pytest

from kc.analysis.trust import Undecided, is_trusted, undecided


def test_nothing_is_trusted_by_itself():
    assert not is_trusted(Undecided("k is not affine"))


@pytest.mark.parametrize("trusted", [True, False])
def test_reasons_are_collected_once_each(trusted: bool):
    with undecided(trusted=trusted) as reasons:
        for reason in ("k is not affine", "too large", "k is not affine"):
            assert is_trusted(Undecided(reason)) is trusted
    assert reasons == ["k is not affine", "too large"]


def test_the_inner_answer_counts():
    with undecided(trusted=True) as outer:
        with undecided(trusted=False) as inner:
            assert not is_trusted(Undecided("inner"))
        assert is_trusted(Undecided("outer"))
    assert (outer, inner) == (["outer"], ["inner"])
