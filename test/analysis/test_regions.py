"""Access regions: producers and consumers, boxes, and what is covered when."""

from __future__ import annotations

import pytest
from interpreter_support import parse
from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space, Supply, is_before
from kc.analysis.accesses.regions import (
    BoundIndexValues,
    box,
    buffers_read,
    buffers_written,
    consumers,
    loads_of,
    producers,
    readers,
    stores_to,
    writers,
)
from kc.analysis.loop_tree import buffer_name
from kc.analysis.trust import Undecided
from kc.dialects.affine_assembly import affine_text
from kc.dialects.tir import BlockOp, ForOp, LoadOp, StoreOp

PROGRAM = """
func.func @f(%A: memref<16x8xf32>, %C: memref<16x8xf32>) {
  %B = tir.alloc "B" : memref<64x8xf32>
  tir.for %i_o in 4 {
    tir.for %i_i in 4 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i_o * 4 + %i_i, spatial %v_j in 8 = %j) do {
          %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
          tir.store %a, %B[%v_i * 3 + 2, 7 - %v_j] : memref<64x8xf32>
        }
      }
    }
  }
  tir.for %x in 16 {
    tir.for %y in 8 {
      tir.block "C" (spatial %v_x in 16 = %x, spatial %v_y in 8 = %y) do {
        %b = tir.load %B[%v_x * 3 + 2, %v_y] : memref<64x8xf32>
        %d = tir.load %B[%v_x * 3 + 2, (%v_y + 1) mod 8] : memref<64x8xf32>
        %e = arith.addf %b, %d : f32
        tir.store %e, %C[%v_x, %v_y] : memref<16x8xf32>
      }
    }
  }
  %z = tir.load %C[0, 0] : memref<16x8xf32>
  func.return
}"""


class Program:
    """A parsed program, with its parts by name."""

    def __init__(self, text: str) -> None:
        self.function = loop_tree.functions(parse(text))[0]

    def block(self, name: str) -> BlockOp:
        return next(block for block in loop_tree.blocks(self.function) if block.label == name)

    def loop(self, name: str) -> ForOp:
        return next(loop for loop in loop_tree.loops(self.function) if loop.label == name)

    def buffer(self, name: str) -> SSAValue:
        accesses = [op for op in self.function.walk() if isinstance(op, LoadOp | StoreOp)]
        return next(op.buffer for op in accesses if buffer_name(op.buffer) == name)

    def boxes(self, accesses: list[LoadOp] | list[StoreOp], loop: str | None) -> list[str]:
        """The box in one iteration of a loop (or in the function), as ``base:size``."""
        index = BoundIndexValues()
        body = self.function.body.block if loop is None else self.loop(loop).body.block
        intervals = box(accesses, body, index)
        assert intervals is not None

        def name(dim: int) -> str:
            root = index.roots[dim]
            return "?" if root is None else root.name_hint or "?"

        return [f"{affine_text(interval.base, name)}:{interval.size}" for interval in intervals]


def test_readers_and_writers():
    program = Program(PROGRAM)
    b, c = program.block("B"), program.block("C")
    load = next(op for op in program.function.body.block.ops if isinstance(op, LoadOp))
    assert readers(program.buffer("B"), program.function) == [c]
    assert writers(program.buffer("B"), program.function) == [b]
    assert readers(program.buffer("C"), program.function) == [load]
    assert writers(program.buffer("A"), program.function) == []
    assert (producers(c), consumers(b)) == ([b], [c])
    assert (producers(b), consumers(c)) == ([], [])
    assert [buffer_name(buffer) for buffer in buffers_read(c)] == ["B"]
    assert [buffer_name(buffer) for buffer in buffers_written(c)] == ["C"]


@pytest.mark.parametrize(
    ("loop", "stored", "loaded"),
    [
        (None, ["2:46", "0:8"], ["2:46", "0:8"]),
        ("i_o", ["i_o * 12 + 2:10", "0:8"], None),
        ("i_i", ["i_o * 12 + i_i * 3 + 2:1", "0:8"], None),
        ("j", ["i_o * 12 + i_i * 3 + 2:1", "j * -1 + 7:1"], None),
        ("x", None, ["x * 3 + 2:1", "0:8"]),
        # The second index is y or (y + 1) mod 8: no common base, so it is the whole dimension.
        ("y", None, ["x * 3 + 2:1", "0:None"]),
    ],
)
def test_boxes(loop: str | None, stored: list[str] | None, loaded: list[str] | None):
    program = Program(PROGRAM)
    buffer = program.buffer("B")
    if stored is not None:
        assert program.boxes(stores_to(buffer), loop) == stored
    if loaded is not None:
        assert program.boxes(loads_of(buffer), loop) == loaded


def test_a_vector_is_as_wide_as_its_lanes():
    program = Program("""
    func.func @f(%A: memref<8x16xf32>) {
      tir.for %i in 8 {
        tir.for %j in 4 {
          %x = tir.load %A[%i, %j * 4] : memref<8x16xf32>, vector<4xf32>
          tir.store %x, %A[7 - %i, %j * 4] : memref<8x16xf32>, vector<4xf32>
        }
      }
      func.return
    }""")
    buffer = program.buffer("A")
    assert program.boxes(loads_of(buffer), None) == ["0:8", "0:16"]
    assert program.boxes(stores_to(buffer), "i") == ["i * -1 + 7:1", "0:16"]
    assert program.boxes(loads_of(buffer), "j") == ["i:1", "j * 4:4"]


def test_a_symbolic_loop_takes_the_whole_dimension():
    program = Program("""
    func.func @f(%A: memref<?x?xf32>) attributes {kc.symbols = ["n"]} {
      %n = tir.symbol "n"
      tir.for %i in %n {
        tir.for %j in %n {
          %a = tir.load %A[%i + 1, %j] : memref<?x?xf32>
        }
      }
      func.return
    }""")
    loads = loads_of(program.buffer("A"))
    assert program.boxes(loads, "i") == ["i + 1:1", "0:None"]
    assert program.boxes(loads, None) == ["0:None", "0:None"]


STENCIL = """
func.func @f(%A: memref<9xf32>, %C: memref<8xf32>) {{
  %B = tir.alloc "B" : memref<9xf32>
  tir.for %i in 8 {kind} {{
    tir.for %t in 2 {{
      %a = tir.load %A[%i + %t] : memref<9xf32>
      tir.store %a, %B[%i + {written}] : memref<9xf32>
    }}
    %b = tir.load %B[%i + {read}] : memref<9xf32>
    tir.store %b, %C[%i] : memref<8xf32>
  }}
  func.return
}}"""


def uncovered(written: str, read: str, *, same_iteration: bool, kind: str = "") -> dict | None:
    """An element that the stencil reads before writing it; None if there is none."""
    program = Program(STENCIL.format(written=written, read=read, kind=kind))
    buffer = program.buffer("B")
    (load,), (store,) = loads_of(buffer), stores_to(buffer)
    space = Space()
    reading = space.instance(load)
    shared = reading.loops if same_iteration else {}
    writing = space.instance(store, shared)
    supply = Supply(writing, space.element(store, writing), [space.before(writing, reading)])
    element = space.element(load, reading)
    witness = space.uncovered(reading, element, [supply], space.in_bounds(load, element, reading))
    if witness is None:
        return None
    assert witness.undecided is None
    return {"i": witness[reading.loops[program.loop("i")]], "element": witness.element[0]}


def test_cover():
    assert uncovered("%t", "1", same_iteration=True) is None
    assert uncovered("%t", "0", same_iteration=True) is None
    # One element is written, the other one read.
    assert uncovered("0", "1", same_iteration=True) == {"i": 0, "element": 1}
    # What an earlier iteration wrote: not for the first one, and not in any order.
    assert uncovered("1", "0", same_iteration=True) == {"i": 0, "element": 0}
    assert uncovered("1", "0", same_iteration=False) == {"i": 0, "element": 0}
    assert uncovered("1 - %t * 2", "0", same_iteration=False) == {"i": 0, "element": 0}
    assert uncovered("%t", "0", same_iteration=False) is None
    assert uncovered("%t", "0", same_iteration=False, kind="parallel") is None
    assert uncovered("1", "0", same_iteration=False, kind="parallel") is not None


def test_order():
    program = Program(PROGRAM)
    b, c = program.block("B"), program.block("C")
    assert is_before(b, c)
    assert not is_before(c, b)
    assert not is_before(b, b)
    inner = next(op for op in b.walk() if isinstance(op, StoreOp))
    assert not is_before(b, inner)
    assert not is_before(inner, b)
    init = Program("""
    func.func @f(%S: memref<1xf32>) {
      tir.for %k in 4 {
        tir.block "S" (reduce %v_k in 4 = %k) init {
          %z = arith.constant 0.0 : f32
          tir.store %z, %S[0] : memref<1xf32>
        } do {
          %s = tir.load %S[0] : memref<1xf32>
          tir.store %s, %S[0] : memref<1xf32>
        }
      }
      func.return
    }""")
    first, second = (op for op in init.function.walk() if isinstance(op, StoreOp))
    assert is_before(first, second)


@pytest.mark.parametrize(("kind", "may", "must"), [("", True, True), ("parallel", True, False)])
def test_order_of_iterations(kind: str, may: bool, must: bool):
    """Iteration 1 may, or must, come before iteration 2; in parallel either may be first."""
    program = Program(STENCIL.format(written="%t", read="0", kind=kind))
    (load,), (store,) = loads_of(program.buffer("B")), stores_to(program.buffer("B"))
    space = Space()
    write, read = space.instance(store), space.instance(load)
    loop = program.loop("i")
    fixed = [write.loops[loop].equals(1), read.loops[loop].equals(2)]
    assert (space.find([write, read], [*fixed, space.may_precede(write, read)]) is not None) is may
    assert (space.find([write, read], [*fixed, space.before(write, read)]) is not None) is must
    turned = space.find([write, read], [*fixed, space.may_precede(read, write)])
    assert (turned is not None) is (kind == "parallel")


def test_undecided():
    """An index that is not affine may be any: a cover by it is not believed."""
    program = Program("""
    func.func @f(%A: memref<8xindex>, %C: memref<8xf32>) {
      %B = tir.alloc "B" : memref<8xf32>
      tir.for %i in 8 {
        %p = tir.load %A[%i] : memref<8xindex>
        %z = arith.constant 0.0 : f32
        tir.store %z, %B[%p] : memref<8xf32>
      }
      tir.for %j in 8 {
        %b = tir.load %B[%j] : memref<8xf32>
        tir.store %b, %C[%j] : memref<8xf32>
      }
      func.return
    }""")
    (load,), (store,) = loads_of(program.buffer("B")), stores_to(program.buffer("B"))
    space = Space()
    read, write = space.instance(load), space.instance(store)
    witness = space.uncovered(
        read, space.element(load, read), [Supply(write, space.element(store, write))]
    )
    assert witness is not None
    assert witness.undecided == Undecided("p is not affine")
