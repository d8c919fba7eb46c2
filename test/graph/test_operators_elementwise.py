"""Operators on the elements of a tensor: types, computations, values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc.dialects.graph.declaration import RelationError, all_operators
from kc.dialects.graph.operators._relations import ANY
from kc.dialects.graph.operators.elementwise import Unary
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.topi.table import whole_table

N = dimension("n")
F = "2x3xfloat32"


def _of_each(function):
    return np.vectorize(function, otypes=[np.float64])


_FUNCTIONS = {
    "exp": np.exp, "log": np.log, "log2": np.log2, "log10": np.log10, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "cos": np.cos, "sin": np.sin, "tan": np.tan,
    "cosh": np.cosh, "sinh": np.sinh, "tanh": np.tanh, "acos": np.arccos, "asin": np.arcsin,
    "atan": np.arctan, "asinh": np.arcsinh, "atanh": np.arctanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": _of_each(math.erf), "fast_exp": np.exp,
    "exp2": np.exp2, "erfc": _of_each(math.erfc),
    "fast_tanh": np.tanh, "fast_erf": _of_each(math.erf), "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": np.round, "abs": np.abs, "negative": np.negative, "sign": np.sign,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "copy": np.copy,
    "zeros_like": np.zeros_like, "ones_like": np.ones_like,
    "ceil_log2": lambda x: np.ceil(np.log2(x)),
}  # fmt: skip
SIGNED = np.array([[-1.5, -0.5, 0.0], [0.5, 1.5, 2.5]], np.float32)
SPECIAL = np.array([math.nan, math.inf, -math.inf, 1.0], np.float32)

CASES = [
    *(case(name, F, expected=function) for name, function in _FUNCTIONS.items()),
    case("acosh", np.array([1.0, 2.5], np.float32), expected=np.arccosh),
    *(case(name, SIGNED, expected=_FUNCTIONS[name]) for name in
      ("floor", "ceil", "trunc", "round", "abs", "negative", "sign")),
    *(case(name, "3xint32", expected=np.copy) for name in ("floor", "ceil", "trunc", "round")),
    *(case(name, SPECIAL, expected=_FUNCTIONS[name]) for name in ("isnan", "isinf", "isfinite")),
    case("isnan", "3xint32", expected=np.isnan),
    case("logical_not", "2x3xbool", expected=np.logical_not),
    case("bitwise_not", "3xuint8", expected=np.bitwise_not),
    case("bitwise_not", "3xbool", expected=np.logical_not),
    case("clip", SIGNED, a_min=-1, a_max=1.5, expected=lambda x: np.clip(x, -1, 1.5)),
    case("clip", "4xint32", a_min=2, a_max=4, expected=lambda x: np.clip(x, 2, 4)),
    case("cast", SIGNED, dtype="int32", expected=lambda x: x.astype("int32")),
    case("cast", "2xint8", dtype="float16", expected=lambda x: x.astype("float16")),
    case("cast_like", SIGNED, "1xint8", expected=lambda x, _: x.astype("int8")),
    case("reinterpret", F, dtype="int32", expected=lambda x: x.view("int32")),
    case("fixed_point_multiply", "3xint32", multiplier=1 << 30, shift=2, expected=lambda x: x * 2),
    case("zeros", shape=(2, 0, 3), dtype="int8", expected=lambda: np.zeros((2, 0, 3))),
    case("zeros", shape=(), dtype="bool", expected=lambda: np.zeros(())),
    case("ones", shape=(2, 3), dtype="float64", expected=lambda: np.ones((2, 3))),
    case("ones", shape=2, dtype="bool", expected=lambda: np.ones(2)),
    case("full", "int32", shape=(2, 3), expected=lambda v: np.full((2, 3), v)),
    case("full", "int32", shape=4, dtype="float32", expected=lambda v: np.full(4, v)),
    case("full_like", F, "float32", expected=lambda x, v: np.full(x.shape, v)),
    case("exp", "float32", expected=np.exp),
    case("clip", "float32", a_min=0.0, a_max=0.5, expected=lambda x: np.clip(x, 0, 0.5)),
    case("cast", "float32", dtype="int32", expected=lambda x: x.astype("int32")),
    case("negative", "0x2xfloat32", expected=np.negative),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def test_the_plain_functions_take_the_types_of_topi() -> None:
    rows, operators = whole_table(), all_operators()
    names = [name for name in rows if name in operators and not name.startswith("nn.")
             and issubclass(operators[name], Unary)]  # fmt: skip
    assert len(names) > 35
    for name in names:
        if name in ("clip", "fixed_point_multiply", "reinterpret"):
            continue
        taken = {dtype for dtype in ANY if _infers(name, TensorSpec((2,), dtype))}
        whole = {"floor", "ceil", "trunc", "round"}
        integers = {dtype for dtype in ANY if "int" in dtype} if name in whole else set()
        assert taken == {*rows[name].types} | integers, name


def _infers(name: str, *specs: TensorSpec, **attributes) -> bool:
    try:
        inferred(name, *specs, **attributes)
    except RelationError:
        return False
    return True


def test_symbolic_sizes_stay() -> None:
    data = TensorSpec((N, 3, None), "float32")
    assert inferred("exp", data) == data
    assert inferred("isnan", data) == TensorSpec((N, 3, None), "bool")
    assert inferred("cast", data, dtype="int8") == TensorSpec((N, 3, None), "int8")
    assert inferred("zeros", shape=(2 * N, 3), dtype="int8") == TensorSpec((2 * N, 3), "int8")
    assert inferred("full_like", data, TensorSpec((), "float32")) == data


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("exp", ["3xint32"], {}, "must be floats"),
        ("negative", ["3xbool"], {}, "must be numbers"),
        ("logical_not", [F], {}, "must be bool"),
        ("bitwise_not", [F], {}, "integers or booleans"),
        ("cast", [F], {"dtype": "int33"}, "dtype is 'int33'"),
        ("reinterpret", [F], {"dtype": "int8"}, "must be one of float32, int32, uint32"),
        ("fixed_point_multiply", [F], {"multiplier": 1, "shift": 0}, "must be int32"),
        ("zeros", [], {"shape": (2, -1), "dtype": "int8"}, "the size -1"),
        ("zeros", [], {"shape": (2,), "dtype": ""}, "dtype is ''"),
        ("full", ["2xint32"], {"shape": (2,)}, "0 dimensions"),
        ("clip", [F], {"a_min": "x", "a_max": 1}, "a_min is 'x'"),
        ("clip", [F], {"a_min": 1}, "a_max is missing"),
        ("clip", [F], {"a_min": True, "a_max": 1}, "a_min is True"),
        ("zeros", [], {"shape": ("a",), "dtype": "int8"}, "shape is"),
        ("exp", [F], {"axis": 1}, "no attribute axis"),
        ("exp", [F, F], {}, "2 operands"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
