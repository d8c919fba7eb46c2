"""linalg, tosa and TVMScript state the types of their sums: kc adds up in these, neither wider nor
narrower.

A sum of ones says in which type it was made: in order, 256 + 1 is 256 in bfloat16, 2048 + 1 is 2048
in float16; products of int8 leave int8. The interpreter adds up in order.
"""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.conversion.raise_to_tir import RaiseToTirPass

TYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "i8": np.int8,
    "i32": np.int32,
}  # fmt: skip
K = 3000
"""More than float16 counts to."""


def numbers(type_: str, *shape: int, value: float = 1) -> np.ndarray:
    return np.full(shape, value, TYPES[type_])


def computed(text: str, arrays: list[np.ndarray], type_: str) -> float:
    """The only element of the result of the function @f, in the interpreter."""
    from xdsl.context import Context

    module = kc.IRModule.parse(text)
    RaiseToTirPass().apply(Context(), module.op)
    results = [np.zeros(shape, TYPES[type_]) for shape in _results(text)]
    run(module.op, "f", [*arrays, *results])
    return float(results[0].reshape(-1)[0])


def _results(text: str) -> list[tuple[int, ...]]:
    inner = text.split("-> tensor<", 1)[1].split(">", 1)[0]
    return [tuple(int(size) for size in inner.split("x")[:-1])]


def linalg(op: str, inputs: list[str], output: str) -> str:
    """A function of one linalg op on zeros."""
    element = output[7:-1].split("x")[-1]
    zero = "0" if element.startswith("i") else "0.0"
    arguments = ", ".join(f"%a{n}: {type_}" for n, type_ in enumerate(inputs))
    names = ", ".join(f"%a{n}" for n in range(len(inputs)))
    return f"""
func.func @f({arguments}) -> {output} {{
  %zero = arith.constant {zero} : {element}
  %e = tensor.empty() : {output}
  %i = linalg.fill ins(%zero : {element}) outs(%e : {output}) -> {output}
  %r = {op} ins({names} : {", ".join(inputs)}) outs(%i : {output}) -> {output}
  return %r : {output}
}}"""


MATMULS = [
    # Elements, type of the sums, what is said about casts, value, sum.
    ("bf16", "bf16", "", 1, 256),
    ("bf16", "f32", "", 1, K),
    ("f16", "f16", "", 1, 2048),
    ("f16", "f32", "", 300, 300 * K),
    ("i8", "i32", "", -127, -127 * K),
    ("i8", "i32", "{cast = #linalg.type_fn<cast_signed>} ", -127, -127 * K),
    ("i8", "i32", "{cast = #linalg.type_fn<cast_unsigned>} ", -127, 129 * K),
    ("i8", "f32", "", -127, -127 * K),
    ("i8", "i8", "", 1, K % 256 - 256),  # 3000 modulo 256 is 184: -72
]  # fmt: skip


@pytest.mark.parametrize(("element", "total", "cast", "value", "expected"), MATMULS)
def test_matmul_of_linalg(element: str, total: str, cast: str, value: int, expected: int):
    text = linalg(
        f"linalg.matmul {cast}", [f"tensor<1x{K}x{element}>", f"tensor<{K}x1x{element}>"],
        f"tensor<1x1x{total}>",
    )  # fmt: skip
    arrays = [numbers(element, 1, K, value=value), numbers(element, K, 1)]
    assert computed(text, arrays, total) == expected


@pytest.mark.parametrize(("total", "expected"), [("f32", K), ("f16", 2048)])
def test_convolutions_pools_and_reductions_of_linalg(total: str, expected: int):
    ones = numbers("f16", 1, 1, 1, K)
    text = linalg(
        "linalg.conv_2d_nhwc_hwcf", [f"tensor<1x1x1x{K}xf16>", f"tensor<1x1x{K}x1xf16>"],
        f"tensor<1x1x1x1x{total}>",
    )  # fmt: skip
    assert computed(text, [ones, numbers("f16", 1, 1, K, 1)], total) == expected
    text = linalg(
        "linalg.batch_matmul", [f"tensor<1x1x{K}xf16>", f"tensor<1x{K}x1xf16>"],
        f"tensor<1x1x1x{total}>",
    )  # fmt: skip
    assert computed(text, [numbers("f16", 1, 1, K), numbers("f16", 1, K, 1)], total) == expected
    text = linalg(
        "linalg.pooling_nhwc_sum", [f"tensor<1x{K}x1x1xf16>", f"tensor<{K}x1xf16>"],
        f"tensor<1x1x1x1x{total}>",
    )  # fmt: skip
    assert computed(text, [numbers("f16", 1, K, 1, 1), numbers("f16", K, 1)], total) == expected


def tosa(op: str, inputs: list[str], output: str, properties: str, points: bool = True) -> str:
    """A function of one tosa op, with zero points."""
    arguments = ", ".join(f"%a{n}: {type_}" for n, type_ in enumerate(inputs))
    element = inputs[0][7:-1].split("x")[-1]
    zero, of = ("0" if element[0] == "i" else "0.0"), f"tensor<1x{element}>"
    consts = "".join(
        f'  %{name} = "tosa.const"() <{{values = dense<{zero}> : {of}}}> : () -> {of}\n'
        for name in ("za", "zb")
    )
    names = [f"%a{n}" for n in range(len(inputs))] + ["%za", "%zb"] * points
    types = inputs + [of, of] * points
    return f"""
func.func @f({arguments}) -> {output} {{
{consts}  %r = tosa.{op} {", ".join(names)} {properties} : ({", ".join(types)}) -> {output}
  return %r : {output}
}}"""


STEPS = "stride = array<i64: 1, 1>"
PADS = "pad = array<i64: 0, 0, 0, 0>"


@pytest.mark.parametrize(("acc", "expected"), [("f32", K), ("f16", 2048)])
def test_acc_type_of_tosa(acc: str, expected: int):
    x, bias, of = numbers("f16", 1, 1, 1, K), numbers("f16", 1, value=0), f"tensor<1x1x1x{K}xf16>"
    turns = f"acc_type = {acc}, dilation = array<i64: 1, 1>, {PADS}, {STEPS}"
    unit = "tensor<1x1x1x1xf16>"
    text = tosa("conv2d", [of, of, "tensor<1xf16>"], unit, f"{{{turns}}}")
    assert computed(text, [x, x, bias], "f16") == expected
    text = tosa("transpose_conv2d", [of, of, "tensor<1xf16>"], unit,
                f"{{acc_type = {acc}, out_pad = array<i64: 0, 0, 0, 0>, {STEPS}}}")  # fmt: skip
    assert computed(text, [x, x, bias], "f16") == expected
    text = tosa("depthwise_conv2d",
                [f"tensor<1x{K}x1x1xf16>", f"tensor<{K}x1x1x1xf16>", "tensor<1xf16>"], unit,
                f"{{{turns}}}")  # fmt: skip
    column = numbers("f16", 1, K, 1, 1)
    assert computed(text, [column, column.reshape(K, 1, 1, 1), bias], "f16") == expected
    text = tosa("avg_pool2d", [f"tensor<1x{K}x1x1xf16>"], unit,
                f"{{acc_type = {acc}, kernel = array<i64: {K}, 1>, {PADS}, {STEPS}}}")  # fmt: skip
    assert computed(text, [column], "f16") == float(np.float16(expected / K))


def test_a_bias_of_tosa_is_added_in_the_type_of_the_sums():
    # 49 * 43 = 2107 is none of float16, which has 2106 and 2108.
    unit = "tensor<1x1x1x1xf16>"
    turns = f"{{acc_type = f32, dilation = array<i64: 1, 1>, {PADS}, {STEPS}}}"
    text = tosa("conv2d", [unit, unit, "tensor<1xf16>"], unit, turns)
    arrays = [numbers("f16", 1, 1, 1, 1, value=n) for n in (49, 43)]
    assert computed(text, [*arrays, numbers("f16", 1, value=-2048)], "f16") == 2107 - 2048


@pytest.mark.parametrize(
    ("element", "total", "value", "expected"),
    [("f16", "f32", 1, K), ("i8", "i32", -127, -127 * K)],
)
def test_matmul_of_tosa(element: str, total: str, value: int, expected: int):
    text = tosa("matmul", [f"tensor<1x1x{K}x{element}>", f"tensor<1x{K}x1x{element}>"],
                f"tensor<1x1x1x{total}>", "")  # fmt: skip
    arrays = [numbers(element, 1, 1, K, value=value), numbers(element, 1, K, 1)]
    assert computed(text, arrays, total) == expected


@pytest.mark.parametrize("element", ["bf16", "f16"])
def test_sums_of_tosa_are_in_f32_and_rounded_once(element: str):
    """As tosa says of bf16; its bounds for f16 allow it."""
    text = tosa("reduce_sum", [f"tensor<{K}x{element}>"], f"tensor<1x{element}>",
                "{axis = 0 : i32}", points=False)  # fmt: skip
    expected = float(np.float64(K).astype(TYPES[element]))
    assert computed(text, [numbers(element, K)], element) == expected
    text = tosa("reduce_sum", [f"tensor<2x{K}x{element}>"], f"tensor<2x1x{element}>",
                "{axis = 1 : i32}", points=False)  # fmt: skip
    assert computed(text, [numbers(element, 2, K)], element) == expected


SCRIPT = """
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((3000,), "float16"), B: T.Buffer((1,), "{total}")):
    for k in range(3000):
        with T.block("B"):
            vk = T.axis.reduce(3000, k)
            with T.init():
                B[0] = T.{total}(0)
            B[0] = B[0] + {term}
"""


@pytest.mark.parametrize(
    ("total", "term", "expected"),
    [
        ("float16", "A[vk]", 2048),
        ("float32", 'T.Cast("float32", A[vk])', K),
        ("int32", 'T.Cast("int32", A[vk])', K),
        # The product is one of float16, before it is converted: 300 * 300 leaves it.
        ("float32", 'T.Cast("float32", A[vk] * T.float16(300) * T.float16(300))', float("inf")),
    ],
)
def test_sums_of_tvmscript(total: str, term: str, expected: float):
    module = kc.script.from_source(SCRIPT.format(total=total, term=term))
    module = module if isinstance(module, kc.IRModule) else kc.IRModule({"f": module})
    result = np.zeros(1, total)
    run(module.op, "f", [np.ones(K, np.float16), result])
    assert result[0] == expected
