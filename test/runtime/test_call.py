"""Calls that are accepted: what is computed, by which path, and what is left behind."""

from __future__ import annotations

import contextlib
import gc
import struct
import sys
import threading
import time
import types
import weakref
from typing import Any

import numpy as np
import pytest
from call_kernels import WAIT, Code, Recorder, Shared, add_function, array, compiled, jit, scalar

import kc
from kc.runtime import CompiledFunction, Module, Signature, call_wrapper, function, native
from kc.runtime.signature import DTYPES, AffineDim
from kc.support.diagnostics import CallError


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each call that went through the complete check in Python."""
    seen: list[str] = []

    def counting(signature: Signature, *rest: Any) -> Any:
        seen.append(signature.name)
        return bind(signature, *rest)

    bind = function.bind
    monkeypatch.setattr(function, "bind", counting)
    return seen


@pytest.fixture(params=["generated", "python"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways a call can go; the second is that of interpreters with another layout."""
    if request.param == "python":
        monkeypatch.setattr(native, "fast_calls_work", lambda: False)
    return request.param


def test_generated_code_is_used_here() -> None:
    assert native.fast_calls_work()


@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_add(path: str, n: int) -> None:
    add = add_function()
    a, b = np.arange(n, dtype=np.float32), np.full(n, 0.5, np.float32)
    c = np.empty(n, np.float32)
    assert add(a, b, c) is None
    np.testing.assert_array_equal(c, a + b)


def test_a_plain_call_never_enters_python(checks: list[str]) -> None:
    add = add_function()
    a, b, c = (np.ones(8, np.float32) for _ in range(3))
    add(a, b, c)
    add(kc.nd.array(a), b, kc.nd.array(c))
    add(a, a, c)
    add(a[:0], b[8:], c[4:4])
    whole = np.zeros(9, np.float32)
    add(whole[:3], whole[6:], whole[3:6])  # neighbours do not overlap
    assert checks == []


def test_neighbours_do_not_overlap_for_the_complete_check_either() -> None:
    whole = np.arange(9, dtype=np.float32)
    parts = [Shared(whole[3 * i : 3 * i + 3]) for i in range(3)]
    add_function()(parts[0], parts[2], parts[1])
    assert whole[3:6].tolist() == [6, 8, 10]


def test_empty_arrays_need_no_alignment_and_overlap_nothing(path: str) -> None:
    raw = np.zeros(64, np.uint8)
    record = Recorder(
        Signature(
            "f",
            (
                array("A", "float32", "n", alignment=64),
                array("B", "uint8", 64, role="out"),
                array("C", "float32", "n", role="out", alignment=64),
            ),
            ("n",),
        )
    )
    raw = np.asarray(kc.nd.array(raw))
    inside = np.ndarray(0, np.float32, raw, offset=17)
    assert inside.ctypes.data % 4
    record.function(inside, raw, inside)
    assert record.seen == [inside.ctypes.data, 0, raw.ctypes.data, inside.ctypes.data, 0]


def test_other_arrays_are_accepted_by_the_complete_check(checks: list[str]) -> None:
    class Sub(np.ndarray):
        pass

    add = add_function()
    a, b = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    for i, make in enumerate(
        (lambda x: x.view(Sub), Shared, lambda x: Shared(x, device=(3, 1))), start=1
    ):
        c = np.zeros(4, np.float32)
        add(make(a), make(b), make(c))
        np.testing.assert_array_equal(c, [1, 2, 3, 4])
        assert len(checks) == i


def test_dlpack_is_asked_for_the_memory_itself() -> None:
    add = add_function()
    a, b, c = (np.ones(4, np.float32) for _ in range(3))
    new, old = Shared(a), Shared(b, versioned=False)
    add(new, old, c)
    asked = {"max_version": (1, 0), "copy": False}
    assert new.requests == [asked]
    assert old.requests == [asked, {"max_version": (1, 0)}, {}]


def test_dlpack_layouts() -> None:
    record = Recorder(Signature("f", (array("A", "float32", 2, 1, 3, role="out"),)))
    source = np.zeros((2, 1, 3), np.float32)
    record.function(Shared(source, no_strides=True))
    assert record.seen == [source.ctypes.data]
    record.function(Shared(source, byte_offset=64))
    assert record.seen == [source.ctypes.data + 64]
    # As for numpy, the stride of an extent of 1 says nothing.
    odd = np.lib.stride_tricks.as_strided(source, (2, 1, 3), (12, 400, 4))
    record.function(Shared(odd))
    assert record.seen == [source.ctypes.data]


def test_tensors_of_older_torch_may_be_written() -> None:
    class Tensor(Shared):
        pass

    Tensor.__module__ = "torch"
    a, b, c = (np.ones(4, np.float32) for _ in range(3))
    add_function()(a, b, Tensor(c, versioned=False))
    assert c.tolist() == [2] * 4


def test_torch_in_torch_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """An output that is left out is a tensor that shares the memory the kernel wrote."""

    class Tensor(Shared):
        pass

    Tensor.__module__ = "torch"
    torch = types.ModuleType("torch")
    torch.from_dlpack = lambda array: np.from_dlpack(array).view(Returned)  # pyright: ignore
    monkeypatch.setitem(sys.modules, "torch", torch)
    a = np.arange(4, dtype=np.float32)
    returned = add_function()(Tensor(a), Tensor(a))
    assert type(returned) is Returned
    np.testing.assert_array_equal(returned, [0, 2, 4, 6])
    assert type(add_function()(a, a)) is np.ndarray


class Returned(np.ndarray):
    """The array of the torch of the test above."""


def test_torch_itself() -> None:
    torch = pytest.importorskip("torch")
    a = torch.arange(5, dtype=torch.float32)
    returned = add_function()(a, a)
    assert isinstance(returned, torch.Tensor)
    assert returned.tolist() == [0, 2, 4, 6, 8]


def test_dlpack_memory_is_given_back() -> None:
    add = add_function()
    a, b, c = (np.ones(4, np.float32) for _ in range(3))
    for versioned in (True, False):
        before = sys.getrefcount(a)
        for _ in range(10):
            add(Shared(a, versioned=versioned), b, c)
        assert sys.getrefcount(a) == before


def test_array_of_an_equal_dtype_that_is_another_object(checks: list[str]) -> None:
    record = Recorder(Signature("f", (array("A", "int64", 4),)))
    a = np.zeros(4, np.longlong)
    assert a.dtype == np.int64
    record.function(a)
    assert record.calls == 1
    assert record.seen == [a.ctypes.data]


def test_bfloat16_comes_by_dlpack() -> None:
    record = Recorder(Signature("f", (array("A", "bfloat16", "n", role="out"),), ("n",)))
    bits = np.zeros(3, np.uint16)
    record.function(Shared(bits, code=4))
    assert record.seen == [bits.ctypes.data, 3]


def test_rank_0_and_what_the_kernel_gets(checks: list[str]) -> None:
    record = Recorder(
        Signature(
            "f",
            (
                array("A", "float32", 2, "n", AffineDim.add("n", 1)),
                array("Z", "float64", role="out"),
                scalar("s", "float32"),
                scalar("t", "bool"),
                array("E", "uint8", "m", 3, role="inout"),
                scalar("n", "int32", symbol="n"),
                scalar("u", "uint16"),
            ),
            ("n", "m"),
        )
    )
    a, z, e = np.zeros((2, 5, 6), np.float32), np.zeros(()), np.zeros((0, 3), np.uint8)
    record.function(a, z, 1.5, True, e, 5, 65535)
    float_bits = int.from_bytes(struct.pack("=f", 1.5), sys.byteorder)
    a_words, e_words = [a.ctypes.data, 5, 6], [e.ctypes.data, 0]
    assert record.seen == [*a_words, z.ctypes.data, float_bits, 1, *e_words, 5, 65535]
    assert checks == []


SCALARS = [
    ("int8", -128, "b"),
    ("uint8", 255, "B"),
    ("int64", -(2**63), "q"),
    ("uint64", 2**64 - 1, "Q"),
    ("int32", np.int16(-3), "i"),
    ("uint32", np.uint64(7), "I"),
    ("float32", 0.1, "f"),
    ("float32", 3, "f"),
    ("float32", float("inf"), "f"),
    ("float64", -0.0, "d"),
    ("float64", np.float32(0.1), "d"),
    ("float64", np.int8(-1), "d"),
    ("float16", 0.1, "e"),
    ("bool", False, "?"),
    ("bool", np.True_, "?"),
]


@pytest.mark.parametrize(("dtype", "value", "letter"), SCALARS)
def test_scalars(path: str, dtype: str, value: Any, letter: str) -> None:
    record = Recorder(Signature("f", (scalar("s", dtype),)))
    record.function(value)
    expected = struct.pack(f"={letter}", value)
    assert record.seen[0].to_bytes(8, sys.byteorder)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (-2.0, 0xC000),
        (1 + 2**-8, 0x3F80),  # a tie goes to the even neighbour below
        (1 + 3 * 2**-8, 0x3F82),  # and to the one above
        (1 + 2**-8 + 2**-20, 0x3F81),
        (float("inf"), 0x7F80),
        (float("-inf"), 0xFF80),
    ],
)
def test_bfloat16_scalars(value: float, bits: int) -> None:
    record = Recorder(Signature("f", (scalar("s", "bfloat16"),)))
    record.function(value)
    assert record.seen[0] & 0xFFFF == bits


def test_bfloat16_nan_stays_one() -> None:
    record = Recorder(Signature("f", (scalar("s", "bfloat16"),)))
    record.function(float("nan"))
    assert record.seen[0] & 0x7FFF > 0x7F80


@pytest.mark.parametrize("dtype", [dtype.name for dtype in DTYPES.values() if dtype.format])
def test_every_dtype_has_a_fast_path(checks: list[str], dtype: str) -> None:
    record = Recorder(Signature("f", (array("A", dtype, "n", role="out"),), ("n",)))
    record.function(np.zeros(3, dtype))
    record.function(kc.nd.empty((3,), dtype))
    assert record.calls == 2
    assert checks == []


def test_no_arguments(path: str) -> None:
    record = Recorder(Signature("f", ()))
    record.function()
    record.function.prepare()()
    assert record.calls == 2


def test_refcounts(path: str) -> None:
    add = add_function()
    a, b, c = (np.ones(300, np.float32) for _ in range(3))
    nd = kc.nd.array(a)
    wrong = np.ones(301, np.float32)
    objects = (a, b, c, nd, nd._array, wrong, None)

    def counts() -> list[int]:
        return [sys.getrefcount(x) for x in objects]

    def calls() -> None:
        add(a, b, c)
        add(nd, b, c)
        for bad in ((a, wrong, c), (a, b, a), (a, b), (a, b, "C"), (nd, wrong, c)):
            with contextlib.suppress(CallError):
                add(*bad)

    calls()  # what is cached at the first call is not a leak
    gc.collect()  # garbage of other tests refers to None
    before = counts()
    for _ in range(50):
        calls()
    gc.collect()
    after = counts()
    # Other code of the process also takes and drops references to None.
    assert after[:-1] == before[:-1]
    assert abs(after[-1] - before[-1]) < 50


def test_prepare(path: str) -> None:
    add = add_function()
    a, b, c = (np.full(4, x, np.float32) for x in (1, 2, 0))
    call = add.prepare(a, b, c)
    assert c.sum() == 0
    assert call() is None
    assert c.tolist() == [3] * 4
    a[:] = 5
    call()
    assert c.tolist() == [7] * 4
    c[:] = 0
    for args, keywords in (((a,), {}), ((), {"A": a})):
        with pytest.raises(CallError) as caught:
            call(*args, **keywords)
        assert str(caught.value) == (
            "error[KC5121]: add: a prepared call takes no arguments\n"
            "  why: the call passes the arguments of prepare()\n"
            "  try: add.prepare(...) for other arguments"
        )
    assert c.sum() == 0


def test_prepare_checks() -> None:
    a = np.ones(4, np.float32)
    with pytest.raises(CallError, match="KC5114"):
        add_function().prepare(a, a, a)


def test_a_prepared_call_owns_its_arguments(path: str) -> None:
    class Tracked(np.ndarray):
        pass

    def prepared() -> tuple[Any, list[weakref.ref[Any]]]:
        arrays = [np.ones(4, np.float32).view(Tracked) for _ in range(3)]
        return add_function().prepare(*arrays), [weakref.ref(x) for x in arrays]

    call, refs = prepared()
    gc.collect()
    call()
    output = refs[2]()
    assert output is not None
    assert output.tolist() == [2] * 4
    del call, output
    gc.collect()
    assert [ref() for ref in refs] == [None] * 3


def test_code_lives_as_long_as_anything_that_calls_it() -> None:
    def parts() -> tuple[Any, list[weakref.ref[Any]]]:
        kernel = Code("define void @kernel() { ret void }")
        handles = [weakref.ref(kernel)]

        def keeping_jit(text: str, symbols: dict[str, int]) -> Code:
            handles.append(weakref.ref(code := jit(text, symbols)))
            return code

        f = CompiledFunction(Signature("f", ()), kernel.address("kernel"), keeping_jit)
        return Module({"f": f}, "f", keep_alive=kernel)["f"].prepare(), handles

    call, handles = parts()
    call_wrapper.compile_text.cache_clear()
    gc.collect()
    assert None not in [handle() for handle in handles]
    call()
    del call
    gc.collect()
    assert [handle() for handle in handles] == [None] * 3


def test_kernels_of_equal_types_share_their_call_code() -> None:
    texts: list[str] = []

    def counting_jit(text: str, symbols: dict[str, int]) -> Code:
        texts.append(text)
        return jit(text, symbols)

    code = Code("define void @kernel(ptr %a) { ret void }")
    for name, dtype in (("f", "int8"), ("g", "int8"), ("h", "int16")):
        signature = Signature(name, (array(f"{name}_arg", dtype, 4),))
        CompiledFunction(signature, code.address("kernel"), counting_jit, code)
    assert len(texts) == 3  # two that check, and one that calls with a pointer


def test_threads(path: str) -> None:
    add = add_function()
    failures: list[str] = []
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        start.wait()
        for _ in range(200):
            n = int(rng.integers(0, 300))
            a, b = (rng.random(n, dtype=np.float32) for _ in range(2))
            c = np.empty(n, np.float32)
            add(a, b, c)
            try:
                add(a, b, np.empty(n + 1, np.float32))
                failures.append(f"{seed}: a wrong size was accepted")
            except CallError:
                pass
            if not np.array_equal(c, a + b):
                failures.append(f"{seed}: wrong sum of {n}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_threads_that_come_to_generated_code_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one function for a kernel: a thread may be in one that another would replace."""
    functions: list[str] = []
    builtin, compile_text = native.builtin, call_wrapper.compile_text

    def noted(name: str, *rest: Any) -> Any:
        functions.append(name)
        return builtin(name, *rest)

    def slowly(*args: Any) -> Any:
        time.sleep(0.02)  # the others come here
        return compile_text(*args)

    monkeypatch.setattr(call_wrapper, "FIRST_CALLS", 4)
    add = add_function()
    monkeypatch.setattr(native, "builtin", noted)
    monkeypatch.setattr(call_wrapper, "compile_text", slowly)
    a, b = np.arange(9, dtype=np.float32), np.ones(9, np.float32)
    start = threading.Barrier(8)
    wrong: list[np.ndarray] = []

    def work() -> None:
        start.wait()
        for _ in range(10):
            c = np.empty(9, np.float32)
            add(a, b, c)
            if not np.array_equal(c, a + b):
                wrong.append(c)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert functions == ["add"]


@pytest.mark.parametrize("how", ["call", "prepared", "timer"])
def test_the_gil_is_released(path: str, how: str) -> None:
    arrays = (array("flag", "int64"), array("seen", "int64", role="out"))
    wait = compiled(WAIT, Signature("wait", arrays))
    flag, seen = np.zeros((), np.int64), np.zeros((), np.int64)
    if how == "call":

        def run() -> object:
            return wait(flag, seen)
    elif how == "prepared":
        run = wait.prepare(flag, seen)
    else:
        timer = wait.timer(flag, seen)

        def run() -> object:
            return timer(1)

    thread = threading.Thread(target=run)
    thread.start()
    # If the kernel kept the GIL, this line would be reached after it gave up waiting.
    flag[()] = 1
    thread.join()
    assert seen == 1
