"""Bounds of what IR makes kc compute and keep: beyond them is a diagnostic, and soon."""

import time

import numpy as np
import pytest

import kc
from kc import tir
from kc.analysis.interpreter import run
from kc.runtime.c_compiler import find_compiler

USE = '"test.op"() {{a = {}}} : () -> ()'
LOOP = """
func.func @f(%A: memref<8xi32>, %i: index) {{
  %c = arith.constant 0 : i32
  tir.store %c, %A[{}] : memref<8xi32>
  func.return
}}"""


def refused(text: str) -> tuple[str, str]:
    start = time.process_time()
    with pytest.raises(kc.KCError) as refusal:
        kc.IRModule.parse(text)
    assert time.process_time() - start < 3
    return refusal.value.code, refusal.value.message


def read_back(attribute: str) -> str:
    text = str(kc.IRModule.parse(USE.format(attribute)))
    return text.split("a = ")[1].split("}")[0]


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("tensor<1099511627776xi32>", "1"),
        ("vector<1048576x1024xf32>", "1.5"),
        ("tensor<134217729xi32>", "1"),
        ("tensor<1099511627776xi8>", '"0x00"'),
        ("tensor<4611686018427387904x4611686018427387904xf64>", "0.0"),
    ],
)
def test_constants_are_bounded_in_bytes(type_: str, value: str):
    message = f"dense: {type_} has more than 536870912 bytes"
    assert refused(USE.format(f"dense<{value}> : {type_}")) == ("KC1001", message)


@pytest.mark.parametrize(
    "attribute",
    [
        *("dense<-1> : tensor<2x2xi8>", "dense<true> : tensor<4xi1>", "dense<5> : tensor<i64>"),
        *("dense<1.500000e+00> : tensor<4xf32>", "dense<-0.000000e+00> : tensor<4xf16>"),
        *("dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>", "dense<> : tensor<0xi32>"),
        *("dense<[1, 2]> : tensor<2xi32>", "dense<3> : vector<4xindex>"),
    ],
)
def test_constants_keep_their_elements(attribute: str):
    assert read_back(attribute) == attribute


def test_equal_elements_are_read_at_once():
    start = time.process_time()
    assert read_back("dense<7> : tensor<4194304xi32>") == "dense<7> : tensor<4194304xi32>"
    assert time.process_time() - start < 2


def test_types_have_few_dimensions():
    assert refused(f"func.func private @f(memref<{'1x' * 3000}f32>)") == (
        "KC1001",
        "a type has 3000 dimensions, of at most 64",
    )
    kc.IRModule.parse(f"func.func private @f(memref<{'1x' * 64}f32>)")


@pytest.mark.parametrize("count", [150, 3000])
@pytest.mark.parametrize(
    "text",
    [
        lambda count: LOOP.format(" + ".join(["%i"] * count)),
        lambda count: USE.format(f"affine_map<(d0) -> ({' + '.join(['d0'] * count)})>"),
        lambda count: USE.format(f"affine_set<(d0) : ({' + '.join(['d0'] * count)} >= 0)>"),
        lambda count: LOOP.format("%i").replace(
            "%c =", f"%x = tir.apply ({' + '.join(['%i'] * count)})\n %c ="
        ),
    ],
)
def test_affine_expressions_are_bounded_in_depth(text, count: int):
    if count == 3000:
        assert refused(text(count)) == ("KC1001", "an affine expression of more than 190 levels")
    else:
        module = kc.IRModule.parse(text(count))
        assert str(kc.IRModule.parse(str(module))) == str(module)


def test_deep_loops_are_refused_by_python_functions():
    """The commands have room for them."""
    nest = "".join(f"affine.for %i{n} = 0 to 8 {{" for n in range(100)) + "}" * 100
    module = kc.IRModule.parse(f"func.func @f() {{ {nest} func.return }}")
    for call in (kc.build, tir.Schedule):
        with pytest.raises(kc.KCError) as refusal:
            call(module)
        assert refusal.value.code == "KC1003"


def test_a_target_names_no_program():
    assert find_compiler(triple="aarch64-/../../tmp/own") is None


@pytest.mark.parametrize(
    ("step", "value"),
    [
        ("{} + %i", lambda i, _: i + 7),
        ("({}) mod 5 + 1", None),
        ("({}) ceildiv 2 + 1", lambda i, _: -(-i // 2) + 1),
        ("({}) floordiv 2 + 3", lambda i, _: i // 2 + 3),
    ],
)
def test_the_deepest_affine_expressions_are_interpreted(step: str, value):
    """Python, which the interpreter makes of them, has bounds of its own."""
    levels = 180 if step.startswith("{}") else 80
    text, expected = "%i", 7
    for level in range(levels):
        text = step.format(text)
        expected = (expected % 5 + 1) if value is None else value(expected, level)
    source = f"func.func @f(%A: memref<1xi32>, %i: index) {{\n %0 = tir.apply ({text})\n"
    source += " %1 = arith.index_cast %0 : index to i32\n %z = arith.constant 0 : index\n"
    source += " tir.store %1, %A[%z] : memref<1xi32>\n func.return\n}"
    given = np.zeros(1, np.int32)
    run(kc.IRModule.parse(source).op, "f", [given, 7])
    assert given.tolist() == [expected]
