"""Iterations of ``scf.while`` are no loops of tir, and yet one comes after the other."""

import numpy as np

import kc

TEXT = """
#id = affine_map<(d0) -> (d0)>
func.func @f(%A: memref<600xf32>, %B: memref<600xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  TEMPORARIES
  %r = scf.while (%i = %c0) : (index) -> index {
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i : index
  } do {
  ^bb0(%j: index):
    BODY
    %j1 = arith.addi %j, %c1 : index
    scf.yield %j1 : index
  }
  LAST
  return
}
"""


def _added(source: str, target: str) -> str:
    """Text: each element of ``target`` is that of ``source`` plus one."""
    return f"""
    linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
        ins({source}: memref<600xf32>) outs({target}: memref<600xf32>) {{
    ^bb0(%x: f32, %o: f32):
      %y = arith.addf %x, %one : f32
      linalg.yield %y: f32
    }}"""


def _module(body: str, temporaries: str = "", last: str = "") -> kc.IRModule:
    text = TEXT.replace("BODY", body).replace("TEMPORARIES", temporaries).replace("LAST", last)
    return kc.IRModule.parse(text)


def test_a_copy_is_made_in_each_iteration_of_a_while_loop_that_writes():
    """A is written in each iteration, after it is read: the next one reads the new elements."""
    sch = kc.tir.Schedule(_module(_added("%A", "%B") + _added("%B", "%A")))
    sch.cache_read("generic", 0, "global")
    a, b = np.zeros(600, np.float32), np.zeros(600, np.float32)
    kc.build(sch)(a, b, 3)
    np.testing.assert_array_equal(a, np.full(600, 6))
    np.testing.assert_array_equal(b, np.full(600, 5))


def test_buffers_in_a_while_loop_that_are_alive_together_do_not_share_memory():
    """T is read after S is written, in the iteration before."""
    buffers = "\n".join(f"%{name} = memref.alloc() : memref<600xf32>" for name in "TS")
    module = _module(
        _added("%T", "%B") + _added("%B", "%S"), buffers + _added("%A", "%T"), _added("%S", "%A")
    )
    a, b = np.zeros(600, np.float32), np.zeros(600, np.float32)
    kc.build(module)(a, b, 3)
    np.testing.assert_array_equal(b, np.full(600, 2))
    np.testing.assert_array_equal(a, np.full(600, 4))
