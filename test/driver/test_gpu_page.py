"""The examples of docs/gpu.md are what it says."""

import re
from pathlib import Path
from typing import Any

import pytest

import kc
from kc.conversion.pipelines import TO_EMULATOR, TO_LLVM, TO_NVVM
from kc.gpu import _KINDS
from kc.support.registry import current

PAGE = (Path(__file__).parents[2] / "docs" / "gpu.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(PROGRAMS[0], "gpu.md", "exec"), names)
    return names


def test_the_program_for_a_gpu(names: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_CUDA", "emu")
    exec(compile(PROGRAMS[1], "gpu.md", "exec"), names)
    assert names["time"].mean > 0


def test_the_report(names: dict[str, Any]):
    (text,) = re.findall(r"```text\n(.*?)```", PAGE, flags=re.DOTALL)

    def without_line_numbers(report: str) -> list[str]:
        return [re.sub(r" +\d+(  \S+)?$", r"\1", line) for line in report.splitlines()]

    assert without_line_numbers(str(names["report"])) == without_line_numbers(text)


def test_the_code(names: dict[str, Any]):
    assert ".target sm_90a" in names["ptx"]
    assert names["ptx"].count("bar.sync") == 1


def test_the_swizzle():
    A = kc.te.placeholder((16, 64), "float16", name="A")
    B = kc.te.compute((16, 64), lambda i, j: A[i, j], name="B")
    sch = kc.tir.Schedule(kc.te.create_prim_func([A, B]), target="cuda")
    copy = sch.cache_read("B", 0, "shared")
    (program,) = (text for text in PROGRAMS if "rows of 64 halves" in text)
    exec(compile(program, "gpu.md", "exec"), {"sch": sch, "copy": copy})
    assert "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)" in str(sch.mod)


def test_the_source_for_opencl(names: dict[str, Any]):
    exec(compile(PROGRAMS[-1], "gpu.md", "exec"), names)
    assert "__kernel" in names["reverse_on_opencl"].get_source("opencl")


def test_every_target_has_the_formats_and_sources_that_are_listed():
    table = PAGE[PAGE.index("## Other GPUs") :]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|", table, flags=re.MULTILINE)
    assert {kind for kind, _, _ in rows} == {"cuda", "opencl", "metal", "rocm"}
    listed = {name for _, names, _ in rows for name in re.findall(r"`(\w+)`", names)}
    assert listed == set(current().formats) - {"llvmir", "c"}


def test_every_kind_is_listed():
    listed = re.findall(r"\| `([a-z-]+)` \| (KC63\d\d) \|", PAGE)
    assert listed == list(_KINDS)


def test_every_pass_for_gpus_is_listed():
    table = PAGE[PAGE.index("## Lowering") : PAGE.index("## The emulator")]
    for name in {*TO_NVVM, *TO_EMULATOR} - {*TO_LLVM, "gpu-launch-sink-index-computations"}:
        assert isinstance(name, int) or f"`{name}`" in table, name
