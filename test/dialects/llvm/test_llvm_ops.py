"""The llvm dialect's ops: their verifiers refuse what LLVM has no meaning for, builders build."""

import pytest
from xdsl.context import Context
from xdsl.dialects import llvm as xdsl_llvm
from xdsl.dialects.builtin import (
    Builtin,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    VectorType,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from kc.dialects import llvm
from kc.dialects.llvm import LLVM

V8 = VectorType(f32, [8])
PTR = llvm.LLVMPointerType()
PAIR = "!llvm.struct<(i8, i8)>"
CONTRACT = llvm.FastMathAttr((FastMathFlag.ALLOW_CONTRACT,))


def parse(text: str) -> ModuleOp:
    context = Context()
    context.load_dialect(Builtin)
    context.load_dialect(LLVM)
    return Parser(context, text).parse_module()


ARGUMENTS = "%i: i64, %j: i32, %c: i1, %x: f32, %d: f64, %v: vector<8xf32>, %p: !llvm.ptr"
INVALID = [
    ("llvm.zext %i : i64 to i32", "llvm.zext: no cast from i64 to i32"),
    ("llvm.trunc %j : i32 to i32", "llvm.trunc: no cast from i32 to i32"),
    ("llvm.sitofp %x : f32 to f64", "llvm.sitofp: no cast from f32 to f64"),
    ("llvm.fptosi %v : vector<8xf32> to vector<4xi32>", "llvm.fptosi: no cast from"),
    ("llvm.fpext %d : f64 to f32", "llvm.fpext: no cast from f64 to f32"),
    ("llvm.bitcast %d : f64 to f32", "llvm.bitcast: no cast from f64 to f32"),
    ("llvm.bitcast %p : !llvm.ptr to i64", "llvm.bitcast: no cast from !llvm.ptr to i64"),
    ('llvm.icmp "slt" %x, %x : f32', "llvm.icmp: cannot compare f32"),
    ('llvm.fcmp "olt" %i, %i : i64', "llvm.fcmp: cannot compare i64"),
    ('"llvm.icmp"(%i, %i) <{predicate = 12 : i64}> : (i64, i64) -> i1', "no predicate 12"),
    ('"llvm.icmp"(%i, %i) <{predicate = 0 : i64}> : (i64, i64) -> i8', "must be i1"),
    ("llvm.select %i, %x, %x : i64, f32", "a condition i64 cannot select f32"),
    ("llvm.mlir.constant(1 : i32) : i64", "1 : i32 is not a constant of type i64"),
    ("llvm.mlir.constant(1.0 : f32) : f64", "is not a constant of type f64"),
    ("llvm.mlir.constant(dense<1> : vector<2xi32>) : vector<4xi32>", "is not a constant of"),
    ('llvm.mlir.constant("ab") : !llvm.array<3 x i8>', "is not a constant of"),
    ("llvm.mlir.constant([1 : i8]) : !llvm.struct<(i8, i8)>", "is not a constant of"),
    (
        f"llvm.getelementptr %p[0, 2] : (!llvm.ptr) -> !llvm.ptr, {PAIR}",
        "no member 2",
    ),
    (
        f"llvm.getelementptr %p[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, {PAIR}",
        "a value",
    ),
    ("llvm.getelementptr %p[0, 0] : (!llvm.ptr) -> !llvm.ptr, f32", "no member 0 in f32"),
    ("llvm.getelementptr %p[0] : (!llvm.ptr) -> i64, f32", "i64 is not a pointer"),
    ("llvm.load %p atomic release {alignment = 4 : i64} : !llvm.ptr -> i32", "cannot release"),
    ("llvm.load %p atomic acquire : !llvm.ptr -> i32", "needs an alignment"),
    ("llvm.load %p : !llvm.ptr -> index", "cannot load index"),
    ("llvm.atomicrmw fadd %p, %j monotonic : !llvm.ptr, i32", "cannot fadd a i32"),
    ("llvm.atomicrmw add %p, %x monotonic : !llvm.ptr, f32", "cannot add a f32"),
    ("llvm.atomicrmw add %p, %j unordered : !llvm.ptr, i32", "no atomic ordering 1"),
    ("llvm.cmpxchg %p, %j, %j acq_rel release : !llvm.ptr, i32", "failure ordering cannot release"),
    ("llvm.cmpxchg %p, %x, %x acq_rel acquire : !llvm.ptr, f32", "cannot exchange a f32"),
    ('"llvm.intr.vector.reduce.fadd"(%d, %v) : (f64, vector<8xf32>) -> f64', "f32"),
    ("llvm.intr.vector.reduce.fmax(%v) : (vector<8xf32>) -> f64", "cannot reduce vector<8xf32>"),
    ("llvm.intr.vector.extract %v[6] : vector<4xf32> from vector<8xf32>", "no vector<4xf32> at 6"),
    ("llvm.intr.vector.extract %v[8] : vector<4xf32> from vector<8xf32>", "no vector<4xf32> at 8"),
    ("llvm.call %x(%i) : f32, (i64) -> ()", "an indirect call needs a pointer"),
    ('llvm.call_intrinsic "sqrt"(%x) : (f32) -> f32', "'sqrt' is not an intrinsic"),
    (
        '"llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 4 : i32, rw = 0 : i32}>'
        " : (!llvm.ptr) -> ()",
        "4 is not in 0..3",
    ),
    (
        '"llvm.intr.sadd.with.overflow"(%j, %j) : (i32, i32) -> !llvm.struct<(i32, i8)>',
        "wrong result",
    ),
    ("llvm.fence monotonic", "no ordering 2 for fences"),
]


@pytest.mark.parametrize(("op", "message"), INVALID, ids=[op for op, _ in INVALID])
def test_invalid_op(op: str, message: str):
    result = "" if op.startswith(("llvm.fence", '"llvm.intr.pref', "llvm.call %")) else "%r = "
    text = f"llvm.func @f({ARGUMENTS}) {{\n  {result}{op}\n  llvm.return\n}}"
    with pytest.raises(VerifyException) as caught:
        parse(text).verify()
    assert message in str(caught.value)


INVALID_MODULES = [
    ("llvm.func @f() -> i32 {\n  llvm.return\n}", "returns !llvm.void, must return i32"),
    ("llvm.func internal @f()", "a declaration must be external"),
    ("llvm.func @f(%x: f32) {\n  llvm.br ^a\n^a(%y: f32):\n  llvm.return\n}", "llvm.br: passes ()"),
    (
        "llvm.func @f(%x: f32, %i: i32) {\n  llvm.switch %i : i32, ^a(%i : i32) [\n  ]\n"
        "^a(%y: f32):\n  llvm.return\n}",
        "llvm.switch: passes (i32) to a block that takes (f32)",
    ),
    (
        'llvm.mlir.global internal @g("abc") : i32',
        'llvm.mlir.global @g: "abc" is not a constant of type i32',
    ),
    (
        "llvm.mlir.global internal @g() : i32 {\n  %0 = llvm.mlir.zero : i64\n"
        "  llvm.return %0 : i64\n}",
        "the initializer must return i32",
    ),
]


@pytest.mark.parametrize(("text", "message"), INVALID_MODULES, ids=[m for _, m in INVALID_MODULES])
def test_invalid_module(text: str, message: str):
    with pytest.raises(VerifyException) as caught:
        parse(text).verify()
    assert message in str(caught.value)


UNREADABLE = [
    ('llvm.func @f(%x: f32) {\n  %0 = llvm.fcmp "lt" %x, %x : f32\n}', "unknown predicate 'lt'"),
    ("llvm.func @f(..., i32)", "'...' must be the last parameter"),
    ("llvm.func @f(%x: f32, i32)", "either all or no arguments have a name"),
    ("llvm.func @f() -> (i32, i32)", "an llvm function has at most one result"),
    ("llvm.func @f(!llvm.array<2 x index>)", "invalid array element type 'index'"),
    ("llvm.func @f(!llvm.func<void (index)>)", "function argument #0 has incompatible type"),
    ("llvm.func @f(!llvm.func<void (..., i32)>)", "'...' must be the last parameter"),
    (
        "llvm.func @f(%i: i32) {\n  llvm.switch %i : i32, ^a [\n    1: ^a,\n    1: ^a\n  ]\n^a:\n}",
        "two cases of the value 1",
    ),
    (
        "llvm.func @f(%s: !llvm.struct<(i8)>) {\n"
        "  %0 = llvm.extractvalue %s[1] : !llvm.struct<(i8)>\n}",
        "no member 1 in !llvm.struct<(i8)>",
    ),
    (
        "llvm.func @f() {\n"
        "  llvm.br ^a {loop_annotation = #llvm.loop_annotation<unrol = <>>}\n^a:\n}",
        "unexpected parameter 'unrol' of #llvm.loop_annotation",
    ),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE, ids=[m for _, m in UNREADABLE])
def test_unreadable_text(text: str, message: str):
    with pytest.raises((ParseError, VerifyException)) as caught:
        parse(text)
    assert message in str(caught.value)


def block() -> Block:
    return Block(arg_types=[i64, f32, f32, V8, PTR, i1, VectorType(i1, [8])])


def test_builders_make_what_the_text_says():
    b = block()
    i, x, y, v, p, c, m = b.args
    annotation = llvm.LoopAnnotationAttr(
        unroll=llvm.LoopUnrollAttr(disable=True), mustProgress=True
    )
    ops: list[tuple[Operation, str]] = [
        (llvm.ConstantOp(IntegerAttr(3, i64)), "llvm.mlir.constant(3 : i64) : i64"),
        (llvm.ConstantOp(FloatAttr(0.5, f32)), "llvm.mlir.constant(5.000000e-01 : f32) : f32"),
        (
            llvm.ConstantOp(DenseIntOrFPElementsAttr.from_list(V8, [1.0] * 8)),
            "llvm.mlir.constant(dense<1.000000e+00> : vector<8xf32>) : vector<8xf32>",
        ),
        (llvm.PoisonOp(V8), "llvm.mlir.poison : vector<8xf32>"),
        (llvm.ZeroOp(PTR), "llvm.mlir.zero : !llvm.ptr"),
        (
            llvm.AddOp(i, i, overflow=llvm.OverflowAttr((llvm.OverflowFlag.NO_SIGNED_WRAP,))),
            "llvm.add %0, %0 overflow<nsw> : i64",
        ),
        (
            llvm.FAddOp(x, y, CONTRACT),
            "{fastmathFlags = #llvm.fastmath<contract>}",
        ),
        (llvm.SIToFPOp(i, f32), "llvm.sitofp %0 : i64 to f32"),
        (llvm.UIToFPOp(i, f64, non_neg=True), "llvm.uitofp nneg %0 : i64 to f64"),
        (llvm.ICmpOp(i, i, "ult"), 'llvm.icmp "ult" %0, %0 : i64'),
        (llvm.FCmpOp(v, v, "olt"), 'llvm.fcmp "olt" %3, %3 : vector<8xf32>'),
        (llvm.SelectOp(m, v, v), "llvm.select %6, %3, %3 : vector<8xi1>, vector<8xf32>"),
        (
            llvm.GEPOp.from_mixed_indices(p, [i, 2], llvm.LLVMArrayType(4, f32), inbounds=True),
            "llvm.getelementptr inbounds %4[%0, 2] : (!llvm.ptr, i64) -> !llvm.ptr, "
            "!llvm.array<4 x f32>",
        ),
        (
            llvm.LoadOp(p, V8, alignment=4, nontemporal=True),
            "llvm.load %4 {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>",
        ),
        (llvm.StoreOp(x, p, 4), "llvm.store %1, %4 {alignment = 4 : i64} : f32, !llvm.ptr"),
        (
            llvm.AllocaOp(i, f32, 64),
            "llvm.alloca %0 x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr",
        ),
        (llvm.AtomicRMWOp("fadd", p, x), "llvm.atomicrmw fadd %4, %1 monotonic : !llvm.ptr, f32"),
        (llvm.FMAOp(v, v, v), "llvm.intr.fma(%3, %3, %3)"),
        (llvm.ExpOp(x, FastMathFlag.APPROX_FUNC), "llvm.intr.exp(%1) {fastmathFlags"),
        (llvm.SMaxOp(i, i), "llvm.intr.smax(%0, %0) : (i64, i64) -> i64"),
        (llvm.CountLeadingZerosOp(i, True), "<{is_zero_poison = true}> : (i64) -> i64"),
        (llvm.VectorReduceFAddOp(x, v, FastMathFlag.REASSOC), "llvm.intr.vector.reduce.fadd"),
        (llvm.VectorReduceFMaxOp(v), "llvm.intr.vector.reduce.fmax(%3) : (vector<8xf32>) -> f32"),
        (
            llvm.MaskedLoadOp(p, m, v, V8, 4),
            "llvm.intr.masked.load %4, %6, %3 {alignment = 4 : i32}",
        ),
        (llvm.MaskedStoreOp(v, p, m, 4), "llvm.intr.masked.store %3, %4, %6 {alignment = 4 : i32}"),
        (
            llvm.AssumeOp(c, ("align", p, i)),
            'llvm.intr.assume %5 ["align"(%4, %0 : !llvm.ptr, i64)]',
        ),
        (llvm.PrefetchOp(p, rw=1), "rw = 1 : i32"),
        (llvm.MemcpyOp(p, p, i), '"llvm.intr.memcpy"(%4, %4, %0)'),
        (llvm.CallOp("expf", x, return_type=f32), "llvm.call @expf(%1) : (f32) -> f32"),
        (llvm.CallOp(p, x), "llvm.call %4(%1) : !llvm.ptr, (f32) -> ()"),
        (
            llvm.CallOp("printf", p, i, return_type=i32, variadic_args=1),
            "llvm.call @printf(%4, %0) vararg(!llvm.func<i32 (ptr, ...)>) : "
            "(!llvm.ptr, i64) -> i32",
        ),
        (
            llvm.CallIntrinsicOp("llvm.sqrt.f32", [x], [f32]),
            'llvm.call_intrinsic "llvm.sqrt.f32"(%1) : (f32) -> f32',
        ),
    ]
    b.add_ops([op for op, _ in ops])
    end = Block(arg_types=[f32])
    then = Block()
    b.add_op(llvm.CondBrOp(c, then, [], end, [x], weights=(1, 9)))
    then.add_op(llvm.BrOp(end, y, loop_annotation=annotation))
    end.add_op(llvm.ReturnOp())
    function = llvm.FuncOp(
        "f",
        llvm.LLVMFunctionType([arg.type for arg in b.args]),
        body=Region([b, then, end]),
        properties={"target_cpu": StringAttr("znver4")},
    )
    module = ModuleOp(
        [
            function,
            llvm.FuncOp("expf", llvm.LLVMFunctionType([f32], f32)),
            llvm.FuncOp("printf", llvm.LLVMFunctionType([PTR], i32, is_variadic=True)),
            llvm.GlobalOp(llvm.LLVMArrayType(2, i8), "g", "internal", value=StringAttr("ab")),
        ]
    )
    module.verify()
    text = str(module)
    for _, expected in ops:
        assert expected in text
    assert "llvm.cond_br %5 weights([1, 9]), ^bb1, ^bb2(%1 : f32)" in text
    assert (
        "llvm.br ^bb2(%2 : f32) {loop_annotation = "
        "#llvm.loop_annotation<unroll = <disable = true>, mustProgress = true>}"
    ) in text
    assert 'attributes {target_cpu = "znver4"}' in text
    assert str(parse(text)) == text


def test_switch_builder():
    entry, first, two = Block(arg_types=[i32, f32]), Block(), Block(arg_types=[f32])
    value, x = entry.args
    entry.add_op(
        llvm.SwitchOp(value, first, [], {0: (two, [x]), -5: (first, [])}, weights=[1, 2, 3])
    )
    first.add_op(llvm.ReturnOp())
    two.add_op(llvm.UnreachableOp())
    function = llvm.FuncOp("f", llvm.LLVMFunctionType([i32, f32]), body=Region([entry, first, two]))
    function.verify()
    text = str(function)
    assert "llvm.switch %0 : i32, ^bb1 [\n" in text
    assert "0: ^bb2(%1 : f32),\n" in text
    assert "-5: ^bb1\n" in text
    assert "] {branch_weights = array<i32: 1, 2, 3>}" in text
    assert str(parse(text).body.block.first_op) == text


def test_ops_without_effects_say_so():
    from xdsl.traits import is_side_effect_free

    b = block()
    i, x, _, v, p, _, m = b.args
    for op in (llvm.SIToFPOp(i, f32), llvm.GEPOp(p, [1], f32), llvm.ExpOp(x), llvm.PoisonOp(V8)):
        assert is_side_effect_free(op), op.name
    for op in (llvm.LoadOp(p, f32), llvm.StoreOp(x, p), llvm.MaskedLoadOp(p, m, v, V8, 4)):
        assert not is_side_effect_free(op), op.name


def test_the_dialect_has_every_op_of_xdsl():
    ours = {op.name for op in LLVM.operations}
    assert {op.name for op in xdsl_llvm.LLVM.operations} <= ours
    names = {attribute.name for attribute in LLVM.attributes}
    assert {attribute.name for attribute in xdsl_llvm.LLVM.attributes} <= names
