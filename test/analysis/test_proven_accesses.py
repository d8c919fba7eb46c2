"""Accesses that are proven to stay inside their buffers, beside those that leave them or may."""

from __future__ import annotations

import pytest

import kc
from kc.analysis.accesses.proven_accesses import stays_inside
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import preorder

LOOP = """
func.func @f(%A: memref<40x100xf32>, %B: memref<40xindex>, %n: index) {{
  tir.for %i in 40 {{
    tir.for %j in 100 {{
      {code}
    }}
  }}
  func.return
}}"""

POINTER = """
%V = tir.view %A[%i, 0] : memref<40x100xf32> to memref<{size}xf32, strided<[1], offset: ?>>
%first = "memref.extract_aligned_pointer_as_index"(%V) {{{mark}}} : (memref<{size}xf32,
    strided<[1], offset: ?>>) -> index
%address = arith.index_cast %first : index to i64
%bytes = arith.constant {distance} : i64
%place = arith.addi %address, %bytes : i64
%pointer = llvm.inttoptr %place : i64 to !llvm.ptr
%x = llvm.load %pointer {{alignment = 1 : i64}} : !llvm.ptr -> vector<4xf32>
"""


def load(index: str, before: str = "") -> str:
    return f"{before}\n%x = tir.load %A[{index}] : memref<40x100xf32>"


def guarded(condition: str) -> str:
    return f"tir.if ({condition}) {{ {load('%i, %j + 1')} }}"


def view(index: str, size: int) -> str:
    type_ = f"memref<{size}xf32, strided<[1], offset: ?>>"
    return f"%V = tir.view %A[{index}] : memref<40x100xf32> to {type_}"


def block(binding: str, where: str = "") -> str:
    return f'tir.block "b" (spatial %v in 100 = {binding}) {where} do {{ {load("%i, %v")} }}'


def pointer(distance: int, size: int = 16, mark: str = "kc.first_element") -> str:
    return POINTER.format(distance=distance, size=size, mark=mark)


PRODUCT = "%k = arith.muli %i, %j : index"
LOADED = "%k = tir.load %B[%i] : memref<40xindex>"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (load("%i, %j"), True),
        (load("%i, %j + 1"), False),
        (load("%i - 1, %j"), False),
        (load("(%i * 100 + %j) floordiv 100, (%i * 100 + %j) mod 100"), True),
        (load("%i, %k", PRODUCT), False),
        (load("%i, %k", LOADED), False),
        (load("%i, %n"), False),
        (guarded("%j < 99"), True),
        (guarded("%j < 100"), False),
        (guarded("%j < %n"), False),
        ("%x = tir.load %A[%i, 96] : memref<40x100xf32>, vector<4xf32>", True),
        ("%x = tir.load %A[%i, 97] : memref<40x100xf32>, vector<4xf32>", False),
        (view("%i, 84", 16), True),
        (view("%i, 85", 16), False),
        (block("%j"), True),
        (block("%j + 1", "where (%j < 99)"), True),
        (block("%n"), False),
        (pointer(0), True),
        (pointer(48), True),
        (pointer(49), False),
        (pointer(-4), False),
        (pointer(0, mark=""), False),
        (pointer(0).replace("%A[%i, 0]", "%A[0, %j] along [0]").replace("<[1]", "<[100]"), False),
    ],
)
def test_accesses(code: str, expected: bool):
    module = kc.IRModule.parse(LOOP.format(code=code))
    index = IndexValues()
    assert all(stays_inside(op, index) for op in preorder(module.op)) is expected


@pytest.mark.parametrize(
    "address",
    ["%c = arith.constant 8 : i64", f"{PRODUCT}\n%c = arith.index_cast %k : index to i64"],
)
def test_an_address_of_anything_is_none_of_a_buffer(address: str):
    code = f"{address}\n%p = llvm.inttoptr %c : i64 to !llvm.ptr\n"
    module = kc.IRModule.parse(LOOP.format(code=code + "%x = llvm.load %p : !llvm.ptr -> f32"))
    assert not all(stays_inside(op, IndexValues()) for op in preorder(module.op))
