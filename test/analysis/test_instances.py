"""Instances of operations: what precedes what, and what is known of the values around them."""

from __future__ import annotations

import pytest
from interpreter_support import parse
from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space

LOOP = """
func.func @f(%A: memref<8xf32>) {{
  tir.for %i in 8 {kind} {{
    tir.block "B" (spatial %v in 8 = %i) do {{
      %x = tir.load %A[%v] : memref<8xf32>
      tir.store %x, %A[%v] : memref<8xf32>
    }}
  }}
  func.return
}}"""


@pytest.mark.parametrize(
    ("kind", "before", "may_precede"),
    [
        ("", True, True),
        ("parallel", False, True),
        ('thread "blockIdx.x"', False, True),
        # In lockstep: all threads execute it together, one after the other for all we know.
        ('thread "threadIdx.x"', False, True),
    ],
)
def test_two_iterations_of_one_block(kind: str, before: bool, may_precede: bool):
    (block,) = loop_tree.blocks(parse(LOOP.format(kind=kind)))
    space = Space()
    first, second = space.instance(block), space.instance(block)
    assert (space.find([first, second], [space.before(first, second)]) is not None) is before
    precedes = space.may_precede(first, second)
    assert (space.find([first, second], [precedes]) is not None) is may_precede


def test_the_size_of_an_array_is_not_negative_but_another_value_may_be():
    module = parse("""
    func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[s] -> (s)>}, %m: index)
        attributes {kc.symbols = ["s", "t"]} {
      %s = tir.symbol "s"
      %t = tir.symbol "t"
      %zero = arith.constant 0 : index
      %n = memref.dim %A, %zero : memref<?xf32>
      tir.for %i in 8 {
        %x = tir.load %A[%i] : memref<?xf32>
      }
      func.return
    }""")
    (load,) = (op for op in module.walk() if op.name == "tir.load")
    values: dict[str | None, SSAValue] = {
        op.results[0].name_hint: op.results[0] for op in module.walk() if op.results
    }
    values["m"] = loop_tree.functions(module)[0].body.block.args[1]
    for name, negative in (("n", False), ("s", False), ("t", True), ("m", True)):
        space = Space()
        instance = space.instance(load)
        witness = space.find([instance], [space.value(values[name], instance) < 0])
        assert (witness is not None) is negative, name


@pytest.mark.parametrize("size", ["0", "%n"])
def test_the_init_of_an_empty_reduction_needs_no_first_iteration(size: str):
    """The value to which an empty loop would bind a variable of the reduction does not count."""
    module = parse(f"""
    func.func @f(%C: memref<1xi32>) attributes {{kc.symbols = ["n"]}} {{
      %n = tir.symbol "n"
      tir.for %j in {size} {{
        tir.block "C" (reduce %vj in {size} = %j, reduce %vk in 2 = (%j + 1) mod 2) init {{
          %b = arith.constant 1 : i32
          tir.store %b, %C[0] : memref<1xi32>
        }} do {{
        }}
      }}
      func.return
    }}""")
    (block,) = loop_tree.blocks(module)
    (loop,) = loop_tree.loops(module)
    first = block.init.block.first_op
    assert first is not None
    space = Space()
    init = space.instance(first)
    empty = [] if size == "0" else [space.size(loop.extent_value, init) <= 0]
    assert space.find([init], empty) is not None
