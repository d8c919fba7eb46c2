"""Elementary functions by arithmetic: for vectors, and for machines without a C library.

Arguments are reduced to a small interval, on which a polynomial of least error is taken
(``coefficients.py``); its error is below that of rounding. What is lost in the reduction is kept
in a second number. Infinities, zeros, subnormal numbers and NaN are those of C. docs/numerics.md
has the errors, as ``scripts/ulp_errors.py`` measures them.

J.-M. Muller, Elementary Functions, is the source of the reductions.
"""

from __future__ import annotations

if __name__ != "kc.transforms.elementary":  # see kc.transforms
    raise ImportError("import this package as 'kc.transforms.elementary'")
