"""Targets: the grammar both ways, the facts behind them, and what mistakes are told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32

import kc
from kc.support import target_host
from kc.support.diagnostics import TargetError
from kc.support.target import Target, target_of
from kc.support.target_data import architecture

HOST = Target.host_cpu().architecture
assert HOST is not None
HERE = HOST.name

TEXTS = [
    "llvm",
    "llvm -mcpu=znver4",
    "llvm -mattr=+avx512f,-fma -mcpu=znver4",
    "llvm -mcpu=skylake-avx512 --host='llvm -mcpu=haswell'",
    "llvm --host=llvm",
    "llvm -keys=arm_cpu,cpu",
    "llvm -device=arm_cpu -libs=a,b -model='x y'",
    "cuda -libs=cublas,cublaslt,cudnn,libdevice,mine",
    "llvm -mtriple=aarch64-unknown-linux-gnu -num-cores=4",
    "cuda -arch=sm_80",
    "nvptx -max_threads_per_block=512 -mcpu=sm_90",
    "llvm -l1-cache=1024 -l2-cache=2048 -l3-cache=4096 -vector-width=512",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_reads_back(text):
    target = Target(text)
    assert str(target) == text
    again = Target(str(target))
    assert again == target
    assert hash(again) == hash(target)
    assert repr(target) == f"Target({text!r})"
    assert Target(target.export()) == target
    assert Target(json.dumps(target.export())) == target
    assert Target(target) == target


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("llvm -mcpu znver4", "llvm -mcpu=znver4"),
        ("llvm --mcpu=znver4", "llvm -mcpu=znver4"),
        ("  llvm   -mcpu='znver4' ", "llvm -mcpu=znver4"),
        ("llvm -keys=cpu", "llvm"),
        ("llvm -mattr=+avx2, -num-cores=2", "llvm -mattr=+avx2 -num-cores=2"),
        ('{"kind": "llvm", "mattr": ["+avx2"], "num-cores": 2}', "llvm -mattr=+avx2 -num-cores=2"),
        ("aws/cpu/c5.large", "llvm -mcpu=skylake-avx512 -num-cores=1 -tag=aws/cpu/c5.large"),
    ],
)
def test_spellings(text, same):
    assert Target(text) == Target(same)


def test_what_quotes_cannot_hold_is_json():
    inner = Target("llvm", host="llvm -model='a b'")
    assert str(inner) == '{"kind": "llvm", "host": {"kind": "llvm", "model": "a b"}}'
    target = Target("llvm -mcpu=haswell", host=inner)
    assert Target(str(target)) == target
    assert target.with_host("llvm").host == Target("llvm")
    odd = Target({"kind": "llvm", "model": "it's"})
    assert Target(str(odd)) == odd


def test_what_a_target_tells():
    target = Target("llvm -mcpu=znver4 -mattr=+avx512f,-fma -keys=fast -num-cores=3 -libs=x")
    assert target.kind == "llvm"
    assert target.kind.name == "llvm"
    assert target.attrs["mcpu"] == target.mcpu == target.cpu == "znver4"
    assert target.mattr == ("+avx512f", "-fma")
    assert target.keys == ("fast", "cpu")
    assert target.libs == ("x",)
    assert target.num_cores == 3
    assert target.device_name == "cpu"
    assert target.host is None
    assert target.llvm == ("x86_64-unknown-linux-gnu", "znver4", "+avx512f,-fma")
    assert Target("llvm -device=arm_cpu").keys == ("arm_cpu", "cpu")


@pytest.mark.parametrize(
    ("text", "bits", "f32", "f64"),
    [
        ("llvm -mtriple=x86_64-linux", 128, 4, 2),
        ("llvm -mcpu=x86-64-v3", 256, 8, 4),
        ("llvm -mcpu=znver4", 512, 16, 8),
        ("llvm -mcpu=znver4 -mattr=-avx512f", 256, 8, 4),
        ("llvm -mcpu=x86-64 -mattr=+avx512f", 512, 16, 8),
        ("llvm -mcpu=znver4 -vector-width=128", 128, 4, 2),
        ("llvm -mcpu=cortex-a72", 128, 4, 2),
        ("llvm -mcpu=sifive-x280", 512, 16, 8),
        ("llvm -mcpu=generic-rv64", 0, 1, 1),
        ("llvm -mcpu=generic-rv64 -mattr=+v", 128, 4, 2),
    ],
)
def test_vectors(text, bits, f32, f64):
    target = Target(text)
    assert target.vector_bits == bits
    assert target.lanes(32) == f32
    assert target.lanes(64) == f64


@pytest.mark.parametrize(
    ("text", "triple", "cpu"),
    [
        ("llvm -mcpu=znver4", "x86_64-unknown-linux-gnu", "znver4"),
        ("llvm -mcpu=neoverse-v1", "aarch64-unknown-linux-gnu", "neoverse-v1"),
        ("llvm -mtriple=riscv64-unknown-elf", "riscv64-unknown-elf", "generic-rv64"),
        ("llvm -mtriple=arm64-apple-darwin", "arm64-apple-darwin", "generic"),
        ("llvm -mtriple=armv7a-linux-gnueabihf", "armv7a-unknown-linux-gnueabihf", "generic"),
        (
            "llvm -mtriple=armv7a-linux-gnueabi -mfloat-abi=hard",
            "armv7a-unknown-linux-gnueabihf",
            "generic",
        ),
        (
            "llvm -mtriple=armv7a-linux-gnueabihf -mfloat-abi=soft",
            "armv7a-unknown-linux-gnueabi",
            "generic",
        ),
        ("llvm -mtriple=aarch64-none-elf", "aarch64-unknown-none-elf", "generic"),
        ("llvm -mtriple=wasm32-wasi", "wasm32-unknown-wasi", "generic"),
        ("llvm -mtriple=amd64-pc-freebsd", "amd64-pc-freebsd", "x86-64"),
    ],
)
def test_what_llvm_is_told(text, triple, cpu):
    assert Target(text).llvm[:2] == (triple, cpu)


def test_caches():
    assert Target("llvm -mcpu=znver4").caches == (32 * 1024, 1024 * 1024, 32 * 1024 * 1024)
    assert Target("llvm -mcpu=cortex-a72").caches[2] == 0
    assert Target("llvm -mcpu=znver4 -l2-cache=4096").caches[1] == 4096


def test_generic_is_fixed():
    generic = Target.generic()
    assert str(generic) == "llvm -mcpu=x86-64-v3 -mtriple=x86_64-unknown-linux-gnu"
    assert generic.vector_bits == 256
    assert Target.generic() is generic


def test_every_name_in_the_data_makes_a_target():
    for name in ("x86_64", "aarch64", "riscv64"):
        arch = architecture(name)
        assert arch.baseline in arch.cpus
        assert set(arch.caches) - {"default"} <= set(arch.cpus)
        assert set(arch.vector_features) <= set(arch.features)
        assert {feature for names in arch.withheld.values() for feature in names} <= set(
            arch.features
        )
        for cpu in arch.cpus:
            assert Target(f"llvm -mcpu={cpu} -mtriple={arch.triple}").triple == arch.triple


def test_llvm_knows_every_cpu_and_feature():
    binding = pytest.importorskip("llvmlite.binding")
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    script = """
import sys
from llvmlite import binding
binding.initialize_all_targets()
binding.initialize_all_asmprinters()
for line in sys.stdin:
    triple, cpu, features = line.rstrip("\\n").split(";")
    binding.Target.from_triple(triple).create_target_machine(cpu=cpu, features=features)
"""
    lines = []
    for name in ("x86_64", "aarch64", "riscv64"):
        arch = architecture(name)
        lines += [f"{arch.triple};{cpu};" for cpu in arch.cpus]
        lines += [f"{arch.triple};{arch.baseline};-{feature}" for feature in arch.features]
    done = subprocess.run(
        [sys.executable, "-c", script], input="\n".join(lines), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")  # LLVM complains about unknown names


ERRORS = {
    "lvm": ("error[KC6001]: there is no target kind 'lvm'\n  try: did you mean 'llvm'?"),
    "raspberry-pi/4": (
        "error[KC6001]: there is no target 'raspberry-pi/4'\n"
        "  try: did you mean 'raspberry-pi/4b-32' or 'raspberry-pi/4b-aarch64'?"
    ),
    "llvm -mcp=znver4": (
        "error[KC6002]: target llvm has no attribute 'mcp'\n  try: did you mean 'mcpu'?"
    ),
    "": "error[KC6003]: target: a target starts with its kind, as in 'llvm -mcpu=znver4'",
    "llvm znver4": (
        "error[KC6003]: target: expected an attribute, as in -mcpu=znver4\n"
        "   |  llvm znver4\n"
        "   |       ^"
    ),
    "llvm -model='x": (
        "error[KC6003]: target: this ' is not closed\n   |  llvm -model='x\n   |              ^"
    ),
    "llvm -num-cores=many": "error[KC6003]: target: -num-cores takes an integer, not 'many'",
    "llvm -mcpu": "error[KC6003]: target: -mcpu takes text, not True",
    "llvm -num-cores=0": "error[KC6003]: target llvm: -num-cores=0 is less than 1",
    "llvm -fast-mth": (
        "error[KC6002]: target llvm has no attribute 'fast-mth'\n"
        "  try: did you mean 'fast-math' or 'fast-math-nsz' or 'fast-math-afn'?"
    ),
    "llvm -opt-level=4": "error[KC6003]: target llvm: -opt-level=4 is not 0 to 3",
    "llvm -contract=maybe": "error[KC6003]: target: -contract takes true or false, not 'maybe'",
    "llvm -contract=0 -fast-math-contract": (
        "error[KC6003]: target llvm: -contract=0 and -fast-math-contract=1\n"
        "  why: both set whether a product and a sum may be fused into one operation"
    ),
    "llvm -vector-width=96": (
        "error[KC6003]: target llvm: -vector-width=96\n"
        "  why: a vector width is a power of two, in bits, at least 8"
    ),
    '{"kind": "llvm"': (
        "error[KC6003]: target: not JSON: Expecting ',' delimiter\n   |  at character 15"
    ),
    '{"mcpu": "znver4"}': (
        'error[KC6003]: target: the key \'kind\' is missing\n  try: "kind": "llvm"'
    ),
    "llvm -mcpu=zenver4": (
        "error[KC6004]: target llvm: x86_64 has no CPU 'zenver4'\n"
        "  try: did you mean 'znver4' or 'znver5' or 'znver3'?"
    ),
    "llvm -mtriple=aarch64-linux -mcpu=znver4": (
        "error[KC6004]: target llvm: aarch64 has no CPU 'znver4'\n"
        "  try: its CPUs are: a64fx, ampere1, ampere1a, ampere1b, ampere1c, apple-a10, apple-a11, "
        "apple-a12, ... (98 in all)"
    ),
    "llvm -mtriple=riscv64-linux-gnu -mcpu=native": (
        f"error[KC6004]: target llvm: -mcpu=native is a CPU of {HERE}, not of riscv64\n"
        "  why: native is the CPU that this process runs on\n"
        "  try: leave -mtriple out, or name a CPU of it"
    ),
    "llvm -mcpu=znver4 -mattr=+avx512": (
        "error[KC6005]: target llvm: x86_64 has no feature '+avx512'\n"
        "  why: a feature is written with + or - before its name\n"
        "  try: did you mean 'avx512f' or 'avx512vl' or 'avx512dq'?"
    ),
    "llvm -mcpu=znver4 -mattr=avx2": (
        "error[KC6005]: target llvm: x86_64 has no feature 'avx2'\n"
        "  why: a feature is written with + or - before its name\n"
        "  try: +avx2 to switch it on, -avx2 to switch it off"
    ),
    "llvm -mtriple=armv7a-linux-gnueabi -mfloat-abi=softfp": (
        "error[KC6003]: target llvm: -mfloat-abi=softfp\n"
        "  why: floats are passed in registers of floats (hard), or in others (soft)"
    ),
    "llvm -mtriple=vax-dec-vms": (
        "error[KC6006]: there is no architecture 'vax'\n"
        "  try: the architectures are: x86_64, aarch64, riscv64, armv7, wasm32"
    ),
    "cuda -arch=sm_80 -libs=cublas,libdevcie": (
        "error[KC6012]: target cuda: -libs=libdevcie names no library\n"
        "  why: an unknown name would have no effect\n"
        "  try: did you mean 'libdevice'?"
    ),
    "llvm -mcpu=znver4 -mcpu=znver3": (
        "error[KC6007]: target: -mcpu is given twice\n   |  llvm -mcpu=znver4 -mcpu=znver3"
    ),
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    with pytest.raises(TargetError) as caught:
        Target(text)
    assert str(caught.value) == ERRORS[text]


def test_not_a_target_at_all():
    with pytest.raises(TargetError) as caught:
        Target(5)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == "error[KC6003]: a target is text, a dict or a Target, not int"


def test_current_target():
    assert Target.current() is None
    with pytest.raises(TargetError) as caught:
        Target.current(allow_none=False)
    assert str(caught.value) == (
        'error[KC6008]: there is no current target\n  try: with kc.target.Target("llvm"): ...'
    )
    with Target("llvm") as outer:
        with Target("llvm -mcpu=znver4") as inner:
            assert Target.current() is inner
        assert Target.current() is outer
    assert Target.current() is None


def test_target_of_a_module():
    module = ModuleOp([])
    assert target_of(module) is Target.generic()
    with Target("llvm -mcpu=haswell") as current:
        assert target_of(module) is current
        module.attributes["kc.target"] = StringAttr("llvm -mcpu=znver4")
        assert target_of(module) == Target("llvm -mcpu=znver4")
    module.attributes["kc.target"] = IntegerAttr(1, i32)
    with pytest.raises(TargetError) as caught:
        target_of(module)
    assert str(caught.value) == (
        'error[KC6003]: kc.target is text, not 1 : i32\n  try: kc.target = "llvm"'
    )


def test_this_machine():
    target = Target.host_cpu()
    assert Target(str(target)) == target
    assert target.num_cores == target_host.cores_of_loops() >= 1
    assert kc.target.Target is Target


def test_native_keeps_what_a_virtual_machine_withholds(monkeypatch):
    host = {**target_host.host_attributes(), "mattr": ("-avx2",)}
    monkeypatch.setattr(target_host, "host_attributes", lambda: host)
    assert Target("llvm -mcpu=native").mattr == ("-avx2",)
    assert Target("llvm -mcpu=native -mattr=-fma,+avx").mattr == ("-avx2", "-fma", "+avx")


def test_native_is_the_cpu_of_this_process():
    host = Target.host_cpu()
    assert Target("llvm -mcpu=native") == host == Target({"kind": "llvm", "mcpu": "native"})
    assert "native" not in str(Target("llvm -mcpu=native"))
    given = Target("llvm -mcpu=native -num-cores=7 -mattr=-fma")
    assert (given.mcpu, given.num_cores) == (host.mcpu, 7)
    assert given.mattr == (*host.mattr, "-fma")


def test_cores_of_parallel_loops(monkeypatch):
    monkeypatch.setattr(target_host, "usable_cores", lambda: 4)
    cores: dict[str, int] = {}
    for threads in ("", "1", "3", "9", "0", "many"):
        monkeypatch.setenv("KC_NUM_THREADS", threads)
        cores[threads] = target_host.cores_of_loops()
    assert cores == {"": 4, "1": 1, "3": 3, "9": 4, "0": 4, "many": 4}


def test_withheld_features():
    arch = architecture("x86_64")
    have = dict.fromkeys(arch.withheld[512], True) | {"avx512fp16": False, "amx-tile": False}
    assert target_host._withheld(arch, "sapphirerapids", have) == ("-amx-tile", "-avx512fp16")
    assert target_host._withheld(arch, "znver4", have) == (), "its name does not promise this"
    assert target_host._withheld(arch, "haswell", {**have, "avx2": False}) == ("-avx2",)
    assert target_host._withheld(arch, "nehalem", {"avx": False}) == ()


def test_tiles_that_the_system_refuses_are_no_features(monkeypatch):
    features = {"amx-tile": True, "amx-int8": True, "amx-fp16": False, "avx512f": True}
    monkeypatch.setattr(target_host, "tile_refusal", lambda: None)
    assert target_host._usable(features) == features
    monkeypatch.setattr(target_host, "tile_refusal", lambda: "this process gets none")
    assert target_host._usable(features) == {
        "amx-tile": False,
        "amx-int8": False,
        "amx-fp16": False,
        "avx512f": True,
    }
    asked: list[str] = []
    monkeypatch.setattr(target_host, "tile_refusal", lambda: asked.append("") or "no")
    assert target_host._usable({"amx-tile": False}) == {"amx-tile": False}
    assert asked == []  # a CPU without tiles asks for none


def test_cache_sizes_as_linux_lists_them(tmp_path: Path):
    for n, (kind, level, size) in enumerate(
        [
            ("Data", "1", "48K"),
            ("Instruction", "1", "32K"),
            ("Unified", "2", "2M"),
            ("Data", "9", "1K"),
        ]
    ):
        folder = tmp_path / f"index{n}"
        folder.mkdir()
        for name, text in (("type", kind), ("level", level), ("size", size)):
            (folder / name).write_text(f"{text}\n")
    (tmp_path / "index7").mkdir()
    assert target_host.cache_sizes(tmp_path) == {1: 48 * 1024, 2: 2 * 1024 * 1024}
    assert target_host.cache_sizes(tmp_path / "none") == {}


def test_limits_are_those_of_the_model_unless_given():
    assert Target("cuda").limits["max_threads_per_block"] == 1024
    assert Target("cuda").limits["max_shared_memory_per_block"] == 48 * 1024
    assert Target("cuda -arch=sm_80").limits["max_shared_memory_per_block"] == 163 * 1024
    assert Target("nvidia/nvidia-h100").limits["max_shared_memory_per_block"] == 227 * 1024
    given = Target("nvptx -mcpu=sm_90 -max_threads_per_block=512")
    assert given.limits["max_threads_per_block"] == 512
    assert given.limits["max_grid_dims"] == [2**31 - 1, 65535, 65535]
    assert given.model_name == "sm_90"
    assert Target("cuda").model_name == "cuda"
    assert Target("llvm -mcpu=znver4").model_name == "llvm"


def test_an_unknown_gpu():
    with pytest.raises(TargetError) as caught:
        Target("cuda -arch=sm_8")
    assert str(caught.value) == (
        "error[KC6006]: target cuda: there is no architecture 'sm_8'\n"
        "  try: did you mean 'sm_89' or 'sm_87' or 'sm_86'?"
    )
