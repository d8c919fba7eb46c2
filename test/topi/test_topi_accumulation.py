"""The types in which operators add up: sums of many positive numbers, outliers, and halves.

Expected values are computed in float64 by numpy, or are known (the sum of ones). Results are
compared within units in the last place of their own type.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from property_tests import is_in_slice
from test_topi_types import taken
from topi_cases import EPSILON, TABLE, Program, np_dtype, program

import kc
from kc import te, topi
from kc.error import KCError
from kc.expr.constructors import Reduce, walk
from kc.expr.tensor import ComputeOp, Tensor
from kc.topi.elementwise import is_narrow

HALVES = ("bfloat16", "float16")
MANY = 40_000
RANDOM = np.random.default_rng(40)


def positive(*shape: int) -> np.ndarray:
    return RANDOM.random(shape)


def outlier(*shape: int) -> np.ndarray:
    """Normal numbers, one of them 300 standard deviations away."""
    x = RANDOM.standard_normal(shape)
    x[..., 7] = 300.0
    return x


def softmax(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def normalized(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def convolved(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """A convolution of 1 x 1."""
    return np.einsum("nchw,oc->nohw", x, w[:, :, 0, 0])


PRODUCTS: dict[str, tuple[Callable[..., Tensor], Callable[..., Any], list[np.ndarray]]] = {
    "matmul": (topi.matmul, np.matmul, [positive(3, 4096), positive(4096, 5)]),
    "tensordot": (
        lambda a, b: topi.tensordot(a, b, 1), np.matmul, [positive(2, MANY), positive(MANY, 2)],
    ),
    "einsum": (
        lambda a, b: topi.einsum("ik,k->i", a, b), np.matmul, [positive(2, MANY), positive(MANY)],
    ),
    "nn.dense": (
        topi.nn.dense, lambda a, b, c: a @ b.T + c,
        [positive(3, 4096), positive(5, 4096), positive(5)],
    ),
    "nn.batch_matmul": (
        topi.nn.batch_matmul, lambda a, b: a @ b.swapaxes(1, 2),
        [positive(2, 3, 4096), positive(2, 4, 4096)],
    ),
    "nn.conv2d": (
        lambda x, w: topi.nn.conv2d_nchw(x, w, 1, 0, 1), convolved,
        [positive(1, 4096, 2, 2), positive(3, 4096, 1, 1)],
    ),
    "nn.conv2d_transpose": (
        lambda x, w: topi.nn.conv2d_transpose_nchw(x, w, (1, 1), 0, None, 0),
        lambda x, w: convolved(x, w.swapaxes(0, 1)),
        [positive(1, 4096, 2, 2), positive(4096, 3, 1, 1)],
    ),
    "nn.depthwise_conv2d": (
        lambda x, w: topi.nn.depthwise_conv2d_nchw(x, w, 1, 0, 1),
        lambda x, w: np.einsum("nchw,cmhw->ncm", x, w).reshape(1, 4, 1, 1),
        [positive(1, 2, 64, 64), positive(2, 2, 64, 64)],
    ),
}  # fmt: skip
REDUCTIONS: dict[str, tuple[Callable[..., Tensor], Callable[..., Any], list[np.ndarray]]] = {
    "sum": (lambda x: topi.sum(x, 1), lambda x: x.sum(1), [positive(2, MANY)]),
    "prod": (lambda x: topi.prod(x, 1), lambda x: x.prod(1), [1 + positive(2, 4096) / 512]),
    "mean": (lambda x: topi.mean(x, 1), lambda x: x.mean(1), [positive(2, MANY)]),
    "variance": (lambda x: topi.variance(x, 1), lambda x: x.var(1), [outlier(2, MANY)]),
    "logsumexp": (
        lambda x: topi.logsumexp(x, 1), lambda x: np.log(np.exp(x).sum(1)), [positive(2, MANY)],
    ),
    "nn.softmax": (topi.nn.softmax, softmax, [positive(2, MANY)]),
    "nn.softmax of an outlier": (topi.nn.softmax, softmax, [outlier(2, 4096) / 32]),
    "nn.fast_softmax": (topi.nn.fast_softmax, softmax, [positive(2, MANY)]),
    "nn.log_softmax": (
        topi.nn.log_softmax, lambda x: np.log(softmax(x)), [positive(2, MANY)],
    ),
    "nn.layer_norm": (topi.nn.layer_norm, normalized, [outlier(2, 4096)]),
    "nn.rms_norm": (
        topi.nn.rms_norm,
        lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5), [outlier(2, 4096)],
    ),
    "nn.l2_normalize": (
        lambda x: topi.nn.l2_normalize(x, 1e-12, 1),
        lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)), [outlier(2, 4096)],
    ),
    "nn.lrn": (
        lambda x: topi.nn.lrn(x, 1023, 1, 1.0, 0.5, 1.0),
        lambda x: x / np.sqrt(
            1 + np.stack([(x * x)[:, max(c - 511, 0) : c + 512].sum(1) for c in range(1023)], 1)
            / 1023
        ),
        [positive(1, 1023, 1, 1)],
    ),
    "nn.pool2d": (
        lambda x: topi.nn.pool2d(x, 64, 64, 1, 0, "avg"),
        lambda x: x.mean((2, 3), keepdims=True), [positive(1, 2, 64, 64)],
    ),
    "nn.global_pool": (
        lambda x: topi.nn.global_pool(x, "avg"),
        lambda x: x.mean((2, 3), keepdims=True), [positive(1, 2, 200, 200)],
    ),
    "cumsum": (lambda x: topi.cumsum(x, 1), lambda x: x.cumsum(1), [positive(2, MANY)]),
    "cumprod": (
        lambda x: topi.cumprod(x, 1), lambda x: x.cumprod(1), [1 + positive(2, 4096) / 512],
    ),
    "nn.nll_loss": (
        lambda p, w: topi.nn.nll_loss(p, topi.full((MANY,), "int32", 0), w, "sum", -1),
        lambda p, w: -p.sum() * w[0], [positive(MANY, 1), np.array([0.5])],
    ),
}  # fmt: skip


@pytest.mark.each_row
@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", [*PRODUCTS, *REDUCTIONS])
def test_halves_are_added_up_in_float32(name: str, dtype: str):
    function, reference, numbers = {**PRODUCTS, **REDUCTIONS}[name]
    if name == "cumprod":  # 4096 factors of 1 + 1/1024 leave float16
        numbers = [1 + (n - 1) / 4 for n in numbers]
    arrays = [array.astype(np_dtype(dtype)) for array in numbers]
    tensors = [te.placeholder(a.shape, dtype, f"A{n}") for n, a in enumerate(arrays)]
    result = np.asarray(kc.build([*tensors, function(*tensors)])(*arrays))
    assert result.dtype == np_dtype(dtype)
    expected = reference(*(array.astype("float64") for array in arrays))
    # Half a unit of the rounding, and what is left for float32's sums of 40,000 terms.
    np.testing.assert_allclose(
        result.astype("float64"), expected, rtol=2 * EPSILON[dtype], atol=EPSILON[dtype] * 2**-12
    )


def add_up(dtype: str, count: int, **types: Any) -> float:
    """The sum of ones, in order."""
    A = te.placeholder((count,), dtype, "A")
    total = topi.sum(A, **types)
    given = Program([A], [np.ones(count, np_dtype(dtype))], [total])
    return float(given.interpreted()[0])


def test_the_type_of_the_sum_is_that_which_is_asked_for():
    # In bfloat16 256 + 1 is 256, in float16 2048 + 1 is 2048.
    assert add_up("bfloat16", 300, acc_dtype="bfloat16") == 256
    assert add_up("bfloat16", 300, acc_dtype="float16") == 300
    assert add_up("float16", 2100, acc_dtype="float16") == 2048
    assert add_up("float16", 2100) == 2100
    assert add_up("int8", 300) == 300 - 256


def test_sums_of_float32_in_float64():
    # 2^24 + 1 is none of float32.
    given = np.ones(1001, np.float32)
    given[0] = 2.0**24
    A = te.placeholder(given.shape, "float32", "A")
    (total,) = Program([A], [given], [topi.sum(A, acc_dtype="float64")]).interpreted()
    assert float(total) == 2.0**24 + 1000
    (total,) = Program([A], [given], [topi.sum(A)]).interpreted()
    assert float(total) == 2.0**24


def test_out_dtype_is_the_type_of_the_sums_as_in_tvm():
    A, B = (te.placeholder((1, 300), "bfloat16", name) for name in "AB")
    ones = [np.ones((1, 300), np_dtype("bfloat16"))] * 2
    cases: list[tuple[dict[str, Any], int]] = [
        ({"out_dtype": "bfloat16"}, 256),
        ({"out_dtype": "bfloat16", "acc_dtype": "float32"}, 300),
        ({"out_dtype": "float32"}, 300),
        ({}, 300),
    ]
    for types, expected in cases:
        result = topi.nn.dense(A, B, **types)
        assert result.dtype == types.get("out_dtype", "bfloat16")
        (product,) = Program([A, B], ones, [result]).interpreted()
        assert float(product[0, 0]) == expected, types
    # One stage, which schedules of TVM's programs name.
    assert topi.nn.dense(A, B, out_dtype="bfloat16").op.reduce_axis


def test_a_type_that_holds_no_sum_of_floats():
    A = te.placeholder((4, 4), "float16", "A")
    with pytest.raises(KCError) as caught:
        topi.sum(A, acc_dtype="int32")
    assert re.sub(r"\n  -->.*", "", str(caught.value)) == (
        "error[KC2301]: topi.sum: acc_dtype is int32\n"
        "  why: float16 is added up in a type of floats\n"
        '  try: acc_dtype="float32"'
    )
    with pytest.raises(KCError) as caught:
        topi.nn.dense(topi.cast(A, "int8"), topi.cast(A, "int8"), acc_dtype="bool")
    assert "why: int8 is added up in a type of numbers" in str(caught.value)
    with pytest.raises(KCError) as caught:
        topi.nn.softmax(A, acc_dtype="half")
    assert caught.value.code == "KC2001"


ACCUMULATING = [
    name for name, row in TABLE.items() if "acc_dtype" in inspect.signature(row.function).parameters
]


def operations(outputs: list[Tensor]) -> Iterator[Any]:
    """All operations that compute the results."""
    seen, rest = set(), [tensor.op for tensor in outputs]
    while rest:
        op = rest.pop()
        if op not in seen:
            seen.add(op)
            rest += [tensor.op for tensor in op.input_tensors]
            yield op


def sums(outputs: list[Tensor]) -> set[str]:
    """The types in which computes add up, or multiply, elements."""
    return {
        part.dtype
        for op in operations(outputs)
        if isinstance(op, ComputeOp)
        for value in op.body
        for part in walk(value)
        if isinstance(part, Reduce) and part.combiner in ("sum", "prod")
    }


def test_operators_that_have_acc_dtype():
    """Products, convolutions, reductions, norms, softmax and pools."""
    assert len(ACCUMULATING) > 50
    assert {"matmul", "sum", "mean", "nn.conv3d_ndhwc", "nn.softmax", "nn.group_norm", "nn.pool1d",
            "nn.adaptive_pool", "cumsum", "nn.conv2d_winograd_nchw"} <= {*ACCUMULATING}  # fmt: skip


@pytest.mark.parametrize("name", ACCUMULATING)
def test_acc_dtype_is_the_type_of_the_sums(name: str):
    call = TABLE[name].example.replace('"max"', '"avg"')
    assert call.endswith(")")
    plain, asked = program(call), program(f'{call[:-1]}, acc_dtype="float64")')
    assert [tensor.dtype for tensor in asked.outputs] == [t.dtype for t in plain.outputs]
    if name in ("cumsum", "cumprod", "nn.batch_norm"):  # statements, and no sum
        assert "f64" in str(kc.lower(te.create_schedule(asked.computed[0].op), asked.args))
    else:
        assert "float64" in sums(asked.outputs)
        assert "float64" not in sums(plain.outputs)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if is_in_slice(name, 4) else pytest.mark.sweep) for name in TABLE],
)
def test_no_operator_adds_up_in_a_narrow_type(name: str):
    for dtype in HALVES:
        _, given = taken(TABLE[name].example.replace('"max"', '"avg"'), dtype)
        if isinstance(given, Program):
            narrow = {kind for kind in sums(given.outputs) if "float" in kind and is_narrow(kind)}
            assert not narrow, f"{name} of {dtype} adds up in {narrow}"


def test_the_gradient_of_a_sum_of_halves():
    """2 x of the squares' sum: by way of the conversions."""
    A = te.placeholder((1000,), "bfloat16", "A")
    total = topi.sum(topi.multiply(A, A))
    (slope,) = te.gradient(total, [A])
    given = np.linspace(0, 2, 1000).astype(np_dtype("bfloat16"))
    (result,) = Program([A], [given], [slope]).interpreted()
    np.testing.assert_array_equal(result.reshape(-1).astype("float64"), 2 * given.astype("float64"))
    assert math.isclose(float(result.reshape(-1)[-1]), 4.0)
