"""The assembler's numbers replace the estimates where it is installed."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import optional_tools
import pytest

import kc
from kc import te
from kc.analysis.gpu import ptx_resources
from kc.analysis.gpu.ptx_resources import estimated_resources, resources
from kc.support import ptxas
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.support.ptxas import AssembledKernel, assembled, find_ptxas

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry first(
)
{
	ret;
}
.visible .entry second(
)
.reqntid 1024
{
	.reg .b32 	%r<2>;
	ret;
}
"""
SAID = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for second
    24 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 24 bytes cumulative stack size
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 9 registers
"""


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An assembler that says the same of all that is for sm_80, and refuses the rest."""
    program = tmp_path / "ptxas"
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        f"with open({str(tmp_path / 'calls')!r}, 'a') as file: print(*sys.argv[1:3], file=file)\n"
        "if '-arch=sm_80' not in sys.argv: sys.exit('no such architecture')\n"
        f"print({SAID!r}, file=sys.stderr)\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("KC_PTXAS", str(program))
    ptxas._assembled.cache_clear()
    return tmp_path


def test_what_it_says(fake: Path):
    numbers = {"first": AssembledKernel(9, 0), "second": AssembledKernel(64, 24)}
    assert assembled(PTX) == numbers
    first, second = resources(PTX)
    assert (fake / "calls").read_text() == "-v -arch=sm_80\n"  # once for a text
    assert (first.registers, first.spilled_bytes, first.spilled) == (9, 0, 0)
    assert (second.registers, second.spilled_bytes, second.spilled) == (64, 24, 6)
    assert str(second) == "second: 1024 threads, 64 registers of 64, 0 bytes shared, 0 barriers"


def test_estimates_stay_where_there_is_no_answer(fake: Path, monkeypatch: pytest.MonkeyPatch):
    unknown = PTX.replace("sm_80", "sm_90a")
    assert assembled(unknown) == {}
    assert resources(unknown) == estimated_resources(unknown)
    for value in ("none", str(fake / "absent")):
        monkeypatch.setenv("KC_PTXAS", value)
        assert find_ptxas() is None
        assert resources(PTX) == estimated_resources(PTX)
    (fake / "ptxas").write_text("no program")
    monkeypatch.setenv("KC_PTXAS", str(fake / "ptxas"))
    ptxas._assembled.cache_clear()
    assert find_ptxas() is not None
    assert assembled(PTX) == {}


def test_where_it_is_looked_for(fake: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("KC_PTXAS")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(ptxas, "find_spec", lambda package: None)
    monkeypatch.setattr(ptxas, "_DEFAULT_TOOLKIT", str(fake / "nothing"))
    monkeypatch.setenv("CUDA_HOME", str(fake))
    assert find_ptxas() is None
    (fake / "bin").mkdir()
    (fake / "ptxas").rename(fake / "bin" / "ptxas")
    assert find_ptxas() == str(fake / "bin" / "ptxas")


def scattered() -> tuple[te.Schedule, list[te.Tensor]]:
    """64 loads by each of 1,024 threads, all of them before the first result is stored."""
    A = te.placeholder((1024, 80), name="A")
    S = te.compute((1024, 80), lambda i, j: A[i, 79 - j] * 2.0, name="S")
    B = te.compute((1024, 80), lambda i, j: S[i, j] * S[i, 79 - j], name="B")
    s = te.create_schedule(B.op)
    s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
    s[S].set_scope("local")
    s[S].compute_at(s[B], B.op.axis[0])
    for stage in (S, B):
        s[stage].unroll(stage.op.axis[1])
    return s, [A, B]


@pytest.mark.parametrize(
    ("told", "fact"),
    [
        (None, "registers: about 79 of a thread, and it has 64 where a block has 1024 threads"),
        (
            AssembledKernel(64, 24),
            "registers: 24 bytes of a thread have none (by ptxas), and it has 64 where a block has "
            "1024 threads",
        ),
        (AssembledKernel(32, 0), None),
    ],
    ids=["estimated", "spilled", "not spilled"],
)
def test_the_warning(
    told: AssembledKernel | None, fact: str | None, monkeypatch: pytest.MonkeyPatch
):
    """Estimates are too high for these loads, and warn; the assembler knows better."""
    answer = {} if told is None else {"main_kernel": told}
    monkeypatch.setattr(ptx_resources, "assembled", lambda ptx: answer)
    said: list[Diagnostic] = []
    s, args = scattered()
    with diagnostic_handler(said.append):
        kc.build(s, args, target="cuda -arch=sm_80")
    head = "warning[KC4366]: kernel main_kernel keeps values in local memory instead of registers"
    lines = [line for warning in said for line in warning.render().splitlines()]
    expected = [
        head,
        f"   |  {fact}",
        "  why: local memory is a part of global memory, hundreds of times slower than registers",
        "  try: a smaller tile for each thread, or fewer threads in a block",
    ]
    assert lines[:1] + lines[2:] == (expected if fact else [])


@pytest.mark.skipif(optional_tools.find("ptxas") is None, reason="ptxas is not installed")
def test_the_real_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_PTXAS", optional_tools.find("ptxas") or "")
    (kernel,) = resources(PTX[: PTX.index(".visible .entry second")])
    assert kernel.spilled_bytes == 0
    assert 0 < kernel.registers <= 16
