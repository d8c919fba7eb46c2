"""Measuring the rates of this CPU's core, and keeping them."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tile_emulator import emulated_target, emulated_tiles, has_emulation

import kc
from kc import rate_probes
from kc.__main__ import main
from kc.support import rates
from kc.support.target import Target
from kc.transform import PassContext
from kc.transforms.auto_schedule.machine import Machine

INTEL = "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu="


@pytest.fixture
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_probes, "STEPS", 1 << 10)
    monkeypatch.setattr(rate_probes, "_MEMORY", 1 << 20)


def test_what_is_measured(few_rounds: None):
    """Times depend on what else runs; all of it is there, and is positive."""
    host = Target.host_cpu()
    fields = rate_probes.measured_rates(host)
    assert rates._checked({name: _as_json(value) for name, value in fields.items()}) == fields
    assert {*fields} >= {"products", "divisions", "fma_latency", "loads", "stores", "gather"}
    assert len(fields["bandwidths"]) == 4
    has_dot = host.has_feature("avx512vnni") or host.has_feature("avxvnni")
    assert ("vpdpbusd" in fields["products"]) == has_dot


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


FIELDS = {"fma_latency": 4.0, "gather": 0.75, "products": {"fma.f32": 31.0, "vpdpbusd": 120.0}}


def test_doctor_keeps_what_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    host = Target.host_cpu()
    if host.mcpu is None:
        pytest.skip("kc's targets do not list this CPU")
    file = tmp_path / "kc" / "rates.json"
    monkeypatch.setenv("KC_RATES", str(file))
    monkeypatch.setattr(rate_probes, "measured_rates", lambda target: FIELDS)
    before = Machine.of(host)
    assert not rates.is_measured(host)
    assert main(["doctor", "--measure"]) == 0
    assert capsys.readouterr() == (
        "Rates:\n"
        "  fma_latency     4\n"
        "  gather          0.75\n"
        "  fma.f32         31 multiply-adds\n"
        "  vpdpbusd        120 multiply-adds\n"
        f"  kept            {file}, for -mcpu={host.mcpu}\n",
        "",
    )
    after = Machine.of(host)
    assert (after.rates.gather, after.rates.products["vpdpbusd"]) == (0.75, 120)
    assert after.rates.bandwidths == before.rates.bandwidths
    assert main(["doctor"]) == 0
    assert f"measured: {file}\n" in capsys.readouterr().out


def test_what_was_disturbed_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    monkeypatch.setenv("KC_RATES", str(tmp_path / "rates.json"))
    monkeypatch.setattr(rate_probes, "measured_rates", lambda target: {"fma_latency": 1.2})
    assert main(["doctor", "--measure"]) == 0
    assert "  not kept        fma_latency is impossible" in capsys.readouterr().out
    assert not (tmp_path / "rates.json").exists()


def test_tile_registers_that_the_system_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    """The CPU has them: its name says so. What is measured is the rest, and the reason is told."""
    host = Target(f"{INTEL}sapphirerapids -mattr=-amx-tile,-amx-int8,-amx-bf16")
    reason = "the operating system refuses them to this process: Operation not permitted"
    monkeypatch.setattr(Target, "host_cpu", staticmethod(lambda: host))
    monkeypatch.setattr(rate_probes, "measured_rates", lambda target: FIELDS)
    monkeypatch.setattr(rate_probes, "tile_refusal", lambda: reason)
    monkeypatch.setenv("KC_RATES", "none")
    assert main(["doctor", "--measure"]) == 0
    assert f"  tiles (AMX)     not measured: {reason}\n" in capsys.readouterr().out
    monkeypatch.setattr(rate_probes, "tile_refusal", lambda: None)
    assert rate_probes.tiles_refused(host) == (
        "the operating system, or the virtual machine, has them switched off"
    )
    assert rate_probes.tiles_refused(Target(f"{INTEL}sapphirerapids")) is None
    assert rate_probes.tiles_refused(Target(f"{INTEL}znver4")) is None


@pytest.mark.skipif(not has_emulation(), reason="this CPU is none of x86-64")
def test_probes_of_tile_registers(monkeypatch: pytest.MonkeyPatch):
    """On emulated registers: the instructions do what the rate is computed of."""
    monkeypatch.setattr(rate_probes, "STEPS", 16)
    with emulated_tiles(monkeypatch) as emulator:
        target = emulated_target(1)
        probes = {it.key: it for it in rate_probes._tile_products(target)}
        assert {*probes} == {"tdpbusd", "tdpbf16ps"}
        for key, terms, dtype in (("tdpbusd", 64, np.int32), ("tdpbf16ps", 32, np.float32)):
            probe = probes[key]
            with PassContext(disabled_pass=["auto-schedule"]):
                f = kc.build(kc.IRModule.parse(probe.text), target=target)
            f(*probe.arguments)
            assert emulator.counts[key] * 16 * 16 * terms == probe.amount
            sums = probe.arguments[-1].view(dtype)
            np.testing.assert_array_equal(sums, np.full(256, 4 * terms, dtype))
        assert emulator.requests == [(158, 0x1023, 18)] * 2  # of two modules


def test_a_file_that_cannot_be_written(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
):
    (tmp_path / "kc").write_text("a file, not a folder")
    monkeypatch.setenv("KC_RATES", str(tmp_path / "kc" / "rates.json"))
    monkeypatch.setattr(rate_probes, "measured_rates", lambda target: FIELDS)
    if Target.host_cpu().mcpu is None:
        pytest.skip("kc's targets do not list this CPU")
    assert main(["doctor", "--measure"]) == 2
    assert "error[KC0022]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cpu", "products"),
    [
        ("haswell", {"vpmaddwd"}),
        ("skylake-avx512", {"vpmaddwd"}),
        ("alderlake", {"vpdpbusd", "vpdpwssd"}),
        (
            "sapphirerapids",
            {"fma.f16", "vpdpbusd", "vdpbf16ps", "vpdpwssd", "tdpbusd", "tdpbf16ps"},
        ),
        (
            "graniterapids",
            {"fma.f16", "vpdpbusd", "vdpbf16ps", "vpdpwssd", "tdpbusd", "tdpbf16ps", "tdpfp16ps"},
        ),
        (
            "sapphirerapids -mattr=-amx-tile",
            {"fma.f16", "vpdpbusd", "vdpbf16ps", "vpdpwssd"},
        ),
    ],
)
def test_instructions_that_a_cpu_lacks_have_no_probe(
    cpu: str, products: set[str], few_rounds: None
):
    probes = list(rate_probes._probes(Target(f"{INTEL}{cpu}")))
    keys = {probe.key for probe in probes if probe.field == "products"}
    assert keys == products | {"fma.f32", "fma.f64", "mul.i32"}


@pytest.mark.parametrize("name", ["tdpbusd", "tdpbf16ps", "tdpfp16ps"])
def test_probes_of_tiles_are_the_instructions(name: str):
    """Four in a step, on registers that are neither loaded nor stored in the loop."""
    target = Target(f"{INTEL}graniterapids")
    (probe,) = (it for it in rate_probes._probes(target) if it.key == name)
    with PassContext(disabled_pass=["auto-schedule"]):
        assembly = kc.build(kc.IRModule.parse(probe.text), target=target).get_source("asm")
    lines = [line.split()[0] for line in assembly.splitlines() if "tmm" in line]
    assert lines.count("tilezero") == lines.count("tileloadd") == 4
    assert lines.count("tilestored") == 1
    assert lines.count(name) % 4 == 0
    assert lines.count(name) + 9 == len(lines)


@pytest.mark.parametrize(
    ("cpu", "key", "instruction"),
    [
        ("sapphirerapids", "fma.f32", r"vfmadd\w+ps\s.*zmm"),
        ("sapphirerapids", "vpdpbusd", r"vpdpbusd\s.*zmm"),
        ("sapphirerapids", "vdpbf16ps", r"vdpbf16ps\s.*zmm"),
        ("sapphirerapids", "vpdpwssd", r"vpdpwssd\s.*zmm"),
        ("skylake-avx512", "vpmaddwd", r"vpmaddwd\s.*zmm"),
        ("haswell", "mul.i32", r"vpmulld\s.*ymm"),
    ],
)
def test_probes_are_the_instructions(cpu: str, key: str, instruction: str):
    """As many as there are vectors, none of which is computed from another."""
    target = Target(f"{INTEL}{cpu}")
    (probe,) = (it for it in rate_probes._probes(target) if it.key == key)
    with PassContext(disabled_pass=["auto-schedule"]):
        assembly = kc.build(kc.IRModule.parse(probe.text), target=target).get_source("asm")
    assert len(re.findall(instruction, assembly)) % rate_probes.COUNT == 0
    assert re.search(instruction, assembly)
