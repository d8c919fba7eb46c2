"""``qnn-canonicalize``: the values are those of the operators, bit for bit."""

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.transforms.graph._fixed_point import FixedPoint, apply, fixed_point

FLAG = "qnn-canonicalize"
RNG = np.random.default_rng(11)


def f(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def i(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def whole(*shape: int, dtype: str = "int8") -> np.ndarray:
    limits = np.iinfo(dtype)
    result = RNG.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return np.asarray(result)


def check(name: str, data: list[np.ndarray], scales: list[np.ndarray], known: bool,
          takes: Any = None, **attributes: Any) -> list[str]:  # fmt: skip
    """The operators that an operator becomes, with scales that are constants or arguments."""
    arrays = data if known else [*data, *scales]
    arguments = [
        relay.var(f"x{n}", shape=each.shape, dtype=str(each.dtype)) for n, each in enumerate(arrays)
    ]
    operands = [*arguments, *([relay.const(each) for each in scales] if known else [])]
    function = relay.op.function_named(name)
    assert function is not None
    operands = takes(operands) if takes is not None else operands
    before = kc.IRModule.from_expr(relay.Function(arguments, function(*operands, **attributes)))
    after = kc.IRModule.parse(str(before))
    registry.pass_class(FLAG)().apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class(FLAG)().apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    expected, result = (Interpreter(each).run(*arrays) for each in (before, after))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    names = [op.OPERATOR.name for op in after.op.walk() if isinstance(op, OperatorOp)]
    assert not any(each.startswith("qnn.") for each in names)
    return names


KNOWN = pytest.mark.parametrize("known", [True, False])
FLOATS = np.array([[-3, -1.25, 0.25], [np.nan, 2.5, 400], [np.inf, -np.inf, 1.75]], np.float32)


@KNOWN
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_quantize_and_dequantize(known: bool, dtype: str) -> None:
    for scales, axis in (((f(0.5), i(3)), -1), ((f(0.5, 0.3, 4), i(0, 1, 2)), 0),
                         ((f([0.25]), i([0])), -1)):  # fmt: skip
        check("qnn.quantize", [FLOATS], list(scales), known, axis=axis, out_dtype=dtype)
        data = [whole(3, 7, dtype=dtype)]
        check("qnn.dequantize", data, list(scales), known, axis=axis)


ROUNDINGS = pytest.mark.parametrize("rounding", ["UPWARD", "TONEAREST", "TONEVEN"])


@ROUNDINGS
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32"])
def test_requantize(rounding: str, dtype: str) -> None:
    every = np.arange(-128, 128, dtype=np.int8)[:, None] * np.ones((1, 3), np.int8)
    wide = np.concatenate([np.arange(-900, 900), whole(900, dtype="int32")]).astype(np.int32)
    for scales in (
        [f(0.5), i(1), f(1), i(4)],  # halves
        [f(0.7), i(0), f(1), i(-4)],
        [f(5), i(-7), f(0.1), i(9)],
        [f(0.5, 0.3, 2.75), i(0, 1, 2), f([2]), i([5])],
    ):
        for known in (True, False):
            options = {"rounding": rounding, "out_dtype": dtype}
            names = check("qnn.requantize", [every], scales, known, **options)
            check("qnn.requantize", [wide.reshape(-1, 3)], scales, known, **options)
            is_integer = "right_shift" in names
            if rounding != "TONEVEN":
                assert is_integer == (known and dtype != "int32")


@ROUNDINGS
def test_requantize_of_all_sums_of_a_layer(rounding: str) -> None:
    """Per channel, with scales as they come out of a calibration."""
    sums = RNG.integers(-(2**20), 2**20, (50, 16)).astype(np.int32)
    scales = [RNG.uniform(1e-5, 1e-2, 16).astype("f"), np.zeros(16, "i"), f(0.037), i(-3)]
    names = check("qnn.requantize", [sums], scales, True, rounding=rounding, axis=1)
    assert "right_shift" in names


def definition(x: Any, m: Any, rounding: str, zero: int, limits: tuple[int, int]) -> Any:
    value = x.astype(np.float64) * m
    up = np.floor(value + 0.5)
    if rounding == "TONEVEN":
        up = np.rint(value)
    elif rounding == "TONEAREST":
        up = np.where(value < 0, np.ceil(value - 0.5), up)
    return np.clip(up + zero, *limits)


@ROUNDINGS
def test_numbers_of_fixed_point(rounding: str) -> None:
    """Quotients that make ties, exact ones and those that float64 rounds to."""
    plans: list[FixedPoint] = []
    for number in range(300):
        m = np.float64(RNG.integers(1, 20)) / np.float64(RNG.integers(1, 20))
        m = [m, 2.0 ** RNG.integers(-20, 5), 10 ** RNG.uniform(-6, 1)][number % 3]
        limits = [(-128, 127), (0, 255)][number % 2]
        data = [(-128, 127), (-(2**31), 2**31 - 1)][number // 2 % 2]
        zero_in, zero = (int(each) for each in RNG.integers(-100, 100, 2))
        plan = fixed_point(np.array([m]), data, np.array([zero_in]), limits, zero, rounding)
        if plan is None:  # ties that float64 rounds now up, now down
            assert rounding == "TONEVEN" or number % 3 == 0
            continue
        plans.append(plan)
        ties = np.rint((np.arange(-300, 300) + 0.5) / m).astype(np.int64)[:, None] + [-1, 0, 1]
        elements = np.clip(np.append(ties, whole(100, dtype="int32")) + zero_in, *data)
        x = elements - zero_in
        result = np.clip(apply(plan, x) + zero, *limits)
        np.testing.assert_array_equal(result, definition(x, m, rounding, zero, limits))
    assert len(plans) > (150 if rounding == "TONEVEN" else 250)


def test_scales_without_numbers() -> None:
    """Scales that are 0, negative or infinite have the float form."""
    for scale in (0.0, -1.0, np.inf):
        with np.errstate(all="ignore"):
            ratio = np.array([scale], np.float64)
            assert fixed_point(ratio, (-128, 127), np.array([0]), (-128, 127), 0, "UPWARD") is None
    check("qnn.requantize", [whole(2, 3)], [f(-0.5), i(0), f(1), i(0)], True)


ZEROS_KNOWN = [((0, 0), True), ((3, 0), True), ((0, -2), True), ((-5, 7), True), ((-5, 7), False)]


@pytest.mark.parametrize(("zeros", "known"), ZEROS_KNOWN)
@pytest.mark.parametrize(("left", "right"), [("uint8", "int8"), ("int16", "int8")])
def test_products(zeros: tuple[int, int], known: bool, left: str, right: str) -> None:
    x, w = whole(2, 4, 9, dtype=left), whole(5, 9, dtype=right)
    scales = [i(zeros[0]), i(zeros[1]), f(0.5), f(0.25)]
    names = check("qnn.dense", [x, w], scales, known)
    if known and left != "int16":
        assert names.index("nn.dense") == 0
        assert ("sum" in names) == any(zeros)
    each = [i(zeros[0]), i(0, 1, -2, 3, zeros[1]), f(0.5), f(1, 2, 3, 4, 5)]
    check("qnn.dense", [x, w], each, known, units=5)
    check("qnn.batch_matmul", [x, whole(2, 5, 9, dtype=right)], scales, known)
    check("qnn.batch_matmul", [x, whole(1, 5, 9, dtype=right)], scales, known, out_dtype="int64")


@pytest.mark.parametrize(("zeros", "known"), ZEROS_KNOWN)
@pytest.mark.parametrize(
    ("shape", "taps", "attributes"),
    [
        ((1, 4, 5, 6), (3, 4, 3, 2), {"padding": (1, 0, 2, 1)}),
        ((1, 4, 5, 6), (3, 4, 3, 2), {"strides": (2, 1), "dilation": (1, 2)}),
        ((2, 5, 6, 4), (3, 2, 4, 3),
         {"padding": (1,), "data_layout": "NHWC", "kernel_layout": "HWIO"}),
        ((1, 4, 5, 6), (6, 2, 3, 2), {"padding": (1,), "groups": 2}),
        ((1, 4, 5, 6), (4, 1, 3, 3), {"padding": (1,), "groups": 4}),
        ((1, 5, 6, 4), (3, 2, 4, 2), {"padding": (1,), "groups": 4, "data_layout": "NHWC",
                                      "kernel_layout": "HWOI"}),
    ],
)  # fmt: skip
def test_convolutions(zeros: Any, known: bool, shape: Any, taps: Any, attributes: Any) -> None:
    layout = attributes.get("kernel_layout", "OIHW")
    outputs = taps[layout.index("O")] * (taps[layout.index("I")] if layout == "HWOI" else 1)
    options = {"channels": outputs, "kernel_size": [taps[layout.index(k)] for k in "HW"]}
    scales = [i(zeros[0]), i(zeros[1]), f(0.5), f(0.25)]
    data = [whole(*shape, dtype="uint8"), whole(*taps)]
    names = check("qnn.conv2d", data, scales, known, **options, **attributes)
    if zeros == (0, 0) and known:
        assert names == ["nn.conv2d"]
    each = np.arange(taps[layout.index("O")], dtype=np.int32) - 1
    scales = [i(zeros[0]), each, f(0.5), each.astype("f") + 2]
    check("qnn.conv2d", data, scales, known, **options, **attributes)


def test_a_zero_point_that_is_no_element() -> None:
    """Padding of bytes cannot have it, so the elements are widened first."""
    scales = [i(300), i(0), f(0.5), f(0.25)]
    data = [whole(1, 4, 5, 6, dtype="uint8"), whole(3, 4, 3, 2)]
    options = {"channels": 3, "kernel_size": (3, 2)}
    names = check("qnn.conv2d", data, scales, True, padding=(1, 1), **options)
    assert "nn.pad" not in names
    check("qnn.conv2d", data, scales, True, **options)


@KNOWN
def test_transposed_convolutions(known: bool) -> None:
    scales = [i(3), i(-2), f(0.5), f(0.25)]
    data = [whole(1, 2, 3, 3, dtype="uint8"), whole(2, 3, 2, 2)]
    options = {"strides": (2, 1), "output_padding": (1, 0), "padding": (1, 0, 0, 0)}
    check("qnn.conv2d_transpose", data, scales, known, channels=3, kernel_size=(2, 2), **options)


@KNOWN
@pytest.mark.parametrize("name", ["add", "subtract", "mul"])
@pytest.mark.parametrize("dtype", ["int8", "int32"])
def test_functions_of_two(known: bool, name: str, dtype: str) -> None:
    scales = [f(0.5), i(3), f(0.3), i(-2), f(0.75), i(1)]
    data = [whole(4, 5, dtype=dtype), whole(1, 5, dtype=dtype)]
    check(f"qnn.{name}", data, scales, known)


@KNOWN
@pytest.mark.parametrize("name", ["sqrt", "exp", "sigmoid", "hardswish", "tanh", "leaky_relu"])
def test_functions_of_one(known: bool, name: str) -> None:
    data = [np.arange(-128, 128, dtype=np.int8)]
    scales = [f(0.05), i(-128), f(0.03), i(-4)]
    if name != "leaky_relu":
        check(f"qnn.{name}", data, scales, known)
        return
    check("qnn.leaky_relu", data, scales, known,
          takes=lambda operands: [operands[0], 0.3, *operands[1:]])  # fmt: skip


@KNOWN
def test_concatenation(known: bool) -> None:
    def takes(operands: Any) -> Any:
        a, b, sa, sb, za, zb, s, z = operands
        return [relay.Tuple([a, b]), relay.Tuple([sa, sb]), relay.Tuple([za, zb]), s, z]

    scales = [f(0.5), f(2), i(0), i(1), f(0.9), i(-4)]
    check("qnn.concatenate", [whole(2, 3), whole(2, 4)], scales, known, takes=takes, axis=1)


def test_sizes_that_are_not_known() -> None:
    rows = 'tensor<?x8xsi8, #graph.dims<"n", 8>>'
    result = 'tensor<?x2xsi32, #graph.dims<"n", 2>>'
    module = kc.IRModule.parse(f"""
graph.func @main(%x: {rows}, %w: tensor<2x8xsi8>) -> {result} {{
  %z = graph.constant dense<3> : tensor<si32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.qnn.dense(%x, %w, %z, %z, %s, %s) : ({rows}, tensor<2x8xsi8>, tensor<si32>, tensor<si32>, tensor<f32>, tensor<f32>) -> {result}
  graph.return %0 : {result}
}}
""")  # noqa: E501
    data = whole(5, 8), whole(2, 8)
    expected = Interpreter(module).run(*data)
    registry.pass_class(FLAG)().apply(registry.context(), module.op)
    module.op.verify()
    np.testing.assert_array_equal(Interpreter(module).run(*data), expected)
