"""Buffers and blocks whose sizes are sums and products of symbols, in schedules."""

from __future__ import annotations

import numpy as np
import pytest

import kc

DECLARED = """
func.func @f(%A: memref<?x?xf32> {kc.name = "A", kc.shape = {SUM}},
             %C: memref<?x?xf32> {kc.name = "C", kc.shape = {SUM}},
             %N: memref<?x?xf32> {kc.name = "N", kc.shape = affine_map<()[s0, s1, s2] -> (s0, s1)>})
    attributes {kc.symbols = ["n", "k", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %rows = tir.apply (%n + %m)
  tir.for %i in %rows {
    tir.for %j in %m {
      tir.block "C" (spatial %v in %rows = %i, spatial %w in %m = %j) do {
        %a = tir.load %A[%v, %w] : memref<?x?xf32>
        tir.store %a, %C[%v, %w] : memref<?x?xf32>
      }
    }
  }
  func.return
}""".replace("{SUM}", "affine_map<()[s0, s1, s2] -> (s0 + s2, s2)>")

MULTIPLE = """
func.func @f(%A: memref<?xf32> {kc.name = "A", kc.shape = affine_map<()[s0] -> (s0 * 4)>},
             %C: memref<?xf32> {kc.name = "C", kc.shape = affine_map<()[s0] -> (s0 * 4)>},
             %N: memref<?xf32> {kc.name = "N", kc.shape = affine_map<()[s0] -> (s0)>})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %size = tir.apply (%n * 4)
  tir.for %i in %size {
    tir.block "C" (spatial %v in %size = %i) do {
      %a = tir.load %A[%v] : memref<?xf32>
      tir.store %a, %C[%v] : memref<?xf32>
    }
  }
  func.return
}"""


@pytest.mark.parametrize("primitive", ["cache_read", "cache_write", "reindex_cache_read"])
def test_a_copy_of_a_sum_of_symbols_has_all_elements(primitive: str):
    sch = kc.tir.Schedule(kc.IRModule.parse(DECLARED))
    if primitive == "cache_read":
        sch.cache_read("C", 0, "global")
    elif primitive == "cache_write":
        sch.cache_write("C", 0, "global")
    else:
        sch.reindex_cache_read("C", 0, "global", lambda v, w: (w, v))
    function = kc.build(sch.mod)
    a = np.arange(8 * 3, dtype=np.float32).reshape(8, 3)
    c = np.zeros_like(a)
    function(a, c, np.zeros((5, 2), np.float32))
    np.testing.assert_array_equal(c, a)


def test_a_multiple_of_a_symbol_is_made_of_tiles():
    sch = kc.tir.Schedule(kc.IRModule.parse(MULTIPLE))
    sch.transform_block_layout("C", lambda i: (i // 4, i % 4))
    assert [loop.name for loop in sch.get_loops("C")] == ["ax0", "ax1"]
    function = kc.build(sch.mod)
    for n in (0, 3):
        a = np.arange(4 * n, dtype=np.float32)
        c = np.zeros_like(a)
        function(a, c, np.zeros(n, np.float32))
        np.testing.assert_array_equal(c, a)
