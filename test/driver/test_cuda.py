"""kc.build for NVIDIA GPUs: PTX without a GPU, and what a call says where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.runtime import load_module
from kc.support.diagnostics import KCError
from kc.support.target import Target

TARGET = "cuda -arch=sm_80"


def add(bound: bool = True) -> tuple[Any, list[Any]]:
    A, B = te.placeholder((1000,), name="A"), te.placeholder((1000,), name="B")
    C = te.compute((1000,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    if bound:
        block, thread = s[C].split(C.op.axis[0], 64)
        s[C].bind(block, te.thread_axis("blockIdx.x"))
        s[C].bind(thread, te.thread_axis("threadIdx.x"))
    return s, [A, B, C]


@pytest.fixture(scope="module")
def built() -> kc.runtime.Module:
    s, args = add()
    return kc.build(s, args, target=TARGET, name="add")


def test_the_device_code_is_an_imported_module(built: kc.runtime.Module):
    (device,) = built.imported_modules
    text = device.get_source()
    assert ".target sm_80" in text
    assert ".visible .entry add_kernel(" in text
    assert text == built.get_source("ptx")
    assert list(device.functions) == ["add_kernel"]


def test_stages_are_kept(built: kc.runtime.Module):
    assert "tir.for" in built.get_source("tir")
    assert "gpu.launch_func @kernels::@add_kernel" in built.get_source("gpu")
    assert "nvvm.read.ptx.sreg.tid.x" in built.get_source("mlir")


def test_a_call_says_what_is_missing(built: kc.runtime.Module, no_driver: None):
    a = np.zeros(1000, "float32")
    with pytest.raises(KCError) as caught:
        built(a, a, a.copy())
    assert str(caught.value) == (
        "error[KC6021]: add is compiled for an NVIDIA GPU, but none is usable "
        "here\n"
        "   |  cuda-bindings: it is not installed\n"
        "   |  the driver's library: libcuda.so.1 is not found\n"
        "   |  pycuda: it is not installed\n"
        '  try: KC_CUDA=emu in the environment, or target="cuda-emu", runs the same kernels on '
        "this CPU\n"
        "  try: pip install 'kc-compiler[cuda]' brings cuda-bindings\n"
        "  try: NVIDIA's driver brings the library libcuda"
    )


def test_a_way_to_a_gpu_that_is_none(
    built: kc.runtime.Module, no_driver: None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KC_CUDA", "binding")
    with pytest.raises(KCError) as caught:
        built(1, 2, 3)
    assert str(caught.value) == (
        "error[KC6030]: KC_CUDA=binding does not name a driver\n  try: did you mean 'bindings'?"
    )
    monkeypatch.setenv("KC_CUDA", "pycuda")
    with pytest.raises(KCError) as caught:
        built(1, 2, 3)
    assert str(caught.value) == (
        "error[KC6021]: add is compiled for an NVIDIA GPU, but none is usable "
        "here\n"
        "   |  pycuda: it is not installed\n"
        '  try: KC_CUDA=emu in the environment, or target="cuda-emu", runs the same kernels on '
        "this CPU\n"
        "  try: pip install 'kc-compiler[pycuda]' builds pycuda with CUDA's toolkit"
    )


def test_nothing_is_imported_before_a_call():
    program = """
import sys
import kc
from kc import te
A = te.placeholder((64,), name="A")
B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
s = te.create_schedule(B.op)
s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
module = kc.build(s, [A, B], target="cuda")
print([name for name in sys.modules if name.split(".")[0] in ("cuda", "pycuda")])
print([name for name in sys.modules if name.endswith(("libcuda", "with_pycuda", "emulated"))])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n[]\n"


def test_loops_on_the_host_are_refused():
    s, args = add(bound=False)
    with pytest.raises(KCError) as caught:
        kc.build(s, args, target=TARGET, name="add")
    assert caught.value.code == "KC4225"
    assert caught.value.message == (
        "convert-tir-to-gpu: A is used outside of a kernel: did you forget to bind a loop?"
    )
    assert caught.value.hints == ('bind i to "blockIdx.x", or a part of it to "threadIdx.x"',)


def test_it_is_saved_as_ptx_and_as_loops(built: kc.runtime.Module, tmp_path: Path):
    built.save(tmp_path / "add.ptx")
    assert (tmp_path / "add.ptx").read_text() == built.get_source("ptx")
    built.save(tmp_path / "add.mlir")
    again = load_module(tmp_path / "add.mlir")
    assert again.get_source("ptx") == built.get_source("ptx")


def test_an_architecture_that_is_none():
    with pytest.raises(KCError) as caught:
        Target("cuda -arch=hopper")
    assert caught.value.code == "KC6006"
