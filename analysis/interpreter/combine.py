"""The combining operations of reductions, as functions of two scalars."""

from __future__ import annotations

import operator
from typing import Any

from xdsl.ir import Attribute, Operation

from kc.analysis.interpreter import arith_float
from kc.analysis.interpreter.arith_integer import signed, unsigned
from kc.analysis.interpreter.elementwise import Scalar
from kc.analysis.interpreter.errors import UninterpretableError
from kc.analysis.interpreter.values import int_width, is_float, wrapper

_FLOAT = {
    "add": operator.add,
    "mul": operator.mul,
    "minimumf": arith_float.propagating_minimum,
    "maximumf": arith_float.propagating_maximum,
    "minnumf": arith_float.minimum_number,
    "maxnumf": arith_float.maximum_number,
}
_INTEGER = {
    "add": (signed, operator.add),
    "mul": (signed, operator.mul),
    "and": (signed, operator.and_),
    "or": (signed, operator.or_),
    "xor": (signed, operator.xor),
    "minsi": (signed, min),
    "maxsi": (signed, max),
    "minui": (unsigned, min),
    "maxui": (unsigned, max),
}


def combining_function(op: Operation, kind: str, type_: Attribute) -> Scalar:
    """The combination ``kind`` (as in ``vector.reduction``) on scalars of a type."""
    if is_float(type_) and kind in _FLOAT:
        return _FLOAT[kind]
    if is_float(type_) or kind not in _INTEGER:
        raise UninterpretableError(op, f"{kind} does not combine values of type {type_}")
    reading, function = _INTEGER[kind]
    width = int_width(op, type_)
    read, wrap = reading(width), wrapper(width)

    def combine(a: Any, b: Any) -> Any:
        return wrap(function(read(a), read(b)))

    return combine
