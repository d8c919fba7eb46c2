"""Rates of processors: the data of the families, and the user's file."""

import json
import tomllib
from pathlib import Path

import pytest

import kc
from kc import te
from kc.support import rates
from kc.support.diagnostics import diagnostic_handler
from kc.support.target import Target
from kc.support.target_data import architecture
from kc.transforms.auto_schedule.machine import Machine

DATA = Path(kc.__file__).parent / "support" / "targets" / "rates.toml"
ARM = "-mtriple=aarch64-linux-gnu "


def machine(options: str) -> Machine:
    return Machine.of(Target(f"llvm {options}"))


def test_families_name_cpus_of_their_architecture_once():
    for name, families in tomllib.loads(DATA.read_text()).items():
        cpus = [cpu for family in families.values() for cpu in family.get("cpus", ())]
        assert len(cpus) == len({*cpus})
        if name != "default":
            assert {*cpus} <= {*architecture(name).cpus}
            for family in families.values():
                for cpu in family.get("cpus", ()):
                    assert family.get("bits", 128) == architecture(name).cpus[cpu]


def test_each_family_says_where_its_numbers_are_from():
    lines = DATA.read_text().splitlines()
    tables = [n for n, line in enumerate(lines) if line.startswith("[")]
    assert tables
    assert all(lines[n + 1].startswith("# ") for n in tables)


@pytest.mark.parametrize(
    ("cpu", "peaks"),
    [  # giga-operations a second of one quiet core
        (
            "emeraldrapids",
            {"fma.f32": 177, "fma.f64": 88, "vpdpbusd": 754, "vdpbf16ps": 86, "tdpbusd": 5630},
        ),
        ("znver4", {"fma.f32": 117.8, "fma.f64": 58.9, "vpdpbusd": 471, "vdpbf16ps": 235.6}),
        ("znver5", {"fma.f32": 272, "vpdpbusd": 1090, "vdpbf16ps": 506}),
    ],
)
def test_rates_are_in_the_ratio_of_measured_peaks(cpu: str, peaks: dict[str, float]):
    core = machine(f"-mcpu={cpu}")
    for instruction, peak in peaks.items():
        ratio = core.multiply_adds(instruction) / core.multiply_adds("fma.f32")
        assert ratio == pytest.approx(peak / peaks["fma.f32"], rel=0.1)


def test_narrower_registers_lose_what_pipes_do_not_make_up_for():
    # Zen 4 splits 512 bits into two; Zen 5 and Sapphire Rapids compute them twice in a cycle.
    for cpu, part in (("znver4", 1), ("znver5", 0.5), ("sapphirerapids", 0.5)):
        wide, narrow = machine(f"-mcpu={cpu}"), machine(f"-mcpu={cpu} -vector-width=256")
        assert narrow.fma_per_cycle == 2
        for instruction in ("fma.f32", "vpdpbusd"):
            assert narrow.multiply_adds(instruction) == part * wide.multiply_adds(instruction)
    narrow = machine("-mcpu=sapphirerapids -vector-width=256")
    assert narrow.multiply_adds("tdpbusd") == 1024


@pytest.mark.parametrize(
    ("options", "family", "fma"),
    [
        ("-mcpu=x86-64-v3", "default", 2),
        ("-mcpu=x86-64", "default", 2),
        ("-mcpu=haswell", "haswell", 2),
        ("-mcpu=tigerlake", "icelake-client", 1),
        ("-mcpu=graniterapids", "sapphirerapids", 2),
        (ARM, "default", 2),
        (f"{ARM}-mcpu=neoverse-n1", "cortex-a76", 2),
        (f"{ARM}-mcpu=neoverse-v2", "neoverse-v2", 4),
        (f"{ARM}-mcpu=apple-m1", "apple-m1", 4),
        ("-mtriple=riscv64-unknown-linux-gnu", "default", 2),
    ],
)
def test_a_core_has_the_rates_of_its_family(options: str, family: str, fma: float):
    core = machine(options)
    assert (core.rates.family, core.fma_per_cycle) == (family, fma)
    # Whatever is left out is there by default.
    assert core.rates.divisions["f32"] > 0
    assert core.rates.line in (64, 128)
    assert sorted(core.rates.bandwidths, reverse=True) == list(core.rates.bandwidths)


def test_the_users_file_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("KC_RATES", str(tmp_path / "new" / "rates.json"))
    before = machine("-mcpu=znver5")
    rates.keep("znver4", {"gather": 0.25})
    file = rates.keep("znver5", {"gather": 7, "products": {"vdpbf16ps": 9}, "ways": (8, 8, 8)})
    assert file == tmp_path / "new" / "rates.json"
    after = machine("-mcpu=znver5")
    assert (after.rates.gather, after.rates.ways) == (7, (8, 8, 8))
    assert after.multiply_adds("vdpbf16ps") == 9
    assert after.multiply_adds("vpdpbusd") == before.multiply_adds("vpdpbusd")
    assert machine("-mcpu=znver4").rates.gather == 0.25
    assert machine("-mcpu=haswell").rates == machine("-mcpu=broadwell").rates
    monkeypatch.setenv("KC_RATES", "none")
    assert machine("-mcpu=znver5") == before


@pytest.mark.parametrize("family", ["elementwise", "product"])
def test_loops_run_in_parallel_from_the_work_of_a_start_on(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("KC_RATES", str(tmp_path / "rates.json"))
    A = te.placeholder((128, 512), name="A")
    if family == "elementwise":
        tensors = [A, te.compute(A.shape, lambda i, j: A[i, j] * 3.0 + 1.0, name="B")]
    else:
        B = te.placeholder((512, 64), name="B")
        k = te.reduce_axis((0, 512), name="k")
        C = te.compute((128, 64), lambda i, j: te.sum(A[i, k] * B[k, j], k), name="C")
        tensors = [A, B, C]
    target = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=znver5 -num-cores=4")
    is_parallel = []
    # Three operations of 65,536 elements, 4,194,304 multiply-adds, at most 32 in a cycle.
    for cycles in (1_000, 100_000_000):
        rates.keep("znver5", {"parallel_start": cycles})
        is_parallel.append("parallel" in str(kc.auto_schedule(tensors, target).mod))
    assert is_parallel == [True, False]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("what", "JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ('{"znver5": {"gather": 0}}', "ValueError: gather: 0 is not a positive number"),
        ('{"znver5": {"ways": [8, 8]}}', "ValueError: ways are a list of 3 numbers, not [8, 8]"),
        ('{"znver5": {"products": 3}}', "ValueError: products are numbers by name, not 3"),
        (
            '{"znver5": {"speed": 1}}',
            "ValueError: there is no 'speed'; there are bits, pipes, fma_latency, loads, stores, "
            "gather, shuffles, divisions, bandwidths, line, ways, parallel_start, "
            "products",
        ),
    ],
)
def test_a_broken_file_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
):
    before = machine("-mcpu=znver5")
    file = tmp_path / "rates.json"
    file.write_text(text)
    monkeypatch.setenv("KC_RATES", str(file))
    told = []
    with diagnostic_handler(told.append):
        assert machine("-mcpu=znver5") == before
    (warning,) = told
    assert (warning.code, warning.facts) == ("KC6013", (reason,))
    assert warning.message == f"{file} is ignored: it does not contain valid rates"


def test_what_is_kept_is_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("KC_RATES")
    file = rates.keep("znver5", {"divisions": {"f32": 2.5}, "bandwidths": (9, 8, 7, 6)})
    assert file == tmp_path / "kc" / "rates.json"
    assert file is not None
    expected = {"znver5": {"divisions": {"f32": 2.5}, "bandwidths": [9, 8, 7, 6]}}
    assert json.loads(file.read_text()) == expected
