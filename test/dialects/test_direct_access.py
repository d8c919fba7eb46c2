"""Parts of operations that are read and set directly are those that definitions give."""

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.ir import Block
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation, get_accessors_from_op_def

import kc
from kc.dialects import tir
from kc.dialects.arith import CmpfOp, CmpiOp

PROGRAM = """
func.func @f(%A: memref<?x?xf32>, %B: memref<?xf32>, %n: index, %m: index) {
  %T = tir.alloc "T" (%n, %m) : memref<?x?xf32>
  tir.for %i in %n {
    tir.for %j in 8 {
      tir.block "b" (spatial %vi in %n = %i, reduce %vj in 8 = %j) where (%j + %i < 9) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %B[%vi] : memref<?xf32>
      } do {
        %x = tir.load %A[%vi, %vj + %vi] : memref<?x?xf32>
        tir.store %x, %B[%vi] : memref<?xf32>
      }
    }
  }
  func.return
}
"""


def test_accessors_read_what_xdsls_do():
    compared = set()
    for op in kc.IRModule.parse(PROGRAM).op.walk():
        if not isinstance(op, IRDLOperation) or not op.name.startswith("tir."):
            continue
        definition = type(op).get_irdl_definition()
        given = get_accessors_from_op_def(definition, None)
        for name in (part for parts in (definition.operands, definition.results, definition.regions)
                     for part, _ in parts):  # fmt: skip
            assert getattr(op, name) == given[name].__get__(op), (op.name, name)
            compared.add((op.name, name))
    assert ("tir.block", "predicate_operands") in compared
    assert ("tir.load", "operands_of_map") in compared


def test_implicit_builders_are_told():
    buffer = MemRefType(f32, [4])
    block = Block(arg_types=[buffer])
    with ImplicitBuilder(block) as (array,):
        number = arith.ConstantOp.from_int_and_width(1, 64)
        load = tir.LoadOp(array, AffineMap.constant_map(0), [])
        store = tir.StoreOp(load.result, array, AffineMap.constant_map(1), [])
        loop = tir.ForOp("i", 4)
        integers = CmpiOp(number.result, number.result, "eq")
        floats = CmpfOp(load.result, load.result, "olt")
    assert list(block.ops) == [number, load, store, loop, integers, floats]
