"""Elementary functions as arithmetic, for vectors and for machines without a C library.

Each argument is reduced to a small interval, on which a minimax polynomial (``coefficients.py``)
approximates the function; its error is below that of rounding. The rounding error of the reduction
is carried in a second number. Infinities, zeros, subnormal numbers and NaN give the results of C.
docs/numerics.md has the errors, as measured by ``scripts/ulp_errors.py``.

Begin with ``values.py``: its numbers add an operation to the IR for each arithmetic operation. Each
other module has the functions of one family. Source of the reductions: J.-M. Muller, Elementary
Functions.
"""

from __future__ import annotations

if __name__ != "kc.transforms.elementary":  # see kc.transforms
    raise ImportError("import this package as 'kc.transforms.elementary'")
