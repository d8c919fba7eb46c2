"""Passes on gpu that MLIR has make of a module what mlir-opt makes of it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from optional_tools import find

import kc
from kc.error import KCError
from kc.support.registry import context, get_pass

MLIR_OPT = find("mlir-opt")
FILES = [
    Path(__file__).with_name(f"{stem}.mlir")
    for stem in ("gpu_kernel_outlining", "gpu_launch_sink_index_computations")
]


def mlir_opt(text: str, *flags: str) -> str:
    assert MLIR_OPT is not None
    command = [MLIR_OPT, "--mlir-print-op-generic", *flags]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # Where a name is taken, MLIR counts from 0.
    return re.sub(r'(@|sym_name = ")(\w+?)_\d+\b', r"\1\2_N", done.stdout)


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize(
    "flags",
    [
        ["gpu-kernel-outlining"],
        ["gpu-launch-sink-index-computations"],
        ["gpu-launch-sink-index-computations", "gpu-kernel-outlining"],
    ],
    ids=lambda flags: "+".join(flags),
)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_mlir_does_the_same(file: Path, flags: list[str]):
    text = file.read_text()
    module = kc.IRModule.parse(text)
    for flag in flags:
        get_pass(flag).apply(context(), module.op)
        module.op.verify()
    assert mlir_opt(str(module)) == mlir_opt(text, *(f"--{flag}" for flag in flags))


LAUNCH = """    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
        threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {names} {{
      {body}
      gpu.terminator
    }}
"""


def launches(*parts: tuple[str, str]) -> kc.IRModule:
    text = "".join(LAUNCH.format(names=names, body=body) for names, body in parts)
    return kc.IRModule.parse(
        f"func.func @f(%n: index) {{\n{text}  func.return\n}}\n"
        "func.func @g() {\n  func.return\n}\n"
    )


def test_a_refusal_leaves_the_module_as_it_was():
    module = launches(("", ""), ("module(@g)", ""))
    before = str(module)
    with pytest.raises(KCError, match="KC4220"):
        get_pass("gpu-kernel-outlining").apply(context(), module.op)
    assert str(module) == before


def test_a_kernel_does_not_take_the_name_of_what_it_calls():
    module = launches(("module(@m) function(@g)", "func.call @g() : () -> ()"))
    get_pass("gpu-kernel-outlining").apply(context(), module.op)
    module.op.verify()
    text = str(module)
    assert "gpu.launch_func @m::@g_1 " in text
    assert "gpu.func @g_1() kernel" in text
    assert text.count("func.func @g() {") == 2
