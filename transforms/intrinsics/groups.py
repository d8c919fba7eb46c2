"""Intrinsics that pack parts of a matrix into groups of 32 bits, as tile registers read them.

The elements that are multiplied by one word of the other operand are adjacent. For a matrix that is
stored by columns, ``pack_columns_16x32_bf16`` transposes 16 x 16 words; each step is a shuffle of
two registers. (For a matrix that is stored by rows, ``transpose_bf16_2x16`` interleaves the rows of
a group.)

The text of an intrinsic is an attribute of this module with the name of the intrinsic.
"""

from __future__ import annotations

from collections.abc import Iterator

from kc.transforms.intrinsics.tile_names import ROW_BYTES, ROWS, group_of, packing_intrins
from kc.transforms.intrinsics.transposes import LANE_BITS, Shuffles, transposed


def __getattr__(name: str) -> str:
    element = packing_intrins().get(name)
    if element is None:
        raise AttributeError(f"module {__name__!r} has no tensor intrinsic {name!r}")
    return "\n".join(_columns(name, element))


def _columns(name: str, element: str) -> Iterator[str]:
    group = group_of(element)
    depth = ROWS * group
    source, target = f"memref<{ROWS}x{depth}x{element}", f"memref<{ROWS}x{ROWS}x{group}x{element}"
    part = f"{source}, strided<[?, 1], offset: ?>>"
    dense = f"{target}, strided<[{depth}, {group}, 1], offset: ?>>"
    at = f"%v_k floordiv {group}, %v_j, %v_k mod {group}"
    row, words = f"vector<{depth}x{element}>", f"vector<{ROWS}xi32>"
    code = Shuffles("i32", ROWS)
    columns = transposed([f"%w{n}" for n in range(ROWS)], LANE_BITS // 32, code)
    yield f"""\
// C[k / {group}, j, k % {group}] = A[j, k]
module @{name} {{
  func.func @description(%A: {source}>, %C: {target}>) {{
    tir.for %j in {ROWS} {{
      tir.for %k in {depth} {{
        tir.block "C" (spatial %v_j in {ROWS} = %j, spatial %v_k in {depth} = %k) do {{
          %a = tir.load %A[%v_j, %v_k] : {source}>
          tir.store %a, %C[{at}] : {target}>
        }}
      }}
    }}
    func.return
  }}
  func.func @implementation(%A: {part}, %C: {dense}) {{"""
    for n in range(ROWS):
        yield f"    %r{n} = tir.load %A[{n}, 0] : {part}, {row}"
        yield f"    %w{n} = vector.bitcast %r{n} : {row} to {words}"
    yield from (f"    {line}" for line in code.lines)
    yield from _stores("C", dense, columns, words)
    yield "    func.return\n  }\n}\n"


def _stores(buffer: str, type_: str, rows: list[str], vector: str) -> Iterator[str]:
    """Stores of whole registers to a dense buffer; a register holds elements of several
    dimensions.
    """
    yield (
        f'    %first = "memref.extract_aligned_pointer_as_index"(%{buffer}) '
        f"{{kc.first_element}} : ({type_}) -> index"
    )
    yield "    %address = arith.index_cast %first : index to i64"
    for n, row in enumerate(rows):
        yield f"    %bytes{n} = arith.constant {n * ROW_BYTES} : i64"
        yield f"    %place{n} = arith.addi %address, %bytes{n} : i64"
        yield f"    %pointer{n} = llvm.inttoptr %place{n} : i64 to !llvm.ptr"
        yield f"    llvm.store {row}, %pointer{n} {{alignment = 1 : i64}} : {vector}, !llvm.ptr"
