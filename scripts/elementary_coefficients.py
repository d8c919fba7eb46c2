"""Computes the polynomials of transforms/elementary/coefficients.py, and writes that file.

    python scripts/elementary_coefficients.py

Each polynomial is the Chebyshev interpolation of a function on an interval, computed with many
digits. Its error is only slightly above that of the best approximation. The numbers of terms, for
f32 and for f64 (0: only the other type uses it), are chosen so that the error is below the rounding
error; the error is printed. Needs mpmath.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
from mpmath import mpf

mpmath.mp.dps = 200  # quotients of small differences lose most of them
LN2 = mpmath.log(2)
TINY = mpf(10) ** -40
Function = Callable[[Any], Any]


def _even(function: Function) -> Function:
    """The function as a function of the square of its argument."""
    return lambda z: function(mpmath.sqrt(z))


def _fit(function: Function, interval: tuple[mpf, mpf], count: int) -> tuple[list[mpf], mpf]:
    """The coefficients, from the lowest power on, and the largest error."""
    terms, error = mpmath.chebyfit(
        lambda x: function(x if abs(x) > TINY else TINY), interval, count, error=True
    )
    return terms[::-1], error


def _rounded_fit(
    function: Function, interval: tuple[mpf, mpf], count: int, weight: Function
) -> tuple[list[mpf], mpf]:
    """The coefficients in f32, each of which compensates for the rounding of the previous ones, and
    the largest error.

    A least-squares fit at the nodes of a Chebyshev polynomial. Each error is weighted by a function
    of the exact value.
    """
    low, high = interval
    angles = [mpmath.pi * (n + mpf(0.5)) / 64 for n in range(64)]
    nodes = [(low + high) / 2 + (high - low) / 2 * mpmath.cos(angle) for angle in angles]
    exact = [function(x) for x in nodes]
    weights = [weight(value) for value in exact]
    rest, terms = list(exact), list[mpf]()
    for power in range(count):
        rows = [
            [(x / high) ** n * share for n in range(power, count)]
            for x, share in zip(nodes, weights, strict=True)
        ]
        shares = [missing * share for missing, share in zip(rest, weights, strict=True)]
        first = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix(shares))[0] / high**power
        terms.append(_single(first))
        rest = [missing - terms[-1] * x**power for missing, x in zip(rest, nodes, strict=True)]
    return terms, max(abs(missing) * share for missing, share in zip(rest, weights, strict=True))


def _single(number: mpf) -> mpf:
    """The f32 number nearest to the value."""
    with mpmath.workprec(24):
        return +number


def _mills(a: mpf) -> mpf:
    """The upper tail of the normal distribution beyond ``a``, times exp(a**2 / 2)."""
    return mpmath.exp(a * a / 2) * mpmath.erfc(a / mpmath.sqrt(2)) / 2


def _far_mills(w: mpf) -> mpf:
    a = 1 / mpmath.sqrt(w)
    return (_mills(a) * a - 1 / mpmath.sqrt(2 * mpmath.pi)) / w


def _hazard(a: mpf) -> mpf:
    return 1 / _mills(a)


# Name -> what it is, the function, the interval, the numbers of terms.
FITS: dict[str, tuple[str, Function, tuple[mpf, mpf], tuple[int, int]]] = {
    "EXP": (
        "(exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2",
        lambda r: (mpmath.exp(r) - 1 - r) / r**2,
        (-LN2 / 2, LN2 / 2),
        (5, 10),
    ),
    "EXP2": (
        "(2**r - 1) / r for |r| <= 1 / 2",
        lambda r: (mpf(2) ** r - 1) / r,
        (mpf(-0.5), mpf(0.5)),
        (6, 11),
    ),
    "EXPM1": (
        "the same, with an error that counts for little beside what rounds r",
        lambda r: (mpmath.exp(r) - 1 - r) / r**2,
        (-LN2 / 2, LN2 / 2),
        (6, 11),
    ),
    "SINH": (
        "(sinh(x) - x) / x**3 of x**2, for |x| <= 1",
        _even(lambda x: (mpmath.sinh(x) - x) / x**3),
        (mpf(0), mpf(1)),
        (4, 7),
    ),
    "LOG": (
        "(f - f**2 / 2 + f**3 p - log(1 + f) = 0) for p of f, 1 + f between 3/4 and 3/2",
        lambda f: (mpmath.log1p(f) - f + f**2 / 2) / f**3,
        (mpf(-0.25), mpf(0.5)),
        (9, 0),
    ),
    "LOG_SHORT": (
        "the same for approximations",
        lambda f: (mpmath.log1p(f) - f + f**2 / 2) / f**3,
        (mpf(-0.25), mpf(0.5)),
        (8, 0),
    ),
    "ATANH": (
        "(2 * atanh(s) - 2 * s) / s**3 of s**2, for s = f / (2 + f), f from sqrt(1/2) - 1",
        _even(lambda s: (2 * mpmath.atanh(s) - 2 * s) / s**3),
        (mpf(0), (3 - 2 * mpmath.sqrt(2)) ** 2),
        (4, 8),
    ),
    "SIN": (
        "(sin(r) - r) / r**3 of r**2, for |r| <= pi / 4",
        _even(lambda r: (mpmath.sin(r) - r) / r**3),
        (mpf(0), (mpmath.pi / 4) ** 2),
        (4, 6),
    ),
    "COS": (
        "(cos(r) - 1 + r**2 / 2) / r**4 of r**2, for |r| <= pi / 4",
        _even(lambda r: (mpmath.cos(r) - 1 + r**2 / 2) / r**4),
        (mpf(0), (mpmath.pi / 4) ** 2),
        (4, 6),
    ),
    "ATAN": (
        "(atan(r) - r) / r**3 of r**2, for |r| <= 1 / 2",
        _even(lambda r: (mpmath.atan(r) - r) / r**3),
        (mpf(0), mpf(0.25)),
        (6, 14),
    ),
    "ASIN": (
        "(asin(x) - x) / x**3 of x**2, for |x| <= 1 / 2",
        _even(lambda x: (mpmath.asin(x) - x) / x**3),
        (mpf(0), mpf(0.25)),
        (6, 13),
    ),
    "ERF": (
        "erf(x) / x - 1 of x**2, for |x| <= 1",
        _even(lambda x: mpmath.erf(x) / x - 1),
        (mpf(0), mpf(1)),
        (0, 13),
    ),
    "ERF_BESIDE_ROOT": (
        "the same for |x| <= 1.125",
        _even(lambda x: mpmath.erf(x) / x - 1),
        (mpf(0), mpf(1.125) ** 2),
        (8, 0),
    ),
    "ERFC": (
        "erfc(x) * exp(x**2) * (1 + 2 * x) of (x - 4) / (x + 4), for 1 <= x <= 4 and 6",
        lambda u: (lambda x: mpmath.erfc(x) * mpmath.exp(x * x) * (1 + 2 * x))(
            4 * (1 + u) / (1 - u)
        ),
        (mpf(-0.6), mpf(0.2)),
        (0, 17),
    ),
    "ROOT_OF_ERFC": (
        "erfc(x)**(1 / 4), for 1.125 <= x <= 3.925",
        lambda x: mpmath.root(mpmath.erfc(x), 4),
        (mpf(1.125), mpf(3.925)),
        (8, 0),
    ),
    "HAZARD": (
        "1 / m(a) for 0 <= a <= 4.25, m(a) = exp(a**2 / 2) * erfc(a / sqrt(2)) / 2",
        _hazard,
        (mpf(0), mpf(4.25)),
        (11, 0),
    ),
    "MILLS": (
        "m(a) * (a + 5) of (a - 5) / (a + 5), for 0 <= a <= 39",
        lambda t: _mills(5 * (1 + t) / (1 - t)) * (5 * (1 + t) / (1 - t) + 5),
        (mpf(-1), mpf(34) / 44),
        (0, 23),
    ),
    "MILLS_FAR": (
        "a**2 * (a * m(a) - 1 / sqrt(2 * pi)) of 1 / a**2, for 4.25 <= a <= 15",
        _far_mills,
        (1 / mpf(15) ** 2, 1 / mpf(4.25) ** 2),
        (6, 0),
    ),
}
ROUNDED: dict[str, Function] = {
    "HAZARD": lambda value: 1 / value,
    "ERF_BESIDE_ROOT": lambda value: 1 / (1 + value),
    "ROOT_OF_ERFC": lambda value: 4 * value**3,
}
"""The error weights, as functions of the exact value, of the polynomials whose sums are the
results, so that the rounding of their coefficients matters.
"""


def main() -> None:
    lines = [
        '"""Coefficients of polynomials, from the lowest power on, for f32 and for f64.',
        "",
        "scripts/elementary_coefficients.py writes this file.",
        '"""',
        "",
    ]
    for name, (what, function, interval, counts) in FITS.items():
        lines += [f"# {what}", f"{name} = ("]
        for count in counts:
            if not count:
                lines += ["    (),"]
                continue
            if name in ROUNDED:
                terms, error = _rounded_fit(function, interval, count, ROUNDED[name])
            else:
                terms, error = _fit(function, interval, count)
            print(f"{name:9} {count:2} terms: error {mpmath.nstr(error, 3)}")
            digits = [mpmath.nstr(term, 20) for term in terms]
            lines += ["    ("]
            line = "       "
            for text in digits:
                if len(line) + len(text) + 2 > 100:
                    lines.append(line)
                    line = "       "
                line += f" {text},"
            lines += [line, "    ),"]
        lines.append(")  # fmt: skip")
    path = Path(__file__).resolve().parent.parent / "transforms/elementary/coefficients.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
