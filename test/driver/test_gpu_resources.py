"""What a kernel takes of a GPU, read from its PTX and from what ptxas says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from test_cuda_emu import sums

import kc
from kc import te
from kc.codegen.ptx_resources import resources_of
from kc.support.diagnostics import KCError

PTX = """.version 7.0
.target sm_80
.address_size 64

.shared .align 4 .b8 tile[128];
.shared .align 4 .b8 other[64];
.visible .entry first(
)
{
	mov.b64 	%rd1, tile;
	bar.sync 	0;
	bar.sync 	0;
	ret;
}
.visible .entry second(
)
{
	mov.b64 	%rd1, tile;
	mov.b64 	%rd2, other;
	shfl.sync.bfly.b32 	%r1|%p1, %r2, 1, 31, -1;
	ret;
}
"""


def test_the_text_tells_of_memory_and_barriers(monkeypatch: pytest.MonkeyPatch):
    """Each kernel has the buffers that it names."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert [
        (r.kernel, r.shared, r.barriers, r.shuffles, r.estimated, r.registers, r.spilled)
        for r in resources_of(PTX)
    ] == [("first", 128, 2, 0, 4, None, None), ("second", 192, 0, 1, 5, None, None)]


def test_ptxas_tells_of_registers(tmp_path: Path):
    assembler = shutil.which("ptxas")
    if assembler is None:
        pytest.skip("ptxas is not installed")
    s, args = sums(4, 300, 128)
    module = kc.build(s, args, target="cuda -arch=sm_80")
    (kernel,) = kc.gpu.resources(module)
    file = tmp_path / "sums.ptx"
    file.write_text(module.imported_modules[0].get_source())
    command = [assembler, "-arch=sm_80", "-v", "-o", str(tmp_path / "sums.cubin"), str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert f"Used {kernel.registers} registers" in said
    assert f"{kernel.spilled} bytes spill stores" in said
    assert (kernel.shared, kernel.barriers, kernel.shuffles) == (16, 1, 7)


def test_ptx_that_ptxas_does_not_take():
    if shutil.which("ptxas") is None:
        pytest.skip("ptxas is not installed")
    with pytest.raises(KCError) as caught:
        resources_of(PTX.replace("ret;", "no.such 1;"))
    assert re.fullmatch(
        r"error\[KC4368\]: ptxas does not take the PTX\n  why: ptxas .*\n"
        r"  try: another release of CUDA's toolkit may know the architecture sm_80",
        str(caught.value),
    )


def test_a_module_without_kernels():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i], name="B")
    module = kc.build(te.create_schedule(B.op), [A, B])
    module(np.zeros(4, "float32"), np.zeros(4, "float32"))
    with pytest.raises(KCError) as caught:
        kc.gpu.resources(module)
    assert str(caught.value) == (
        "error[KC6300]: kc.gpu.resources: the module has no kernels for a GPU\n"
        "  why: it is compiled for a target of another kind\n"
        '  try: kc.build(..., target="cuda -arch=sm_80")'
    )
