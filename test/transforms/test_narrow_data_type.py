"""narrow-data-type: random loops over indices compute the same with fewer bits."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc import tir
from kc.analysis.affine.integer_ranges import IntegerRanges, fits
from kc.analysis.interpreter import run
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.transforms.narrow_data_type import NarrowDataTypePass

OPERATIONS = (
    *("addi", "subi", "muli", "minsi", "maxsi", "floordivsi", "divsi", "remsi", "ceildivsi"),
    *("divui", "remui", "minui", "maxui", "andi"),
)
NUMBERS = (1, 2, 3, 7, 100, 127, 128, 40_000, 70_000, 2**31, 2**33, -1, -3, -129)


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Two loops, and what is computed of their variables; each value is stored."""
    start, extent, step = draw(st.tuples(st.integers(-3, 3), st.integers(1, 6), st.integers(1, 3)))
    constants = "".join(
        f"  %n{n} = arith.constant {number} : index\n" for n, number in enumerate(NUMBERS)
    )
    names = ["i", "j", *(f"n{n}" for n in range(len(NUMBERS)))]
    body, values = "", []
    for number in range(draw(st.integers(1, 8))):
        name = draw(st.sampled_from(OPERATIONS))
        first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if "div" in name or "rem" in name:  # by what is not 0, nor -1 of the least number
            second = draw(st.sampled_from([f"n{n}" for n in range(len(NUMBERS)) if n != 11]))
        new = f"v{number}"
        body += f"      %{new} = arith.{name} %{first}, %{second} : index\n"
        names.append(new)
        values.append(new)
    for number, name in enumerate(values):
        body += (
            f"      %w{number} = arith.index_cast %{name} : index to i64\n"
            f"      %at{number} = arith.constant {number} : index\n"
            f"      memref.store %w{number}, %A[%row, %at{number}] : memref<64x8xi64>\n"
        )
    return f"""
func.func @f(%A: memref<64x8xi64>) {{
{constants}
  %start = arith.constant {start} : index
  %stop = arith.constant {start + extent} : index
  %step = arith.constant {step} : index
  %zero = arith.constant 0 : index
  %six = arith.constant 6 : index
  %one = arith.constant 1 : index
  scf.for %i = %start to %stop step %step {{
    scf.for %j = %zero to %six step %one {{
      %from = arith.subi %i, %start : index
      %scaled = arith.muli %from, %six : index
      %row = arith.addi %scaled, %j : index
{body}
    }}
  }}
  func.return
}}
"""


@examples(60)
@given(programs(), st.sampled_from([8, 16, 32]))
def test_the_same_is_computed(text: str, bits: int):
    module = parse_module(text, "k.mlir", registry.context())
    expected, result = np.zeros((64, 8), "int64"), np.zeros((64, 8), "int64")
    run(module, "f", [expected])
    NarrowDataTypePass(bits).apply(registry.context(), module)
    module.verify()
    run(module, "f", [result])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("arith.addi %i, %c7 : index", (7, 16)),
        ("arith.subi %c7, %i : index", (-2, 7)),
        ("arith.muli %i, %minus : index", (-27, 0)),
        ("arith.floordivsi %minus, %c7 : index", (-1, -1)),
        ("arith.divsi %minus, %c7 : index", (0, 0)),
        ("arith.ceildivsi %i, %c7 : index", (0, 2)),
        ("arith.remsi %minus, %c7 : index", (-3, 0)),
        ("arith.remui %i, %c7 : index", (0, 6)),
        ("arith.remui %n, %c7 : index", (0, 6)),
        ("arith.divui %n, %c7 : index", (-(2**63), 2**63 - 1)),  # of what may be 2**64 - 1
        ("arith.minsi %n, %c7 : index", (-(2**63), 7)),
        ("arith.andi %n, %c7 : index", (0, 7)),
        ("arith.shli %i, %c7 : index", (0, 9 * 128)),
        ("arith.addi %n, %c7 : index", (-(2**63), 2**63 - 1)),
        ("arith.select %c, %i, %minus : index", (-3, 9)),
    ],
)
def test_ranges(expression: str, expected: tuple[int, int]):
    module = parse_module(
        f"""
func.func @f(%n: index, %c: i1) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %c7 = arith.constant 7 : index
  %minus = arith.constant -3 : index
  scf.for %i = %zero to %ten step %one {{
    %x = {expression}
  }}
  func.return
}}
""",
        "k.mlir",
        registry.context(),
    )
    (value,) = [
        it.results[0] for it in module.walk() if it.results and it.results[0].name_hint == "x"
    ]
    assert IntegerRanges()[value] == expected


def test_what_fits():
    assert fits((-(2**31), 2**31 - 1), 32)
    assert not fits((0, 2**31), 32)


def test_native_code_and_the_name_of_tvm():
    text = """
func.func @main(%A: memref<60x7xf32>, %B: memref<420xf32>) {
  %c0 = arith.constant 0 : index
  %c420 = arith.constant 420 : index
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c420 step %c1 {
    %q = arith.divui %i, %c7 : index
    %r = arith.remui %i, %c7 : index
    %x = memref.load %A[%q, %r] : memref<60x7xf32>
    memref.store %x, %B[%i] : memref<420xf32>
  }
  func.return
}
"""
    a, b = np.random.rand(60, 7).astype("float32"), np.zeros(420, "float32")
    mod = tir.transform.NarrowDataType(32)(kc.IRModule.parse(text))
    assert len(re.findall(r"arith\.(?:divui|remui) %i, %\d+ : i32", str(mod))) == 2
    kc.build(mod)(a, b)
    np.testing.assert_array_equal(b, a.reshape(420))
