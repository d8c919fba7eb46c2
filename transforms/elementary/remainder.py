"""The remainder of a division, exactly: long division, with many binary digits a step."""

from __future__ import annotations

from kc.transforms.elementary.values import INFINITY, NAN, Bool, Real, repeated


def fmod(x: Real, y: Real) -> Real:
    """``x - trunc(x / y) * y``, exactly, with the sign of x, as C has it.

    The divisor is scaled up until the quotient has few digits, and down again step by step. A
    product of these digits and the divisor is at most twice as long as a number, and what it leaves
    of the dividend is a number: a fused multiplication and subtraction loses nothing.
    """
    a, b = x.abs(), y.abs()
    is_usual = (a < INFINITY) & (b > 0.0) & (b < INFINITY)
    dividend, divisor = is_usual.choose(a, 0.0), is_usual.choose(b, 1.0)
    scale = 2.0 ** (20 if x.is_single else 40)

    def up(scaled: Real) -> tuple[Bool, list[Real]]:
        more = scaled * scale
        is_inside = more <= dividend
        return is_inside, [is_inside.choose(more, scaled)]

    def down(rest: Real, scaled: Real) -> tuple[Bool, list[Real]]:
        digits = (rest / scaled).floor()  # or one more, as the quotient is rounded
        rest = (-digits).times_plus(scaled, rest)
        rest = (rest < 0.0).choose(rest + scaled, rest)
        is_scaled = scaled > divisor
        return is_scaled, [rest, is_scaled.choose(scaled * (1 / scale), scaled)]

    (scaled,) = repeated([divisor], up)
    rest, _ = repeated([dividend, scaled], down)
    unusual = ((a < INFINITY) & b.is_(INFINITY)).choose(x, NAN)
    return is_usual.choose(rest.with_sign_of(x), unusual)
