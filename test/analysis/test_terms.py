"""Arithmetic of terms against Python's."""

from __future__ import annotations

import pytest

from kc.analysis.affine.terms import dim, quotient_towards_zero


@pytest.mark.parametrize("divisor", [3, -3])
def test_quotient_towards_zero(divisor: int):
    quotient = quotient_towards_zero(dim("x"), divisor, natural=False)
    assert [quotient.at({"x": x}) for x in range(-7, 8)] == [int(x / divisor) for x in range(-7, 8)]


@pytest.mark.parametrize("divisor", [3, -3])
def test_quotient_towards_zero_of_what_is_not_negative(divisor: int):
    quotient = quotient_towards_zero(dim("x"), divisor, natural=True)
    assert [quotient.at({"x": x}) for x in range(8)] == [int(x / divisor) for x in range(8)]
    assert len(quotient.atoms) == 1  # no smaller or larger of two
