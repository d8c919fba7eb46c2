"""Operators of two tensors, and reductions: types, computations, values."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

from kc.dialects.graph.declaration import RelationError, all_operators
from kc.dialects.graph.operators._relations import ANY
from kc.dialects.graph.operators.broadcast import Binary
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec
from kc.topi.table import whole_table

N, M = dimension("n"), dimension("m")
F = "2x3xfloat32"

_FUNCTIONS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.true_divide,
    "floor_divide": np.floor_divide, "trunc_divide": lambda a, b: np.trunc(a / b), "mod": np.fmod,
    "floor_mod": np.mod, "trunc_mod": np.fmod, "power": np.power, "maximum": np.maximum,
    "minimum": np.minimum, "greater": np.greater, "less": np.less,
    "greater_equal": np.greater_equal, "less_equal": np.less_equal, "equal": np.equal,
    "not_equal": np.not_equal, "atan2": np.arctan2,
}  # fmt: skip
_OF_BITS = {
    "left_shift": np.left_shift, "right_shift": np.right_shift, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip
_LOGICAL = {
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
LEFT, RIGHT = np.array([[-7, 7, 5]], np.int32), np.array([[2], [-2]], np.int32)


def _truncated(a, b):
    return np.trunc(a / b).astype(a.dtype)


CASES = [
    *(case(name, F, "3xfloat32", expected=function) for name, function in _FUNCTIONS.items()),
    *(case(name, "2x1xint32", "3xint32", expected=f) for name, f in _OF_BITS.items()),
    *(case(name, "2x3xbool", "2x3xbool", expected=f) for name, f in _LOGICAL.items()),
    case("divide", LEFT, RIGHT, expected=_truncated),
    case("trunc_divide", LEFT, RIGHT, expected=_truncated),
    case("floor_divide", LEFT, RIGHT, expected=np.floor_divide),
    case("mod", LEFT, RIGHT, expected=np.fmod),
    case("trunc_mod", LEFT, RIGHT, expected=np.fmod),
    case("floor_mod", LEFT, RIGHT, expected=np.mod),
    case("add", "float32", "float32", expected=np.add),
    case("add", "0x3xfloat32", "1x3xfloat32", expected=np.add),
    case("bitwise_and", "3xbool", "bool", expected=np.logical_and),
    case("where", "2x1xbool", "3xint8", "2x3xint8", expected=np.where),
    case("where", np.array([0, 2, -1], np.int32), F, "float32", expected=np.where),
    case("broadcast_to", "3x1xint8", shape=(2, 3, 4),
         expected=lambda x: np.broadcast_to(x, (2, 3, 4))),
    case("broadcast_to", "int8", shape=(2, 0), expected=lambda x: np.zeros((2, 0))),
    case("broadcast_to_like", "3xint8", "2x3xint32",
         expected=lambda x, y: np.broadcast_to(x, (2, 3))),
    case("collapse_sum_like", "4x2x3xfloat32", "2x1xint8",
         expected=lambda x, _: x.sum((0, 2))[:, None]),
    case("collapse_sum_to", "4x2x3xint32", shape=(), expected=np.sum),
    case("collapse_sum_to", "2x3xint32", shape=(1, 3), expected=lambda x: x.sum(0, keepdims=True)),
    case("collapse_sum_to", "2x3xint32", shape=(2, 3), expected=np.copy),
]  # fmt: skip

_REDUCTIONS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean}
_LOG = {"logsumexp": lambda x, **axes: np.log(np.sum(np.exp(x), **axes))}
T = "2x3x4xfloat32"
TIES = np.array([[1, 5, 5], [2, 0, 0]], np.float32)
CASES += [
    *(case(name, T, axis=1, expected=lambda x, f=f: f(x, axis=1))
      for name, f in (_REDUCTIONS | _LOG).items()),
    *(case(name, T, axis=(-1, 0), keepdims=True,
           expected=lambda x, f=f: f(x, axis=(0, 2), keepdims=True))
      for name, f in (_REDUCTIONS | _LOG).items()),
    *(case(name, T, expected=f) for name, f in (_REDUCTIONS | _LOG).items()),
    *(case(name, "2x3xbool", axis=[1], expected=lambda x, f=f: f(x, axis=1))
      for name, f in (("all", np.all), ("any", np.any))),
    case("sum", T, axis=(0, 1), exclude=True, expected=lambda x: x.sum(2)),
    case("sum", T, axis=(0, 1), exclude=True, keepdims=1,
         expected=lambda x: x.sum(2, keepdims=True)),
    case("sum", T, exclude=True, expected=np.copy),
    case("sum", T, axis=(), expected=np.copy),
    case("sum", "int32", expected=np.copy),
    case("sum", "0x2xint32", axis=0, expected=lambda x: x.sum(0)),
    case("max", "2x0xfloat32", axis=1, expected=lambda x: np.full(2, -np.inf)),
    case("mean", LEFT, expected=lambda x: 1),
    case("mean", -LEFT, axis=1, expected=lambda x: [-1]),
    case("argmax", TIES, axis=1, expected=lambda x: [1, 0]),
    case("argmax", TIES, axis=1, select_last_index=True, expected=lambda x: [2, 0]),
    case("argmin", TIES, expected=np.argmin),
    case("argmin", TIES, axis=0, exclude=True, keepdims=True, expected=lambda x: [[0], [1]]),
    case("variance", T, axis=1, expected=lambda x: x.var(1)),
    case("variance", T, axis=(0, 1), exclude=True, unbiased=True, keepdims=True,
         expected=lambda x: x.var(2, ddof=1, keepdims=True)),
    case("variance", T, "2x1x4xfloat32", axis=1,
         expected=lambda x, m: ((x - m) ** 2).mean(1)),
    case("variance", T, "1x1x1xfloat32", unbiased=True,
         expected=lambda x, m: ((x - m) ** 2).sum() / 23),
    case("variance", "4xfloat16", "1xfloat16", expected=lambda x, m: ((x - m) ** 2).mean()),
    case("std", T, axis=2, expected=lambda x: x.std(2)),
    case("mean_variance", T, axis=0, expected=lambda x: (x.mean(0), x.var(0))),
    case("mean_std", T, axis=0, unbiased=True, keepdims=True,
         expected=lambda x: (x.mean(0, keepdims=True), x.std(0, ddof=1, keepdims=True))),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_numpy_does(each: Case) -> None:
    check(each)


def test_the_plain_functions_take_the_types_of_topi() -> None:
    rows, operators = whole_table(), all_operators()
    names = [name for name, each in operators.items() if issubclass(each, Binary)]
    assert len(names) == 27
    for name in names:
        taken = {dtype for dtype in ANY if _infers(name, *[TensorSpec((2,), dtype)] * 2)}
        assert taken == {*rows[name].types}, name
    for name in ("sum", "prod", "max", "min", "all", "any", "argmax", "argmin", "logsumexp"):
        taken = {dtype for dtype in ANY if _infers(name, TensorSpec((2,), dtype))}
        assert taken == {*rows[name].types}, name


def _infers(name: str, *specs: TensorSpec, **attributes) -> bool:
    try:
        inferred(name, *specs, **attributes)
    except RelationError:
        return False
    return True


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


@pytest.mark.parametrize(
    ("name", "specs", "attributes", "result"),
    [
        ("add", [_of(N, 1, 4), _of(M, 4)], {}, _of(N, M, 4)),
        ("add", [_of(N, 4), _of(3, 1)], {}, _of(3, 4)),
        ("add", [_of(2 * N), _of(N + N)], {}, _of(2 * N)),
        ("add", [_of(None, 4), _of(N, 4)], {}, _of(N, 4)),
        ("add", [_of(None), _of(1)], {}, _of(None)),
        ("less", [_of(N, 4), _of()], {}, _of(N, 4, dtype="bool")),
        ("broadcast_to", [_of(1, 3)], {"shape": (N, 2 * M, 3)}, _of(N, 2 * M, 3)),
        ("broadcast_to_like", [_of(3)], {"like": _of(N, 3)}, _of(N, 3)),
        ("sum", [_of(N, 3, M)], {"axis": (1,)}, _of(N, M)),
        ("sum", [_of(N, 3, None)], {"axis": 0, "keepdims": True}, _of(1, 3, None)),
        ("argmax", [_of(N, 3)], {"axis": 0}, _of(3, dtype="int32")),
        ("collapse_sum_like", [_of(N, 3)], {"like": _of(1, 3)}, _of(1, 3)),
    ],
)
def test_symbolic_sizes_are_exact(name, specs, attributes, result) -> None:
    like = [attributes.pop("like")] if "like" in attributes else []
    assert inferred(name, *specs, *like, **attributes) == result


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "part"),
    [
        ("add", [F, "2xfloat32"], {}, "3 and 2 of dimension 1 are different"),
        ("add", [F, "3xint32"], {}, "lhs is float32 and rhs is int32"),
        ("add", ["3xbool", "3xbool"], {}, "must be numbers"),
        ("logical_and", ["3xint8", "3xint8"], {}, "must be bool"),
        ("left_shift", [F, F], {}, "must be integers"),
        ("where", ["3xbool", F, "3xint8"], {}, "x is float32 and y is int8"),
        ("broadcast_to", [F], {"shape": (3,)}, r"does not broadcast to \(3\)"),
        ("broadcast_to", [F], {"shape": (2, 4)}, "does not broadcast"),
        ("broadcast_to", [F], {}, "shape is missing"),
        ("collapse_sum_like", [F, "2x2xint8"], {}, "does not broadcast"),
        ("sum", [F], {"axis": (0, -2)}, "dimension 0 twice"),
        ("sum", [F], {"axis": 2}, "axis is 2, but the operand has 2 dimensions"),
        ("sum", ["float32"], {"axis": 0}, "0 dimensions"),
        ("sum", ["3xbool"], {}, "must be numbers"),
        ("all", [F], {}, "must be bool"),
        ("sum", [F], {"keepdims": 2}, "keepdims is 2"),
        ("sum", [F], {"axis": (0, True)}, "axis is"),
        ("argmax", ["2x0xfloat32"], {"axis": 1}, "dimension 1 has no elements"),
        ("variance", ["3xint32"], {}, "must be floats"),
        ("variance", [F, "3xfloat32"], {}, "must have 2 dimensions"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, attributes, part) -> None:
    specs = [TensorSpec(a.shape, str(a.dtype)) for a in map(array_of, operands)]
    with pytest.raises(RelationError, match=part):
        inferred(name, *specs, **attributes)
