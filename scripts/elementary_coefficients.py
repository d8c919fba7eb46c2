"""Computes the polynomials of transforms/elementary/coefficients.py, and writes that file.

    python scripts/elementary_coefficients.py

Each is the Chebyshev interpolation of a function on an interval, computed with many digits, which
differs from the polynomial of least error by little. The numbers of terms, for f32 and for f64 (0:
the other type alone uses it), are such that the error is below that of rounding; it is printed.
Needs mpmath.
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
    """As a function of the square."""
    return lambda z: function(mpmath.sqrt(z))


def _fit(function: Function, interval: tuple[mpf, mpf], count: int) -> tuple[list[mpf], mpf]:
    """Coefficients from the lowest power on, and the largest error."""
    terms, error = mpmath.chebyfit(
        lambda x: function(x if abs(x) > TINY else TINY), interval, count, error=True
    )
    return terms[::-1], error


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
        "(f - f**2 / 2 + f**3 p - log(1 + f) = 0) for p of f, 1 + f between sqrt(1/2) and sqrt(2)",
        lambda f: (mpmath.log1p(f) - f + f**2 / 2) / f**3,
        (mpmath.sqrt(0.5) - 1, mpmath.sqrt(2) - 1),
        (9, 0),
    ),
    "LOG_SHORT": (
        "the same for approximations",
        lambda f: (mpmath.log1p(f) - f + f**2 / 2) / f**3,
        (mpmath.sqrt(0.5) - 1, mpmath.sqrt(2) - 1),
        (8, 0),
    ),
    "ATANH": (
        "(2 * atanh(s) - 2 * s) / s**3 of s**2, for s = f / (2 + f) and such f",
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
        (8, 13),
    ),
    "ERF_SHORT": (
        "the same for approximations",
        _even(lambda x: mpmath.erf(x) / x - 1),
        (mpf(0), mpf(1)),
        (6, 0),
    ),
    "ERFC": (
        "erfc(x) * exp(x**2) * (1 + 2 * x) of (x - 4) / (x + 4), for 1 <= x <= 4 and 6",
        lambda u: (lambda x: mpmath.erfc(x) * mpmath.exp(x * x) * (1 + 2 * x))(
            4 * (1 + u) / (1 - u)
        ),
        (mpf(-0.6), mpf(0.2)),
        (0, 17),
    ),
    "LOG_ERFC": (
        "log(erfc(x)), for 1 <= x <= 4",
        lambda x: mpmath.log(mpmath.erfc(x)),
        (mpf(1), mpf(4)),
        (9, 0),
    ),
    "LOG_ERFC_SHORT": (
        "the same for approximations",
        lambda x: mpmath.log(mpmath.erfc(x)),
        (mpf(1), mpf(4)),
        (8, 0),
    ),
}


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
