"""Code for other machines: objects, their headers, the vector instructions, and what they compute.

What can run here is run: WebAssembly by node, C programs of other machines by qemu-user, where
these (and a C compiler for the other machine) are installed.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasm_objects

import kc
from kc import te
from kc.codegen.elf import undefined_symbols
from kc.support.diagnostics import KCError
from kc.target import Target
from kc.tools import kc_translate

RANDOM = np.random.default_rng(0)
AARCH64 = "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76"
ARMV7 = "llvm -mtriple=armv7a-linux-gnueabihf -mattr=+neon"
RISCV = "llvm -mtriple=riscv64-linux-gnu -mattr=+m,+a,+f,+d,+v"
WASM = "llvm -mtriple=wasm32-unknown-unknown -mattr=+simd128"
MACHINES = {  # ELF's number of the machine, its class (1: 32 bits, 2: 64 bits)
    AARCH64: (183, 2),
    ARMV7: (40, 1),
    RISCV: (243, 2),
}
TARGETS = [AARCH64, ARMV7, RISCV, WASM]


def name_of(target: str) -> str:
    """A short name of a target, for the tests' names."""
    return target.split("=")[1].split("-")[0] if target in TARGETS else ""


@pytest.fixture(params=TARGETS, ids=name_of)
def target(request: pytest.FixtureRequest) -> str:
    needs(request.param)
    return request.param


def needs(target: str) -> None:
    """Skip where this build of LLVM has no such target."""
    try:
        vector_add(target).get_source("ll")
    except KCError as error:
        if error.code != "KC6101":
            raise
        pytest.skip(str(error))


def vector_add(target: str, lanes: int = 4, parallel: bool = False) -> Any:
    A, B = te.placeholder((1024,), name="A"), te.placeholder((1024,), name="B")
    C = te.compute((1024,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=lanes)
    s[C].vectorize(inner)
    if parallel:
        s[C].parallel(outer)
    return kc.build(s, [A, B, C], target=target, name="add")


def matmul(target: str, n: int = 16, m: Any = None) -> Any:
    """A product with a packed operand, which is allocated, and a size known at the call."""
    m = te.var("m") if m is None else m
    A, B = te.placeholder((m, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    packed = te.compute((n // 4, n, 4), lambda o, k, i: B[k, o * 4 + i], name="packed")
    C = te.compute(
        (m, n), lambda i, j: te.sum(A[i, k] * packed[j // 4, k, j % 4], axis=k), name="C"
    )
    s = te.create_schedule(C.op)
    i, j = s[C].op.axis
    outer, inner = s[C].split(j, factor=4)
    s[C].reorder(i, outer, s[C].op.reduce_axis[0], inner)
    s[C].vectorize(inner)
    s[C].parallel(i)
    s[packed].vectorize(packed.op.axis[2])
    return kc.build(s, [A, B, C], target=target, name="matmul")


def dot(target: str, intrinsic: str, dtype: str) -> Any:
    A, B = te.placeholder((8, 32), dtype, name="A"), te.placeholder((16, 32), dtype, name="B")
    k = te.reduce_axis((0, 32), name="k")
    C = te.compute(
        (8, 16),
        lambda i, j: te.sum(A[i, k].astype("int32") * B[j, k].astype("int32"), axis=k),
        name="C",
    )
    s = te.create_schedule(C.op)
    i, j = s[C].op.axis
    outer, inner = s[C].split(j, factor=4)
    ko, ki = s[C].split(s[C].op.reduce_axis[0], factor=4)
    s[C].reorder(i, outer, ko, inner, ki)
    s[C].tensorize(inner, intrinsic)
    return kc.build(s, [A, B, C], target=target, name="dot")


# Assembly --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        (AARCH64, r"fadd\tv\d+\.4s, v\d+\.4s, v\d+\.4s"),
        (ARMV7, r"vadd\.f32\tq\d+, q\d+, q\d+"),
        (RISCV, r"vfadd\.vv\tv\d+, v\d+, v\d+"),
        (WASM, r"f32x4\.add"),
    ],
    ids=name_of,
)
def test_vectors_are_added(target: str, instruction: str):
    needs(target)
    assert re.search(instruction, vector_add(target).get_source("asm"))


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        (AARCH64, r"fmla\tv\d+\.4s, v\d+\.4s, v\d+\."),
        (ARMV7, r"vmul\.f32\tq\d+|vmla\.f32\tq\d+|vfma\.f32\tq\d+"),
        (RISCV, r"vfm(acc|add)\.v[fv]"),
        (WASM, r"f32x4\.mul"),
    ],
    ids=name_of,
)
def test_products_are_vectors(target: str, instruction: str):
    needs(target)
    assert re.search(instruction, matmul(target).get_source("asm"))


@pytest.mark.parametrize(
    ("intrinsic", "dtype", "instruction"),
    [("neon_sdot_4x4", "int8", "sdot"), ("neon_udot_4x4", "uint8", "udot")],
)
def test_dot_products_of_neon(intrinsic: str, dtype: str, instruction: str):
    needs(AARCH64)
    with Target(AARCH64):
        text = dot(AARCH64, intrinsic, dtype).get_source("asm")
    assert re.search(rf"{instruction}\tv\d+\.4s, v\d+\.16b, v\d+\.16b", text)


def test_without_vectors_there_are_none():
    """``-simd128``, no ``+v``: the loop runs over lanes that are scalars."""
    needs(WASM)
    assert "f32x4" not in vector_add("llvm -mtriple=wasm32-unknown-unknown").get_source("asm")
    plain = vector_add("llvm -mtriple=riscv64-linux-gnu -mattr=+m,+a,+f,+d").get_source("asm")
    assert "fadd.s" in plain
    assert "vfadd" not in plain


# Objects -----------------------------------------------------------------------------------------


def check_object(data: bytes, target: str) -> None:
    if target == WASM:
        assert data[:8] == b"\0asm\1\0\0\0"
        return
    machine, wide = MACHINES[target]
    assert (data[:4], data[4], data[5]) == (b"\x7fELF", wide, 1)
    assert struct.unpack_from("<HH", data, 16) == (1, machine)  # 1: relocatable


def test_objects_are_of_the_machine(target: str, tmp_path: Path):
    for name, built in (("add", vector_add(target)), ("matmul", matmul(target))):
        built.save(tmp_path / f"{name}.o")
        check_object((tmp_path / f"{name}.o").read_bytes(), target)


MODULE = """\
te.func @add(%A: tensor<1024xf32>, %B: tensor<1024xf32>) -> tensor<1024xf32> {
  %C = te.compute "C" [%i = 1024] {
    %a = te.read %A[%i] : tensor<1024xf32>
    %b = te.read %B[%i] : tensor<1024xf32>
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  } : tensor<1024xf32>
  te.return %C : tensor<1024xf32>
}
"""


def test_kc_translate(target: str, tmp_path: Path):
    source, output = tmp_path / "add.mlir", tmp_path / "add.o"
    source.write_text(MODULE)
    flags = [str(source), f"--target={target}", "-o", str(output)]
    assert kc_translate.main([*flags, "--to=obj"]) == 0
    check_object(output.read_bytes(), target)
    assert kc_translate.main([*flags, "--to=asm"]) == 0
    assert "add:" in output.read_text()
    assert kc_translate.main([*flags, "--to=llvmir"]) == 0
    assert f'target triple = "{Target(target).triple}"' in output.read_text()


def test_sizes_are_as_wide_as_addresses(target: str):
    """Indices have 64 bits everywhere; what the C library takes is its ``size_t``."""
    text = matmul(target, 512).get_source("ll")
    width = 32 if target in (ARMV7, WASM) else 64
    assert f"declare noalias ptr @aligned_alloc(i{width}, i{width})" in text
    assert "define void @matmul(ptr align 4 noalias" in text
    assert ", i64 %1, ptr" in text  # the size of A


def test_float_abis(tmp_path: Path):
    """RISC-V says it in bits 1 and 2 of the ELF flags, ARM in an attribute of the assembly."""
    needs(RISCV)
    for abi, flag in (("lp64d", 2), ("lp64f", 1), ("lp64", 0)):
        vector_add(f"{RISCV} -mabi={abi}").save(tmp_path / "k.o")
        flags = struct.unpack_from("<I", (tmp_path / "k.o").read_bytes(), 48)[0]
        assert flags >> 1 & 3 == flag, abi
    hard, soft = (
        vector_add(f"{ARMV7} -mfloat-abi={abi}").get_source("asm") for abi in ("hard", "soft")
    )
    assert "eabi_attribute\t28, 1" in hard
    assert "eabi_attribute\t28, 1" not in soft


def test_parallel_loops_need_nothing_of_a_32_bit_machine(tmp_path: Path):
    """They run serially there, so no threads are asked for."""
    needs(ARMV7)
    path = tmp_path / "k.o"
    matmul(ARMV7, 512).save(path)
    needed = set(undefined_symbols(path.read_bytes()))
    assert needed <= {"aligned_alloc", "free", "__aeabi_unwind_cpp_pr0"}


# Running ---------------------------------------------------------------------------------------

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")


@needs_node
@pytest.mark.parametrize("size", [(16, 7), (16, 0), (256, 3)], ids=str)
@pytest.mark.parametrize("features", ["", " -mattr=+simd128"], ids=["scalar", "simd"])
def test_wasm_in_node(size: tuple[int, int], features: str, tmp_path: Path):
    """Vectors, a parallel loop, memory on the stack and from the library, a size of the call."""
    needs(WASM)
    n, m = size
    path = tmp_path / "k.o"
    matmul(f"llvm -mtriple=wasm32-unknown-unknown{features}", n).save(path)
    a, b = RANDOM.random((m, n), dtype=np.float32), RANDOM.random((n, n), dtype=np.float32)
    c = np.zeros((m, n), np.float32)
    (_, _, result) = wasm_objects.call(path, "matmul", [a, m, b, c, m])
    np.testing.assert_allclose(result, a @ b, rtol=1e-4)


@needs_node
def test_wasm_integers_in_node(tmp_path: Path):
    """Types of each width, and a reduction of a tuple."""
    needs(WASM)
    A = te.placeholder((33,), "int8", "A")
    k = te.reduce_axis((0, 33), "k")
    wide = te.compute((33,), lambda i: A[i].astype("int64") * 1000 % 77, name="wide")
    total = te.compute((), lambda: te.sum(wide[k], axis=k), name="total")
    path = tmp_path / "k.o"
    s = te.create_schedule([wide.op, total.op])
    kc.build(s, [A, wide, total], target=WASM, name="f").save(path)
    a = RANDOM.integers(-128, 128, 33, np.int8)
    args = [a, np.zeros(33, np.int64), np.zeros((), np.int64)]
    _, result, total_found = wasm_objects.call(path, "f", args)
    expected = a.astype(np.int64) * 1000 % 77
    np.testing.assert_array_equal(result, expected)
    assert total_found == expected.sum()


MAIN = """
#include <stdio.h>
#include "k.h"

static float a[7 * 512], b[512 * 512], c[7 * 512];

int main(void) {
  for (int i = 0; i < 7 * 512; ++i) a[i] = i % 11 - 5;
  for (int i = 0; i < 512 * 512; ++i) b[i] = i % 7 - 3;
  matmul(a, 7, b, c, 7);
  for (int i = 0; i < 7 * 512; ++i) printf("%g\\n", c[i]);
}
"""
TOOLS = {
    AARCH64: ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
    ARMV7: ("arm-linux-gnueabihf-gcc", "qemu-arm"),
    RISCV: ("riscv64-linux-gnu-gcc", "qemu-riscv64"),
}


@pytest.mark.parametrize("target", TOOLS, ids=name_of)
def test_c_programs_of_other_machines(target: str, tmp_path: Path):
    """A C program with the header, linked with the object, run by an emulator."""
    needs(target)
    compiler, emulator = TOOLS[target]
    for tool in (compiler, emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"there is no {tool}")
    built = matmul(target, 512)
    built.save(tmp_path / "k.o")
    built.save_header(tmp_path / "k.h")
    (tmp_path / "main.c").write_text(MAIN)
    command = [compiler, "-static", "-O1", "main.c", "k.o", "-o", "program", "-lm", "-pthread"]
    subprocess.run(command, cwd=tmp_path, check=True)
    run = [emulator, *(["-cpu", "rv64,v=true,vlen=128"] if target == RISCV else []), "./program"]
    said = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60)
    a = (np.arange(7 * 512) % 11 - 5).reshape(7, 512)
    b = (np.arange(512 * 512) % 7 - 3).reshape(512, 512)
    np.testing.assert_array_equal(np.array(said.stdout.split(), float).reshape(7, 512), a @ b)
