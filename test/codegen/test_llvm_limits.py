"""Code that LLVM takes minutes for, or ends the process on, is refused; smaller code is not."""

from __future__ import annotations

import pytest

from kc.codegen.native import compile_ir
from kc.support.diagnostics import CodegenError

X86 = "x86_64-unknown-linux-gnu"
AARCH64 = "aarch64-unknown-linux-gnu"


def adding(type_: str, name: str = "@f") -> str:
    return (
        f"define void {name}(ptr %p) {{\n  %a = load {type_}, ptr %p\n"
        f"  %r = add {type_} %a, %a\n  store {type_} %r, ptr %p\n  ret void\n}}\n"
    )


def refusal(text: str, triple: str = X86) -> str:
    with pytest.raises(CodegenError) as caught:
        compile_ir(text, triple=triple)
    return str(caught.value)


LARGE = {
    "lanes": (
        "<2049 x i8>",
        "the vector <2049 x i8> has 2049 lanes, 16392 bits",
        "a vector has at most 2048 lanes and 65536 bits",
        "a loop over shorter vectors",
    ),
    "bits": (
        "<2048 x i64>",
        "the vector <2048 x i64> has 2048 lanes, 131072 bits",
        "a vector has at most 2048 lanes and 65536 bits",
        "a loop over shorter vectors",
    ),
    "integer": (
        "i1025",
        "the integer i1025 has 1025 bits",
        "an integer has at most 1024 bits",
        "several integers",
    ),
    "integer of a vector": (
        "<2 x i8388607>",
        "the vector <2 x i8388607> has 2 lanes, 16777214 bits",
        "a vector has at most 2048 lanes and 65536 bits",
        "a loop over shorter vectors",
    ),
}


@pytest.mark.parametrize("kind", LARGE)
def test_too_large(kind: str):
    type_, what, limit, instead = LARGE[kind]
    assert refusal(adding("i8", "@before") + adding(type_) + adding("i8", "@after")) == (
        f"error[KC4109]: @f: {what}\n"
        f"  why: {limit}: beyond that, LLVM would take minutes or end the process\n"
        f"  try: {instead}"
    )


@pytest.mark.parametrize("type_", ["<2048 x i32>", "<1024 x i64>", "<2048 x i8>", "i1024"])
def test_largest(type_: str):
    assert compile_ir(adding(type_), triple=X86).object()


def test_lists_of_arguments():
    def call(count: int) -> str:
        types = ", ".join(["i64"] * count)
        values = ", ".join(["i64 %x"] * count)
        return (
            f"declare void @g({types})\n"
            f"define void @f(i64 %x) {{\n  call void @g({values})\n  ret void\n}}\n"
        )

    assert compile_ir(call(4096), triple=X86).object()
    assert refusal(call(4097)) == (
        "error[KC4109]: the module: a function has 4097 parameters or a call 4097 arguments\n"
        "  why: there are at most 4096: beyond that, LLVM would take minutes or end the process\n"
        "  try: one pointer to all of them"
    )


def test_a_name_and_a_constant_are_no_types():
    text = adding("i8", '@"<9999 x i8> i9999"')
    text += '@text = constant [11 x i8] c"<9999 x i8>"\n'
    text += f"@table = constant [5000 x i16] [{', '.join(['i16 1'] * 5000)}]\n"
    assert compile_ir(text, triple=X86).object()


def test_scalable_vectors():
    """Refused for machines that have none; elsewhere it is the CPU that has them or not."""
    text = adding("<vscale x 4 x i32>", '@"g h"')
    assert refusal(text) == (
        "error[KC4110]: @g h: x86_64 has no vector <vscale x 4 x i32>\n"
        "  why: their length is only known on the machine that runs the code\n"
        "  try: <4 x i32>\n"
        "  try: a target with them: AArch64 with SVE, RISC-V with V"
    )
    assert "z0.s" in compile_ir(text, triple=AARCH64, features="+sve").asm()
    assert refusal(text, AARCH64).startswith(
        "error[KC4107]: LLVM failed to compile the module\n  why: "
    )


def test_a_name_that_ends_like_a_type_is_no_type():
    compile_ir(
        "define i32 @f(i32 %x) {\n  %y.i4453 = add i32 %x, 1\n  ret i32 %y.i4453\n}\n", triple=X86
    )
