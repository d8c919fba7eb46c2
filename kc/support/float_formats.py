"""The formats of floating-point numbers of 8 and 16 bits, and exact rounding to them.

The code is pure Python. It serves constants, scalar arguments of calls, and the parameters of
generated code. A format has one sign bit, then the exponent, then the mantissa; exponent 0 holds
subnormal numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class FloatFormat:
    """A binary format of ``bits`` bits, of which the lowest ``mantissa`` are the mantissa.

    Formats with ``infinities`` follow IEEE 754. Formats without infinities also use the codes of
    the largest exponent for numbers; only their last code is NaN.
    """

    name: str
    ir: str
    bits: int
    mantissa: int
    bias: int
    infinities: bool = True

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.bits - 1)

    @property
    def beyond(self) -> int:
        """The code after the code of the largest number: infinity, or NaN if the format has no
        infinities.
        """
        last = self.sign - 1
        return last >> self.mantissa << self.mantissa if self.infinities else last

    @property
    def nan(self) -> int:
        """The code of a quiet NaN."""
        return self.beyond | 1 << (self.mantissa - 1)

    @cached_property
    def largest(self) -> float:
        """The largest number."""
        return self.decode(self.beyond - 1)

    def encode(self, value: float) -> int:
        """The code of the number nearest to ``value``, ties to even. Values beyond the largest
        number become infinity, or NaN if the format has no infinities.
        """
        sign = self.sign if math.copysign(1.0, value) < 0 else 0
        if math.isnan(value):
            return sign | self.nan
        if math.isinf(value):
            return sign | self.beyond
        exponent = max(math.frexp(value)[1] - 1, 1 - self.bias) if value else 1 - self.bias
        # Scaling by a power of two is exact, and Python rounds halves to even. A normal number has
        # its leading one in `units`, which counts one exponent up; so does a carry.
        units = round(math.ldexp(abs(value), self.mantissa - exponent))
        return sign | min((exponent + self.bias - 1 << self.mantissa) + units, self.beyond)

    def decode(self, code: int) -> float:
        """The number that ``code`` stands for."""
        magnitude = code & self.sign - 1
        exponent, fraction = magnitude >> self.mantissa, magnitude & (1 << self.mantissa) - 1
        if magnitude >= self.beyond:
            value = math.inf if self.infinities and not fraction else math.nan
        elif exponent:
            fraction += 1 << self.mantissa
            value = math.ldexp(fraction, exponent - self.bias - self.mantissa)
        else:
            value = math.ldexp(fraction, 1 - self.bias - self.mantissa)
        return -value if code & self.sign else value

    def round(self, value: float) -> float:
        """The number of the format that is nearest to ``value``."""
        return self.decode(self.encode(value))


NARROW_FLOATS = {
    float_format.name: float_format
    for float_format in (
        FloatFormat("float16", "f16", 16, 10, 15),
        FloatFormat("bfloat16", "bf16", 16, 7, 127),
        FloatFormat("float8_e4m3fn", "f8E4M3FN", 8, 3, 7, infinities=False),
        FloatFormat("float8_e5m2", "f8E5M2", 8, 2, 15),
    )
}
"""The formats by the names of their dtypes, which are TVM's and ml_dtypes'."""

NARROW_IR_FLOATS = {float_format.ir: float_format for float_format in NARROW_FLOATS.values()}
"""The formats by the names of their types in the IR, which are MLIR's."""


_WIDE_LARGEST = {
    "float32": math.ldexp(2 - 2**-23, 127),
    "float64": math.ldexp(2 - 2**-52, 1023),
}
_WIDE_LARGEST |= {"f32": _WIDE_LARGEST["float32"], "f64": _WIDE_LARGEST["float64"]}


def largest_float(name: str) -> float:
    """The largest finite number of a float type; ``name`` as in :func:`upper_limit`."""
    form = NARROW_FLOATS.get(name) or NARROW_IR_FLOATS.get(name)
    return _WIDE_LARGEST[name] if form is None else form.largest


def upper_limit(name: str) -> float:
    """The upper bound of the numbers of a float type: infinity if the type has one.

    ``name`` is the name of a dtype or of an IR type.
    """
    form = NARROW_FLOATS.get(name) or NARROW_IR_FLOATS.get(name)
    return math.inf if form is None or form.infinities else form.largest
