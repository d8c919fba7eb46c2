"""Trigonometric functions and their inverses.

The argument is n pi / 2 + r; sine and cosine of r are polynomials. For arguments above a bound
(131,072 for f32, 2**30 for f64), the usual constants have too few digits of pi / 2. If a lane has
such an argument, a branch multiplies all lanes by as many digits of 2 / pi as they need (M. Payne
and R. Hanek). Without an fma, the branch calls the C library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache
from typing import Any

from kc.transforms.elementary.coefficients import ASIN, ATAN, COS, SIN
from kc.transforms.elementary.values import INFINITY, PI, Bool, Integer, Real, Value, either


def _bound(x: Real) -> float:
    """The largest magnitude for which :func:`_reduced` is sufficiently accurate."""
    if x.code.has_fma:
        return 2.0**17 if x.is_single else 2.0**30
    return 2.0**12 if x.is_single else 2.0**20


def _reduced(x: Real) -> tuple[Real, Real, Integer]:
    """r, a correction to r, and n, with x = n pi / 2 + r and |r| at most slightly above pi / 4."""
    n, bits = x.rounded(2 / PI)
    if x.code.has_fma:
        digits = 24 if x.is_single else 53
        first, second, third = x.parts(PI / 2, digits, digits)
        r = n.times_plus(-first, x)
        product, product_rest = n.product(x.real(second))
        r, lost = r.sum(-product)
        return r, (lost - product_rest) - n * third, bits
    # Products of n and numbers with this many digits are exact.
    *parts, rest = x.parts(PI / 2, *([11] * 5 if x.is_single else [33] * 3))
    r, missing = x, n * -rest
    for part in parts:
        r, lost = r.sum(n * -part)
        missing = missing + lost
    return *r.sum(missing), bits


def _reduced_quickly(x: Real) -> tuple[Real, Integer]:
    """r, with an error of at most an ulp, and n."""
    if not x.code.has_fma:
        r, _, bits = _reduced(x)
        return r, bits
    n, bits = x.rounded(2 / PI)
    digits = 24 if x.is_single else 53
    first, second, third = x.parts(PI / 2, digits, digits)
    r = n.times_plus(-second, n.times_plus(-first, x))
    return n.times_plus(-third, r), bits


def _reduced_far_single(x: Real) -> tuple[Real, Integer]:
    """r in f64 and n for any f32, by the 106 bits of 2 / pi that matter for its exponent.

    Bits whose product with every x of a range of exponents is a multiple of 4 are skipped. The
    product with the first 53 of the other bits is below 2**51. Its difference from n is rounded
    once, and so has 53 significant bits even if it is close to 0.
    """
    wide, a = x.wide(), x.abs()
    high, low = (wide.real(part) for part in x.parts(2 / PI, 53))
    for exponent in _RANGES:
        two_over_pi = (2 / PI) % Decimal(2) ** (x.mantissa + 2 - exponent)
        is_beyond = a >= 2.0**exponent
        first, second = x.parts(two_over_pi, 53)
        high = is_beyond.choose(wide.real(first), high)
        low = is_beyond.choose(wide.real(second), low)
    n, bits = wide.rounded(high)
    fraction = wide.times_plus(low, wide.times_plus(high, -n))
    return fraction * (PI / 2), bits


_RANGES = (48, 68, 88, 108)
"""The exponents of an f32 from which further leading bits of 2 / pi are skipped."""


_PIECE = 53
"""The number of bits of 2 / pi in an f64."""
_COUNT = 5
"""The number of pieces of 2 / pi that matter for an f64. With these pieces, a product that is
nearly a multiple of pi / 2 (to 2**-62) has 53 significant bits.
"""


@cache
def _pieces() -> list[float]:
    """The 23 pieces of 2 / pi, which is the sum of piece n times 2**(-53 * n) over n."""
    count = 23
    bits = _PIECE * count + 64

    def arc_tangent(divisor: int) -> int:
        power = total = (1 << bits) // divisor
        for n in range(3, bits, 2):
            power //= -divisor * divisor
            total += power // n
        return total

    pi = 16 * arc_tangent(5) - 4 * arc_tangent(239)  # Machin's formula
    quotient = (2 << (2 * bits)) // pi
    mask = (1 << _PIECE) - 1
    places = (bits - _PIECE * n for n in range(1, count + 1))
    return [float((quotient >> place) & mask) * 2.0**-_PIECE for place in places]


def _reduced_far_double(x: Real) -> tuple[Real, Real, Integer]:
    """r, a correction to r, and n, for any f64.

    Leading pieces of 2 / pi whose products are multiples of 4 are skipped: 16, 8, 4, 2 and 1 of
    them, if x is large enough. x is then divided by the corresponding power of 2.
    """
    infinite = x - x  # NaN if x is infinite or NaN, else 0
    pieces = [x.real(piece) for piece in _pieces()]
    for shift in (16, 8, 4, 2, 1):
        is_beyond = x.abs() >= 2.0 ** (_PIECE * shift + x.mantissa + 2)
        shifted = pieces[shift:]
        pieces = [
            is_beyond.choose(shifted[n], piece) if n < len(shifted) else piece
            for n, piece in enumerate(pieces[: _COUNT + shift - 1])
        ]
        x = is_beyond.choose(x.divided(_PIECE * shift), x)
    parts: list[Real] = []
    for n, piece in enumerate(pieces):
        scaled = x * 2.0 ** (-_PIECE * n) if n else x
        parts += scaled.product(piece) if n < _COUNT - 1 else (scaled * piece,)
    # The first three may be large; whole multiples of 4 are taken from them, exactly.
    head = [(part * 0.25).truncated().times_plus(-4.0, part) for part in parts[:3]] + parts[3:5]
    whole = head[0]
    for part in head[1:]:
        whole = whole + part
    n, bits = whole.rounded()
    total, lost = _total([-n, *head])
    rest, little = _total([*lost, *parts[5:7]])
    high, low = total.sum(rest)
    for part in (*little, *parts[7:]):
        low = low + part
    first, second = x.parts(PI / 2, 53)
    r, missing = high.product(x.real(first))
    missing = low.times_plus(first, high.times_plus(second, missing)) + infinite
    return *r.plus(missing), bits


def _total(terms: Sequence[Real]) -> tuple[Real, list[Real]]:
    """The rounded sum, and the rounding error of each addition."""
    total, lost = terms[0], list[Real]()
    for term in terms[1:]:
        total, missing = total.sum(term)
        lost.append(missing)
    return total, lost


def _reduced_far_quickly(x: Real) -> tuple[Real, Integer]:
    """r, with an error of at most an ulp, and n."""
    if x.is_single:
        r, n = _reduced_far_single(x)
        return r.as_(x), n.narrow()
    r, _, n = _reduced_far_double(x)
    return r, n


def _or_far(
    x: Real, near: Callable[[Real], tuple[Value, ...]], far: Callable[[Real], tuple[Value, ...]]
) -> Any:
    """The result of ``near``, or of ``far`` for all lanes if an angle is too large in any lane."""
    if not x.code.has_fma:
        return near(x)
    *numbers, n = either(x.abs() > _bound(x), lambda: far(x), lambda: near(x))
    return *map(x.of, numbers), Integer(n, x.code)


def _or_library(x: Real, y: Real) -> Real:
    """``y``, or the result of the C library for all lanes if an angle is too large in any lane. The
    reductions of large angles all require an fma.
    """
    library = x.code.library
    if library is None or x.code.has_fma:
        return y
    return y.unless(x.abs() > _bound(x), lambda: x.of(library(x.value)))


def _sine(r: Real) -> Real:
    z = r * r
    return (r * z).times_plus(z.polynomial(SIN), r)


def _cosine(r: Real) -> Real:
    z = r * r
    return (z * z).times_plus(z.polynomial(COS), z * -0.5) + 1.0


def _turned(r: Real, n: Integer, quarter: int) -> Real:
    """The sine of r plus n + ``quarter`` quarter turns."""
    n = n + quarter if quarter else n
    y = (n & 1).is_(0).choose(_sine(r), _cosine(r))
    top = 31 if r.is_single else 63
    sign = (n << (top - 1)) & -(1 << top)
    return (y.bits() ^ sign).bits(r)


def sin(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # sin(x) rounds to x there
    angle = is_tiny.choose(x.real(0.0), x)
    r, n = _or_far(angle, _reduced_quickly, _reduced_far_quickly)
    return _or_library(x, is_tiny.choose(x, _turned(r, n, 0)))


def cos(x: Real) -> Real:
    angle = x.without_tiny(13, 27)
    r, n = _or_far(angle, _reduced_quickly, _reduced_far_quickly)
    return _or_library(x, _turned(r, n, 1))


def tan(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # the result rounds to x there
    angle = is_tiny.choose(x.real(0.0), x)
    if x.is_single:
        y = _tan_of_single(angle)
    else:
        y = _tan(*_or_far(angle, _reduced, _reduced_far_double))
    return _or_library(x, is_tiny.choose(x, y))


def _reduced_by_f64(x: Real) -> tuple[Real, Integer]:
    """r and n of an f32, computed in f64."""
    wide = x.wide()
    n, bits = wide.rounded(2 / PI)
    first, second = wide.parts(PI / 2, 33)  # a product with n is exact
    return n.times_plus(-second, n.times_plus(-first, wide)), bits


def _tan_of_single(x: Real) -> Real:
    """The tangent of an f32, computed in f64 with polynomials of f32 precision."""
    r, n = _or_far(x, _reduced_by_f64, _reduced_far_single)
    z = r * r
    sine = (r * z).times_plus(z.polynomial(((), SIN[0])), r)
    cosine = (z * z).times_plus(z.polynomial(((), COS[0])), z.times_plus(-0.5, 1.0))
    is_even = (n & 1).is_(0)
    return (is_even.choose(sine, -cosine) / is_even.choose(cosine, sine)).as_(x)


def _tan(r: Real, rest: Real, n: Integer) -> Real:
    """The tangent of r + rest plus n quarter turns."""
    z, z_rest = r.product(r)
    sine = r.plus((r * z).times_plus(z.polynomial(SIN), rest))
    half, lost = r.real(1.0).plus(z * -0.5)
    tail = (z * z).times_plus(z.polynomial(COS), z_rest.times_plus(-0.5, lost))
    cosine = half.plus(tail - r * rest)
    is_even = (n & 1).is_(0)
    above, above_rest = (is_even.choose(s, -c) for s, c in zip(sine, cosine, strict=True))
    below, below_rest = (is_even.choose(c, s) for s, c in zip(sine, cosine, strict=True))
    y = above / below
    product, product_rest = y.product(below)
    missing = ((above - product) - product_rest) + (above_rest - y * below_rest)
    return y + missing / below


def atan(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # the result rounds to x there
    # From the limit on it is pi / 2.
    a = is_tiny.choose(x.real(0.0), x.abs().least(2.0**30 if x.is_single else 2.0**60))
    middle, large = a > 0.5, a > 2.0
    above = large.choose(x.real(-1.0), middle.choose(a - 1.0, a))
    below = large.choose(a, middle.choose(a + 1.0, 1.0))
    half, fourth = _of_pi(x, 2), _of_pi(x, 4)
    zero = x.real(0.0)
    base, rest = (
        large.choose(x.real(half[n]), middle.choose(x.real(fourth[n]), zero)) for n in (0, 1)
    )
    r, tail = _atan_parts(above / below)
    return is_tiny.choose(x, (base + (r + (tail + rest))).with_sign_of(x))


def _of_pi(x: Real, divisor: int) -> list[float]:
    """A fraction of pi as the sum of two numbers."""
    return x.parts(PI / divisor, 24 if x.is_single else 53)


def _atan_parts(r: Real) -> tuple[Real, Real]:
    """s and t with atan(r) = s + t, for |r| <= 1/2."""
    usual = r.without_tiny(13, 27)
    z = usual * usual
    return r, (usual * z) * z.polynomial(ATAN)


def atan2(y: Real, x: Real) -> Real:
    a, b = y.abs(), x.abs()
    steep, behind = a > b, _is_negative(x)
    greater, lesser = steep.choose(a, b), steep.choose(b, a)
    is_small = greater < 2.0 ** -(x.bias // 2)
    greater, lesser = (is_small.choose(_lifted(n), n) for n in (greater, lesser))
    # A tiny fraction matters only where the angle is near 0; the angle then equals the fraction.
    is_tiny = lesser < greater * 2.0**-60
    unscaled = lesser
    lesser = is_tiny.choose(x.real(0.0), lesser)
    # Scaled down, so that the sum of the two is finite.
    scale = (greater > 2.0**x.bias).choose(x.real(0.25), 1.0)
    greater, lesser = greater * scale, lesser * scale
    both_infinite = lesser.is_(INFINITY)
    middle = (lesser > greater * 0.5) | both_infinite
    above = middle.choose(lesser - greater, lesser)
    below = middle.choose(lesser + greater, greater)
    fraction = (both_infinite | greater.is_(0.0)).choose(x.real(0.0), above / below)
    r, tail = _atan_parts(fraction)
    # If exactly one of the two conditions holds, the angle is subtracted from pi / 2 or pi.
    negative = steep ^ behind
    r, tail = r.flipped(negative), tail.flipped(negative)
    whole, half, fourth = (_of_pi(x, divisor) for divisor in (1, 2, 4))
    zero = x.real(0.0)
    base, rest = (
        steep.choose(x.real(half[n]), behind.choose(x.real(whole[n]), zero))
        + middle.choose(x.real(fourth[n]), zero).flipped(negative)
        for n in (0, 1)
    )
    result = base + (r + (tail + rest))
    is_near_0 = is_tiny & (base < 0.5)
    result = result.unless(
        is_near_0,
        lambda: is_near_0.choose(
            _small_fraction(is_near_0.choose(unscaled, 1.0), is_near_0.choose(greater, 1.0), scale),
            result,
        ),
    )
    result = result.with_sign_of(y)
    return x.is_nan().choose(x, y.is_nan().choose(y, result))


def _lifted(x: Real) -> Real:
    """x * 2**(bias - 1), for a number below 2**-(bias // 2)."""
    usual = x.least(1.0).greatest(x.least_normal) * 2.0 ** (x.bias - 1)
    return x.is_subnormal().choose(x.subnormal_times(), usual)


def _small_fraction(above: Real, below: Real, scaled: Real) -> Real:
    """``above / below`` for a much larger ``below``, which has been multiplied by ``scaled`` (1 or
    1/4).
    """
    is_subnormal, scale = above.is_subnormal(), above.bias - 1
    quotient = is_subnormal.choose(above.subnormal_times(), above) / below * scaled
    small = (quotient < 1.0).choose(quotient.lowered(scale), quotient.divided(scale))
    return is_subnormal.choose(small, quotient)


def _is_negative(x: Real) -> Bool:
    return x.real(1.0).with_sign_of(x) < 0.0


def _asin_parts(a: Real) -> tuple[Bool, Real, Real]:
    """The condition a < 1/2, and s and t such that asin(a) = s + t if it holds, and asin(a) = pi /
    2 - 2 (s + t) otherwise.
    """
    small = a < 0.5
    z = small.choose(a * a, (1.0 - a) * 0.5)
    s = small.choose(a, z.sqrt())
    return small, s, (s * z) * z.polynomial(ASIN)


def asin(x: Real) -> Real:
    is_tiny = x.is_tiny(13, 27)  # the result rounds to x there
    small, s, t = _asin_parts(is_tiny.choose(x.real(0.0), x.abs()))
    high, low = x.parts(PI / 2, 24 if x.is_single else 53)
    y = small.choose(s + t, high - ((s + s) + (t + t - low)))
    return is_tiny.choose(x, y.with_sign_of(x))


def acos(x: Real) -> Real:
    x = x.without_tiny(30, 60)
    small, s, t = _asin_parts(x.abs())
    s, t = s.with_sign_of(x), t.with_sign_of(x)
    digits = 24 if x.is_single else 53
    (half, half_rest), (whole, whole_rest) = (x.parts(PI / n, digits) for n in (2, 1))
    middle = half - (s + (t - half_rest))
    # For x <= -1/2 the result is pi - 2 asin(...), with negative s and t.
    below = x < 0.0
    far = below.choose(x.real(whole), 0.0) + (
        (s + s) + ((t + t) + below.choose(x.real(whole_rest), 0.0))
    )
    return small.choose(middle, far)
