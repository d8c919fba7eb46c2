"""The exact remainder of a division, by long division with many binary digits per step."""

from __future__ import annotations

from kc.transforms.elementary.values import INFINITY, NAN, Bool, Real, repeated


def fmod(x: Real, y: Real) -> Real:
    """``x - trunc(x / y) * y``, exactly, with the sign of x, as in C.

    The divisor is scaled up until the quotient has few digits, and scaled down again step by step.
    The product of these digits and the divisor has at most twice the digits of a float, and its
    difference from the dividend is representable, so that a fused multiply-subtract is exact.
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
        # May exceed the digit by one, because the quotient is rounded.
        digits = (rest / scaled).floor()
        rest = (-digits).times_plus(scaled, rest)
        rest = (rest < 0.0).choose(rest + scaled, rest)
        is_scaled = scaled > divisor
        return is_scaled, [rest, is_scaled.choose(scaled * (1 / scale), scaled)]

    (scaled,) = repeated([divisor], up)
    rest, _ = repeated([dividend, scaled], down)
    unusual = ((a < INFINITY) & b.is_(INFINITY)).choose(x, NAN)
    return is_usual.choose(rest.with_sign_of(x), unusual)
