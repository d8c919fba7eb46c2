"""Constant tensors of every element type: none, a few (stored one by one), and many (a table)."""

from __future__ import annotations

import shutil
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.conversion.raise_to_tir.tensor_ops import MAX_ELEMENTS

FLOATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
}
KINDS = ("i1", "index", "i8", "i16", "i32", "i64", *FLOATS)


def constant(kind: str, count: int) -> tuple[str, str, str, np.ndarray]:
    """Its elements as text, the type they are extended to and by what, and their values."""
    numbers = np.arange(count)
    if kind == "i1":
        values = numbers % 3 == 0
        return ", ".join("true" if value else "false" for value in values), "i32", "extui", values
    if kind in FLOATS:
        values = ((numbers % 9 - 4) * 0.75).astype(FLOATS[kind]).astype(np.float64)
        op = "" if kind == "f64" else "extf"
        return ", ".join(map(repr, map(float, values))), "f64", op, values
    values = numbers * 7 % 11 - 3
    op = {"index": "index_cast", "i64": ""}.get(kind, "extsi")
    return ", ".join(map(str, values)), "i64", op, values


def program(kind: str, shape: tuple[int, ...], name: str = "f") -> tuple[str, np.ndarray]:
    text, wide, op, values = constant(kind, int(np.prod(shape)))
    sizes = "".join(f"{size}x" for size in shape)
    if len(shape) == 2 and 0 not in shape:
        words = text.split(", ")
        rows = [words[n * shape[1] : (n + 1) * shape[1]] for n in range(shape[0])]
        text = ", ".join(f"[{', '.join(row)}]" for row in rows)
    dims = ", ".join(f"d{n}" for n in range(len(shape)))
    space = f"affine_map<({dims}) -> ({dims})>"
    kinds = ", ".join('"parallel"' for _ in shape)
    value, convert = "%y", f"%y = arith.{op} %a : {kind} to {wide}"
    if not op:
        value, convert = "%a", ""
    elements = f"<[{text}]>" if text else "<>"
    return (
        f"""func.func @{name}() -> tensor<{sizes}{wide}> {{
      %c = arith.constant dense{elements} : tensor<{sizes}{kind}>
      %e = tensor.empty() : tensor<{sizes}{wide}>
      %r = linalg.generic {{indexing_maps = [{space}, {space}], iterator_types = [{kinds}]}}
        ins(%c : tensor<{sizes}{kind}>) outs(%e : tensor<{sizes}{wide}>) {{
      ^bb0(%a: {kind}, %b: {wide}):
        {convert}
        linalg.yield {value} : {wide}
      }} -> tensor<{sizes}{wide}>
      return %r : tensor<{sizes}{wide}>
    }}""",
        values.reshape(shape),
    )


SHAPES = [(0,), (5,), (3, 401)]
MORE_SHAPES = [(MAX_ELEMENTS,), (MAX_ELEMENTS + 1,), (2, 0)]


@pytest.mark.parametrize("kind", KINDS)
def test_constants_of_every_type_and_size(kind: str):
    shapes = [*SHAPES, *(MORE_SHAPES if kind == "i1" else ())]
    programs = {f"f{n}": program(kind, shape, f"f{n}") for n, shape in enumerate(shapes)}
    module = kc.IRModule.parse("\n".join(text for text, _ in programs.values()))
    built, lowered = kc.build(module), kc.lower(module)
    for name, (_, values) in programs.items():
        native = np.asarray(built[name]())
        np.testing.assert_array_equal(native, values)
        interpreted = np.full(values.shape, 77, native.dtype)
        run(lowered.op, name, [interpreted])
        np.testing.assert_array_equal(interpreted, values)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("kind", KINDS)
def test_tables_in_c(kind: str):
    text, values = program(kind, (MAX_ELEMENTS + 1,))
    np.testing.assert_array_equal(
        np.asarray(kc.build(kc.IRModule.parse(text), target="c")()), values
    )


@pytest.mark.parametrize("elements", ["true", "[true, false, true, true, false]"])
def test_a_table_of_booleans_holds_bytes_of_0_and_1(elements: str):
    text = f"""
    "memref.global"() <{{sym_name = "table", sym_visibility = "private", constant,
      type = memref<5xi1>, initial_value = dense<{elements}> : tensor<5xi1>}}> : () -> ()
    func.func @f(%out: memref<5xi8>) {{
      %t = "memref.get_global"() <{{name = @table}}> : () -> memref<5xi1>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c5 = arith.constant 5 : index
      scf.for %i = %c0 to %c5 step %c1 {{
        %a = memref.load %t[%i] : memref<5xi1>
        %b = arith.extui %a : i1 to i8
        memref.store %b, %out[%i] : memref<5xi8>
      }}
      return
    }}"""
    out: Any = np.full(5, 77, np.int8)
    kc.build(kc.IRModule.parse(text))(out)
    wanted = [1, 1, 1, 1, 1] if elements == "true" else [1, 0, 1, 1, 0]
    assert out.tolist() == wanted


@pytest.mark.parametrize("container", ["tensor", "vector"])
def test_zeros_of_both_signs_are_two_numbers(container: str):
    text = f"""
      func.func @f(%x: {container}<2xf32>) -> {container}<2xf32> {{
        %c = arith.constant dense<[0.0, -0.0]> : {container}<2xf32>
        %r = math.copysign %x, %c : {container}<2xf32>
        return %r : {container}<2xf32>
      }}
    """
    module = kc.IRModule.parse(text)
    assert "dense<[0.000000e+00, -0.000000e+00]>" in str(module)
    for parsed in (module, kc.IRModule.parse(str(module))):
        result = kc.build(parsed)(np.ones(2, np.float32))
        np.testing.assert_array_equal(result, np.array([1, -1], np.float32))
