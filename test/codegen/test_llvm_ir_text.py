"""LLVM IR text: LLVM accepts it, and it says what it should."""

from pathlib import Path

import llvmlite.binding
import numpy as np
import pytest
from llvm_support import parse

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.llvm_limits import without_bytes
from kc.dialects.llvm import LLVM

DIALECT_TESTS = sorted((Path(__file__).parent.parent / "dialects" / "llvm").glob("*.mlir"))


def accepted(text: str) -> str:
    """The text as LLVM prints it back, verified."""
    module = llvmlite.binding.parse_assembly(text, llvmlite.binding.create_context())
    module.verify()
    return str(module)


@pytest.mark.parametrize("file", DIALECT_TESTS, ids=lambda file: file.stem)
def test_every_op_is_accepted_by_llvm(file: Path):
    module = parse(file.read_text())
    text = emit_llvm_ir(module)
    accepted(text)
    assert emit_llvm_ir(module) == text
    assert emit_llvm_ir(parse(str(module))) == text


def test_the_dialect_tests_have_every_op():
    seen = {op.name for file in DIALECT_TESTS for op in parse(file.read_text()).walk()}
    # The arithmetic that differs from another op in its name only.
    alike = {
        f"llvm.intr.{sign}{what}.with.overflow" for sign in "su" for what in ("add", "sub", "mul")
    }
    assert {op.name for op in LLVM.operations} - seen - alike == set()


# Instructions whose text is given, as (op, what LLVM IR says).
INSTRUCTIONS = [
    ("llvm.add %i, %i overflow<nsw, nuw> : i64", "add nuw nsw i64 %0, %0"),
    ("llvm.udiv exact %i, %i : i64", "udiv exact i64 %0, %0"),
    ("llvm.or disjoint %i, %i : i64", "or disjoint i64 %0, %0"),
    ("llvm.trunc %i overflow<nuw> : i64 to i8", "trunc nuw i64 %0 to i8"),
    ("llvm.zext nneg %j : i32 to i64", "zext nneg i32 %1 to i64"),
    (
        "llvm.fmul %x, %x {fastmathFlags = #llvm.fastmath<reassoc, contract>} : f32",
        "fmul reassoc contract float %2, %2",
    ),
    (
        'llvm.fcmp "_false" %x, %x {fastmathFlags = #llvm.fastmath<fast>} : f32',
        "fcmp fast false float %2, %2",
    ),
    (
        "llvm.intr.exp(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32",
        "call afn float @llvm.exp.f32(float %2)",
    ),
    (
        '"llvm.intr.vector.reduce.fadd"(%x, %v) <{fastmathFlags = #llvm.fastmath<reassoc>}>'
        " : (f32, vector<8xf32>) -> f32",
        "call reassoc float @llvm.vector.reduce.fadd.v8f32(float %2, <8 x float> %3)",
    ),
    (
        # LLVM has no fast-math flags on a select of integers.
        "llvm.select %c, %i, %i {fastmathFlags = #llvm.fastmath<fast>} : i1, i64",
        "select i1 %5, i64 %0, i64 %0",
    ),
    (
        "llvm.getelementptr inbounds|nuw %p[%i, 3] : (!llvm.ptr, i64) -> !llvm.ptr, "
        "!llvm.array<8 x f32>",
        "getelementptr inbounds nuw [8 x float], ptr %4, i64 %0, i32 3",
    ),
    (
        "llvm.load volatile %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32",
        "load atomic volatile i32, ptr %4 acquire, align 4",
    ),
    (
        "llvm.load %p {alignment = 64 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>",
        "load <8 x float>, ptr %4, align 64, !nontemporal !0",
    ),
    ("llvm.load %p invariant : !llvm.ptr -> f32", "load float, ptr %4, !invariant.load !0"),
    ("llvm.alloca %i x f32 : (i64) -> !llvm.ptr<5>", "alloca float, i64 %0, addrspace(5)"),
    (
        'llvm.atomicrmw _xor %p, %j syncscope("agent") acq_rel : !llvm.ptr, i32',
        'atomicrmw xor ptr %4, i32 %1 syncscope("agent") acq_rel',
    ),
    ("llvm.fptoui %x : f32 to i8", "fptoui float %2 to i8"),
    (
        "llvm.shufflevector %v, %v [0, -1, 9] : vector<8xf32>",
        "shufflevector <8 x float> %3, <8 x float> %3, <3 x i32> <i32 0, i32 poison, i32 9>",
    ),
    (
        '"llvm.intr.ctlz"(%j) <{is_zero_poison = true}> : (i32) -> i32',
        "call i32 @llvm.ctlz.i32(i32 %1, i1 true)",
    ),
]


@pytest.mark.parametrize(("op", "expected"), INSTRUCTIONS, ids=[e for _, e in INSTRUCTIONS])
def test_instruction_text(op: str, expected: str):
    text = emit_llvm_ir(
        parse(
            "llvm.func @f(%i: i64, %j: i32, %x: f32, %v: vector<8xf32>, %p: !llvm.ptr, %c: i1) {\n"
            f"  %r = {op}\n  llvm.return\n}}"
        )
    )
    assert f"  %6 = {expected}\n" in text
    accepted(text)


CONSTANTS = [
    ("-7 : i32", "i32", "-7"),
    ("255 : i8", "i8", "-1"),
    ("true", "i1", "true"),
    ("3 : index", "i64", "3"),
    ("1.5 : f32", "f32", "1.500000e+00"),
    ("0.1 : f32", "f32", "0x3FB99999A0000000"),
    ("0.1 : f64", "f64", "1.000000e-01"),
    ("0.123456789 : f64", "f64", "0x3FBF9ADD3739635F"),
    ("0x7F800000 : f32", "f32", "0x7FF0000000000000"),
    ("0xFF800000 : f32", "f32", "0xFFF0000000000000"),
    ("0xFFC00001 : f32", "f32", "0xFFF8000020000000"),
    ("1.5 : f16", "f16", "0xH3E00"),
    ("-2.5 : bf16", "bf16", "0xRC020"),
    ("-0.0 : f32", "f32", "-0.000000e+00"),
    ("dense<1.0> : vector<4xf32>", "vector<4xf32>", "splat (float 1.000000e+00)"),
    ("dense<0.0> : vector<4xf32>", "vector<4xf32>", "zeroinitializer"),
    ("dense<[1, -1]> : vector<2xi8>", "vector<2xi8>", "<i8 1, i8 -1>"),
    ("dense<[true, false]> : vector<2xi1>", "vector<2xi1>", "<i1 true, i1 false>"),
    ("dense<-0.0> : vector<2xf32>", "vector<2xf32>", "splat (float -0.000000e+00)"),
    (
        "dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>",
        "!llvm.array<2 x array<2 x i16>>",
        "[[2 x i16] [i16 1, i16 2], [2 x i16] [i16 3, i16 4]]",
    ),
    (
        "dense<[[0.0, -0.0], [1.0, 1.0]]> : tensor<2x2xf32>",
        "!llvm.array<2 x vector<2xf32>>",
        "[<2 x float> <float 0.000000e+00, float -0.000000e+00>, "
        "<2 x float> <float 1.000000e+00, float 1.000000e+00>]",
    ),
    ('"a\\22\\5C\\00"', "!llvm.array<4 x i8>", 'c"a\\22\\5C\\00"'),
    ('"\\FF"', "!llvm.array<1 x i8>", 'c"\\FF"'),
    ("dense<[104, 105]> : tensor<2xi8>", "!llvm.array<2 x i8>", 'c"hi"'),
    ("[1 : i8, 2.0 : f32]", "!llvm.struct<packed (i8, f32)>", "<{ i8 1, float 2.000000e+00 }>"),
]


@pytest.mark.parametrize(("value", "ty", "expected"), CONSTANTS, ids=[c[0] for c in CONSTANTS])
def test_constant_text(value: str, ty: str, expected: str):
    text = emit_llvm_ir(parse(f"llvm.mlir.global internal constant @g({value}) : {ty}"))
    assert text.splitlines()[-1].endswith(f" {expected}")
    accepted(text)


@pytest.mark.parametrize(
    ("triple", "head", "tail"),
    [
        ("x86_64-linux-gnu", "[8192 x i8] c", ", align 16"),
        ("s390x-linux-gnu", "[32 x [64 x float]] [", "]]"),
        (None, "[32 x [64 x float]] [", "]]"),
    ],
)
def test_large_constants_are_bytes_where_the_low_one_is_first(
    triple: str | None, head: str, tail: str
):
    numbers = np.arange(2048, dtype="<f4")
    text = emit_llvm_ir(
        parse(
            f'llvm.mlir.global internal constant @g(dense<"0x{numbers.tobytes().hex()}"> : '
            "tensor<32x64xf32>) : !llvm.array<32 x array<64 x f32>>"
        ),
        triple=triple,
    )
    line = text.splitlines()[-1]
    assert line.startswith(f"@g = internal constant {head}")
    assert line.endswith(tail)
    if triple is not None and "x86" in triple:
        assert without_bytes(text).splitlines()[-1] == f'@g = internal constant {head}""{tail}'
        assert "".join(f"\\{byte:02x}" for byte in numbers.tobytes()) in line
    accepted(text)


def test_function_attributes():
    text = emit_llvm_ir(
        parse(
            """
            llvm.func internal fastcc @f(%a: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.align = 64 : i64, llvm.dereferenceable = 16 : i64, llvm.readonly, kc.name = "A"}, %b: !llvm.ptr {llvm.byval = !llvm.array<2 x i32>}) -> (i8 {llvm.signext})
                attributes {no_unwind, always_inline, dso_local, alignment = 32 : i64, section = "x", passthrough = ["cold", "kc-mark", ["no-trapping-math", "true"], ["alignstack", "16"]], prefer_vector_width = "512", target_cpu = "znver4", memory_effects = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>} {
              %0 = llvm.mlir.constant(1 : i8) : i8
              llvm.return %0 : i8
            }
            llvm.func @g(!llvm.ptr) attributes {memory_effects = #llvm.memory_effects<other = readwrite, argMem = readwrite, inaccessibleMem = readwrite, errnoMem = readwrite, targetMem0 = readwrite, targetMem1 = readwrite>}
            llvm.func @h() { llvm.return }
            """  # noqa: E501
        ),
        triple="x86_64-unknown-linux-gnu",
        data_layout="e-m:e-i64:64",
        cpu="x86-64-v3",
        features="+avx2",
    )
    lines = text.splitlines()
    assert 'target datalayout = "e-m:e-i64:64"' in lines
    assert 'target triple = "x86_64-unknown-linux-gnu"' in lines
    assert (
        "define internal dso_local fastcc signext i8 @f(ptr align 64 dereferenceable(16) noalias "
        'captures(none) readonly %0, ptr byval([2 x i32]) %1) #0 section "x" align 32 {'
    ) in lines
    assert "declare void @g(ptr)" in lines
    assert "define void @h() #1 {" in lines
    # The features of the target belong to its CPU, not to that of the function.
    assert (
        "attributes #0 = { alwaysinline memory(argmem: readwrite) nounwind cold alignstack=16 "
        '"kc-mark" "no-trapping-math"="true" "prefer-vector-width"="512" "target-cpu"="znver4" }'
    ) in lines
    assert 'attributes #1 = { "target-cpu"="x86-64-v3" "target-features"="+avx2" }' in lines
    accepted(text)


def test_target_of_the_module():
    module = parse(
        'module attributes {llvm.target_triple = "aarch64-linux-gnu", llvm.data_layout = "e"} {}'
    )
    assert 'target triple = "aarch64-linux-gnu"' in emit_llvm_ir(module)
    assert 'target datalayout = "e"' in emit_llvm_ir(module)
    assert 'target triple = "wasm32"' in emit_llvm_ir(module, triple="wasm32")


def test_each_annotated_branch_is_a_loop_of_its_own():
    text = emit_llvm_ir(
        parse(
            """
            llvm.func @f(%c: i1) {
              llvm.br ^a
            ^a:
              llvm.cond_br %c, ^a, ^b {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
            ^b:
              llvm.cond_br %c, ^b, ^c {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
            ^c:
              llvm.return
            }
            """  # noqa: E501
        )
    )
    assert "br i1 %0, label %bb1, label %bb2, !llvm.loop !1" in text
    assert "br i1 %0, label %bb2, label %bb3, !llvm.loop !2" in text
    assert text.endswith(
        '!0 = !{!"llvm.loop.unroll.disable"}\n!1 = distinct !{!1, !0}\n!2 = distinct !{!2, !0}\n'
    )
