"""Source of kernels: compilers of each language take it, and it says what it should.

``test/runtime/test_opencl.py`` runs it.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import gpu_programs
import ml_dtypes
import numpy as np
import optional_tools
import pytest
from gpu_programs import GpuProgram

import kc
from kc.backends.formats import cuda_source, metal_source, opencl_source
from kc.codegen.gpu_source import emit_gpu_source
from kc.error import KCError
from kc.runtime.c_compiler import find_compiler
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.support.target import Target

CLANG = optional_tools.find("clang-22")
NVCC = optional_tools.find("nvcc")
STUBS = Path(__file__).with_name("gpu_stubs")
FORMATS = {"cuda": cuda_source, "opencl": opencl_source, "metal": metal_source}
PROGRAMS = {
    "add": lambda: gpu_programs.add("float32"),
    "halves": lambda: gpu_programs.add("float16"),
    "sums": lambda: gpu_programs.row_sums(),
    "softmax": gpu_programs.softmax,
    "matmul": gpu_programs.matmul,
    "bfloats": lambda: gpu_programs.add("bfloat16"),
}
COMPILERS = {
    # Nothing of CUDA is installed for these: the header of stubs has the few names that are used.
    "cuda": [
        "-xcuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version",
        "--cuda-gpu-arch=sm_80",
        f"-I{STUBS}", f"-include{STUBS / 'cuda.h'}", "-S", "-o", "kernel.ptx",
    ],
    "opencl": ["-xcl", "-cl-std=CL1.2", "--target=spir64", "-fsyntax-only"],
    "metal": ["-xc++", "-std=c++17", f"-I{STUBS}", "-Wno-unknown-attributes", "-fsyntax-only"],
}  # fmt: skip


def source(program: GpuProgram, language: str) -> str:
    target = Target("cuda -arch=sm_80" if language == "cuda" else language)
    with target:
        return FORMATS[language](program.lowered().op, target)


def of_text(kernel: str, language: str, warp: int = 1) -> str:
    """The source of kernels that are given as IR."""
    module = parse_module(f"gpu.module @m {{ {kernel} }}", "kernel.mlir", registry.context())
    return emit_gpu_source(module, language, warp)


def body(text: str) -> list[str]:
    """The lines of the last kernel."""
    return [line.strip() for line in text[text.index("_kernel(") :].splitlines()]


@pytest.mark.each_row
@pytest.mark.skipif(CLANG is None, reason="clang-22 is not installed")
@pytest.mark.parametrize("language", COMPILERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_clang_takes_it(name: str, language: str, tmp_path: Path):
    """Without a warning; of Metal a C++ compiler reads what the language has of C++."""
    file = tmp_path / "kernel"
    file.write_text(source(PROGRAMS[name](), language))
    done = subprocess.run(
        [str(CLANG), *COMPILERS[language], "-Wall", "-Wextra", "-Werror", str(file)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    if language == "cuda":
        ptx = (tmp_path / "kernel.ptx").read_text()
        assert ".visible .entry main_kernel" in ptx


@pytest.mark.slow
@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("name", ["halves", "bfloats", "softmax", "matmul"])
def test_nvcc_takes_it(name: str, tmp_path: Path):
    file = tmp_path / "kernel.cu"
    file.write_text(source(PROGRAMS[name](), "cuda"))
    done = subprocess.run(
        [str(NVCC), "-arch=sm_80", "-cubin", "-Xptxas", "-v", "-Werror", "all-warnings", str(file),
         "-o", str(tmp_path / "kernel.cubin")],
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "0 bytes spill stores, 0 bytes spill loads" in done.stderr


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
def test_nvcc_takes_operations_on_vectors(tmp_path: Path):
    file = tmp_path / "kernel.cu"
    module = parse_module(gpu_programs.VECTORS, "kernel.mlir", registry.context())
    file.write_text(emit_gpu_source(module, "cuda", 32))
    command = [str(NVCC), "-arch=sm_80", "-ptx", "-Werror", "all-warnings", "-fmad=false"]
    done = subprocess.run(
        [*command, str(file), "-o", str(tmp_path / "kernel.ptx")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"ld\.global(\.nc)?\.v4\.f32", (tmp_path / "kernel.ptx").read_text())


@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
def test_bfloats_of_cuda_are_rounded_to_the_nearest(tmp_path: Path):
    """The helper functions, by a compiler for this CPU."""
    random = np.random.default_rng(3)
    bits = random.integers(0, 2**32, 4096, dtype="uint32")
    bits[:6] = [0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x7FFFFFFF, 0xFF800001, 0x00008000]
    program = gpu_programs.elementwise(
        lambda x: x.astype("bfloat16"), np.negative, [bits.view("float32")], "bfloat16"
    )
    with Target("cuda -arch=sm_80") as target:
        text = cuda_source(program.lowered().op, target)
    helper = text[text.index("static __device__ inline int16_t kc_to_bf16") : text.index("extern")]
    file = tmp_path / "helper.c"
    file.write_text(
        "#include <stdint.h>\n#include <string.h>\n#define __device__\n"
        "static int __float_as_int(float x) { int b; memcpy(&b, &x, 4); return b; }\n"
        f"{helper}\nvoid all(const float *x, int16_t *y, int n) "
        "{ for (int i = 0; i < n; i++) y[i] = kc_to_bf16(x[i]); }\n"
    )
    library = tmp_path / "helper.so"
    command = [*(find_compiler() or ()), "-O1", "-shared", "-fPIC", str(file), "-o", str(library)]
    subprocess.run(command, check=True)
    rounded = np.zeros(4096, "int16")
    floats = bits.view("float32")
    ctypes.CDLL(str(library)).all(
        ctypes.c_void_p(floats.ctypes.data), ctypes.c_void_p(rounded.ctypes.data), 4096
    )
    with np.errstate(invalid="ignore"):
        expected = floats.astype(ml_dtypes.bfloat16)
    numbers = ~np.isnan(floats)
    assert (rounded.view("uint16")[numbers] == expected.view("uint16")[numbers]).all()
    assert np.isnan(rounded.view(ml_dtypes.bfloat16)[~numbers].astype("float32")).all()


@pytest.mark.parametrize("language", FORMATS)
def test_where_memory_is(language: str):
    """Arrays of the device that are only read are const; tiles are shared by a block, sums a
    thread's own."""
    text = source(gpu_programs.matmul(), language)
    shared = {
        "cuda": "__shared__ __align__(16) float A_shared[512];",
        "opencl": "__local float A_shared[512] __attribute__((aligned(16)));",
        "metal": "threadgroup alignas(16) float A_shared[512];",
    }
    arguments = {
        "cuda": "const float *__restrict__ A, float *__restrict__ C",
        "opencl": "__global const float *restrict A, __global float *restrict C",
        "metal": "device const float *A [[buffer(1)]], device float *C [[buffer(2)]]",
    }
    assert shared[language] in text
    assert arguments[language] in text
    assert "float C_local[16];" in text


@pytest.mark.parametrize("language", FORMATS)
def test_vectors_are_those_of_the_language(language: str):
    lines = "\n".join(body(source(gpu_programs.add("float32"), language)))
    space = {"cuda": "", "opencl": "__global ", "metal": "device "}[language]
    assert f"= *({space}const float4 *)&A[" in lines
    assert f"*({space}float4 *)&C[" in lines
    total = {
        "cuda": r"make_float4\((v_\d).x \+ (v_\d).x, \1.y \+ \2.y, \1.z \+ \2.z, \1.w \+ \2.w\)",
        "opencl": r"= v_\d \+ v_\d;",
        "metal": r"= v_\d \+ v_\d;",
    }
    assert re.search(total[language], lines)


REDUCED = {"cuda": 7, "metal": 7, "opencl": 0}


@pytest.mark.parametrize("language", FORMATS)
def test_lanes_exchange_values_where_the_target_has_warps(language: str):
    """128 threads are four warps of 32: 5 steps in each, 2 among the results of four, one barrier.
    Where nothing is known of warps, half adds to half seven times."""
    text = source(gpu_programs.row_sums(), language)
    assert len(re.findall("shfl_xor_sync|simd_shuffle_xor", text)) == REDUCED[language]
    barriers = len(re.findall(r"__syncthreads\(\);|barrier\(", text))
    assert barriers == (8 if language == "opencl" else 1)


def test_sub_groups_are_taken_for_warps_where_the_target_says_how_large_they_are():
    target = Target("opencl -thread_warp_size=32")
    with target:
        text = opencl_source(gpu_programs.row_sums().lowered().op, target)
    assert text.count("sub_group_shuffle_xor(") == 7
    assert "#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable" in text


EXCHANGE = """
gpu.func @ends(%A: memref<64xf32>, %B: memref<64xf32>)
    workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = gpu.thread_id x
  %last = arith.constant 63 : index
  %r = arith.subi %last, %t : index
  %x = memref.load %A[%t] : memref<64xf32>
  memref.store %x, MEMORY
  gpu.barrier
  %y = memref.load MEMORY_R
  memref.store %y, %A[%t] : memref<64xf32>
  gpu.return
}
"""
FENCES = {
    "cuda": ("__syncthreads();", "__syncthreads();"),
    "opencl": (
        "barrier(CLK_LOCAL_MEM_FENCE);",
        "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    ),
    "metal": (
        "threadgroup_barrier(mem_flags::mem_threadgroup);",
        "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);",
    ),
}


@pytest.mark.parametrize("language", FORMATS)
def test_barriers_are_for_the_memory_that_threads_exchange_values_by(language: str):
    for memory, fence in zip(("%S", "%B"), FENCES[language], strict=True):
        space = ", #gpu.address_space<workgroup>" if memory == "%S" else ""
        text = EXCHANGE.replace("MEMORY_R", f"{memory}[%r] : memref<64xf32{space}>")
        text = text.replace("MEMORY", f"{memory}[%t] : memref<64xf32{space}>")
        if memory == "%S":  # A is read and written here; take it out
            text = text.replace("memref.store %y, %A", "memref.store %y, %B")
        assert f"\n  {fence}\n" in of_text(text, language)


def test_products_and_sums_stay_apart_where_they_must():
    """OpenCL C fuses them unless it is told not to; what nvcc and Metal are to be told, the source
    says."""
    heads = {
        "cuda": "/* To be compiled with -fmad=false. */",
        "opencl": "#pragma OPENCL FP_CONTRACT OFF",
        "metal": "/* To be compiled without fast math, and without the contraction of floats. */",
    }
    kernel = """
    gpu.func @k(%A: memref<4xf32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<4xf32>
      %y = arith.mulf %x, %x FLAGS : f32
      memref.store %y, %A[%t] : memref<4xf32>
      gpu.return
    }"""
    for language, head in heads.items():
        assert head in of_text(kernel.replace("FLAGS", ""), language)
        assert head not in of_text(kernel.replace("FLAGS", "fastmath<contract>"), language)
        program = gpu_programs.matmul()
        with Target(f"{language} -contract=0") as target:
            assert head in FORMATS[language](program.lowered().op, target)


@pytest.mark.parametrize(
    ("lanes", "flags", "total"),
    [
        (4, "", "v.x + v.y + v.z + v.w"),
        (4, " fastmath<reassoc>", "v.x + v.z + (v.y + v.w)"),
        (3, " fastmath<reassoc>", "v.x + v.y + v.z"),
    ],
)
def test_lanes_whose_order_does_not_matter_are_combined_in_halves(
    lanes: int, flags: str, total: str
):
    text = of_text(
        f"""
        gpu.func @k(%A: memref<{lanes}xf32>) kernel {{
          %c0 = arith.constant 0 : index
          %v = vector.load %A[%c0] : memref<{lanes}xf32>, vector<{lanes}xf32>
          %s = vector.reduction <add>, %v{flags} : vector<{lanes}xf32> into f32
          memref.store %s, %A[%c0] : memref<{lanes}xf32>
          gpu.return
        }}""",
        "opencl",
    )
    assert f"  A[0] = {total};" in text


def test_names_are_no_words_of_the_language():
    kernel = """
    gpu.func @kernel(%float4: memref<4xf32>, %half: f32, %global: memref<?xi32>) kernel {
      %t = gpu.thread_id x
      %device = memref.load %float4[%t] : memref<4xf32>
      %template = arith.addf %device, %half : f32
      memref.store %template, %float4[%t] : memref<4xf32>
      memref.store %template, %float4[%t] : memref<4xf32>
      gpu.return
    }"""
    heads = {
        "cuda": "kernel(float *__restrict__ float4_1, float half_1, "
        "const int32_t *__restrict__ global, int64_t global_dim0)",
        "opencl": "kc_kernel(__global float *restrict float4_1, float half_1, "
        "__global const int32_t *restrict global_1, int64_t global_1_dim0)",
        "metal": "kc_kernel(device float *float4_1 [[buffer(0)]], "
        "constant float &half_1 [[buffer(1)]], device const int32_t *global [[buffer(2)]], "
        "constant int64_t &global_dim0 [[buffer(3)]], "
        "uint3 kc_thread [[thread_position_in_threadgroup]])",
    }
    for language, head in heads.items():
        assert f" {head} {{" in of_text(kernel, language)


def test_memory_whose_size_the_launch_gives():
    kernel = """
    gpu.func @k(%A: memref<4xf32>) kernel {
      %t = gpu.thread_id x
      %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %shift = arith.constant 64 : index
      %S = memref.view %m[%shift][] : memref<?xi8, #gpu.address_space<workgroup>>
           to memref<4xf32, #gpu.address_space<workgroup>>
      %x = memref.load %A[%t] : memref<4xf32>
      memref.store %x, %S[%t] : memref<4xf32, #gpu.address_space<workgroup>>
      gpu.return
    }"""
    cuda = of_text(kernel, "cuda")
    assert "  extern __shared__ __align__(16) uint8_t kc_dynamic_shared[];\n" in cuda
    assert "  float *S = (float *)(kc_dynamic_shared + 64);\n" in cuda
    opencl = of_text(kernel, "opencl")
    assert ", __local uint8_t *restrict kc_dynamic_shared) {" in opencl
    assert "  __local float *S = (__local float *)(kc_dynamic_shared + 64);\n" in opencl
    metal = of_text(kernel, "metal")
    assert "threadgroup uint8_t *kc_dynamic_shared [[threadgroup(0)]]" in metal


def test_tables_of_constants():
    kernel = """
    "memref.global"() <{
      sym_name = "t", sym_visibility = "private", type = memref<3xf16>, constant,
      initial_value = dense<[1.0, -2.0, 0.5]> : tensor<3xf16>
    }> : () -> ()
    gpu.func @k(%A: memref<3xf16>) kernel {
      %t = gpu.thread_id x
      %T = memref.get_global @t : memref<3xf16>
      %x = memref.load %T[%t] : memref<3xf16>
      memref.store %x, %A[%t] : memref<3xf16>
      gpu.return
    }"""
    heads = {"cuda": "static __device__ const", "opencl": "__constant", "metal": "constant"}
    for language, head in heads.items():
        text = of_text(kernel, language)
        assert f"{head} int16_t kc_table_t[3] = {{\n  15360, -16384, 14336,\n}};\n" in text


STRIDED = """
gpu.func @k(%A: memref<4x?xf32, strided<[?, 1], offset: ?>>,
            %B: memref<4x8xf32, strided<[32, 2], offset: 3>>) kernel {
  %b = gpu.block_id x
  %t = gpu.thread_id x
  %x = memref.load %A[%b, %t] : memref<4x?xf32, strided<[?, 1], offset: ?>>
  %v = vector.broadcast %x : f32 to vector<2xf32>
  vector.store %v, %B[%b, %t] : memref<4x8xf32, strided<[32, 2], offset: 3>>, vector<2xf32>
  gpu.return
}"""


def test_parts_of_arrays():
    """A pointer to the first element, sizes and strides; in OpenCL C, which passes whole arrays,
    where it begins is one more number."""
    cuda = of_text(STRIDED, "cuda")
    assert (
        "k(const float *__restrict__ A, int64_t A_dim1, int64_t A_stride0, float *__restrict__ B) {"
    ) in cuda
    lines = body(cuda.replace("void k(", "void the_kernel("))
    assert "const float x = A[b * A_stride0 + t];" in lines
    assert lines[-5:-1] == [
        "const float2 v = make_float2(x, x);",
        "const int64_t B_at = b * 32 + t * 2;",
        "B[B_at] = v.x;",
        "B[B_at + 1 * 2] = v.y;",
    ]
    opencl = of_text(STRIDED, "opencl")
    assert (
        "k(__global const float *restrict A, int64_t A_begin, int64_t A_dim1, int64_t A_stride0, "
        "__global float *restrict B, int64_t B_begin) {\n  (void)A_dim1;\n"
        "  A += A_begin;\n  B += B_begin;\n"
    ) in opencl
    metal = of_text(STRIDED, "metal")
    assert "constant int64_t &A_stride0 [[buffer(2)]], device float *B [[buffer(3)]]" in metal


def test_arguments_that_share_memory():
    """They are not said to be apart, if one of them is written."""
    text = """
    gpu.func @k(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<4xf32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<4xf32>
      memref.store %x, %B[%t] : memref<4xf32>
      %y = memref.load %C[%t] : memref<4xf32>
      memref.store %y, %B[%t] : memref<4xf32>
      gpu.return
    }"""
    launch = """}
    func.func @main(%A: memref<4xf32>, %B: memref<4xf32>) {
      %c1 = arith.constant 1 : index
      gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
          args(%A : memref<4xf32>, %A : memref<4xf32>, %B : memref<4xf32>)
      func.return
    """
    module = parse_module(
        f"module attributes {{gpu.container_module}} {{ gpu.module @m {{ {text} {launch} }} }}",
        "kernel.mlir",
        registry.context(),
    )
    source = emit_gpu_source(module, "cuda", 32)
    assert "k(const float *A, float *B, const float *__restrict__ C) {" in source


# What is refused ----------------------------------------------------------------------------


def refusal(kernel: str, language: str, warp: int = 32) -> str:
    with pytest.raises(KCError) as caught:
        of_text(kernel, language, warp)
    lines = str(caught.value).splitlines()
    return "\n".join(line for line in lines if not line.startswith("  -->"))


def kernel_of(line: str, more: str = "") -> str:
    return f"""
gpu.func @k(%A: memref<4xf64>, %n: index{more}) kernel {{
  %t = gpu.thread_id x
  %x = memref.load %A[%t] : memref<4xf64>
  {line}
  memref.store %x, %A[%t] : memref<4xf64>
  gpu.return
}}"""


def test_metal_has_no_double():
    assert refusal(kernel_of(""), "metal") == (
        "error[KC4401]: metal: Metal has no array for memref<4xf64>\n"
        "  why: arrays are dense, of integers of 8, 16, 32 or 64 bits, and float"
    )
    assert refusal(
        "gpu.func @k(%A: memref<4xf32>) kernel {\n %c = arith.constant 0 : index\n"
        " %x = memref.load %A[%c] : memref<4xf32>\n %y = arith.extf %x : f32 to f64\n"
        " %z = arith.truncf %y : f64 to f32\n memref.store %z, %A[%c] : memref<4xf32>\n"
        " gpu.return\n}",
        "metal",
    ) == (
        "error[KC4401]: metal: Metal has no type for arith.extf on f64\n"
        "  why: Metal has integers of 8, 16, 32 and 64 bits, float, and vectors of these, no double"
    )


def test_shuffles_of_more_lanes_than_a_warp():
    line = (
        "%o = arith.constant 1 : i32 %w = arith.constant 32 : i32 "
        "%y, %v = gpu.shuffle xor %x, %o, %w : f64 memref.store %y, %A[%t] : memref<4xf64>"
    )
    assert refusal(kernel_of(line), "opencl", 1) == (
        "error[KC4404]: opencl: a shuffle of 32 lanes\n"
        "  why: the target does not state the size of a warp, whose threads exchange values\n"
        "  try: -thread_warp_size of the target, if its warps are larger"
    )
    assert refusal(kernel_of(line), "cuda", 16) == (
        "error[KC4404]: cuda: a shuffle of 32 lanes\n"
        "  why: the target has warps of 16 threads, which exchange values\n"
        "  try: -thread_warp_size of the target, if its warps are larger"
    )


UPDATES = {
    "cuda": [
        "atomicMax((int *)&A[t], (int)7);",
        "const int32_t v = (int32_t)atomicMin((unsigned int *)&A[t], (unsigned int)7);",
        "atomicExch((int *)&A[t], (int)v);",
        "uint32_t bits = __float_as_uint(F[t]);",
        "uint32_t kc_before_bits;",
        "do {",
        "kc_before_bits = bits;",
        "bits = atomicCAS((unsigned int *)&F[t], kc_before_bits, "
        "__float_as_uint(__uint_as_float(bits) + 1.5f));",
        "} while (bits != kc_before_bits);",
    ],
    "opencl": [
        "atomic_max((volatile __global int *)&A[t], (int)7);",
        "const int32_t v = (int32_t)atomic_min((volatile __global uint *)&A[t], (uint)7);",
        "atomic_xchg((volatile __global int *)&A[t], (int)v);",
        "uint32_t bits = as_uint(F[t]);",
        "uint32_t kc_before_bits;",
        "do {",
        "kc_before_bits = bits;",
        "bits = atomic_cmpxchg((volatile __global uint *)&F[t], kc_before_bits, "
        "as_uint(as_float(bits) + 1.5f));",
        "} while (bits != kc_before_bits);",
    ],
    "metal": [
        "atomic_fetch_max_explicit((device atomic_int *)&A[t], (int)7, memory_order_relaxed);",
        "const int32_t v = (int32_t)atomic_fetch_min_explicit((device atomic_uint *)&A[t], "
        "(uint)7, memory_order_relaxed);",
        "atomic_exchange_explicit((device atomic_int *)&A[t], (int)v, memory_order_relaxed);",
        "uint32_t bits = as_type<uint>(F[t]);",
        "while (!atomic_compare_exchange_weak_explicit((device atomic_uint *)&F[t], &bits, "
        "as_type<uint>(as_type<float>(bits) + 1.5f), memory_order_relaxed, "
        "memory_order_relaxed)) {",
        "}",
    ],
}


@pytest.mark.parametrize("language", UPDATES)
def test_atomic_updates(language: str):
    kernel = """
    gpu.func @k(%A: memref<4xi32>, %F: memref<4xf32>) kernel {
      %t = gpu.thread_id x
      %7 = arith.constant 7 : i32
      %f = arith.constant 1.5 : f32
      %0 = memref.atomic_rmw maxs %7, %A[%t] : (i32, memref<4xi32>) -> i32
      %1 = memref.atomic_rmw minu %7, %A[%t] : (i32, memref<4xi32>) -> i32
      %2 = memref.atomic_rmw assign %1, %A[%t] : (i32, memref<4xi32>) -> i32
      %3 = memref.atomic_rmw addf %f, %F[%t] : (f32, memref<4xf32>) -> f32
      gpu.return
    }"""
    lines = of_text(kernel, language).splitlines()
    stripped = [line.strip() for line in lines]
    assert stripped[-1 - len(UPDATES[language]) : -1] == UPDATES[language]


WIDE_UPDATES = {
    "cuda": [
        "atomicMax((long long *)&A[t], (long long)x);",
        "const int64_t v = (int64_t)atomicAdd((unsigned long long *)&A[t], (unsigned long long)x);",
        "uint64_t bits = (uint64_t)(A[t]);",
        "uint64_t kc_before_bits;",
        "do {",
        "kc_before_bits = bits;",
        "bits = atomicCAS((unsigned long long *)&A[t], kc_before_bits, "
        "(uint64_t)(bits * (uint64_t)v));",
        "} while (bits != kc_before_bits);",
        "uint64_t bits_1 = (unsigned long long)__double_as_longlong(F[t]);",
        "uint64_t kc_before_bits_1;",
        "do {",
        "kc_before_bits_1 = bits_1;",
        "bits_1 = atomicCAS((unsigned long long *)&F[t], kc_before_bits_1, (unsigned long long)"
        "__double_as_longlong(kc_maximum(__longlong_as_double(bits_1), f)));",
        "} while (bits_1 != kc_before_bits_1);",
    ],
    "opencl": [
        "atom_max((volatile __global long *)&A[t], (long)x);",
        "const int64_t v = (int64_t)atom_add((volatile __global long *)&A[t], (long)x);",
        "uint64_t bits = (uint64_t)(A[t]);",
        "uint64_t kc_before_bits;",
        "do {",
        "kc_before_bits = bits;",
        "bits = atom_cmpxchg((volatile __global ulong *)&A[t], kc_before_bits, "
        "(uint64_t)(bits * (uint64_t)v));",
        "} while (bits != kc_before_bits);",
        "uint64_t bits_1 = as_ulong(F[t]);",
        "uint64_t kc_before_bits_1;",
        "do {",
        "kc_before_bits_1 = bits_1;",
        "bits_1 = atom_cmpxchg((volatile __global ulong *)&F[t], kc_before_bits_1, "
        "as_ulong(kc_maximum(as_double(bits_1), f)));",
        "} while (bits_1 != kc_before_bits_1);",
    ],
}
WIDE_KERNEL = """
    gpu.func @k(%A: memref<4xi64>, %F: memref<4xf64>, %x: i64, %f: f64) kernel {
      %t = gpu.thread_id x
      %0 = memref.atomic_rmw maxs %x, %A[%t] : (i64, memref<4xi64>) -> i64
      %1 = memref.atomic_rmw addi %x, %A[%t] : (i64, memref<4xi64>) -> i64
      %2 = memref.atomic_rmw muli %1, %A[%t] : (i64, memref<4xi64>) -> i64
      %3 = memref.atomic_rmw maximumf %f, %F[%t] : (f64, memref<4xf64>) -> f64
      gpu.return
    }"""


@pytest.mark.parametrize("language", WIDE_UPDATES)
def test_atomic_updates_of_64_bits(language: str):
    text = of_text(WIDE_KERNEL, language)
    stripped = [line.strip() for line in text.splitlines()]
    assert stripped[-1 - len(WIDE_UPDATES[language]) : -1] == WIDE_UPDATES[language]
    extensions = [line for line in text.splitlines() if "cl_khr_int64" in line]
    assert extensions == (language == "opencl") * [
        f"#pragma OPENCL EXTENSION cl_khr_int64_{name}_atomics : enable"
        for name in ("base", "extended")
    ]


def test_atomic_updates_of_64_bits_in_metal():
    update = "%0 = memref.atomic_rmw maxs %x, %A[%t] : (i64, memref<4xi64>) -> i64"
    assert refusal(kernel_of(update).replace("f64", "i64"), "metal") == (
        "error[KC4403]: metal: an atomic maxs of i64 cannot be expressed in Metal\n"
        "  why: it has atomic updates of 32 bits: of 64, only minima and maxima of unsigned "
        "integers, since Metal 2.4 on some GPUs"
    )


REFUSED = {
    "%m = memref.alloc() : memref<4xf64>": (
        "error[KC4362]: opencl: memref.alloc in a kernel\n"
        "  why: a kernel has only the memory that exists when it is launched\n"
        "  try: use memref.alloca, or private(...) of the gpu.func, with a constant size"
    ),
    "%m = memref.alloca(%n) : memref<?xf64> memref.store %x, %m[%t] : memref<?xf64>": (
        "error[KC4403]: opencl: an array of a size that is not constant cannot be expressed in "
        "OpenCL C\n"
        "  why: a kernel has only the memory that exists when it is launched"
    ),
    "%0 = memref.atomic_rmw addi %x, %A[%t] : (f64, memref<4xf64>) -> f64": (
        "error[KC4403]: opencl: an atomic addi of f64 cannot be expressed in OpenCL C\n"
        "  why: it has addi, andi, ori, xori, assign, maxs, mins, maxu, minu, muli of i32 and i64, "
        "and addf, mulf, maxnumf, minnumf, maximumf, minimumf, assign of f32 and f64"
    ),
    "gpu.printf \"%f\", %x : f64": (
        "error[KC4403]: opencl: gpu.printf cannot be expressed in OpenCL C\n"
        "  why: kernels have loops, branches, buffers, arithmetic, barriers and shuffles"
    ),
    "%c = gpu.cluster_id x memref.store %x, %A[%c] : memref<4xf64>": (
        "error[KC4403]: opencl: gpu.cluster_id cannot be expressed in OpenCL C\n"
        "  why: its kernels have no clusters of blocks"
    ),
    "%v = vector.load %A[%t] : memref<4xf64>, vector<2xf64> "
    "%e = vector.extract %v[%n] : f64 from vector<2xf64> memref.store %e, %A[%n] : memref<4xf64>": (
        "error[KC4403]: opencl: vector.extract cannot be expressed in OpenCL C\n"
        "  why: it supports loads, stores and arithmetic of vectors, and lanes with constant "
        "indices"
    ),
}  # fmt: skip


@pytest.mark.parametrize("line", REFUSED)
def test_what_no_language_takes(line: str):
    assert refusal(kernel_of(line), "opencl") == REFUSED[line]


def test_functions_that_are_no_kernels():
    function = "gpu.func @f() { gpu.return }"
    assert refusal(kernel_of("") + function, "cuda") == (
        "error[KC4403]: cuda: gpu.func beside kernels cannot be expressed in CUDA C++\n"
        "  why: the source has kernels and tables of constants"
    )


@pytest.mark.parametrize("language", FORMATS)
def test_another_target(language: str):
    title = {"cuda": "CUDA C++", "opencl": "OpenCL C", "metal": "Metal"}[language]
    target = Target("llvm")
    with pytest.raises(KCError) as caught:
        FORMATS[language](gpu_programs.reverse().lowered().op, target)
    assert str(caught.value) == (
        f"error[KC6022]: {title} for the target llvm\n"
        f"  why: {title} is made for targets of the kind {language}\n"
        f"  try: --target={language}"
    )


def test_a_module_has_its_source():
    """The source of a build for CUDA is made when it is asked for, with CUDA's own functions."""
    program = gpu_programs.softmax()
    cuda = kc.build(program.schedule, program.args, target="cuda -arch=sm_80")
    assert "expf(" in cuda.get_source("cuda")
    metal = kc.build(program.schedule, program.args, target="metal")
    assert metal.imported_modules[0].get_source() == metal.get_source("metal")
    with pytest.raises(KCError) as caught:
        metal(*program.inputs(np.random.default_rng(0)))
    assert str(caught.value) == (
        "error[KC6044]: main is compiled for Metal, where kc cannot launch kernels\n"
        '  try: module.get_source("metal") is the source, for the compiler of Metal\n'
        '  try: target="cuda-emu" runs the same schedule on this CPU, target="opencl" on a device '
        "of OpenCL"
    )
