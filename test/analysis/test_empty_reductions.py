"""Reductions over nothing stand for their initial value, in the interpreter as in native code."""

from __future__ import annotations

import numpy as np
import pytest
from interpreter_support import parse
from xdsl.context import Context

from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.transforms.tir.blocks.lower_blocks import LowerBlocksPass
from kc.transforms.tir.blocks.lower_init_block import LowerInitBlockPass

TEXT = """
func.func @f(%A: memref<?x?xf32> {{kc.shape = affine_map<()[s0, s1] -> (s0, s1)>}},
             %S: memref<?xf32> {{kc.shape = affine_map<()[s0, s1] -> (s0)>}})
    attributes {{kc.symbols = ["m", "n"]}} {{
  %m = tir.symbol "m"
  %n = tir.symbol "n"
  %z = arith.constant 3.0 : f32
  %zero = arith.constant 0.0 : f32
  {loops}
  func.return
}}
"""


def block(vi: str, vk: str, where: str = "") -> str:
    condition = f"where ({where})" if where else ""
    return f"""
    tir.block "S" (spatial %vi in %m = {vi}, reduce %vk in %n = {vk}) {condition} init {{
      tir.store %z, %S[%vi] : memref<?xf32>
    }} do {{
      %a = tir.load %A[%vi, %vk] : memref<?x?xf32>
      %s = tir.load %S[%vi] : memref<?xf32>
      %sum = arith.addf %s, %a : f32
      tir.store %sum, %S[%vi] : memref<?xf32>
    }}"""


def results(loops: str, m: int, n: int, lower: bool) -> np.ndarray:
    module = parse(TEXT.format(loops=loops))
    if lower:
        LowerInitBlockPass().apply(Context(), module)
        LowerBlocksPass().apply(Context(), module)
    values = np.random.default_rng(0).integers(-9, 9, (m, n)).astype(np.float32)
    out = np.full(m, 77, np.float32)
    run(module, "f", [values, out])
    if n:
        np.testing.assert_array_equal(out, values.sum(1) + 3)
    return out


TILES = """
%mo = tir.apply (%m ceildiv 4)
%no = tir.apply (%n ceildiv 4)
"""
INSIDE = f"tir.for %i in %m {{ tir.for %k in %n {{ {block('%i', '%k')} }} }}"
OUTSIDE = f"tir.for %k in %n {{ tir.for %i in %m {{ {block('%i', '%k')} }} }}"
TILED = f"""{TILES}
tir.for %io in %mo {{ tir.for %ko in %no {{ tir.for %ii in 4 {{ tir.for %ki in 4 {{
  {block("%io * 4 + %ii", "%ko * 4 + %ki", "%io * 4 + %ii < %m, %ko * 4 + %ki < %n")}
}} }} }} }}"""
FUSED = f"""
%mn = arith.muli %m, %n : index
tir.for %ik in %mn {{
  %i, %k = tir.delinearize %ik by [%m, %n]
  {block("%i", "%k")}
}}"""
DIVIDED = f"""
%five = arith.constant 5 : index
%n5 = arith.muli %five, %n : index
tir.for %ki in %n5 {{ tir.if (%m - 5 == 0) {{ {block("%ki mod 5", "%ki floordiv 5")} }} }}"""
GUARDED = f"""
tir.for %k in %n {{ tir.for %i in %m {{
  tir.if (%i - 2 >= 0) {{ }} else {{ {block("%i", "%k")} }}
}} }}
tir.for %k in %n {{ tir.for %i in %m {{ tir.if (%i - 2 >= 0) {{ {block("%i", "%k")} }} }} }}"""
THREADS = f"""{TILES}
tir.for %b in %mo thread "blockIdx.x" {{ tir.for %t in 4 thread "threadIdx.x" {{
  tir.for %k in %n {{
    {block("%b * 4 + %t", "%k", "%b * 4 + %t < %m")}
  }}
}} }}"""
# Sizes that are computed where they are used are known where the reduction begins all the same.
COMPUTED = """
tir.for %i in %m {
  %n1 = tir.apply (%n)
  tir.for %k in %n1 {
    %n2 = tir.apply (%n1)
    %z1 = arith.addf %z, %zero : f32
    BLOCK
  }
}""".replace("BLOCK", block("%i", "%k").replace("in %n", "in %n2").replace("store %z", "store %z1"))
COMPUTED_OUTSIDE = """
tir.for %k in %n {
  %m1 = tir.apply (%m)
  tir.for %i in %m1 {
    %n1 = tir.apply (%n)
    %at = tir.apply (%i * 1)
    %m2 = tir.apply (%m1)
    BLOCK
  }
}""".replace("BLOCK", block("%at", "%k").replace("in %n", "in %n1").replace("in %m", "in %m2"))
NESTS = {
    "computed": COMPUTED,
    "computed outside": COMPUTED_OUTSIDE,
    "inside": INSIDE,
    "outside": OUTSIDE,
    "tiled": TILED,
    "fused": FUSED,
    "divided": DIVIDED,
    "guarded": GUARDED,
    "threads": THREADS,
}


@pytest.mark.parametrize("size", [(5, 0), (5, 3), (1, 0), (0, 0), (0, 3)])
@pytest.mark.parametrize("nest", NESTS)
def test_the_initial_value_is_stored(nest: str, size: tuple[int, int]):
    m, n = (5, size[1]) if nest == "divided" else size
    interpreted = results(NESTS[nest], m, n, lower=False)
    np.testing.assert_array_equal(interpreted, results(NESTS[nest], m, n, lower=True))
    if not n:
        np.testing.assert_array_equal(interpreted, np.full(m, 3, np.float32))


def test_it_is_stored_where_the_reduction_begins():
    nest = f"""
    %nine = arith.constant 9.0 : f32
    tir.for %i in %m {{
      tir.store %nine, %S[%i] : memref<?xf32>
      tir.for %k in %n {{ {block("%i", "%k")} }}
      %total = tir.load %S[%i] : memref<?xf32>
      %twice = arith.addf %total, %total : f32
      tir.store %twice, %S[%i] : memref<?xf32>
    }}"""
    module = parse(TEXT.format(loops=nest))
    out = np.full(5, 77, np.float32)
    run(module, "f", [np.zeros((5, 0), np.float32), out])
    np.testing.assert_array_equal(out, np.full(5, 6, np.float32))
    LowerInitBlockPass().apply(Context(), module)
    run(module, "f", [np.zeros((5, 0), np.float32), out])
    np.testing.assert_array_equal(out, np.full(5, 6, np.float32))


def test_nothing_is_stored_for_elements_that_the_loops_leave_out():
    nest = f"""tir.for %k in %n {{ tir.for %i in 3 {{ {block("%i", "%k", "%i < 2")} }} }}"""
    out = results(nest, 5, 0, lower=False)
    np.testing.assert_array_equal(out, np.array([3, 3, 77, 77, 77], np.float32))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_an_init_that_stays_in_the_loops(n: int):
    """Of a falling variable the init comes last; over nothing there is an initial value still."""
    nest = """
    tir.for %i in %m {
      tir.for %k in %n {
        %n1 = tir.apply (%n)
        BLOCK
      }
    }""".replace("BLOCK", block("%i", "%n - 1 - %k").replace("in %n", "in %n1"))
    values = np.arange(4 * n, dtype=np.float32).reshape(4, n)
    for passes in ([], [LowerInitBlockPass(), LowerBlocksPass()]):
        module = parse(TEXT.format(loops=nest))
        for step in passes:
            step.apply(Context(), module)
        module.verify()
        check_dominance(module)
        out = np.full(4, 77, np.float32)
        run(module, "f", [values, out])
        np.testing.assert_array_equal(out, 3 + (values[:, 0] if n else np.zeros(4)))
