"""LLVM IR compiled to assembly and objects for several targets, and loaded into this process."""

import ctypes
import gc
import math
import platform
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from llvm_support import function

import kc
from kc import te
from kc.codegen import llvm_worker, native
from kc.codegen.elf import undefined_symbols
from kc.codegen.llvm_worker import is_vectorised, simplify_functions, with_bits_of_bfloat
from kc.codegen.native import Machine, compile_ir, host_target, jit
from kc.codegen.native_target import check_machine, check_runs_here
from kc.support.diagnostics import CodegenError, TargetError
from kc.transforms.intrinsics.tile_names import PRODUCTS

X86 = platform.machine() in ("x86_64", "AMD64") and sys.platform == "linux"
x86_only = pytest.mark.skipif(not X86, reason="needs Linux on x86-64")

SCALE = """
define void @scale(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %q = getelementptr inbounds float, ptr %b, i64 %i
  %x = load float, ptr %p, align 4
  %y = fmul float %x, 3.0
  store float %y, ptr %q, align 4
  %j = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""


def test_host_code_runs():
    a, b = np.arange(37, dtype=np.float32), np.zeros(37, np.float32)
    for level in range(4):
        b[:] = 0
        run = function(jit(SCALE, opt_level=level), "scale", "void(ptr, ptr, i64)")
        run(a.ctypes.data, b.ctypes.data, 37)
        np.testing.assert_array_equal(b, 3 * a)


def test_loops_are_vectorised_from_level_2_on():
    def vectors(level: int) -> bool:
        ir = compile_ir(SCALE, opt_level=level).optimized_ir()
        return re.search(r"fmul <\d+ x float>", ir) is not None

    assert [vectors(level) for level in range(4)] == [False, False, True, True]


def test_cpu_decides_the_instructions():
    triple = "x86_64-unknown-linux-gnu"
    v3 = compile_ir(SCALE, triple=triple, cpu="x86-64-v3").asm()
    v1 = compile_ir(SCALE, triple=triple, cpu="x86-64").asm()
    assert "%ymm" in v3
    assert "%ymm" not in v1
    avx = compile_ir(SCALE, triple=triple, cpu="x86-64", features="+avx").asm()
    assert "%ymm" in avx


OTHER_TARGETS = {
    "aarch64-unknown-linux-gnu": (b"\x7fELF", "fmul"),
    "riscv64-unknown-linux-gnu": (b"\x7fELF", "__mulsf3"),
    "armv7-unknown-linux-gnueabihf": (b"\x7fELF", "vmul.f32"),
    "wasm32-unknown-unknown": (b"\0asm", "f32.mul"),
    "i686-unknown-linux-gnu": (b"\x7fELF", "mul"),
    "arm64-apple-darwin": (b"\xcf\xfa\xed\xfe", "fmul"),
    "x86_64-pc-windows-msvc": (b"\x64\x86", "mulps"),
}


@pytest.mark.parametrize("triple", OTHER_TARGETS)
def test_other_targets(triple: str):
    magic, instruction = OTHER_TARGETS[triple]
    compiled = compile_ir(SCALE, triple=triple)
    assert instruction in compiled.asm()
    assert compiled.object().startswith(magic)
    assert f'target triple = "{triple}"' in compiled.optimized_ir()


def test_the_text_says_the_triple():
    text = 'target triple = "wasm32-unknown-unknown"\n' + SCALE
    assert compile_ir(text).machine == Machine("wasm32-unknown-unknown")


def test_abi_and_relocation():
    hard = compile_ir(
        "define float @f(float %x) {\n  ret float %x\n}",
        triple="riscv64-unknown-linux-gnu",
        features="+d",
        abi="lp64d",
    ).object()
    assert hard[48] & 6 == 4  # e_flags: the double-float ABI
    load = "@g = external global i32\ndefine i32 @f() {\n  %x = load i32, ptr @g\n  ret i32 %x\n}"

    def through_table(relocation: str) -> bool:
        compiled = compile_ir(
            load,
            triple="x86_64-unknown-linux-gnu",
            cpu="x86-64",
            relocation=relocation,
            code_model="large",
        )
        return "g@GOT" in compiled.asm()

    assert [through_table(relocation) for relocation in ("pic", "static")] == [True, False]


def test_output_is_the_same_each_time():
    first, two = (compile_ir(SCALE, triple="aarch64-linux-gnu") for _ in range(2))
    assert first.object() == two.object()
    assert first.asm() == two.asm()
    # Assembly and object are those of the optimised module, whatever is asked for first.
    three = compile_ir(SCALE)
    before = three.optimized_ir()
    three.asm()
    three.object()
    assert compile_ir(SCALE).object() == three.object()
    assert three.optimized_ir() == before


# Targets that do not exist.

BAD_TARGETS = [
    (
        Machine("x86_65-linux-gnu"),
        "KC6101",
        "LLVM has no target for the triple 'x86_65-linux-gnu'",
        ("did you mean 'x86_64'?",),
    ),
    (
        Machine("x86_64-unknown-linux-gnu", "znver44"),
        "KC6102",
        "there is no CPU 'znver44' for x86_64-unknown-linux-gnu",
        ("did you mean 'znver4' or 'znver5' or 'znver3'?",),
    ),
    (
        Machine("x86_64-unknown-linux-gnu", "", "+avx512vnnni"),
        "KC6103",
        "there is no feature 'avx512vnnni' for x86_64-unknown-linux-gnu",
        None,
    ),
    (
        Machine("aarch64-linux-gnu", "", "neon"),
        "KC6103",
        "'neon' is not a feature",
        ("write +neon",),
    ),
    (
        Machine("x86_64-unknown-linux-gnu", "i386"),
        "KC6104",
        "LLVM cannot compile for x86_64-unknown-linux-gnu i386",
        None,
    ),
    (
        Machine("riscv64-unknown-linux-gnu", "generic-rv32"),
        "KC6104",
        "LLVM cannot compile for riscv64-unknown-linux-gnu generic-rv32",
        None,
    ),
    (
        Machine("aarch64-linux-gnu", "help"),
        "KC6102",
        "there is no CPU 'help' for aarch64-linux-gnu",
        None,
    ),
]


@pytest.mark.parametrize("bad", BAD_TARGETS, ids=lambda bad: f"{bad[0].triple} {bad[0].cpu}")
def test_bad_targets(bad, capfd: pytest.CaptureFixture[str]):
    machine, code, message, hints = bad
    with pytest.raises(TargetError) as caught:
        check_machine(machine)
    assert (caught.value.code, caught.value.message) == (code, message)
    if hints is not None:
        assert caught.value.hints == hints
    with pytest.raises(TargetError):
        compile_ir(SCALE, triple=machine.triple, cpu=machine.cpu, features=machine.features)
    assert capfd.readouterr() == ("", "")


def test_good_targets():
    triple, cpu, features = host_target()
    for machine in (
        Machine(triple, cpu, features),
        Machine(triple, cpu),
        Machine("x86_64-unknown-linux-gnu", "sapphirerapids", "+avx512f,-avx512vl"),
        Machine("aarch64-linux-gnu", "neoverse-v1", "+sve"),
        Machine("thumbv7em-none-eabihf", "cortex-m4"),
    ):
        check_machine(machine)


def test_what_the_data_files_list_needs_no_trial(monkeypatch: pytest.MonkeyPatch):
    def no_trial(*_):
        raise AssertionError("a process was started")

    monkeypatch.setattr("kc.codegen.native_target.run_worker", no_trial)
    check_machine(Machine("x86_64-unknown-linux-gnu", "cascadelake", "+avx512bf16,-avx512fp16"))
    check_machine(Machine("aarch64-unknown-linux-gnu", "cortex-a53", "+sve"))
    with pytest.raises(AssertionError, match="a process was started"):
        check_machine(Machine("x86_64-unknown-linux-gnu", "cascadelake", "-64bit"))


def test_code_for_another_machine_is_not_run():
    text = 'target triple = "wasm32-unknown-unknown"\n' + SCALE
    with pytest.raises(TargetError, match="code for wasm32-unknown-unknown cannot run") as caught:
        jit(text)
    assert caught.value.code == "KC6105"


@x86_only
def test_code_with_instructions_the_host_lacks_is_not_run():
    triple, cpu, features = host_target()
    check_runs_here(Machine(triple, "x86-64"))
    lacking = [name[1:] for name in features.split(",") if name[0] == "-"]
    with pytest.raises(TargetError, match="this machine cannot run code for") as caught:
        jit(SCALE, cpu="x86-64", features=f"+{lacking[0]}")
    assert caught.value.code == "KC6105"
    assert caught.value.why == f"this machine is {cpu}, which lacks {lacking[0]}"
    # A CPU of which the host has all but some features is refused for those.
    for newer, feature in (("sapphirerapids", "avx512fp16"), ("bdver4", "fma4")):
        if feature in lacking:
            with pytest.raises(TargetError, match="cannot run") as caught:
                check_runs_here(Machine(triple, newer))
            assert feature in str(caught.value.why)


# IR that LLVM refuses, and code it cannot generate.


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "define i32 @f() {\n  ret i33 0\n}",
            "<string>:2:7: error: value doesn't match function result type 'i32'",
        ),
        ("define void @f() {\n  call void @g()\n  ret void\n}", "use of undefined value '@g'"),
    ],
)
def test_ir_that_does_not_parse(text: str, why: str, isolated: bool):
    with pytest.raises(CodegenError, match="LLVM refuses the IR") as caught:
        compile_ir(text, isolated=isolated)
    assert caught.value.code == "KC4106"
    assert why in str(caught.value.why)


UNVERIFIABLE = """
define i32 @f(i1 %c) {
  br i1 %c, label %a, label %b
a:
  %x = add i32 1, 2
  br label %b
b:
  ret i32 %x
}
"""


@pytest.mark.parametrize("isolated", [False, True])
def test_ir_that_does_not_verify(isolated: bool):
    with pytest.raises(CodegenError, match="LLVM refuses the IR") as caught:
        compile_ir(UNVERIFIABLE, isolated=isolated)
    assert caught.value.code == "KC4106"
    assert any("does not dominate" in fact for fact in caught.value.facts)


def test_instruction_selection_that_fails_ends_no_process():
    text = "define bfloat @f(float %x) {\n  %y = fptrunc float %x to bfloat\n  ret bfloat %y\n}"
    with pytest.raises(CodegenError, match="LLVM failed to compile the module") as caught:
        compile_ir(text, triple="wasm32-unknown-unknown")
    assert caught.value.code == "KC4107"
    assert "Cannot select" in str(caught.value.why)


@x86_only
def test_a_conversion_without_code_ends_no_process():
    text = """
    define <4 x half> @f(<4 x i128> %x) {
      %y = sitofp <4 x i128> %x to <4 x half>
      ret <4 x half> %y
    }
    """
    with pytest.raises(CodegenError) as caught:
        compile_ir(text, cpu="sapphirerapids")
    assert caught.value.code == "KC4107"


@x86_only
def test_inline_assembly_runs_and_its_mistakes_end_no_process():
    text = """
    define i32 @f(i32 %x) {
      %y = call i32 asm "INSTRUCTION $0", "=r,0"(i32 %x)
      ret i32 %y
    }
    """
    run = function(jit(text.replace("INSTRUCTION", "bswap")), "f", "i32(i32)")
    assert run(0x01020304) == 0x04030201
    with pytest.raises(CodegenError) as caught:
        jit(text.replace("INSTRUCTION", "bwsap"))
    assert caught.value.code == "KC4107"
    assert "invalid instruction mnemonic 'bwsap'" in str(caught.value.why)


@x86_only
def test_an_intrinsic_the_cpu_lacks_ends_no_process():
    text = """
    declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <64 x i8>, <64 x i8>)
    define <16 x i32> @f(<16 x i32> %a, <64 x i8> %b) {
      %c = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> %a, <64 x i8> %b, <64 x i8> %b)
      ret <16 x i32> %c
    }
    """
    assert "vpdpbusd" in compile_ir(text, cpu="znver4").asm()
    with pytest.raises(CodegenError) as caught:
        compile_ir(text, cpu="x86-64")
    assert caught.value.code == "KC4107"


# Symbols.


def test_unresolved_symbols_are_named():
    text = """
    declare void @kc_nowhere()
    declare float @kc_not_there(float)
    declare float @expf(float)
    define float @f(float %x) {
      call void @kc_nowhere()
      %y = call float @kc_not_there(float %x)
      %z = call float @expf(float %y)
      ret float %z
    }
    """
    with pytest.raises(CodegenError) as caught:
        jit(text)
    assert caught.value.code == "KC4108"
    assert caught.value.message == (
        "the code calls kc_nowhere, kc_not_there, which this process does not have"
    )
    called = []
    nowhere = ctypes.CFUNCTYPE(None)(lambda: called.append(1))
    twice = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_float)(lambda x: 2 * x)
    addresses = {
        name: ctypes.cast(function, ctypes.c_void_p).value or 0
        for name, function in {"kc_nowhere": nowhere, "kc_not_there": twice}.items()
    }
    run = function(jit(text, addresses), "f", "f32(f32)")
    assert run(0.5) == pytest.approx(math.e, rel=1e-6)
    assert called == [1]


def test_unknown_name():
    module = jit(SCALE)
    assert module.names == ["scale"]
    with pytest.raises(CodegenError, match="the module defines no @scal") as caught:
        module.address("scal")
    assert (caught.value.code, caught.value.hints) == ("KC4104", ("did you mean 'scale'?",))


def test_only_what_is_visible_has_an_address():
    module = jit(
        """
        @table = constant [2 x i32] [i32 5, i32 6]
        define internal i32 @helper() noinline {
          ret i32 3
        }
        define hidden i32 @secret() {
          ret i32 4
        }
        define i32 @f() {
          %x = call i32 @helper()
          %y = call i32 @secret()
          %s = add i32 %x, %y
          ret i32 %s
        }
        """
    )
    assert sorted(module.names) == ["f", "table"]
    assert function(module, "f", "i32()")() == 7
    assert (ctypes.c_int32 * 2).from_address(module.address("table"))[:] == [5, 6]


@x86_only
def test_undefined_symbols_of_objects():
    call = "declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}"
    for triple in ("x86_64-unknown-linux-gnu", "i686-unknown-linux-gnu", "s390x-ibm-linux"):
        assert undefined_symbols(compile_ir(call, triple=triple).object()) == ["g"]
    weak = "declare extern_weak void @g()\n" + call.split("\n", 1)[1]
    assert undefined_symbols(compile_ir(weak).object()) == []


# Lifetime and threads.


def test_code_goes_with_its_module_and_stays_until_then():
    runs = []
    for i in range(50):
        run = function(jit(f"define i32 @f() {{\n  ret i32 {i}\n}}"), "f", "i32()")
        if i % 2:
            runs.append((i, run))
    gc.collect()
    assert [run() for _, run in runs] == [i for i, _ in runs]


MEMORY = """
import gc, re, sys
from kc.codegen.native import jit

def resident():
    gc.collect()
    return int(re.search(r"VmRSS:\\s+(\\d+) kB", open("/proc/self/status").read())[1])

def work(count):
    for i in range(count):
        jit(f"define i32 @f() {{\\n  ret i32 {i}\\n}}", debugger=sys.argv[1] == "debugger")

work(100)
before = resident()
work(300)
print((resident() - before) / 300)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux")
@pytest.mark.parametrize("linker", ["jit link", "debugger"])
def test_modules_that_are_gone_leave_no_memory(linker: str):
    """A pass manager of LLVM has 60 KB, a loaded library that is unloaded leaves 9."""
    command = [sys.executable, "-c", MEMORY, linker]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 5, "KB a module"


def test_garbage_of_failures_is_collected_in_order():
    for _ in range(20):
        try:
            compile_ir("define void @f() {\n  %x = add i32 1, 2\n  ret i32 %x\n}")
        except CodegenError as error:
            error.cycle = error  # type: ignore[attr-defined]
        try:
            compile_ir(UNVERIFIABLE)
        except CodegenError as error:
            error.cycle = error  # type: ignore[attr-defined]
        gc.collect()


def test_threads_compile_and_run_at_once():
    results: dict[int, int] = {}

    def work(i: int) -> None:
        for k in range(5):
            text = f"define i32 @f(i32 %x) {{\n  %y = add i32 %x, {i * 10 + k}\n  ret i32 %y\n}}"
            results[i * 10 + k] = function(jit(text), "f", "i32(i32)")(1)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i * 10 + k: i * 10 + k + 1 for i in range(4) for k in range(5)}


def test_a_process_ends_quietly():
    script = (
        "import ctypes\n"
        "from kc.codegen.native import compile_ir, jit\n"
        "m = jit('define i32 @f() { ret i32 7 }')\n"
        "c = compile_ir('define i32 @f() { ret i32 7 }')\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(m.address('f'))())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "")


# Conversions of small floats, on CPUs without instructions for them.

CONVERSIONS = """
define void @to_half(ptr %a, ptr %b) {
  %x = load TYPE, ptr %a, align 1
  %y = fptrunc TYPE %x to half
  store half %y, ptr %b, align 1
  ret void
}
define void @to_bfloat(ptr %a, ptr %b) {
  %x = load TYPE, ptr %a, align 1
  %y = fptrunc TYPE %x to bfloat
  store bfloat %y, ptr %b, align 1
  ret void
}
define void @from_half(ptr %a, ptr %b) {
  %x = load half, ptr %a, align 1
  %y = fpext half %x to TYPE
  store TYPE %y, ptr %b, align 1
  ret void
}
"""


def convert(module, name: str, values: np.ndarray, target: type) -> np.ndarray:
    run = function(module, name, "void(ptr, ptr)")
    result = np.zeros(len(values), target)
    a, b = values.ctypes.data, result.ctypes.data
    for i in range(len(values)):
        run(a + i * values.itemsize, b + i * result.itemsize)
    return result


def interesting(dtype: type) -> np.ndarray:
    """Values around every boundary of half and bfloat, and random ones of all sizes."""
    random = np.random.default_rng(7)
    halves = np.arange(0, 0x7C00, 37, dtype=np.uint16).view(np.float16).astype(np.float64)
    middle = (halves[:-1] + halves[1:]) / 2
    powers = 2.0 ** np.arange(-150, 128)
    exact = np.concatenate([halves, middle, powers, 65504 + np.arange(0, 40) * 1.0, [0.0]])
    near = np.concatenate([exact, np.nextafter(exact, np.inf), np.nextafter(exact, -np.inf)])
    sized = random.standard_normal(500) * 2.0 ** random.integers(-140, 20, 500)
    special = np.array([np.inf, np.nan, 1e300, 1e-300])
    with np.errstate(all="ignore"):
        values = np.concatenate([near, sized, special]).astype(dtype)
    return np.concatenate([values, -values])


def bfloat_bits(values: np.ndarray) -> np.ndarray:
    """Round to nearest, ties to even, on the exact value (in twice the precision if need be)."""
    result = []
    for value in values.astype(np.float64):
        if np.isnan(value):
            result.append(0x7FC0)
            continue
        sign, magnitude = (0x8000 if np.signbit(value) else 0), abs(float(value))
        if math.isinf(magnitude):
            result.append(sign | 0x7F80)
            continue
        exponent = max(math.frexp(magnitude)[1] - 1, -126) if magnitude else -126
        steps = round(math.ldexp(magnitude, 7 - exponent))  # Python rounds ties to even
        bits = ((exponent + 126) << 7) + steps
        result.append(sign | min(bits, 0x7F80))
    return np.array(result, np.uint16)


@x86_only
@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_conversions_without_instructions_for_them(name: str, dtype: type):
    text = CONVERSIONS.replace("TYPE", name)
    needed = undefined_symbols(compile_ir(text, cpu="x86-64").object())
    assert {"__truncsfhf2", "__truncsfbf2"} <= {symbol.replace("df", "sf") for symbol in needed}
    module = jit(text, cpu="x86-64", features="")
    values = interesting(dtype)
    with np.errstate(all="ignore"):
        halves = values.astype(np.float16)
    got = convert(module, "to_half", values, np.float16)
    np.testing.assert_array_equal(got, halves)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(halves))
    number = ~np.isnan(values)
    bfloats = convert(module, "to_bfloat", values, np.uint16)
    np.testing.assert_array_equal(bfloats[number], bfloat_bits(values[number]))
    nan = bfloats[~number]
    assert ((nan & 0x7F80) == 0x7F80).all()
    assert (nan & 0x7F).all()
    every = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    back = convert(module, "from_half", every, dtype)
    np.testing.assert_array_equal(back, every.view(np.float16).astype(dtype))


# The upper half of a vector is stored before what is stored to the lower half is computed.
HALVES = """
define void @halves(ptr noalias %a, ptr noalias %b) {
  %both = alloca <4 x i32>, align 16
  %high = load <2 x i32>, ptr %b, align 4
  %upper = getelementptr inbounds i8, ptr %both, i64 8
  store <2 x i32> %high, ptr %upper, align 8
  %low = load <2 x i32>, ptr %a, align 4
  %twice = add <2 x i32> %low, %low
  store <2 x i32> %twice, ptr %both, align 16
  %all = load <4 x i32>, ptr %both, align 16
  %more = add <4 x i32> %all, splat (i32 1)
  store <4 x i32> %more, ptr %b, align 4
  ret void
}
"""


@pytest.mark.parametrize("isolated", [True, False])
def test_what_llvm_makes_is_valid(isolated: bool):
    """SROA of LLVM 22.1 puts the whole vector together before its lower half is there."""
    a, b = np.array([1, 2], np.int32), np.array([3, 4, 0, 0], np.int32)
    call = function(jit(HALVES, isolated=isolated), "halves", "void(ptr, ptr)")
    call(a.ctypes.data, b.ctypes.data)
    np.testing.assert_array_equal(b, [3, 5, 4, 5])


STRAIGHT = """
define void @add(ptr noalias %a, ptr noalias %b) {
  %p1 = getelementptr float, ptr %a, i64 1
  %q1 = getelementptr float, ptr %b, i64 1
  %x0 = load float, ptr %a, align 4
  %x1 = load float, ptr %p1, align 4
  %y0 = fadd float %x0, 1.0
  %y1 = fadd float %x1, 1.0
  store float %y0, ptr %b, align 4
  store float %y1, ptr %q1, align 4
  ret void
}
"""
VECTORS = """
define <4 x float> @twice(<4 x float> %x) {
  %y = fadd <4 x float> %x, %x
  ret <4 x float> %y
}
"""


@x86_only
@pytest.mark.parametrize("isolated", [True, False])
def test_straight_line_code_is_vectorised_where_nothing_else_is(isolated: bool):
    alone = compile_ir(STRAIGHT, isolated=isolated).optimized_ir()
    assert "fadd <2 x float>" in alone
    beside = compile_ir(STRAIGHT + VECTORS, isolated=isolated).optimized_ir()
    assert "fadd <2 x float>" not in beside
    assert beside.count("fadd float") == 2


def scalar_loop(step: str, count: str = "i64 %n", kind: str = "float") -> str:
    """A loop that stores a scalar that is ``step`` of the loaded %x in each iteration, as
    convert-to-llvm writes it."""
    return f"""
define void @loop(ptr noalias %a, ptr noalias %b, i64 %n) {{
entry:
  br label %bb1

bb1:
  %i = phi i64 [ 0, %entry ], [ %j, %bb2 ]
  %c = icmp slt i64 %i, {count.removeprefix("i64 ")}
  br i1 %c, label %bb2, label %bb3

bb2:
  %s = mul i64 %i, 3
  %p = getelementptr inbounds {kind}, ptr %a, i64 %s
  %q = getelementptr inbounds {kind}, ptr %b, i64 %i
  %x = load {kind}, ptr %p
  {step}
  store {kind} %y, ptr %q
  %j = add nsw i64 %i, 1
  br label %bb1

bb3:
  ret void
}}
"""


NEIGHBOURS = scalar_loop("%k = add i64 %s, 1").replace("store float %y", "store float %x")
COPIES = NEIGHBOURS.replace("float, ptr %a, i64 %s", "[16 x float], ptr %a, i64 %i, i64 2")
"""A row has 16 elements; the third of each is copied."""
DOUBLES = scalar_loop("%y = fadd float %x, %x")
TAPS = """
define void @taps(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  br label %bb1

bb1:
  %i = phi i64 [ 0, %entry ], [ %next, %bb4 ]
  %c = icmp slt i64 %i, %n
  br i1 %c, label %bb2, label %bb5

bb2:
  %j = phi i64 [ 0, %bb1 ], [ %k, %bb3 ]
  %sum = phi float [ 0.0, %bb1 ], [ %y, %bb3 ]
  %d = icmp slt i64 %j, 3
  br i1 %d, label %bb3, label %bb4

bb3:
  %s = add i64 %i, %j
  %p = getelementptr inbounds float, ptr %a, i64 %s
  %x = load float, ptr %p
  %y = fadd float %sum, %x
  %k = add nsw i64 %j, 1
  br label %bb2

bb4:
  %q = getelementptr inbounds float, ptr %b, i64 %i
  store float %sum, ptr %q
  %next = add nsw i64 %i, 1
  br label %bb1

bb5:
  ret void
}
"""
"""Sums of three neighbours: the inner loop is unrolled, the outer one is vectorised."""
TILE = TAPS.replace(
    "  %next =", "  %v = fadd <4 x float> zeroinitializer, zeroinitializer\n  %next ="
)
CALLS = """
define <4 x float> @four_times(<4 x float> %x) {
  %y = call <4 x float> @twice(<4 x float> %x)
  %z = call <4 x float> @twice(<4 x float> %y)
  ret <4 x float> %z
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (VECTORS, True),
        (VECTORS + COPIES, True),
        (VECTORS + COPIES.replace("[16", "[8"), False),
        (VECTORS + COPIES.replace("i64 %i, i64 2", "i64 2, i64 %i"), False),
        (VECTORS + COPIES.replace("i64 %i, i64 2", "i64 2, i64 2"), False),
        (VECTORS + NEIGHBOURS, False),
        (VECTORS + DOUBLES.replace("bb1", '"bb-1"'), False),
        (VECTORS + DOUBLES, False),
        (VECTORS + scalar_loop("%y = fadd float %x, %x", "i64 7"), True),
        (VECTORS + scalar_loop("%y = fadd float %x, %x", "i64 7, !dbg !0"), True),
        (VECTORS + scalar_loop("%y = fadd float %x, %x", "i64 8"), False),
        (VECTORS + scalar_loop("%y = add i64 %x, %s", kind="i64"), False),
        (VECTORS + scalar_loop("%y = add i32 %x, 1", kind="i32"), False),
        (VECTORS + SCALE, False),
        (VECTORS + COPIES.replace("@loop", "@first") + DOUBLES, False),
        (VECTORS + DOUBLES.replace("ret void", "ret void ; <4 x float>"), False),
        (VECTORS + TAPS, False),
        (VECTORS + TAPS.replace("i64 %i, %n", "i64 %i, 7"), True),
        (TILE, True),
        (VECTORS + CALLS, False),
        (VECTORS.replace("@twice", '@"2-fold"') + CALLS.replace("@twice", '@"2-fold"'), False),
        (COPIES, False),
    ],
    ids=[
        *("vectors", "copies", "near", "contiguous", "fill", "neighbours", "quoted", "doubles"),
        *("few", "few in debug info", "enough", "i64", "i32", "rotated", "second", "outside"),
        *("taps", "few taps", "taps and vectors", "calls", "quoted calls", "scalars"),
    ],
)
def test_code_is_only_simplified_where_all_of_it_is_vectorised(text: str, expected: bool):
    assert is_vectorised(text) is expected


@x86_only
@pytest.mark.parametrize("level", [1, 2, 3])
def test_level_2_only_simplifies_what_is_vectorised(level: int, monkeypatch: pytest.MonkeyPatch):
    simplified: list[str] = []

    def simplify(llvm: object, module: object, machine: object, options: object) -> None:
        simplified.append(str(module))
        simplify_functions(llvm, module, machine, options)

    monkeypatch.setattr(llvm_worker, "simplify_functions", simplify)
    a, b = np.arange(592, dtype=np.float32), np.zeros(37, np.float32)
    for loop, expected, times in (DOUBLES, 2 * a[:111:3], 0), (COPIES, a[2::16], level == 2):
        module = jit(VECTORS + loop, opt_level=level, isolated=False)
        function(module, "loop", "void(ptr, ptr, i64)")(a.ctypes.data, b.ctypes.data, 37)
        np.testing.assert_array_equal(b, expected)
        assert len(simplified) == times


# A lane of eight, each truncated from {wide}.
LANE = """
declare void @llvm.masked.store.v8{narrow}.p0(<8 x {narrow}>, ptr, <8 x i1>)

define void @lane(ptr %from, ptr %to) {{
  %wide = load <8 x {wide}>, ptr %from, align 1
  %narrow = trunc <8 x {wide}> %wide to <8 x {narrow}>
  call void @llvm.masked.store.v8{narrow}.p0(
    <8 x {narrow}> %narrow, ptr align 8 %to, <8 x i1> <{mask}>)
  ret void
}}
"""


def lane(wide: str, narrow: str, at: int) -> str:
    mask = ", ".join(f"i1 {'true' if n == at else 'false'}" for n in range(8))
    return LANE.format(wide=wide, narrow=narrow, mask=mask)


@pytest.mark.parametrize("isolated", [True, False])
@pytest.mark.parametrize(
    ("wide", "narrow", "at"), [("i32", "i8", 0), ("i32", "i16", 2), ("i64", "i32", 7)]
)
def test_a_lane_of_a_truncated_vector_is_stored_alone(
    wide: str, narrow: str, at: int, isolated: bool
):
    text = lane(wide, narrow, at)
    values = np.arange(8, dtype=f"int{wide[1:]}") - 4
    stored = np.full(16, 7, f"int{narrow[1:]}")
    call = function(jit(text, isolated=isolated), "lane", "void(ptr, ptr)")
    call(values.ctypes.data, stored.ctypes.data)
    expected = np.full_like(stored, 7)
    expected[at] = at - 4
    np.testing.assert_array_equal(stored, expected)
    # Also where this CPU has no AVX-512: the whole element is in no instruction.
    module = compile_ir(
        text, triple="x86_64-unknown-linux-gnu", cpu="skylake-avx512", isolated=isolated
    )
    assert "masked.store" not in module.optimized_ir().partition("define")[2]
    suffix = {"i8": "b", "i16": "w", "i32": "l|ss|d|ps"}[narrow]
    assert re.search(rf"\s(v?mov|vpextr|vextract)({suffix})\s.*\(%rsi\)", module.asm())


BITS = """
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)

define void @lane(ptr %from, ptr %to) {
  %wide = load <8 x i64>, ptr %from, align 1
  %narrow = trunc <8 x i64> %wide to <8 x i32>
  %bits = bitcast <8 x i32> %narrow to <8 x float>
  call void @llvm.masked.store.v8f32.p0(
    <8 x float> %bits, ptr align 4 %to, <8 x i1> <i1 false, i1 false, i1 false, i1 false, i1 false,
    i1 true, i1 false, i1 false>)
  ret void
}
"""


def test_a_lane_of_floats_is_stored_alone_by_llvm():
    """Also of floats that are truncated bits: stores of floats are not looked through for it."""
    values, stored = np.arange(8, dtype="int64") - 4, np.full(8, 7, "int32")
    call = function(jit(BITS), "lane", "void(ptr, ptr)")
    call(values.ctypes.data, stored.ctypes.data)
    np.testing.assert_array_equal(stored, [7, 7, 7, 7, 7, 1, 7, 7])
    module = compile_ir(BITS, triple="x86_64-unknown-linux-gnu", cpu="skylake-avx512")
    assert re.search(r"\sv?pextrd\s+\$1, .*20\(%rsi\)", module.asm())


def test_llvm_still_stores_it_whole():
    """The workaround in ``codegen/llvm_worker.py`` can be removed when this test fails."""
    llvm = native.llvm_binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(cpu="skylake-avx512", opt=2)
    asm = machine.emit_assembly(llvm.parse_assembly(lane("i32", "i8", 0)))
    assert re.search(r"(movl|vmovd|vmovss)\s+%\w+, \(%rsi\)", asm)


def test_llvm_still_loses_lanes_of_shorter_sums():
    """``lower-lane-reduction`` can add the halves of vectors of integers once this fails."""
    text = Path(__file__).parents[2].joinpath("docs", "upstream.md").read_text()
    (ir,) = re.findall(r"```llvm differences.ll\n(.*?)```", text, re.DOTALL)
    llvm = native.llvm_binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("x86_64-unknown-linux-gnu")
    asm = target.create_target_machine(cpu="haswell", opt=2).emit_assembly(llvm.parse_assembly(ir))
    assert re.search(r"psadbw[^\n]*\n\s*vmovd\s+%xmm\d+, %eax", asm)


def sign_of_bf16() -> str:
    """The IR of docs/upstream.md that uses nothing but the sign."""
    text = Path(__file__).parents[2].joinpath("docs", "upstream.md").read_text()
    (ir,) = re.findall(r"```llvm sign.ll\n(.*?)```", text, re.DOTALL)
    return ir


def test_bf16_that_is_only_moved_is_its_bits():
    triple = "x86_64-unknown-linux-gnu"
    constant = "@table = constant [2 x bfloat] [bfloat 0xR3F80, bfloat 0xRFF80]\n"
    changed = with_bits_of_bfloat(constant + sign_of_bf16(), triple)
    assert "@table = constant [2 x i16] [i16 16256, i16 65408]\n" in changed
    assert "%bits = bitcast i16 %x to i16\n" in changed
    assert "bfloat" not in compile_ir(sign_of_bf16(), triple=triple).optimized_ir()
    for kept in ("declare void @use(bfloat)\n", "@wide = global bfloat 1.0\n"):
        assert with_bits_of_bfloat(kept + constant, triple) == kept + constant
    assert with_bits_of_bfloat(constant, "aarch64-unknown-linux-gnu") == constant


def test_llvm_still_aborts_on_the_sign_of_bf16():
    """``with_bits_of_bfloat`` can go once this fails, if it still has its assertions."""
    text = "declare void @use(bfloat)\n" + sign_of_bf16()
    with pytest.raises(CodegenError, match="KC4107"):
        compile_ir(text, triple="x86_64-unknown-linux-gnu", isolated=True, opt_level=0)


@pytest.mark.parametrize("isolated", [True, False])
def test_masks_are_compiled_without_optimisation(isolated: bool) -> None:
    """The instruction selection of LLVM's level 0 ends the process on these."""
    text = """
    declare <4 x i1> @llvm.umax.v4i1(<4 x i1>, <4 x i1>)
    define <4 x i1> @f() {
      %x = call <4 x i1> @llvm.umax.v4i1(<4 x i1> zeroinitializer, <4 x i1> zeroinitializer)
      %y = call <4 x i1> @llvm.umax.v4i1(<4 x i1> zeroinitializer, <4 x i1> %x)
      br label %next
    next:
      ret <4 x i1> %y
    }
    """
    module = compile_ir(
        text, triple="x86_64-unknown-linux-gnu", cpu="znver4", opt_level=0, isolated=isolated
    )
    assert "f:" in module.asm()


# Intrinsics of x86 by name: the type of the sums, that of the operands, and their instruction.
X86_INTRINSICS = {
    "avx2.pmadd.ub.sw": (None, "<16 x i16>", "<32 x i8>", "vpmaddubsw"),
    "avx2.pmadd.wd": (None, "<8 x i32>", "<16 x i16>", "vpmaddwd"),
    "avx512.pmaddubs.w.512": (None, "<32 x i16>", "<64 x i8>", "vpmaddubsw"),
    "avx512.pmaddw.d.512": (None, "<16 x i32>", "<32 x i16>", "vpmaddwd"),
    "avx512.vpdpbusd.256": ("sums", "<8 x i32>", "<32 x i8>", "vpdpbusd"),
    "avx512.vpdpbusd.512": ("sums", "<16 x i32>", "<64 x i8>", "vpdpbusd"),
    "avx512.vpdpwssd.256": ("sums", "<8 x i32>", "<16 x i16>", "vpdpwssd"),
    "avx512.vpdpwssd.512": ("sums", "<16 x i32>", "<32 x i16>", "vpdpwssd"),
    "avx2.vpdpbssd.256": ("sums", "<8 x i32>", "<32 x i8>", "vpdpbssd"),
    "avx2.vpdpbuud.256": ("sums", "<8 x i32>", "<32 x i8>", "vpdpbuud"),
    "avx10.vpdpbssd.512": ("sums", "<16 x i32>", "<64 x i8>", "vpdpbssd"),
    "avx10.vpdpbuud.512": ("sums", "<16 x i32>", "<64 x i8>", "vpdpbuud"),
    "avx512bf16.dpbf16ps.512": ("sums", "<16 x float>", "<32 x bfloat>", "vdpbf16ps"),
}


@pytest.mark.parametrize("name", X86_INTRINSICS)
def test_intrinsics_with_code_on_every_cpu_that_has_a_feature(name: str):
    """Compiled in this process where the CPU has the feature, in another one where not."""
    sums, result, operand, instruction = X86_INTRINSICS[name]
    types = [*([result] if sums else []), operand, operand]
    arguments = ", ".join(f"{type_} %a{n}" for n, type_ in enumerate(types))
    text = (
        f"declare {result} @llvm.x86.{name}({', '.join(types)})\n"
        f"define {result} @f({arguments}) {{\n"
        f"  %r = call {result} @llvm.x86.{name}({arguments})\n  ret {result} %r\n}}\n"
    )
    feature = native._CODE_BY_FEATURE[f"@llvm.x86.{name}"]
    triple = "x86_64-unknown-linux-gnu"
    compiled = compile_ir(text, triple=triple, cpu="x86-64", features=f"+{feature}", isolated=True)
    assert instruction in compiled.asm()
    if not host_target()[0].startswith("x86_64"):
        return
    assert not native._is_risky(text, Machine(triple, "x86-64", f"+{feature}"))
    assert native._is_risky(text, Machine(triple, "x86-64"))
    assert native._is_risky(text, Machine(triple, "sapphirerapids", f"-{feature}"))
    elsewhere = text + 'attributes #0 = { "target-cpu"="x86-64" }\n'
    assert native._is_risky(elsewhere, Machine(triple, "x86-64", f"+{feature}"))


@pytest.mark.skipif(not host_target()[0].startswith("x86_64"), reason="LLVM of an x86 has its code")
@pytest.mark.parametrize("name", ["exp", "log", "log2", "log10", "tanh", "erf", "sin", "sigmoid"])
def test_functions_are_compiled_in_this_process(name: str):
    """Also where the arithmetic has instructions of AVX-512."""
    a = te.placeholder((4096,), "float32", name="A")
    b = te.compute((4096,), lambda i: getattr(te, name)(a[i]), name="B")
    text = kc.build([a, b], target="llvm -mcpu=x86-64-v4").get_source("ll")
    assert not native._is_risky(text, Machine(host_target()[0], "x86-64-v4"))


FENCE = """
declare void @llvm.x86.sse.sfence()
define void @f() {
  call void @llvm.x86.sse.sfence()
  ret void
}
"""


def test_a_fence_has_code_on_every_cpu_of_64_bits_with_sse():
    triple = "x86_64-unknown-linux-gnu"
    assert "sfence" in compile_ir(FENCE, triple=triple, cpu="x86-64", isolated=True).asm()
    if host_target()[0].startswith("x86_64"):
        assert not native._is_risky(FENCE, Machine(triple, "x86-64"))
        assert native._is_risky(FENCE, Machine(triple, "x86-64", "-sse"))


RANGE = """
declare {type} @llvm.x86.avx512.mask.range.{suffix}.512(
  {type}, {type}, i32, {type}, i{lanes}, i32)
define {type} @f({type} %a, {type} %b) {{
  %r = call {type} @llvm.x86.avx512.mask.range.{suffix}.512(
    {type} %a, {type} %b, i32 5, {type} poison, i{lanes} -1, i32 4)
  ret {type} %r
}}
"""


@pytest.mark.parametrize(("suffix", "element", "lanes"), [("ps", "float", 16), ("pd", "double", 8)])
def test_ranges_have_code_on_every_cpu_with_avx512dq(suffix: str, element: str, lanes: int):
    text = RANGE.format(suffix=suffix, type=f"<{lanes} x {element}>", lanes=lanes)
    triple = "x86_64-unknown-linux-gnu"
    machine = Machine(triple, "x86-64", "+avx512dq")
    compiled = compile_ir(
        text, triple=triple, cpu=machine.cpu, features=machine.features, isolated=True
    )
    assert f"vrange{suffix}" in compiled.asm()
    if host_target()[0].startswith("x86_64"):
        assert not native._is_risky(text, machine)
        assert native._is_risky(text, Machine(triple, "knl"))


EXPONENTS = """
declare <16 x float> @llvm.x86.avx512.mask.getexp.ps.512(<16 x float>, <16 x float>, i16, i32)
declare <16 x float> @llvm.x86.avx512.mask.getmant.ps.512(<16 x float>, i32, <16 x float>, i16, i32)
define <16 x float> @f(<16 x float> %a) {
  %m = call <16 x float> @llvm.x86.avx512.mask.getmant.ps.512(
    <16 x float> %a, i32 11, <16 x float> poison, i16 -1, i32 4)
  %e = call <16 x float> @llvm.x86.avx512.mask.getexp.ps.512(
    <16 x float> %m, <16 x float> poison, i16 -1, i32 4)
  ret <16 x float> %e
}
"""


def test_exponents_have_code_on_every_cpu_with_avx512f():
    triple = "x86_64-unknown-linux-gnu"
    machine = Machine(triple, "x86-64", "+avx512f")
    compiled = compile_ir(
        EXPONENTS, triple=triple, cpu=machine.cpu, features=machine.features, isolated=True
    )
    assert "vgetexpps" in compiled.asm()
    assert "vgetmantps" in compiled.asm()
    if host_target()[0].startswith("x86_64"):
        assert not native._is_risky(EXPONENTS, machine)
        assert native._is_risky(EXPONENTS, Machine(triple, "haswell"))


@pytest.mark.parametrize(("suffix", "element", "lanes"), [("ps", "float", 16), ("pd", "double", 8)])
def test_scaling_has_code_on_every_cpu_with_avx512f(suffix: str, element: str, lanes: int):
    vector, mask = f"<{lanes} x {element}>", f"i{lanes}"
    name = f"@llvm.x86.avx512.mask.scalef.{suffix}.512"
    text = (
        f"declare {vector} {name}({vector}, {vector}, {vector}, {mask}, i32)\n"
        f"define {vector} @f({vector} %a, {vector} %b) {{\n  %r = call {vector} {name}"
        f"({vector} %a, {vector} %b, {vector} poison, {mask} -1, i32 4)\n  ret {vector} %r\n}}\n"
    )
    triple = "x86_64-unknown-linux-gnu"
    machine = Machine(triple, "x86-64", "+avx512f")
    compiled = compile_ir(
        text, triple=triple, cpu=machine.cpu, features=machine.features, isolated=True
    )
    assert f"vscalef{suffix}" in compiled.asm()
    if host_target()[0].startswith("x86_64"):
        assert not native._is_risky(text, machine)
        assert native._is_risky(text, Machine(triple, "haswell"))


TILES = {
    "ldtilecfg": ("ptr %p", "ldtilecfg"),
    "tilerelease": ("", "tilerelease"),
    "tilezero": ("i8 0", "tilezero"),
    "tileloadd64": ("i8 0, ptr %p, i64 64", "tileloadd"),
    "tilestored64": ("i8 0, ptr %p, i64 64", "tilestored"),
    **{instruction: ("i8 0, i8 1, i8 2", instruction) for instruction, _ in PRODUCTS.values()},
}
"""Intrinsics of tile registers: their arguments, and their instruction."""


@pytest.mark.parametrize("name", TILES)
def test_tiles_have_code_on_every_cpu_with_their_feature(name: str):
    arguments, instruction = TILES[name]
    types = ", ".join(part.split()[0] for part in arguments.split(", ") if part)
    text = (
        f"declare void @llvm.x86.{name}({types})\n"
        f"define void @f(ptr %p) {{\n  call void @llvm.x86.{name}({arguments})\n  ret void\n}}\n"
    )
    feature = native._CODE_BY_FEATURE[f"@llvm.x86.{name}"]
    triple = "x86_64-unknown-linux-gnu"
    compiled = compile_ir(text, triple=triple, cpu="x86-64", features=f"+{feature}", isolated=True)
    assert instruction in compiled.asm()
    if host_target()[0].startswith("x86_64"):
        assert not native._is_risky(text, Machine(triple, "x86-64", f"+{feature}"))
        assert native._is_risky(text, Machine(triple, "x86-64"))


def test_intrinsics_are_those_of_the_table():
    functions = ("range.pd", "range.ps", "getexp.ps", "getmant.ps", "scalef.ps", "scalef.pd")
    masked = [f"avx512.mask.{name}.512" for name in functions]
    inverses = ["avx512.rcp14.ps.512", "avx512.rcp14.pd.512"]
    names = [*X86_INTRINSICS, "sse.sfence", *masked, *inverses, *TILES]
    tested = {f"@llvm.x86.{name}" for name in names}
    assert tested == set(native._CODE_BY_FEATURE)


@x86_only
def test_what_is_always_undefined_traps():
    """LLVM leaves no code of it, and its linker ends the process with an object of nothing else."""
    text = """
define void @undefined(ptr %a) {
entry:
  %there = load i32, ptr %a
  br i1 poison, label %then, label %exit
then:
  store i32 %there, ptr %a
  br label %exit
exit:
  ret void
}
"""
    assert re.search(r"^undefined:.*?\n\s+ud2\n", compile_ir(text).asm(), re.MULTILINE | re.DOTALL)
    function(jit(text), "undefined", "void(ptr)")
