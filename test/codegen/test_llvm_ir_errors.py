"""Programs that LLVM IR cannot express are refused, with a code, a place and a reason."""

import pytest
from llvm_support import parse
from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.dialects.llvm import FuncOp
from kc.support.diagnostics import CodegenError

# What is refused, with code, line and message.

REFUSED = [
    (
        'llvm.func @f() {\n  "te.foo"() : () -> ()\n  "te.bar"() : () -> ()\n  llvm.return\n}',
        ("KC4101", 2, "te.foo: has no translation to LLVM IR"),
    ),
    (
        'llvm.func @f() {\n  %0 = "test.op"() : () -> index\n  llvm.return\n}',
        ("KC4101", 2, "test.op: has no translation to LLVM IR"),
    ),
    (
        "llvm.func @f() {\n  %0 = llvm.mlir.undef : vector<2x2xf32>\n"
        "  %1 = llvm.freeze %0 : vector<2x2xf32>\n  llvm.return\n}",
        ("KC4102", 3, "llvm.freeze: LLVM IR cannot express the type vector<2x2xf32>"),
    ),
    (
        'llvm.mlir.global internal @a() : !llvm.struct<"s", (i8)>\n'
        'llvm.mlir.global internal @b() : !llvm.struct<"s", (i16)>',
        ("KC4102", 2, 'LLVM IR cannot express a second struct named "s" of @b'),
    ),
    (
        "llvm.func @f() attributes {personality = @g} {\n  llvm.return\n}",
        ("KC4103", 1, "llvm.func: the attribute 'personality' has no translation to LLVM IR"),
    ),
    (
        "llvm.func @f(%p: !llvm.ptr {llvm.swiftself}) {\n  llvm.return\n}",
        ("KC4103", 1, "LLVM IR cannot express the parameter attribute llvm.swiftself"),
    ),
    (
        "llvm.func @f() {\n  %0 = llvm.mlir.constant(1.0 : f128) : f128\n  llvm.return\n}",
        ("KC4103", 2, "llvm.mlir.constant: LLVM IR cannot express a constant of type f128"),
    ),
    (
        "llvm.func @expf(f32) -> f32\nllvm.func @f(%x: f32) {\n"
        "  %0 = llvm.call @expff(%x) : (f32) -> f32\n  llvm.return\n}",
        ("KC4104", 3, "llvm.call: there is no symbol @expff in the module"),
    ),
    (
        "llvm.func @g(f32)\nllvm.func @f(%x: f64) {\n"
        "  llvm.call @g(%x) : (f64) -> ()\n  llvm.return\n}",
        ("KC4104", 3, "llvm.call: @g is called with types it does not have"),
    ),
    (
        "llvm.func fastcc @g(f32)\nllvm.func @f(%x: f32) {\n"
        "  llvm.call @g(%x) : (f32) -> ()\n  llvm.return\n}",
        ("KC4104", 3, "llvm.call: @g is called with a convention it does not have"),
    ),
    (
        "llvm.mlir.global internal @g(1 : i32) {addr_space = 3 : i32} : i32\n"
        "llvm.func @f() {\n  %0 = llvm.mlir.addressof @g : !llvm.ptr\n  llvm.return\n}",
        ("KC4104", 3, "llvm.mlir.addressof: @g is in address space 3"),
    ),
    (
        "llvm.func @f() {\n  %0 = llvm.mlir.addressof @g : !llvm.ptr\n  llvm.return\n}",
        ("KC4104", 2, "llvm.mlir.addressof: there is no symbol @g in the module"),
    ),
    (
        "llvm.mlir.global internal @g(1 : i32) : i32\nllvm.func @f() {\n"
        "  llvm.call @g() : () -> ()\n  llvm.return\n}",
        ("KC4104", 3, "llvm.call: @g is a global variable, not a function"),
    ),
    (
        "llvm.func @f()\nllvm.func @f()",
        ("KC4104", 2, "llvm.func: a second symbol @f"),
    ),
    (
        "module {\n  module {\n  }\n}",
        ("KC4105", 2, "builtin.module: cannot be in a module that is translated to LLVM IR"),
    ),
    (
        "llvm.func @f() {\n  %0 = llvm.mlir.zero : i32\n}",
        ("KC4105", 2, "llvm.mlir.zero: a block of @f does not end in a terminator"),
    ),
    (
        "llvm.mlir.global internal @g() : i32 {\n"
        "  %0 = llvm.mlir.constant(1 : i32) : i32\n"
        "  %1 = llvm.add %0, %0 : i32\n  llvm.return %1 : i32\n}",
        ("KC4105", 3, "llvm.add: is not a constant, as the initialiser of @g must be"),
    ),
]


@pytest.mark.parametrize(("text", "expected"), REFUSED, ids=[e[2] for _, e in REFUSED])
def test_refused(text: str, expected: tuple[str, int, str]):
    with pytest.raises(CodegenError) as caught:
        emit_llvm_ir(parse(text, verify=False))
    error = caught.value
    assert (error.code, error.location and error.location.line) == expected[:2]
    assert expected[2] in error.message


def test_refused_names_all_foreign_ops():
    with pytest.raises(CodegenError) as caught:
        emit_llvm_ir(parse(REFUSED[0][0]))
    assert caught.value.facts == ("also: te.bar",)
    assert caught.value.hints == ("convert it to the llvm dialect first",)


def test_refused_branch_to_the_first_block():
    module = parse("llvm.func @f() {\n^a:\n  llvm.br ^a\n}")
    with pytest.raises(CodegenError, match="a branch to the first block of @f") as caught:
        emit_llvm_ir(module)
    assert caught.value.code == "KC4105"


@irdl_op_definition
class BarrierOp(IRDLOperation):
    name = "test.barrier"
    kind = attr_def(StringAttr)


def test_writers_of_other_dialects():
    module = parse("llvm.func @f() {\n  llvm.return\n}")
    function_op = module.body.block.first_op
    assert isinstance(function_op, FuncOp)
    barrier = BarrierOp(attributes={"kind": StringAttr("sync")})
    end = function_op.body.block.last_op
    assert end is not None
    function_op.body.block.insert_op_before(barrier, end)
    text = emit_llvm_ir(
        module,
        writers={BarrierOp: lambda w, op: w.call_intrinsic("llvm.nvvm.barrier0", None, ())},
    )
    assert "  call void @llvm.nvvm.barrier0()\n" in text
    assert "declare void @llvm.nvvm.barrier0()\n" in text
