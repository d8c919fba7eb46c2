"""Objects for GPUs of AMD, and SPIR-V: what LLVM makes of kernels, and what it has no code for."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

import gpu_programs
import numpy as np
import optional_tools
import pytest
from gpu_programs import GpuProgram

import kc
from kc.backends.formats import amdgcn, object_code, spirv
from kc.backends.formats import assembly as assembly_format
from kc.codegen.device_code import compile_amdgpu
from kc.error import KCError
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.support.target import Target

SPIRV_VAL = optional_tools.find("spirv-val")
SPIRV_DIS = optional_tools.find("spirv-dis")
PROGRAMS = {
    "add": lambda: gpu_programs.add("float32"),
    "halves": lambda: gpu_programs.add("float16"),
    "doubles": lambda: gpu_programs.add("float64"),
    "bytes": lambda: gpu_programs.add("uint8"),
    "sums": gpu_programs.row_sums,
    "softmax": gpu_programs.softmax,
    "matmul": gpu_programs.matmul,
}


def assembly(program: GpuProgram, arch: str) -> str:
    target = Target(f"rocm -arch={arch}")
    with target:
        return amdgcn(program.lowered().op, target)


def notes(text: str) -> dict[str, list[int]]:
    """The numbers of the metadata, one of each kernel."""
    numbers: dict[str, list[int]] = {}
    for name, value in re.findall(r"^ +\.(\w+): +(\d+)$", text, re.MULTILINE):
        numbers.setdefault(name, []).append(int(value))
    return numbers


@pytest.mark.each_row
@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
@pytest.mark.parametrize("name", ["matmul", "sums"])
def test_kernels_fit_into_registers(name: str, arch: str):
    program = PROGRAMS[name]()
    numbers = notes(assembly(program, arch))
    assert set(numbers["vgpr_spill_count"] + numbers["sgpr_spill_count"]) == {0}
    assert set(numbers["private_segment_fixed_size"]) == {0}
    assert all(count <= 128 for count in numbers["vgpr_count"])
    assert numbers["wavefront_size"] == [32 if arch == "gfx1100" else 64]
    threads = {"matmul": 64, "sums": 128}[name]
    assert numbers["max_flat_workgroup_size"] == [threads]
    shared = {"matmul": 2 * 2 * 8 * 32 * 4, "sums": 4 * (4 if arch == "gfx1100" else 2)}[name]
    assert numbers["group_segment_fixed_size"] == [shared]


def test_a_wavefront_reduces_by_64_lanes():
    """128 threads are two wavefronts: 6 steps in each, one between them."""
    text = assembly(gpu_programs.row_sums(), "gfx90a")
    assert text.count("ds_bpermute_b32") == 7
    assert text.count("s_barrier") == 1
    assert assembly(gpu_programs.row_sums(), "gfx1100").count("ds_bpermute_b32") == 7


def test_memory_is_written_before_a_barrier_and_read_behind_it():
    """The fences wait for what was stored, and no load moves across."""
    lines = [line.strip() for line in assembly(gpu_programs.row_sums(), "gfx90a").splitlines()]
    barrier = lines.index("s_barrier")
    store = next(n for n, line in enumerate(lines) if line.startswith("ds_write"))
    load = next(n for n, line in enumerate(lines) if line.startswith("ds_read"))
    assert store < barrier < load
    assert any(re.match(r"s_waitcnt.*lgkmcnt\(0\)", line) for line in lines[store:barrier])


def test_products_and_sums_stay_apart_where_they_must():
    program = gpu_programs.elementwise(
        lambda x: x * x + x, lambda x: x * x + x, [np.ones(32, "float32")], "float32"
    )
    texts = {}
    for more in ("", " -contract=0"):
        with Target(f"rocm -arch=gfx942{more}") as target:
            texts[more] = amdgcn(program.lowered().op, target)
    assert "v_fma" in texts[""]
    assert "v_fma" not in texts[" -contract=0"]
    assert "v_mul_f32" in texts[" -contract=0"]


def test_vectors_and_halves_have_instructions():
    text = assembly(gpu_programs.add("float32"), "gfx942")
    assert text.count("global_load_dwordx4") == 2
    assert text.count("global_store_dwordx4") == 1
    assert "v_cvt_f32_f16" in assembly(gpu_programs.add("float16"), "gfx942") or "v_add_f16" in (
        assembly(gpu_programs.add("float16"), "gfx942")
    )


def test_an_object_is_an_elf_file_for_amd(tmp_path: Path):
    program = gpu_programs.reverse()
    module = kc.build(program.schedule, program.args, target="amd/mi300x")
    module.save(tmp_path / "k.o")
    data = (tmp_path / "k.o").read_bytes()
    assert data[:4] == b"\x7fELF"
    kind, machine = struct.unpack_from("<HH", data, 16)
    assert (kind, machine) == (1, 224)  # ET_REL, EM_AMDGPU
    assert b"main_kernel.kd\0" in data
    assert ".amdgcn_target" in module.get_source("amdgcn")
    assert module.get_source("asm") == module.get_source("amdgcn")
    with pytest.raises(KCError) as caught:
        module(*program.inputs(np.random.default_rng(0)))
    assert str(caught.value) == (
        "error[KC6044]: main is compiled for a GPU of AMD, where kc cannot launch kernels\n"
        '  try: module.get_source("amdgcn") is the assembly, module.save("k.o") the object, which '
        "ld.lld -shared makes loadable\n"
        '  try: target="cuda-emu" runs the same schedule on this CPU, target="opencl" on a device '
        "of OpenCL"
    )


@pytest.mark.skipif(SPIRV_VAL is None, reason="spirv-val is not installed")
@pytest.mark.parametrize("name", PROGRAMS)
def test_spirv_is_valid(name: str, tmp_path: Path):
    file, target = tmp_path / "k.spv", Target("opencl")
    with target:
        file.write_bytes(spirv(PROGRAMS[name]().lowered().op, target))
    # Halves are an extension of OpenCL, cl_khr_fp16.
    environment = "spv1.2" if name == "halves" else "opencl2.2"
    done = subprocess.run(
        [str(SPIRV_VAL), "--target-env", environment, str(file)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == ""


@pytest.mark.skipif(SPIRV_DIS is None, reason="spirv-dis is not installed")
def test_spirv_has_functions_of_opencl_and_barriers(tmp_path: Path):
    file, target = tmp_path / "k.spv", Target("opencl")
    with target:
        file.write_bytes(spirv(gpu_programs.softmax().lowered().op, target))
    text = subprocess.run(
        [str(SPIRV_DIS), str(file)], capture_output=True, text=True, check=True
    ).stdout
    assert "; Version: 1.2" in text
    assert text.count("OpEntryPoint Kernel") == 4
    assert re.search(r"OpExtInst %float %\d+ exp ", text)
    assert text.count("OpControlBarrier") == 2 * 6  # 32 threads, halved five times
    assert "Workgroup" in text


def compiled(kernel: str, arch: str) -> str:
    """The diagnostic for a kernel in textual IR, compiled for an architecture."""
    module = parse_module(f"gpu.module @m {{ {kernel} }}", "kernel.mlir", registry.context())
    with Target(f"rocm -arch={arch}") as target:
        registry.get_pass("convert-gpu-to-llvm-amdgpu").apply(registry.context(), module)
    with pytest.raises(KCError) as caught:
        compile_amdgpu(module, target)
    return str(caught.value)


def test_what_a_gpu_lacks_ends_no_process():
    """LLVM would abort: the matrix cores of gfx90a are not there in gfx1100."""
    kernel = """
    gpu.func @k(%A: memref<64xf32>) kernel {
      %t = gpu.thread_id x
      %x = memref.load %A[%t] : memref<64xf32>
      %zero = llvm.mlir.constant(dense<0.0> : vector<4xf32>) : vector<4xf32>
      %flag = llvm.mlir.constant(0 : i32) : i32
      %r = llvm.call_intrinsic "llvm.amdgcn.mfma.f32.4x4x1f32"(%x, %x, %zero, %flag, %flag, %flag)
          : (f32, f32, vector<4xf32>, i32, i32, i32) -> vector<4xf32>
      %y = vector.extract %r[0] : f32 from vector<4xf32>
      memref.store %y, %A[%t] : memref<64xf32>
      gpu.return
    }"""
    said = compiled(kernel, "gfx1100")
    assert re.fullmatch(
        r"error\[KC4361\]: LLVM cannot generate code for this on gfx1100\n"
        r"  why: Cannot select: intrinsic %llvm\.amdgcn\.mfma\.f32\.4x4x1f32",
        said,
    ), said


def test_an_architecture_that_is_none():
    with pytest.raises(KCError) as caught:
        Target("rocm -arch=gfx90")
    assert str(caught.value) == (
        "error[KC6006]: target rocm: there is no architecture 'gfx90'\n"
        "  try: did you mean 'gfx950' or 'gfx90a' or 'gfx908'?"
    )


@pytest.mark.parametrize(
    ("emit", "what", "why", "hint"),
    [
        (
            amdgcn, "amdgcn", "it is the assembly of AMD's GPUs", '--target="rocm -arch=gfx90a"',
        ),
        (spirv, "SPIR-V", "SPIR-V is made for targets of the kind opencl", "--target=opencl"),
    ],
)  # fmt: skip
def test_another_target(emit: object, what: str, why: str, hint: str):
    assert callable(emit)
    with pytest.raises(KCError) as caught:
        emit(gpu_programs.reverse().lowered().op, Target("llvm"))
    assert str(caught.value) == (
        f"error[KC6022]: {what} for the target llvm\n  why: {why}\n  try: {hint}"
    )


def test_objects_and_assembly_are_formats_of_amd_too():
    target = Target("rocm -arch=gfx942")
    with target:
        text = assembly_format(gpu_programs.reverse().lowered().op, target)
        data = object_code(gpu_programs.reverse().lowered().op, target)
    assert '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"' in text
    assert data[:4] == b"\x7fELF"
