"""Modules: looking up functions and sources, calling, timing."""

from __future__ import annotations

import gc
import pickle
import time

import numpy as np
import pytest
from call_kernels import Code, Recorder, array, compiled, jit

import kc
from kc.runtime import BenchmarkResult, Module, Signature, native
from kc.runtime.timing import Repeats
from kc.support.diagnostics import CallError, DeviceError


def recorder(name: str = "f") -> Recorder:
    return Recorder(Signature(name, (array("A", "float32", "n", role="out"),), ("n",)))


def test_calling_a_module_calls_its_entry() -> None:
    f, g = recorder("f"), recorder("g")
    module = Module({"f": f.function, "g": g.function}, "g")
    module(np.zeros(3, np.float32))
    module["f"](np.zeros(5, np.float32))
    assert (f.seen[1], g.seen[1]) == (5, 3)
    assert module.entry_name == "g"
    assert module["g"] is g.function
    assert module.imported_modules == []
    assert repr(module) == "<kc module f, g; entry g>"
    assert repr(module["f"]) == "<kc function f(A: out float32[n])>"
    assert (module["f"].name, module["f"].address) == ("f", f.code.address("kernel"))
    assert Module({"f": f.function}, "f", imported_modules=[module]).imported_modules == [module]


def test_an_unknown_function() -> None:
    module = Module({"matmul": recorder("matmul").function}, "matmul")
    with pytest.raises(CallError) as caught:
        module["matmull"]
    assert str(caught.value) == (
        "error[KC5120]: the module has no function 'matmull'\n  try: did you mean 'matmul'?"
    )


def test_sources() -> None:
    builds: list[int] = []

    def asm() -> str:
        builds.append(1)
        return "ret"

    module = Module({"f": recorder().function}, "f", {"tir": "for", "ll": "define", "asm": asm})
    assert [module.get_source(kind) for kind in ("tir", "asm", "asm", "")] == [
        "for",
        "ret",
        "ret",
        "define",
    ]
    assert builds == [1]
    assert Module({"f": recorder().function}, "f", {"tir": "for"}).get_source() == "for"
    with pytest.raises(CallError) as caught:
        module.get_source("ptx")
    assert str(caught.value) == (
        "error[KC5123]: the module has no source 'ptx'\n  try: kinds of source: tir, ll, asm"
    )
    with pytest.raises(CallError) as caught:
        Module({"f": recorder().function}, "f").get_source()
    assert str(caught.value) == "error[KC5123]: the module has no source ''"


@pytest.mark.parametrize("fast", [True, False])
def test_time_evaluator_calls(monkeypatch: pytest.MonkeyPatch, fast: bool) -> None:
    monkeypatch.setattr(native, "fast_calls_work", lambda: fast)
    f = recorder()
    module = Module({"f": f.function}, "f")
    result = module.time_evaluator("f", kc.cpu(0), number=7, repeat=3)(np.zeros(2, np.float32))
    assert f.calls == 1 + 7 * 3
    assert len(result.results) == 3
    assert 0 <= result.min < 1e-4


def test_time_evaluator_checks_its_arguments() -> None:
    module = Module({"f": recorder().function}, "f")
    with pytest.raises(CallError, match="KC5106"):
        module.time_evaluator("f")(np.zeros(2))
    with pytest.raises(CallError, match="KC5120"):
        module.time_evaluator("g")
    with pytest.raises(DeviceError, match=r"KC6201\]: there is no device cpu\(3\)"):
        module.time_evaluator("f", kc.cpu(3))
    for name in ("number", "repeat", "repeats_to_cooldown"):
        with pytest.raises(CallError) as caught:
            module.time_evaluator("f", **{name: 0})  # pyright: ignore[reportArgumentType]
        assert str(caught.value) == (
            f"error[KC5130]: time_evaluator: {name} is 0, expected at least 1"
        )


def test_times_only_cpu_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KC_CUDA", "emu")
    module = Module({"f": recorder().function}, "f")
    with pytest.raises(DeviceError) as caught:
        module.time_evaluator("f", kc.cuda(0))
    assert str(caught.value) == "error[KC6204]: f runs on cpu(0), not on cuda(0)"


def test_time_is_that_of_the_kernel() -> None:
    """A kernel that waits 2 ms by the clock takes 2 ms per call."""
    spin = compiled(
        """
declare i32 @clock_gettime(i32, ptr)
define i64 @now() {
  %t = alloca [2 x i64]
  %ignored = call i32 @clock_gettime(i32 1, ptr %t)
  %s = load i64, ptr %t
  %p = getelementptr i64, ptr %t, i64 1
  %n = load i64, ptr %p
  %ns = mul i64 %s, 1000000000
  %sum = add i64 %ns, %n
  ret i64 %sum
}
define void @kernel() {
entry:
  %begin = call i64 @now()
  br label %loop
loop:
  %now = call i64 @now()
  %spent = sub i64 %now, %begin
  %more = icmp slt i64 %spent, 2000000
  br i1 %more, label %loop, label %done
done:
  ret void
}
""",
        Signature("spin", ()),
    )
    module = Module({"spin": spin}, "spin")
    # The time of all 50 calls together would be at least 0.1 s, however busy the machine is.
    result = module.time_evaluator("spin", number=50, repeat=3)()
    assert 0.002 <= result.min < 0.05


def test_min_repeat_ms() -> None:
    asked: list[int] = []

    def seconds(number: int) -> float:
        asked.append(number)
        return number * 1e-4

    result = Repeats(number=2, repeat=2, min_repeat_ms=5).measure(seconds)
    assert asked[:2] == [1, 2]  # to warm up, then as asked
    assert asked[2] >= 50
    assert asked[3:] == [asked[2]]  # the second repeat starts from what was enough
    assert result.results == pytest.approx((1e-4, 1e-4))


def test_min_repeat_ms_with_a_clock_that_stands_still() -> None:
    asked: list[int] = []

    def seconds(number: int) -> float:
        asked.append(number)
        return 0.0 if number < 1000 else 1.0

    Repeats(number=1, min_repeat_ms=1e-6).measure(seconds)
    assert len(asked) < 20
    assert asked == sorted(asked)


def test_cooldown(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    Repeats(1, 5, 0, 30, 2).measure(lambda number: 1e-3)
    assert pauses == [0.03, 0.03]


def test_statistics() -> None:
    values = (0.004, 0.001, 0.0025, 0.001)
    result = BenchmarkResult(values)
    assert result.mean == pytest.approx(np.mean(values))
    assert result.median == pytest.approx(np.median(values))
    assert (result.min, result.max) == (0.001, 0.004)
    assert result.std == pytest.approx(np.std(values))
    assert BenchmarkResult(values[:3]).median == 0.0025
    assert pickle.loads(pickle.dumps(result)) == result
    assert str(result) == (
        "Execution time summary:\n"
        "  mean (ms)    median (ms)     max (ms)      min (ms)      std (ms)\n"
        "    2.1250        1.7500        4.0000        1.0000        1.2437"
    )


def test_a_function_outlives_its_module() -> None:
    def only_the_function():
        kernel = Code("define void @kernel(ptr %a) { store i64 7, ptr %a  ret void }")
        signature = Signature("f", (array("A", "int64", role="out"),))
        f = kc.runtime.CompiledFunction(signature, kernel.address("kernel"), jit)
        return Module({"f": f}, "f", keep_alive=kernel)["f"]

    f = only_the_function()
    gc.collect()
    out = np.zeros((), np.int64)
    f(out)
    assert out == 7
