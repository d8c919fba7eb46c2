"""legalize-narrow-floats changes no result: before and after are interpreted, on equal numbers."""

from __future__ import annotations

import sys
from pathlib import Path

import float_flags
import numpy as np
import pytest
from xdsl.context import Context

sys.path.append(str(Path(__file__).parent.parent / "transforms" / "tir"))

from lowering_support import parse

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.conversion.legalize_narrow_floats import LegalizeNarrowFloatsPass
from kc.support.float_formats import NARROW_IR_FLOATS
from kc.support.target import Target

ml_dtypes = pytest.importorskip("ml_dtypes")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

TEXT = """
func.func @f(%A: memref<SIZExTYPE>, %B: memref<SIZExTYPE>, %C: memref<SIZExTYPE>,
             %D: memref<SIZExTYPE>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %size = arith.constant SIZE : index
  scf.for %i = %zero to %size step %one {
    %a = memref.load %A[%i] : memref<SIZExTYPE>
    %b = memref.load %B[%i] : memref<SIZExTYPE>
    %c = memref.load %C[%i] : memref<SIZExTYPE>
    BODY
    memref.store %d, %D[%i] : memref<SIZExTYPE>
  }
  func.return
}
"""
BODIES = {
    "fma": "%d = math.fma %a, %b, %c : TYPE",
    "remf": "%d = arith.remf %a, %b : TYPE",
    "copysign": "%d = math.copysign %a, %c : TYPE",
    "floor": "%d = math.floor %a : TYPE",
    "minnumf": "%d = arith.minnumf %a, %b : TYPE",
    "reduction": """%v = vector.broadcast %a : TYPE to vector<3xTYPE>
        %w = vector.insert %b, %v[1] : TYPE into vector<3xTYPE>
        %d = vector.reduction <add>, %w, %c : vector<3xTYPE> into TYPE""",
    "constant": """%k = arith.constant -1.5 : TYPE
        %p = arith.cmpf ole, %a, %k : TYPE
        %d = arith.select %p, %k, %b : TYPE""",
    "integers": """%n = arith.fptosi %a : TYPE to i32
        %m = arith.sitofp %n : i32 to TYPE
        %d = arith.divf %m, %b : TYPE""",
}


def numbers(name: str, case: str) -> list[np.ndarray]:
    """Three arrays of numbers of every size, and for a fused operation of ties and near them."""
    form = NARROW_IR_FLOATS[name]
    generator = np.random.default_rng(3)
    kind = np.dtype(getattr(ml_dtypes, form.name, None) or form.name)
    codes = generator.integers(0, 1 << form.bits, (3, 160)).astype(f"uint{form.bits}")
    arrays = codes.view(kind)
    if case == "integers":
        arrays[0] = (arrays[0].astype(np.float32) % 100).astype(kind)
        arrays[0][np.isnan(arrays[0].astype(np.float32))] = 3
    if case == "fma":
        # Products with bits beyond the last place, in bf16 ties; the sum makes them nearly that, by
        # less than f64 can hold.
        step = 2.0**-form.mantissa
        pairs = generator.choice([[8, 8], [4, 16], [1, 2], [2, 3]], 100)
        arrays[0][:100] = (1 + step * pairs[:, 0]).astype(kind)
        arrays[1][:100] = (1 + step * pairs[:, 1]).astype(kind)
        tiny = np.array([step / 2, -step / 2, 2.0**-12, -(2.0**-12), 0, 2.0**-100, -(2.0**-100)])
        arrays[2][:100] = generator.choice(tiny, 100).astype(kind)
    return list(arrays)


@pytest.mark.parametrize("case", BODIES)
@pytest.mark.parametrize("name", NARROW_IR_FLOATS)
def test_the_same_numbers(name: str, case: str) -> None:
    text = TEXT.replace("BODY", BODIES[case]).replace("TYPE", name).replace("SIZE", "160")
    inputs = numbers(name, case)
    before, after = parse(text), parse(text)
    with Target("llvm -mcpu=x86-64"):  # without instructions for any of them
        LegalizeNarrowFloatsPass().apply(Context(), after)
    after.verify()
    left = {
        op.name for op in after.walk() if any(str(result.type) == name for result in op.results)
    }
    assert left <= {"memref.load", "arith.bitcast", "arith.select", "vector.extract"} | (
        {"arith.constant"} if NARROW_IR_FLOATS[name].bits == 16 else set()
    )
    results = []
    for module in (before, after):
        results.append(np.zeros_like(inputs[0]))
        run(module, "f", [*inputs, results[-1]])
    first, second = (result.astype(np.float64) for result in results)
    np.testing.assert_array_equal(second, first)
    assert (np.signbit(first) == np.signbit(second))[~np.isnan(first)].all()


@pytest.mark.skipif(not float_flags.IS_X86, reason="the flags are those of x86")
@pytest.mark.parametrize("dtype", ["float16", "float8_e4m3fn", "float8_e5m2"])
def test_rounding_adds_no_subnormal_numbers(dtype: str):
    """On a CPU without instructions for the type; each such addition may be left to microcode."""
    a = te.placeholder((64,), "float32", name="A")
    b = te.compute((64,), lambda i: a[i].astype(dtype).astype("float32"), name="B")
    kernel = kc.build([a, b], target="llvm -mcpu=x86-64 -num-cores=1")
    x, out = np.full(64, 1e-41, "float32"), np.ones(64, "float32")
    x[::2] = -1e-45
    assert float_flags.noted(lambda: kernel(x, out)) & float_flags.DENORMAL == 0
    np.testing.assert_array_equal(out, 0)
    np.testing.assert_array_equal(np.signbit(out), np.signbit(x))
