"""PTX: every architecture gets it, ptxas accepts it, and what a GPU lacks is refused."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import optional_tools
import pytest
from xdsl.dialects.builtin import ModuleOp

from kc.codegen.ptx import compile_ptx, emit_device_ir, ptx_of
from kc.support import registry
from kc.support.diagnostics import KCError
from kc.support.ir_text import parse_module
from kc.support.nvidia import architecture_of
from kc.support.options import PassSpec
from kc.support.target import Target
from kc.transforms.expand_math import FUNCTIONS as ELEMENTARY
from kc.transforms.pass_runner import Pipeline, make_stages

PTXAS = optional_tools.find("ptxas")
ARCHES = ("sm_75", "sm_80", "sm_90a", "sm_100a")

REDUCTION = """
func.func @sums(%A: memref<8x256xf32>, %B: memref<8xf32>) {
  tir.for %i in 8 thread "blockIdx.x" {
    tir.for %k_o in 2 {
      tir.for %k_i in 128 thread "threadIdx.x" {
        tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 256 = %k_o * 128 + %k_i) init {
          %0 = arith.constant 0.0 : f32
          tir.store %0, %B[%v_i] : memref<8xf32>
        } do {
          %1 = tir.load %A[%v_i, %v_k] : memref<8x256xf32>
          %2 = tir.load %B[%v_i] : memref<8xf32>
          %3 = arith.addf %2, %1 : f32
          tir.store %3, %B[%v_i] : memref<8xf32>
        }
      }
    }
  }
  func.return
}
"""

DYNAMIC = """
func.func @turned(%A: memref<64x64xf64>, %B: memref<64x64xf64>) {
  tir.for %b in 2 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<64x64xf64, "shared">
    %T = tir.alloc "T" : memref<64x64xf64, "shared">
    tir.for %t in 64 thread "threadIdx.x" {
      tir.for %j in 64 {
        %0 = tir.load %A[%t, %j] : memref<64x64xf64>
        tir.store %0, %S[%t, %j] : memref<64x64xf64, "shared">
        tir.store %0, %T[%j, %t] : memref<64x64xf64, "shared">
      }
    }
    tir.for %t in 64 thread "threadIdx.x" {
      tir.for %j in 32 {
        %0 = tir.load %S[%t, %b * 32 + %j] : memref<64x64xf64, "shared">
        %1 = tir.load %T[63 - %t, %b * 32 + %j] : memref<64x64xf64, "shared">
        %2 = arith.addf %0, %1 : f64
        tir.store %2, %B[%b * 32 + %j, %t] : memref<64x64xf64>
      }
    }
  }
  func.return
}
"""


UNARY = [op.name for op in ELEMENTARY if op.name not in ("math.powf", "math.atan2")]


def lowered(text: str, target: Target) -> ModuleOp:
    module = parse_module(text, "nest.mlir", registry.context())
    with target:
        Pipeline(make_stages([PassSpec("lower-to-nvvm")])).run(registry.context(), module)
    return module


def ptx(text: str, arch: str) -> str:
    target = Target(f"cuda -arch={arch}")
    return ptx_of(lowered(text, target), target)


@pytest.mark.parametrize("arch", ARCHES)
def test_header_names_the_architecture(arch: str):
    text = ptx(REDUCTION, arch)
    assert f".target {arch}\n" in text
    assert ".visible .entry sums_kernel(" in text
    assert re.search(r"\.reqntid 128\b", text)


def test_a_block_reduces_by_shuffles_and_one_exchange():
    """128 threads are four warps: 5 steps in a warp, 2 among the results of four."""
    text = ptx(REDUCTION, "sm_80")
    assert text.count("shfl.sync.") == 7
    assert text.count("bar.sync") == 1
    assert ".shared .align 16 .b8" in text


def test_much_shared_memory_is_dynamic():
    """Two arrays of 32 KiB are more than the 48 KiB that a kernel has without asking."""
    module = lowered(DYNAMIC, Target("cuda -arch=sm_80"))
    assert "dynamic_shared_memory_size" in str(module)
    assert ".extern .shared .align 16 .b8 kc_dynamic_shared[]" in ptx(DYNAMIC, "sm_80")


FUNCTIONS = f"""
func.func @functions(%A: memref<32xf32>, %B: memref<32xf64>) {{
  tir.for %t in 32 thread "threadIdx.x" {{
    %a = tir.load %A[%t] : memref<32xf32>
    %b = tir.load %B[%t] : memref<32xf64>
    {"".join(f"%a{n} = {op} %a : f32 %b{n} = {op} %b : f64 " for n, op in enumerate(UNARY))}
    %p = math.powf %a, %a : f32
    %q = math.atan2 %b, %b : f64
    {"".join(f"tir.store %a{n}, %A[%t] : memref<32xf32> " for n in range(len(UNARY)))}
    {"".join(f"tir.store %b{n}, %B[%t] : memref<32xf64> " for n in range(len(UNARY)))}
    tir.store %p, %A[%t] : memref<32xf32>
    tir.store %q, %B[%t] : memref<32xf64>
  }}
  func.return
}}
"""


@pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
@pytest.mark.parametrize(
    ("text", "arch"),
    [
        *(pytest.param(REDUCTION, arch, id=f"reduction-{arch}") for arch in ARCHES),
        *(pytest.param(DYNAMIC, arch, id=f"dynamic-{arch}") for arch in ARCHES),
        *(
            # All functions are much for ptxas, and the same but for the newest instructions.
            pytest.param(FUNCTIONS, arch, id=f"functions-{arch}", marks=marks)
            for n, arch in enumerate(ARCHES)
            for marks in [[] if n in (0, len(ARCHES) - 1) else [pytest.mark.sweep]]
        ),
    ],
)
def test_ptxas_accepts_it(text: str, arch: str, tmp_path: Path):
    source = tmp_path / "kernel.ptx"
    source.write_text(ptx(text, arch))
    done = subprocess.run(
        [str(PTXAS), f"-arch={arch}", "-v", str(source), "-o", str(tmp_path / "kernel.cubin")],
        capture_output=True,
        text=True,
    )
    if "is not defined for option 'gpu-name'" in done.stderr:
        pytest.skip(f"this ptxas does not know {arch}")
    assert done.returncode == 0, done.stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in done.stderr


def copies(pitch: int, start: int) -> str:
    """Rows of 64 numbers by vectors of four, by way of shared memory: each thread writes them, and
    others read them."""
    shared = f'memref<32x{pitch}xf32, "shared">'
    return f"""
    func.func @copies(%A: memref<32x{pitch}xf32>, %B: memref<32x64xf32>) {{
      tir.for %b in 1 thread "blockIdx.x" {{
        tir.for %t in 32 thread "threadIdx.x" {{
          %S = tir.alloc "S" : {shared}
          tir.for %j in 15 {{
            tir.for %v in 4 vectorized {{
              %0 = tir.load %A[%t, %j * 4 + %v + {start}] : memref<32x{pitch}xf32>
              tir.store %0, %S[%t, %j * 4 + %v + {start}] : {shared}
            }}
          }}
          gpu.barrier
          tir.for %j in 15 {{
            tir.for %v in 4 vectorized {{
              %1 = tir.load %S[31 - %t, %j * 4 + %v + {start}] : {shared}
              tir.store %1, %B[%t, %j * 4 + %v] : memref<32x64xf32>
            }}
          }}
        }}
      }}
      func.return
    }}
    """


@pytest.mark.parametrize(
    ("pitch", "start", "is_wide"), [(64, 0, True), (68, 4, True), (64, 2, False), (65, 0, False)]
)
def test_accesses_of_128_bits_where_the_alignment_is_proven(pitch: int, start: int, is_wide: bool):
    text = ptx(copies(pitch, start), "sm_80")
    # The rows of shared memory are made smaller, to the 60 numbers that are used.
    for access in ("st.global", "st.shared", "ld.shared"):
        assert f"{access}.v4.b32" in text, access
    assert ("ld.global.nc.v4.b32" in text) == is_wide


def test_an_intrinsic_that_the_gpu_lacks_ends_no_process():
    """LLVM aborts on these: they are compiled in a process of their own."""
    arch = architecture_of(Target("cuda -arch=sm_80"))
    text = """
    declare double @llvm.pow.f64(double, double)
    define ptx_kernel void @k(ptr %p) {
      %x = load double, ptr %p
      %y = call double @llvm.pow.f64(double %x, double %x)
      store double %y, ptr %p
      ret void
    }
    """
    with pytest.raises(KCError) as caught:
        compile_ptx(text, arch)
    assert caught.value.code == "KC4361"
    assert caught.value.message == "LLVM cannot generate code for this on sm_80"
    assert caught.value.facts == ("possible causes: llvm.pow.f64",)


def test_ir_that_llvm_refuses():
    arch = architecture_of(Target("cuda -arch=sm_80"))
    with pytest.raises(KCError) as caught:
        compile_ptx("define void @f() { ret i32 0 }", arch)
    assert caught.value.code == "KC4106"


def test_device_ir_says_what_a_launch_is():
    target = Target("cuda -arch=sm_80")
    module = lowered(REDUCTION, target)
    (code,) = [op for op in module.ops if op.name == "gpu.module"]
    device = ModuleOp([op.clone() for op in code.regions[0].block.ops])  # pyright: ignore
    text = emit_device_ir(device, architecture_of(target))
    assert "define ptx_kernel void @sums_kernel(" in text
    assert '"nvvm.reqntid"="128,1,1"' in text


def test_a_later_ptx_is_asked_for():
    assert ".version 8.6\n" in ptx(REDUCTION, "sm_80 -ptx=86")


@pytest.mark.parametrize("version", [70, 99])
def test_a_ptx_that_is_none(version: int):
    target = Target(f"cuda -arch=sm_100a -ptx={version}")
    with pytest.raises(KCError) as caught:
        architecture_of(target)
    assert str(caught.value) == (
        f"error[KC6020]: PTX {version} cannot be written for sm_100a\n"
        f"   |  the target: {target}\n"
        "  why: it is a number from 86 to 90; 86 is version 8.6\n"
        '  try: Target("cuda -arch=sm_100a -ptx=90")'
    )


def elementwise(function: str, element: str = "f32") -> str:
    """A kernel of 32 threads that computes one function of an element each."""
    return f"""
    func.func @f(%A: memref<32x{element}>, %B: memref<32x{element}>) {{
      tir.for %t in 32 thread "threadIdx.x" {{
        %a = tir.load %A[%t] : memref<32x{element}>
        %b = {function} %a : {element}
        tir.store %b, %B[%t] : memref<32x{element}>
      }}
      func.return
    }}
    """


@pytest.mark.parametrize(
    ("function", "instruction"),
    [
        ("math.exp", "ex2.approx.f32"),
        ("math.exp2", "ex2.approx.f32"),
        ("math.log", "lg2.approx.f32"),
        ("math.sin", "sin.approx.f32"),
        ("math.cos", "cos.approx.f32"),
        ("math.rsqrt", "rsqrt.approx.f32"),
        ("math.sqrt", "sqrt.approx.f32"),
        ("math.tanh", "tanh.approx.f32"),
    ],
)
def test_fast_functions_are_instructions(function: str, instruction: str):
    fast = ptx(elementwise(function), "sm_80 -fast-math-afn")
    assert fast.count(instruction) == 1
    assert ".approx" not in ptx(elementwise(function), "sm_80")


@pytest.mark.parametrize(
    ("element", "arch", "has_it"),
    [("f16", "sm_75", True), ("bf16", "sm_80", True), ("bf16", "sm_75", False)],
)
def test_narrow_floats_are_added_by_the_gpu(element: str, arch: str, has_it: bool):
    """An older one adds f32, and the bits are rounded by integer arithmetic."""
    text = ptx(elementwise("arith.addf %a,", element), arch)
    assert (f".{element} " in text.split("{\n")[1]) == has_it
    assert ("bfe.u32" in text) != has_it


@pytest.mark.parametrize("element", ["f8E4M3FN", "f8E5M2", "f16", "bf16"])
def test_functions_of_narrow_floats_are_expanded(element: str):
    assert "call" not in ptx(elementwise("math.exp", element), "sm_80")
