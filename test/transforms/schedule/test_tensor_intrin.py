"""Declaring tensor intrinsics, what they ask of buffers, and calls of functions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from random_programs import parse, results, site_of, text_of
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import AllocOp, BlockOp
from kc.support.diagnostics import ParseError, ScheduleError
from kc.support.locations import location_of
from kc.support.registry import pass_class
from kc.tir import TensorIntrin
from kc.transforms.intrinsics import tensor_intrin
from kc.transforms.schedule.base import BlockRef, LoopRef


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """The intrinsics that a test registers are gone after it."""
    before = dict(tensor_intrin._REGISTERED)
    yield
    tensor_intrin._REGISTERED.clear()
    tensor_intrin._REGISTERED.update(before)


ROW = "memref<4xf32, strided<[1], offset: ?>>"
TILE = "memref<4x4xf32, strided<[?, 1], offset: ?>>"
ADD = """
func.func @description(%A: memref<4x4xf32>, %B: memref<4x4xf32>) {
  tir.for %i in 4 {
    tir.for %j in 4 {
      tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<4x4xf32>
        %b = tir.load %B[%v_i, %v_j] : memref<4x4xf32>
        %s = arith.addf %a, %b : f32
        tir.store %s, %B[%v_i, %v_j] : memref<4x4xf32>
      }
    }
  }
  func.return
}
"""


def implementation(type_: str) -> str:
    """Adds row by row, for buffers of ``type_``."""
    return f"""
func.func @implementation(%A: {type_}, %B: {type_}) {{
  tir.for %i in 4 {{
    %a = tir.load %A[%i, 0] : {type_}, vector<4xf32>
    %b = tir.load %B[%i, 0] : {type_}, vector<4xf32>
    %s = arith.addf %a, %b : vector<4xf32>
    tir.store %s, %B[%i, 0] : {type_}, vector<4xf32>
  }}
  func.return
}}
"""


def program(shape: str, at: str, *, alloc: bool = False) -> ModuleOp:
    """``B += A`` by tiles of 4 by 4."""
    alloc_line = f'  %B = tir.alloc "B" : memref<{shape}>\n' if alloc else ""
    b = "" if alloc else f", %B: memref<{shape}>"
    return parse(f"""
func.func @f(%A: memref<{shape}>{b}) {{
{alloc_line}  tir.for %i_o in 2 {{
    tir.for %j_o in 2 {{
      tir.for %i in 4 {{
        tir.for %j in 4 {{
          tir.block "B" (spatial %v_i in 8 = %i_o * 4 + %i, spatial %v_j in 8 = %j_o * 4 + %j) do {{
            %a = tir.load %A[{at}] : memref<{shape}>
            %b = tir.load %B[{at}] : memref<{shape}>
            %s = arith.addf %a, %b : f32
            tir.store %s, %B[{at}] : memref<{shape}>
          }}
        }}
      }}
    }}
  }}
  func.return
}}
""")


def tensorize(module: ModuleOp, name: str, loop: str = "i") -> None:
    pass_class("tensorize")(name, LoopRef(loop)).apply(site_of(module))
    module.verify()
    check_dominance(module)


def assert_adds(module: ModuleOp, *, native: bool = True) -> None:
    a = np.arange(64, dtype=np.float32).reshape(8, 8)
    b = np.full((8, 8), 0.5, np.float32)
    assert np.array_equal(results(module, [a, b])[1], a + b), text_of(module)
    if native:
        done = b.copy()
        kc.build(kc.IRModule(module), target="llvm")(a, done)
        assert np.array_equal(done, a + b)


def test_registered_from_python():
    intrinsic = TensorIntrin.register("add_4x4", ADD, implementation(TILE))
    assert TensorIntrin.get("add_4x4") is intrinsic
    module = program("8x8xf32", "%v_i, %v_j")
    tensorize(module, "add_4x4")
    assert "vector<4xf32>" in text_of(module)
    assert_adds(module)


def test_a_loop_of_an_implementation_stays_a_loop():
    TensorIntrin.register("add_4x4", ADD, implementation(TILE))
    module = program("8x8xf32", "%v_i, %v_j")
    tensorize(module, "add_4x4")
    (block,) = loop_tree.blocks(module)
    assert [loop.label for loop in loop_tree.loops(block)] == ["i"]


def test_blocks_and_buffers_of_an_implementation_get_names_of_their_own():
    staged = """
func.func @implementation(%A: ANY, %B: ANY) {
  %B_1 = tir.alloc "B_1" : memref<4x4xf32>
  tir.for %i in 4 {
    tir.for %j in 4 {
      tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : ANY
        tir.store %a, %B_1[%v_i, %v_j] : memref<4x4xf32>
      }
      tir.block "B_2" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
        %a = tir.load %B_1[%v_i, %v_j] : memref<4x4xf32>
        %b = tir.load %B[%v_i, %v_j] : ANY
        %s = arith.addf %a, %b : f32
        tir.store %s, %B[%v_i, %v_j] : ANY
      }
    }
  }
  func.return
}
""".replace("ANY", "memref<4x4xf32, strided<[?, ?], offset: ?>>")
    TensorIntrin.register("add_4x4", ADD, staged)
    module = program("8x8xf32", "%v_i, %v_j")
    tensorize(module, "add_4x4")
    named = [op for op in module.walk() if isinstance(op, BlockOp | AllocOp)]
    names = [op.label for op in named]
    assert len(set(names)) == len(names) == 4
    assert_adds(module)


@pytest.mark.parametrize(
    ("type_", "shape", "at", "why"),
    [
        (TILE, "8x8xf32", "%v_i, %v_j", None),
        (
            TILE,
            "8x8xf32",
            "%v_j, %v_i",
            "the stride of dimension 0 of A is 8 elements, not 1",
        ),
        # Only vectors are loaded: rows may be anywhere.
        ("memref<4x4xf32>", "8x8xf32", "%v_i, %v_j", None),
        ("memref<4x4xf32>", "8x2x4xf32", "%v_i, %v_j floordiv 4, %v_j mod 4", None),
        (
            "memref<4x4xf32>",
            "2x8x4xf32",
            "%v_j floordiv 4, %v_i, %v_j mod 4",
            None,
        ),
        ("memref<4x4xf32, strided<[8, 1], offset: ?>>", "8x8xf32", "%v_i, %v_j", None),
        (
            "memref<4x4xf32, strided<[8, 1], offset: ?>>",
            "8x9xf32",
            "%v_i, %v_j",
            "the stride of dimension 0 of A is 9 elements, not 8",
        ),
        (
            "memref<4x4xf32, strided<[?, 1], offset: ?>>",
            "8x8x1xf32",
            "%v_i, %v_j, 0",
            "vectors need the last dimension of A, which the tile does not have",
        ),
    ],
)
def test_layouts(type_: str, shape: str, at: str, why: str | None):
    TensorIntrin.register("add_4x4", ADD, implementation(type_))
    module = program(shape, at)
    before = text_of(module)
    if why is None:
        tensorize(module, "add_4x4")
        return
    with pytest.raises(ScheduleError) as caught:
        tensorize(module, "add_4x4")
    assert caught.value.code == "KC3564"
    assert why in (caught.value.why or "")
    assert text_of(module) == before


def test_the_distance_of_rows_that_storage_align_leaves_open():
    TensorIntrin.register("add_4x4", ADD, implementation("memref<4x4xf32, strided<[8, 1]>>"))
    module = program("8x8xf32", "%v_i, %v_j", alloc=True)
    align = pass_class("storage-align")
    from kc.transforms.schedule._buffers import BufferRef

    align(BlockRef("B"), BufferRef(0), 0, 16, 1).apply(site_of(module))
    with pytest.raises(ScheduleError) as caught:
        tensorize(module, "add_4x4")
    assert caught.value.why is not None
    assert caught.value.why.startswith("the stride of dimension 0 of B is unknown")


# Calls ------------------------------------------------------------------------------------------

CALLS = f"""
func.func @implementation(%A: {TILE}, %B: {TILE}) {{
  tir.call @add_tile(read %A, update %B) : ({TILE}, {TILE})
  func.return
}}
"""
EXTERNAL = f"""
func.func private @add_tile({TILE}, {TILE}) attributes {{kc.description = @add_tile_meaning}}
func.func private @add_tile_meaning(%A: {TILE}, %B: {TILE}) {{
  tir.for %i in 4 {{
    tir.for %j in 4 {{
      %a = tir.load %A[%i, %j] : {TILE}
      %b = tir.load %B[%i, %j] : {TILE}
      %s = arith.addf %a, %b : f32
      tir.store %s, %B[%i, %j] : {TILE}
    }}
  }}
  func.return
}}
"""
INTERNAL = EXTERNAL.split("\n", 2)[2].replace("add_tile_meaning", "add_tile")


def test_a_call_of_a_function_with_a_body():
    TensorIntrin.register("add_4x4", ADD, INTERNAL + CALLS)
    module = program("8x8xf32", "%v_i, %v_j")
    tensorize(module, "add_4x4")
    assert "tir.call @add_tile(read %A_1, update %B_1)" in text_of(module)
    assert_adds(module)


def test_a_call_of_an_external_function():
    TensorIntrin.register("add_4x4", ADD, EXTERNAL + CALLS)
    module = program("8x8xf32", "%v_i, %v_j")
    tensorize(module, "add_4x4")
    assert_adds(module, native=False)
    # The accesses of a call are those of its views: tiles are independent of each other.
    pass_class("parallel")(LoopRef("i_o")).apply(site_of(module))
    for name in ("lower-init-block", "compact-buffer-allocation", "lower-blocks"):
        pass_class(name)().apply(None, module)
    assert_adds(module, native=False)
    pass_class("convert-tir-to-scf")().apply(None, module)
    assert_adds(module, native=False)
    pass_class("convert-to-llvm")().apply(None, module)
    text = text_of(module)
    assert "llvm.func @add_tile(!llvm.ptr" in text
    call = next(line for line in text.splitlines() if "llvm.call @add_tile" in line)
    assert call.strip().endswith(": (!llvm.ptr, i64, !llvm.ptr, i64) -> ()")


def test_calls_of_one_tile_depend_on_each_other():
    TensorIntrin.register("add_4x4", ADD, EXTERNAL + CALLS)
    module = program("8x8xf32", "%v_i, %v_j")
    for op in loop_tree.loops(module)[:1]:
        pass_class("add-unit-loop")(LoopRef(op)).apply(site_of(module))
    tensorize(module, "add_4x4")
    text = text_of(module).replace("tir.for %u", "tir.for %r").replace("in 1 {", "in 3 {")
    again = parse(text)
    with pytest.raises(ScheduleError) as caught:
        pass_class("parallel")(LoopRef(loop_tree.loops(again)[0])).apply(site_of(again))
    assert caught.value.code == "KC3041"


# Declarations -----------------------------------------------------------------------------------


def refusal(*args: str, **more: str) -> tuple[str, str]:
    with pytest.raises(ScheduleError) as caught:
        TensorIntrin.register("broken", *args, **more)  # pyright: ignore
    assert caught.value.message == "'broken' is not a tensor intrinsic"
    assert "broken" not in tensor_intrin.names()
    return caught.value.code, caught.value.why or ""


def test_what_is_no_intrinsic():
    good = implementation(TILE)
    assert refusal(ADD, good.replace("%A: " + TILE, "%A: memref<3x4xf32>", 1).replace(
        f"%A[%i, 0] : {TILE}", "%A[%i, 0] : memref<3x4xf32>"))[0] == "KC3570"  # fmt: skip
    any_layout = "memref<4x4xf32, strided<[?, ?], offset: ?>>"
    why = refusal(ADD, implementation(any_layout))[1]
    assert why == f"tir.load has a vector of {any_layout}, whose elements may not be consecutive"
    why = refusal(ADD.replace("memref<4x4xf32>", "memref<?x4xf32>"), good)[1]
    assert why == "an argument is memref<?x4xf32>, not a buffer of constant shape"
    why = refusal(good, good)[1]
    assert why == "the description must be loops around one block, without other operations"
    why = refusal(ADD, good, init=good)[1]
    assert why == "it has an init but no update, and a reduction needs both"
    why = refusal(ADD, good, init=good, update=good)[1]
    assert why == "it has an init, but the block of its description has no init"
    why = refusal(ADD, ADD + good)[1]
    assert why == "a text must have one public function, not 2"
    guarded = ADD.replace("= %j) do", "= %j) where (%i + %j < 6) do")
    assert refusal(guarded, good)[1] == "block B has a predicate, or regions in its body"


def test_a_text_without_an_implementation():
    with pytest.raises(ScheduleError) as caught:
        TensorIntrin.parse("add", ADD)
    assert (caught.value.code, caught.value.why) == ("KC3570", "it has the functions description")


def test_names_are_taken_once():
    TensorIntrin.register("add_4x4", ADD, implementation(TILE))
    for name in ("add_4x4", "dot_f32_4"):
        with pytest.raises(ScheduleError) as caught:
            TensorIntrin.register(name, ADD, implementation(TILE))
        assert caught.value.code == "KC3571"
        assert caught.value.message == f"there is already a tensor intrinsic '{name}'"
    intrinsic = TensorIntrin.register("add_4x4", ADD, implementation(TILE), override=True)
    assert TensorIntrin.get("add_4x4") is intrinsic


def test_an_intrinsic_that_starts_anew():
    """A reduction that goes on outside needs an update."""
    dot = TensorIntrin.get("dot_f32_4")
    TensorIntrin.register("dot", dot.description, dot.implementation)
    module = parse("""
func.func @f(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<1xf32>) {
  tir.for %k_o in 2 {
    tir.for %k in 4 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 8 = %k_o * 4 + %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k] : memref<8xf32>
        %b = tir.load %B[%v_k] : memref<8xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%v_i] : memref<1xf32>
      }
    }
  }
  func.return
}
""")
    before = text_of(module)
    with pytest.raises(ScheduleError) as caught:
        tensorize(module, "dot", "k")
    assert caught.value.code == "KC3567"
    assert caught.value.message == "tensorize: dot restarts the reduction of C"
    assert text_of(module) == before
    tensorize(module, "dot_f32_4", "k")


def several(*names: str) -> str:
    """A text with an intrinsic of each name, as the files of kc have them."""
    body = (ADD + implementation(TILE)).replace("\n", "\n  ")
    return "\n".join(f"module @{name} {{{body}\n}}\n" for name in names)


def test_the_others_of_a_text_are_not_parsed_and_lines_stay():
    text = several("first", "second", "third")
    broken = text.replace("arith.addf %a, %b : f32", "arith.adff %a, %b : f32", 1)
    line = text[: text.index("func.func", text.index("module @third"))].count("\n") + 1
    third = TensorIntrin.parse("third", broken, "three.mlir")
    place = location_of(third.description)
    assert place is not None
    assert (place.file, place.line) == ("three.mlir", line)
    with pytest.raises(ParseError, match=r"arith\.adff"):
        TensorIntrin.parse("first", broken, "three.mlir")


def test_a_text_that_is_written_otherwise_is_parsed_whole():
    text = several("first", "second")
    for odd in (text.replace("\n}\n", "\n }\n"), text.replace("\n  ", "\n")):
        for name in ("first", "second"):
            assert TensorIntrin.parse(name, odd).name == name
