"""Functions of NVIDIA's libdevice: kernels are linked with it, and what is not there is said."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import optional_tools
import pytest

import kc
from kc import te, tir
from kc.codegen.ptx import ptx_of
from kc.support import libdevice
from kc.support.diagnostics import KCError
from kc.support.ir_text import parse_module
from kc.support.registry import context, get_pass
from kc.support.target import Target
from kc.transforms.expand_math import FUNCTIONS

PTXAS = optional_tools.find("ptxas")
TARGET = "cuda -arch=sm_80 -libs=libdevice"

LIBRARY = """
target triple = "nvptx64-nvidia-gpulibs"
declare i32 @__nvvm_reflect(ptr)
define float @__nv_expf(float %x) { %y = fadd float %x, 3.0  ret float %y }
define float @__nv_lgammaf(float %x) { %y = call float @helper(float %x)  ret float %y }
define float @helper(float %x) { %y = fmul float %x, 5.0  ret float %y }
define double @__nv_lgamma(double %x) { ret double %x }
"""
"""A substitute for the library: it has the same names, and values that are visible in PTX."""


@pytest.fixture
def toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where the library may be; it is not there yet."""
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(libdevice, "_WHEELS", {})
    monkeypatch.setattr(libdevice, "_DEFAULT_TOOLKIT", str(tmp_path / "default"))
    return tmp_path


def install(toolkit: Path, bitcode: bytes | None = None) -> Path:
    path = toolkit / "nvvm" / "libdevice" / "libdevice.10.bc"
    path.parent.mkdir(parents=True)
    path.write_bytes(bitcode or llvm.parse_assembly(LIBRARY).as_bitcode())
    return path


def built(function: Any, target: str = TARGET) -> kc.runtime.Module:
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: function(A[i]), name="B")
    s = te.create_schedule(B.op)
    s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
    return kc.build(s, [A, B], target=target)


def ptx(function: Any, target: str = TARGET) -> str:
    return built(function, target).imported_modules[0].get_source()


def lgamma(x: Any) -> Any:
    return tir.call_pure_extern("float32", "__nv_lgammaf", x)


def refusal(function: Any, target: str = TARGET) -> str:
    with pytest.raises(KCError) as caught:
        built(function, target)
    return str(caught.value)


def test_a_target_asks_for_it(toolkit: Path):
    install(toolkit)
    text = ptx(te.exp)
    assert "0f40400000" in text  # 3.0
    assert ".func" not in text
    # The own arithmetic stays what is there without being asked for.
    assert "0f40400000" not in ptx(te.exp, "cuda -arch=sm_80")


def test_a_function_is_called_by_its_name(toolkit: Path):
    install(toolkit)
    text = ptx(lambda x: lgamma(x) + te.exp(x) + tir.call_extern("float32", "__nv_expf", x))
    assert "0f40A00000" in text  # 5.0, in what the function calls
    assert ".extern" not in text


def test_a_library_that_is_not_there(toolkit: Path):
    assert refusal(te.exp) == (
        "error[KC4368]: __nv_expf is a function of NVIDIA's libdevice, which was not found\n"
        f"  --> {here('lambda i: function')}\n"
        f"   |  looked for {toolkit}/nvvm/libdevice/libdevice.10.bc\n"
        f"   |  looked for {toolkit}/default/nvvm/libdevice/libdevice.10.bc\n"
        "  why: it comes with CUDA's toolkit, and in wheels\n"
        "  try: pip install nvidia-nvvm\n"
        "  try: CUDA_HOME=... with the directory of CUDA's toolkit\n"
        "  try: without -libs=libdevice functions are computed by arithmetic of kc's own"
    )


def here(part: str) -> str:
    """The place of a line of this file, as a diagnostic shows it."""
    lines = Path(__file__).read_text().splitlines()
    number = next(n for n, line in enumerate(lines, 1) if part in line)
    return f"{__file__}:{number}  {lines[number - 1].strip()}"


def call(name: str) -> Any:
    return lambda x: tir.call_pure_extern("float32", name, x)


def test_a_function_that_it_has_not(toolkit: Path):
    path = install(toolkit)
    place = here("return lambda x: tir.call_pure_extern")
    assert refusal(call("__nv_lgamm")) == (
        "error[KC4369]: libdevice has no function __nv_lgamm\n"
        f"  --> {place}\n"
        f"   |  libdevice is {path}\n"
        "  try: did you mean '__nv_lgamma' or '__nv_lgammaf' or '__nv_expf'?"
    )
    assert refusal(call("__nv_lgamma")) == (
        "error[KC4369]: __nv_lgamma is called as float (float), and libdevice's is "
        "double (double)\n"
        f"  --> {place}\n"
        f"   |  libdevice is {path}\n"
        "  try: call __nv_lgammaf\n"
        "  try: convert the arguments: x.astype(...)"
    )
    assert refusal(call("__nv_lgamma"), "cuda-emu") == (
        "error[KC4369]: __nv_lgamma is called with f32, and libdevice's is for f64\n"
        f"  --> {place}\n"
        "  try: convert the arguments: x.astype(...)"
    )


def test_a_file_that_is_no_library(toolkit: Path):
    """LLVM may end the process that reads it, which is one of its own."""
    path = install(toolkit, b"no bitcode")
    assert refusal(te.exp) == (
        "error[KC4106]: LLVM refuses the IR\n"
        f"   |  {path} is not a library\n"
        "   |  LLVM bitcode parsing error\n"
        "   |  Invalid bitcode signature"
    )
    bitcode = llvm.parse_assembly(LIBRARY).as_bitcode()
    path.write_bytes(bitcode[:600] + b"xxxx" * 100 + bitcode[1000:])
    assert refusal(te.exp).startswith(
        ("error[KC4361]: LLVM cannot generate code for this on sm_80\n", "error[KC4106]: ")
    )


def test_functions_of_the_host_are_none_of_a_kernel(toolkit: Path):
    place = here("return lambda x: tir.call_pure_extern")
    for target, conversion in [
        ("cuda", "convert-gpu-to-nvvm"),
        ("rocm -arch=gfx90a", "convert-gpu-to-llvm-amdgpu"),
        ("cuda-emu", "convert-gpu-to-cpu"),
    ]:
        assert refusal(call("cbrtf"), target) == (
            f"error[KC4362]: {conversion}: cbrtf, a C function, in a kernel\n"
            f"  --> {place}\n"
            "  why: a kernel is linked with no code of the host\n"
            "  try: compute it by expressions of te and tir\n"
            "  try: for NVIDIA GPUs, call a function of libdevice, such as __nv_lgammaf"
        )
    assert refusal(lambda x: tir.call_packed("f", x), "cuda").startswith(
        "error[KC4362]: convert-gpu-to-nvvm: f, a Python function, in a kernel\n"
    )


def test_the_emulator_calls_the_c_library(toolkit: Path):
    module = built(lambda x: lgamma(x) + te.exp(x), "cuda-emu -libs=libdevice")
    a = np.linspace(0.5, 9, 64, dtype="float32")
    b = np.zeros_like(a)
    assert kc.gpu.check(module, a, b).ok
    expected = [math.lgamma(x) + math.exp(x) for x in a]
    np.testing.assert_allclose(b, np.array(expected), rtol=1e-6)


@pytest.mark.skipif(libdevice.find_libdevice() is None, reason="libdevice is not installed")
def test_every_function_is_in_the_library(tmp_path: Path):
    """One kernel calls all, of f32 and of f64; the assembler takes it."""
    lines: list[str] = []
    for n, op in enumerate(FUNCTIONS):
        for t in ("f32", "f64"):
            operands = f"%{t}, %{t}" if op.name in ("math.powf", "math.atan2") else f"%{t}"
            place = f"%R_{t}[%c{n}] : memref<{len(FUNCTIONS)}x{t}>"
            lines += [
                f"%{t}_{n} = {op.name} {operands} : {t}",
                f"memref.store %{t}_{n}, {place}",
            ]
        lines.insert(0, f"%c{n} = arith.constant {n} : index")
    count = len(FUNCTIONS)
    text = f"""
        gpu.module @m {{
          gpu.func @k(%f32: f32, %f64: f64, %R_f32: memref<{count}xf32>,
                      %R_f64: memref<{count}xf64>) kernel {{
            {chr(10).join(lines)}
            gpu.return
          }}
        }}
    """
    module = parse_module(text, "kernel", context())
    with Target(TARGET) as target:
        get_pass("expand-math").apply(context(), module)
        get_pass("convert-gpu-to-nvvm").apply(context(), module)
        ptx = ptx_of(module, target)
    assert ".extern" not in ptx
    if PTXAS is not None:
        (tmp_path / "k.ptx").write_text(ptx)
        command = [PTXAS, "-arch=sm_80", str(tmp_path / "k.ptx"), "-o", "/dev/null"]
        subprocess.run(command, check=True)
