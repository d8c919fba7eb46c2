"""Buffers that are accessed in unusual ways, copied and rearranged: equal results, or a refusal.

Views of buffers, vectors, branches on data, flags of arithmetic, shapes without elements, numbers
that do not fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from guarded_arrays import all_guarded
from random_programs import lowered, native_results, parse, results, site_of, text_of
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.support.diagnostics import ScheduleError, diagnostic_handler
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive
from kc.transforms.schedule.layout.transform_layout import PadValue


def step(primitive: str, block: str, *options: Any) -> Primitive:
    return pass_class(primitive)(BlockRef(block), *options)


def refused(module: ModuleOp, primitive: Primitive) -> str:
    """The code of the refusal, which changes nothing."""
    before = text_of(module)
    with pytest.raises(ScheduleError) as raised:
        primitive.apply(site_of(module))
    assert text_of(module) == before
    return raised.value.code


def assert_equal_results(text: str, primitive: Primitive, args: list[Any]) -> ModuleOp:
    """Check that ``primitive`` is accepted, and changes no result, interpreted or native."""
    module = parse(text)
    expected = results(module, args)
    with diagnostic_handler(lambda _: None):
        primitive.apply(site_of(module))
    module.verify()
    for outputs in (results(module, args), native_results(module.clone(), args)):
        for here, there in zip(expected, outputs, strict=True):
            np.testing.assert_array_equal(here, there)
    return module


VIEW = """
func.func @f(%A: memref<8x8xi32>, %B: memref<8x8xi32>) {
  tir.for %i in 8 {
    tir.block "P" (spatial %v in 8 = %i) do {
      %V = tir.view %A[%v, 0] : memref<8x8xi32> to memref<8xi32, strided<[1], offset: ?>>
      tir.for %j in 8 {
        tir.block "Q" (spatial %w in 8 = %j) do {
          %x = tir.load %V[%w] : memref<8xi32, strided<[1], offset: ?>>
          tir.store %x, %A[%v, 7 - %w] : memref<8x8xi32>
        }
      }
    }
  }
  func.return
}
"""
"""One name reads the memory that the other writes."""


@pytest.mark.parametrize(
    "primitive",
    [
        step("cache-read", "Q", BufferRef("V")),
        step("reindex", "Q", BufferRef("V")),
        step("reindex-cache-read", "Q", BufferRef("V"), "global", IndexMap.of("(w)->(w)")),
        step("transform-layout", "Q", BufferRef("V"), IndexMap.of("(w)->(7 - w)")),
        step("set-axis-separator", "Q", BufferRef("V"), ()),
    ],
    ids=lambda primitive: primitive.name,
)
def test_view(primitive: Primitive) -> None:
    assert refused(parse(VIEW), primitive) == "KC3303"


def test_a_part_reads_what_would_be_copied_back_later() -> None:
    assert refused(parse(VIEW), step("cache-write", "Q", BufferRef("A"))) == "KC3307"


@pytest.mark.parametrize(
    "primitive",
    [
        step("cache-write", "P", BufferRef("B")),
        step("cache-inplace", "Q", BufferRef("B")),
        step("cache-write", "Q", BufferRef("B")),
        pass_class("read-at")(LoopRef("k"), BlockRef("R"), BufferRef("B")),
        pass_class("write-at")(LoopRef("k"), BlockRef("R"), BufferRef("C")),
        step("reindex-cache-read", "R", BufferRef("B"), "global", IndexMap.of("(w)->(7 - w)")),
    ],
    ids=str,
)
def test_what_uses_parts_stays_with_the_buffer(primitive: Primitive) -> None:
    args = [np.arange(8, dtype="i4"), np.zeros(8, "i4")]
    assert_equal_results(PARTS, primitive, args)


PARTS = """
func.func @f(%A: memref<8xi32>, %C: memref<8xi32>) {
  %B = tir.alloc "B" : memref<8xi32>
  tir.for %i in 8 {
    tir.block "P" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xi32>
      tir.store %x, %B[%v] : memref<8xi32>
    }
  }
  tir.for %j in 2 {
    %V = tir.view %B[%j * 4] : memref<8xi32> to memref<4xi32, strided<[1], offset: ?>>
    %y = tir.load %V[3] : memref<4xi32, strided<[1], offset: ?>>
    tir.store %y, %V[0] : memref<4xi32, strided<[1], offset: ?>>
  }
  tir.for %i in 8 {
    tir.block "Q" (spatial %v in 8 = %i) do {
      %x = tir.load %B[%v] : memref<8xi32>
      %z = arith.addi %x, %x : i32
      tir.store %z, %B[%v] : memref<8xi32>
    }
  }
  tir.for %k in 8 {
    tir.block "R" (spatial %v in 8 = %k) do {
      %x = tir.load %B[%v] : memref<8xi32>
      tir.store %x, %C[%v] : memref<8xi32>
    }
  }
  func.return
}
"""


def test_view_of_what_is_written_is_no_input() -> None:
    module = parse(VIEW.replace("%A[%v, 7 - %w] : memref<8x8xi32>", "%A[%v, %w] : memref<8x8xi32>"))
    assert refused(module, step("pad-einsum", "Q", (16,))) == "KC3200"


@pytest.mark.parametrize("name", ["storage-align", "unsafe-set-dtype"])
def test_view_that_is_written(name: str) -> None:
    type_ = "memref<8xi32, strided<[1], offset: ?>>"
    text = VIEW.replace("%A[%v, 7 - %w] : memref<8x8xi32>", f"%V[7 - %w] : {type_}")
    options = {"storage-align": (0, 4), "unsafe-set-dtype": ("int64",)}[name]
    assert refused(parse(text), step(name, "Q", BufferRef("V"), *options)) == "KC3303"


def test_index_that_is_gathered_from_a_view() -> None:
    text = """
func.func @f(%I: memref<8xindex>, %A: memref<8xi32>, %B: memref<8xi32>) {
  %V = tir.view %I[0] : memref<8xindex> to memref<8xindex, strided<[1], offset: 0>>
  tir.for %i in 8 {
    tir.block "Q" (spatial %v in 8 = %i) do {
      %n = tir.load %V[%v] : memref<8xindex, strided<[1], offset: 0>>
      %x = tir.load %A[%n] : memref<8xi32>
      tir.store %x, %B[%v] : memref<8xi32>
      %c = arith.constant 7 : index
      tir.store %c, %I[7 - %v] : memref<8xindex>
    }
  }
  func.return
}
"""
    assert refused(parse(text), step("cache-index", "Q")) == "KC3303"


VECTORS = """
func.func @f(%X: memref<16xi32>, %A: memref<16xi32>, %B: memref<4xi32>, %C: memref<4xi32>) {
  tir.for %i in 4 {
    tir.block "W" (spatial %v in 4 = %i) do {
      %x = tir.load %X[%v * 4] : memref<16xi32>, vector<4xi32>
      tir.store %x, %A[%v * 4] : memref<16xi32>, vector<4xi32>
    }
    tir.block "R" (spatial %v in 4 = %i) do {
      %x = tir.load %A[%v * 4 + 3] : memref<16xi32>
      tir.store %x, %B[%v] : memref<4xi32>
    }
  }
  tir.for %i in 4 {
    tir.block "L" (spatial %v in 4 = %i) do {
      %x = tir.load %A[%v * 4 + 3] : memref<16xi32>
      tir.store %x, %C[%v] : memref<4xi32>
    }
  }
  func.return
}
"""


def vectors() -> list[Any]:
    return [
        np.arange(16, dtype=np.int32),
        np.full(16, -1, np.int32),
        np.zeros(4, np.int32),
        np.zeros(4, np.int32),
    ]


def test_all_lanes_of_a_vector_are_written() -> None:
    """A copy in front of both loops would miss what the other lanes write."""
    assert refused(parse(VECTORS), step("cache-read", "R", BufferRef("A"))) == "KC3305"
    for consumers in ((BlockRef("R"),), (BlockRef("L"),)):
        module = assert_equal_results(
            VECTORS, step("cache-read", "R", BufferRef("A"), "global", consumers), vectors()
        )
        assert "A_global" in text_of(module)


def test_all_lanes_of_a_vector_are_covered() -> None:
    """A copy needs only the elements that vectors write."""
    module = assert_equal_results(VECTORS, step("cache-write", "W", BufferRef("A")), vectors())
    assert "in 16 = %i * 4 + %ax0" in text_of(module)
    gaps = VECTORS.replace("vector<4xi32>", "vector<2xi32>").replace("%v * 4]", "%v * 3]")
    module = assert_equal_results(gaps, step("cache-write", "W", BufferRef("A")), vectors())
    assert "in 16 = %i * 3 + %ax0" in text_of(module)


def test_all_lanes_of_a_vector_are_read() -> None:
    text = """
func.func @f(%A: memref<16xi32>, %B: memref<8xi32>) {
  tir.for %i in 3 {
    tir.block "R" (spatial %v in 3 = %i) do {
      %x = tir.load %A[%v * 4] : memref<16xi32>, vector<8xi32>
      tir.store %x, %B[0] : memref<8xi32>, vector<8xi32>
      %z = tir.load %A[%v * 4 + 7] : memref<16xi32>
      tir.store %z, %A[%v * 4 + 6] : memref<16xi32>
    }
  }
  func.return
}
"""
    args: list[Any] = [np.arange(16, dtype=np.int32), np.zeros(8, np.int32)]
    assert refused(parse(text), step("reindex", "R", BufferRef("A"))) == "KC3504"
    module = assert_equal_results(text, step("cache-inplace", "R", BufferRef("A")), args)
    assert "A_global_back" in text_of(module)
    assert refused(parse(text), step("cache-read", "R", BufferRef("A"))) == "KC3305"


PAD = """
func.func @f(%A: memref<8xi32>, %F: memref<12xi1>, %P: memref<12xi32>) {{
  tir.for %i in 12 {{
    {before}
    tir.block "P" (spatial %v in 12 = %i) do {{
      %c8 = arith.constant 8 : index
      %z = arith.constant 7 : i32
      %in = arith.cmpi slt, %v, %c8 : index
      %r:2 = scf.if %in -> (i32, i32) {{
        %x = tir.load %A[%v] : memref<8xi32>
        %y = arith.addi %x, %x : i32
        scf.yield %y, %x : i32, i32
      }} else {{
        scf.yield %z, %z : i32, i32
      }}
      tir.store %r#1, %P[%v] : memref<12xi32>
    }}
    {behind}
  }}
  func.return
}}
"""


def pads() -> list[Any]:
    return [np.arange(1, 9, dtype=np.int32), np.ones(12, bool), np.full(12, -1, np.int32)]


def test_padding_chosen_with_another_value() -> None:
    decompose = step("decompose-padding", "P", LoopRef("i"))
    module = assert_equal_results(PAD.format(before="", behind=""), decompose, pads())
    assert "scf.if" not in text_of(module)


def test_padding_of_what_a_view_reads() -> None:
    before = """%V = tir.view %P[11 - %i] : memref<12xi32> to memref<1xi32, strided<[1], offset: ?>>
    tir.block "U" (spatial %v in 12 = %i) do {
      %x = tir.load %V[0] : memref<1xi32, strided<[1], offset: ?>>
      %y = arith.addi %x, %x : i32
      tir.store %y, %V[0] : memref<1xi32, strided<[1], offset: ?>>
    }"""
    module = parse(PAD.format(before=before, behind=""))
    assert refused(module, step("decompose-padding", "P", LoopRef("i"))) == "KC3303"


def extents_of_zero(count: int, m: int) -> list[Any]:
    return [np.arange(count, dtype=np.int32), np.zeros(m, np.int32), np.full(count, -7, np.int32)]


SIZES = """
te.func @f(%A: tensor<?xi32> {kc.shape = affine_map<()[n, m] -> (n)>},
           %D: tensor<?xi32> {kc.shape = affine_map<()[n, m] -> (m)>}) -> (tensor<?xi32>)
    attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %T = te.compute "T" [%i = %n, %j = %m] {
    %a = te.read %A[%i] : tensor<?xi32>
    te.yield %a : i32
  } : tensor<?x?xi32>
  %C = te.compute "C" [%i = %n] reduce sum [%k = %m] {
    %t = te.read %T[%i, %k] : tensor<?x?xi32>
    te.yield %t : i32
  } : tensor<?xi32>
  te.return %C : tensor<?xi32>
}
"""


@pytest.mark.parametrize(
    "primitive",
    [
        step("transform-layout", "T", BufferRef("T"), IndexMap.of("(i, j)->(i * 2, j)")),
        step("transform-layout", "T", BufferRef("T"), IndexMap.of("(i, j)->(i + j, j)")),
        step("transform-layout", "T", BufferRef("T"), IndexMap.of("(i, j)->(i * 3 + j * 2, j)")),
        step("reindex-cache-read", "C", BufferRef("T"), "global", IndexMap.of("(i,k)->(2*i,i+k)")),
        step("reindex-cache-write", "T", BufferRef("T"), "global", IndexMap.of("(i,j)->(i*2+j,j)")),
    ],
    ids=lambda primitive: f"{primitive.name} {primitive.index_map}",  # pyright: ignore[reportAttributeAccessIssue]
)
def test_sparse_layout_without_elements(primitive: Primitive) -> None:
    """``2 * n - 1`` is no size where n is 0."""
    module = parse(text_of(lowered(SIZES)))
    arguments = [extents_of_zero(n, m) for n, m in ((0, 0), (0, 3), (3, 0), (1, 1), (4, 3))]
    expected = [results(module, args) for args in arguments]
    with diagnostic_handler(lambda _: None):
        primitive.apply(site_of(module))
    module.verify()
    built = kc.build(module.clone())["f"]
    for args, before in zip(arguments, expected, strict=True):
        guarded = all_guarded(args, "end")
        built(*guarded)
        for expected, interpreted, native in zip(
            before, results(module, args), guarded, strict=True
        ):
            np.testing.assert_array_equal(expected, interpreted)
            np.testing.assert_array_equal(expected, native)


@pytest.mark.parametrize(
    ("element", "value"), [("f16", 1e6), ("f32", 1e300), ("f32", 10**400), ("f64", 10**400)]
)
def test_pad_value_that_is_too_large(element: str, value: float) -> None:
    text = f"""
te.func @f(%A: tensor<14x{element}>) -> tensor<14x{element}> {{
  %C = te.compute "C" [%i = 14] {{
    %x = te.read %A[%i] : tensor<14x{element}>
    te.yield %x : {element}
  }} : tensor<14x{element}>
  te.return %C : tensor<14x{element}>
}}
"""
    rows = IndexMap.of("(i)->(i // 4, i % 4)")
    layout = step("transform-layout", "C", BufferRef("C"), rows, PadValue(value))
    assert refused(lowered(text), layout) == "KC3506"


def test_index_map_with_numbers_that_are_no_indices() -> None:
    for value in (f"(i)->(i + {2**63})", lambda i: [i * 10**30]):
        with pytest.raises(ScheduleError) as raised:
            IndexMap.of(value)
        assert raised.value.code == "KC3500"
    assert IndexMap.of(f"(i)->(i mod {2**63 - 1})").results


MATMUL = """
te.func @f(%A: tensor<5x7xi32>, %B: tensor<7x3xi32>) -> tensor<5x3xi32> {
  %C = te.compute "C" [%i = 5, %j = 3] reduce sum [%k = 7] {
    %a = te.read %A[%i, %k] : tensor<5x7xi32>
    %b = te.read %B[%k, %j] : tensor<7x3xi32>
    %c = arith.muli %a, %b : i32
    te.yield %c : i32
  } : tensor<5x3xi32>
  %D = te.compute "D" [%i = 5, %j = 3] {
    %c = te.read %C[%i, %j] : tensor<5x3xi32>
    te.yield %c : i32
  } : tensor<5x3xi32>
  te.return %D : tensor<5x3xi32>
}
"""


@pytest.mark.parametrize("numbers", [(10**30, 1, 1), (2**30, 2**30, 1)])
def test_pad_einsum_to_more_than_a_buffer_has(numbers: tuple[int, ...]) -> None:
    assert refused(lowered(MATMUL), step("pad-einsum", "C", numbers)) == "KC3606"


def test_storage_align_by_more_than_a_buffer_has() -> None:
    for factor in (2**49, 10**30):
        alignment = step("storage-align", "C", BufferRef("C"), 0, factor)
        assert refused(lowered(MATMUL), alignment) == "KC3322"


def test_align_storage_to_more_than_a_buffer_has() -> None:
    """Each row is as large as a buffer may be, and there are several."""
    module = lowered(MATMUL)
    step("storage-align", "C", BufferRef("C"), 0, 2**48).apply(site_of(module))
    seen: list[str] = []
    with diagnostic_handler(lambda warning: seen.append(warning.code)):
        pass_class("align-storage")().apply(None, module)
    assert seen == ["KC4209"]
    assert '"C" : memref<5x3xi32>' in text_of(module)


SUM = """
func.func @f(%A: memref<2x3xi8>, %bias: memref<2xi8>, %D: memref<2xi8>) {{
  %C = tir.alloc "C" : memref<2xi8>
  tir.for %i in 2 {{
    tir.for %k in 3 {{
      tir.block "C" (spatial %v in 2 = %i, reduce %r in 3 = %k) init {{
        %z = arith.constant 100 : i8
        tir.store %z, %C[%v] : memref<2xi8>
      }} do {{
        %a = tir.load %A[%v, %r] : memref<2x3xi8>
        %c = tir.load %C[%v] : memref<2xi8>
        %s = arith.addi %c, %a {step}: i8
        tir.store %s, %C[%v] : memref<2xi8>
      }}
    }}
  }}
  tir.for %i in 2 {{
    tir.block "D" (spatial %v in 2 = %i) do {{
      %x = tir.load %C[%v] : memref<2xi8>
      %b = tir.load %bias[%v] : memref<2xi8>
      %y = arith.addi %x, %b {epilogue}: i8
      tir.store %y, %D[%v] : memref<2xi8>
    }}
  }}
  func.return
}}
"""


def test_sum_that_does_not_overflow_in_this_order() -> None:
    """100 - 60 + 60 does not, 100 + 60 does."""
    args: list[Any] = [np.full((2, 3), -20, np.int8), np.full(2, 60, np.int8), np.zeros(2, np.int8)]
    fuse = step("fuse-reduction-epilogue", "C", BlockRef("D"))
    flag = "overflow<nsw> "
    assert refused(parse(SUM.format(step=flag, epilogue="")), fuse) == "KC3200"
    kept = assert_equal_results(SUM.format(step="", epilogue=flag), fuse, args)
    assert "nsw" not in text_of(kept)


@pytest.mark.parametrize(
    "term",
    [
        "%n = arith.index_cast %k : index to i32\n %s = arith.shli %a, %n : i32",
        "%n = arith.index_cast %k : index to i32\n %s = arith.subi %a, %n overflow<nsw> : i32",
        "%f = arith.sitofp %a : i32 to f32\n %g = math.exp %f : f32\n"
        " %s = arith.fptosi %g : f32 to i32",
    ],
    ids=["shift", "nsw", "fptosi"],
)
def test_padding_with_an_undefined_term(term: str) -> None:
    """A term that is not there may be poison, and then 0 times it is."""
    text = MATMUL.replace("arith.muli %a, %b", "arith.muli %s, %b")
    read = "%b = te.read %B[%k, %j] : tensor<7x3xi32>"
    module = lowered(text.replace(read, f"{read}\n {term}"))
    assert refused(module, step("pad-einsum", "C", (1, 1, 64))) == "KC3610"
    shift = "%n = arith.constant 3 : i32\n %s = arith.shli %a, %n : i32"
    text = text_of(lowered(text.replace(read, f"{read}\n {shift}")))
    args = [np.arange(35, dtype=np.int32).reshape(5, 7), np.ones((7, 3), np.int32)]
    assert_equal_results(text, step("pad-einsum", "C", (4, 4, 64)), [*args, args[0][:, :3].copy()])
