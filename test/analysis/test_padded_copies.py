"""Copies of elements with zeros where there are none are told from other choices."""

import pytest

import kc
from kc.analysis.accesses.padded_copies import copied_load
from kc.dialects.tir import LoadOp, StoreOp


@pytest.mark.parametrize(
    ("type_", "padding", "is_copy"),
    [
        ("f16", "0.0", True),
        ("f16", "-0.0", False),  # what a copy unit fills in has no sign
        ("f16", "1.0", False),
        ("i8", "0", True),
        ("i8", "3", False),
    ],
)
def test_padding_is_zero(type_: str, padding: str, is_copy: bool):
    module = kc.IRModule.parse(f"""
func.func @f(%A: memref<8x{type_}>, %S: memref<8x{type_}>, %i: index, %holds: i1) {{
  %x = scf.if %holds -> ({type_}) {{
    %a = tir.load %A[%i] : memref<8x{type_}>
    scf.yield %a : {type_}
  }} else {{
    %zero = arith.constant {padding} : {type_}
    scf.yield %zero : {type_}
  }}
  tir.store %x, %S[%i] : memref<8x{type_}>
  func.return
}}""")
    (load,) = (op for op in module.op.walk() if isinstance(op, LoadOp))
    (store,) = (op for op in module.op.walk() if isinstance(op, StoreOp))
    assert copied_load(store.value) is (load if is_copy else None)
    assert copied_load(load.result) is load
