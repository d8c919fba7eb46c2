"""The parallel pool: every iteration once, whatever the sizes, threads, forks and libraries."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from kc.runtime import parallel
from kc.support.diagnostics import CallError
from kc.support.parallel_pool import MAX_CPUS, MAX_THREADS, SYMBOLS, pool_ir

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the pool runs serially elsewhere")

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()

ROOT = Path(__file__).resolve().parents[2]
CPUS = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
THREAD_NAME = "kc-pool"
BODY = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
NUMBERED = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)

# Loop bodies: void(i64 begin, i64 end, ptr ctx).
BODIES = """
declare void @kc_parallel_for(ptr, ptr, i64, i64)
declare i32 @sched_yield()

; ctx[i] += 1 for each iteration
define void @count(i64 %begin, i64 %end, ptr %ctx) {
entry:
  br label %loop
loop:
  %i = phi i64 [%begin, %entry], [%i1, %loop]
  %at = getelementptr i64, ptr %ctx, i64 %i
  %old = load i64, ptr %at
  %new = add i64 %old, 1
  store i64 %new, ptr %at
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; ctx[begin] = end
define void @chunks(i64 %begin, i64 %end, ptr %ctx) {
  %at = getelementptr i64, ptr %ctx, i64 %begin
  store i64 %end, ptr %at
  ret void
}

; ctx[0] counts arrivals and ctx[1] is how many to wait for: ends at once only if so many threads
; take part, and else after a long time, which ctx[2] tells
define void @meet(i64 %begin, i64 %end, ptr %ctx) {
entry:
  %old = atomicrmw add ptr %ctx, i64 1 seq_cst
  %at = getelementptr i64, ptr %ctx, i64 1
  %all = load i64, ptr %at
  br label %look
look:
  %i = phi i64 [0, %entry], [%i1, %wait]
  %here = load atomic i64, ptr %ctx acquire, align 8
  %met = icmp sge i64 %here, %all
  br i1 %met, label %exit, label %wait
wait:
  %yielded = call i32 @sched_yield()
  %i1 = add i64 %i, 1
  %late = icmp eq i64 %i1, 50000000
  br i1 %late, label %alone, label %look
alone:
  %told = getelementptr i64, ptr %ctx, i64 2
  store i64 1, ptr %told
  br label %exit
exit:
  ret void
}

; row i of a matrix of 64 columns: chunks(...) as a nested loop with grain 1
define void @nested(i64 %begin, i64 %end, ptr %ctx) {
entry:
  br label %loop
loop:
  %i = phi i64 [%begin, %entry], [%i1, %loop]
  %offset = mul i64 %i, 64
  %row = getelementptr i64, ptr %ctx, i64 %offset
  call void @kc_parallel_for(ptr @chunks, ptr %row, i64 64, i64 1)
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %end
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

; `times` pairs of loops, of 2 to 9 iterations, over two arrays in turn
define void @alternate(i64 %times, ptr %a, ptr %b) {
entry:
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%k1, %loop]
  %low = and i64 %k, 7
  %n = add i64 %low, 2
  call void @kc_parallel_for(ptr @count, ptr %a, i64 %n, i64 1)
  call void @kc_parallel_for(ptr @count, ptr %b, i64 %n, i64 1)
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %times
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
"""


class Code:
    """LLVM IR compiled in this process, with symbols of its own."""

    def __init__(self, text: str, symbols: dict[str, int] | None = None) -> None:
        for name, address in (symbols or {}).items():
            llvm.add_symbol(name, address)
        module = llvm.parse_assembly(text)
        module.verify()
        names = [
            f.name
            for f in module.functions
            if not f.is_declaration and f.linkage.name != "internal"
        ]
        machine = llvm.Target.from_default_triple().create_target_machine(opt=0, jit=True)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()
        # At once: llvmlite holds a lock while it looks, and a fork may copy that.
        self._addresses = {name: self.engine.get_function_address(name) for name in names}

    def address(self, name: str) -> int:
        return self._addresses[name]

    def loops(self) -> Loops:
        """The functions of a copy of the pool."""
        return Loops({name: self.address(name) for name in SYMBOLS})


class Loops:
    """The pool's functions, callable."""

    def __init__(self, symbols: dict[str, int]) -> None:
        int32, int64, pointer = ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p

        def function(name: str, result: Any, *arguments: Any) -> Any:
            return ctypes.CFUNCTYPE(result, *arguments)(symbols[name])

        self._run = function("kc_parallel_for", None, pointer, pointer, int64, int64)
        numbered = (pointer, pointer, int64, int64, int64)
        self._run_numbered = function("kc_parallel_for_numbered", None, *numbered)
        self.num_threads = function("kc_pool_num_threads", int32)
        self.configure = function("kc_pool_configure", int32, int32, pointer)
        self.shutdown = function("kc_pool_shutdown", int32)
        self.cpu_quota = function("kc_pool_cpu_quota", int32, ctypes.c_char_p)

    def run(self, body: int, array: np.ndarray | None, n: int, grain: int = 0) -> None:
        self._run(body, None if array is None else array.ctypes.data, n, grain)

    def run_python(self, body: Callable[[int, int], None], n: int, grain: int = 1) -> None:
        kept = BODY(lambda begin, end, _: body(begin, end))
        self._run(ctypes.cast(kept, ctypes.c_void_p), None, n, grain)

    def run_numbered(
        self, body: Callable[[int, int, int], None], n: int, grain: int, threads: int
    ) -> None:
        """A loop whose body is given its iterations and the number of its thread."""
        kept = NUMBERED(lambda begin, end, _, thread: body(begin, end, thread))
        self._run_numbered(ctypes.cast(kept, ctypes.c_void_p), None, n, grain, threads)

    def meet(self, bodies: Code, threads: int) -> None:
        """Checks that ``threads`` threads take part in one loop."""
        state = np.array([0, threads, 0])
        self.run(bodies.address("meet"), state, threads, 1)
        assert not state[2], f"fewer than {threads} threads took part"


def worker_ids() -> list[int]:
    """The system's numbers of the workers in this process."""
    ids = []
    for task in Path("/proc/self/task").iterdir():
        try:
            if (task / "comm").read_text().strip() == THREAD_NAME:
                ids.append(int(task.name))
        except OSError:  # the thread has ended
            continue
    return sorted(ids)


def compiled() -> tuple[Loops, Code]:
    symbols = parallel.ensure_pool()
    return Loops(symbols), Code(BODIES, symbols)


@pytest.fixture(scope="module")
def pool() -> tuple[Loops, Code]:
    return compiled()


@pytest.fixture
def loops(pool: tuple[Loops, Code]) -> Iterator[Loops]:
    yield pool[0]
    parallel.set_num_threads(None)


@pytest.fixture
def bodies(pool: tuple[Loops, Code]) -> Code:
    return pool[1]


def script(text: str, **environment: str) -> str:
    """The output of a Python program that sees this file's names; it has to end well."""
    program = "from test_parallel import *\n" + textwrap.dedent(text)
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parent)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# ---- loops


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000, 10**6])
def test_each_iteration_runs_once(loops: Loops, bodies: Code, n: int, threads: int) -> None:
    parallel.set_num_threads(threads)
    for grain in (0, 1, 3, 64, 999, 2**62, -1):
        if n // max(grain, 1) > 10**5 and grain == 1:
            grain = 17
        counts = np.zeros(n, np.int64)
        loops.run(bodies.address("count"), counts, n, grain)
        assert (counts == 1).all(), f"grain {grain}: {np.flatnonzero(counts != 1)[:5]}"


@pytest.mark.parametrize(("n", "grain"), [(1000, 1), (1000, 7), (1000, 500), (1001, 500), (5, 4)])
def test_chunks_have_the_size_asked_for(loops: Loops, bodies: Code, n: int, grain: int) -> None:
    parallel.set_num_threads(3)
    ends = np.zeros(n, np.int64)
    loops.run(bodies.address("chunks"), ends, n, grain)
    begins = np.arange(0, n, grain)
    assert np.flatnonzero(ends).tolist() == begins.tolist()
    assert ends[begins].tolist() == np.minimum(begins + grain, n).tolist()


@pytest.mark.parametrize("threads", [2, 3])
def test_chunks_without_a_size_are_four_for_each_thread(
    loops: Loops, bodies: Code, threads: int
) -> None:
    parallel.set_num_threads(threads)
    ends = np.zeros(1200, np.int64)
    loops.run(bodies.address("chunks"), ends, 1200)
    begins = np.flatnonzero(ends)
    assert len(begins) == 4 * threads
    assert set((ends[begins] - begins).tolist()) == {1200 // (4 * threads)}


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_have_numbers(loops: Loops, threads: int) -> None:
    parallel.set_num_threads(threads)
    seen: list[tuple[int, int, int]] = []
    together = threading.Barrier(threads)

    def body(begin: int, end: int, thread: int) -> None:
        if begin < threads:
            together.wait(20)  # so each thread has one of the first iterations
        seen.extend((i, thread, threading.get_ident()) for i in range(begin, end))

    loops.run_numbered(body, 40, 1, threads)
    assert sorted(begin for begin, _, _ in seen) == list(range(40))
    pairs = {(thread, identity) for _, thread, identity in seen}
    assert sorted(thread for thread, _ in pairs) == list(range(threads))
    assert len({identity for _, identity in pairs}) == threads
    assert (0, threading.get_ident()) in pairs


def test_more_threads_than_there_is_memory_for_take_no_part(loops: Loops) -> None:
    parallel.set_num_threads(3)
    seen: list[tuple[int, int, int, int]] = []
    for most in (2, 1):
        loops.run_numbered(lambda *which: seen.append((*which, threading.get_ident())), 9, 1, most)
    # A loop inside of another one runs in its caller, which is the first of its threads.
    loops.run_python(
        lambda begin, end: loops.run_numbered(
            lambda *which: seen.append((*which, seen[0][3])), 9, 1, 3
        ),
        2,
    )
    assert seen == [(0, 9, 0, threading.get_ident())] * 4


def test_a_negative_count_runs_nothing(loops: Loops) -> None:
    loops.run_python(lambda begin, end: pytest.fail("ran"), -5)


def test_threads_work_together(loops: Loops, bodies: Code) -> None:
    for threads in (2, 4):
        parallel.set_num_threads(threads)
        for _ in range(50):
            loops.meet(bodies, threads)
        assert len(worker_ids()) == threads - 1


def test_sleeping_workers_are_woken(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(3)
    for _ in range(5):
        loops.meet(bodies, 3)
        wait_until_asleep(worker_ids())


def wait_until_asleep(tasks: Sequence[int]) -> None:
    def state(task: int) -> str:
        text = Path(f"/proc/self/task/{task}/stat").read_text()
        return text[text.rindex(")") + 2]

    deadline = time.monotonic() + 60
    while any(state(task) != "S" for task in tasks):
        assert time.monotonic() < deadline, "the workers do not go to sleep"
        time.sleep(0.001)


def test_a_caller_that_waits_for_long_is_woken(loops: Loops) -> None:
    parallel.set_num_threads(2)
    both = threading.Barrier(2)
    caller = threading.get_ident()
    ended = []

    def body(begin: int, end: int) -> None:
        both.wait(60)
        if threading.get_ident() != caller:
            time.sleep(0.05)  # far longer than the caller spins
        ended.append(begin)

    for _ in range(3):
        loops.run_python(body, 2)
    assert sorted(ended) == [0, 0, 0, 1, 1, 1]


def test_late_workers_do_not_mix_up_jobs(loops: Loops, bodies: Code) -> None:
    times = 40_000
    alternate = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(
        bodies.address("alternate")
    )
    # Of the loops with 2 to 9 iterations, in equal numbers, how many have iteration i.
    expected = [times * min(8, 9 - i) // 8 for i in range(9)]
    for threads in (2, 4):
        parallel.set_num_threads(threads)
        a, b = np.zeros(9, np.int64), np.zeros(9, np.int64)
        alternate(times, a.ctypes.data, b.ctypes.data)
        assert a.tolist() == expected
        assert b.tolist() == expected


def test_callers_in_several_threads(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(3)
    arrays = [np.zeros(500 + 100 * i, np.int64) for i in range(4)]
    together = threading.Barrier(len(arrays))

    def call(array: np.ndarray) -> None:
        together.wait()
        for _ in range(2000):
            loops.run(bodies.address("count"), array, len(array), 16)

    callers = [threading.Thread(target=call, args=(array,)) for array in arrays]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    for array in arrays:
        assert (array == 2000).all()
    assert len(worker_ids()) == 2


def test_a_second_caller_does_not_wait(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(2)
    inside, over = threading.Event(), threading.Event()

    def hold(begin: int, end: int) -> None:
        inside.set()
        assert over.wait(60)

    first = threading.Thread(target=loops.run_python, args=(hold, 2))
    first.start()
    assert inside.wait(60)
    ends = np.zeros(100, np.int64)
    loops.run(bodies.address("chunks"), ends, 100, 1)
    over.set()
    first.join()
    assert ends.tolist() == [100] + [0] * 99  # as one piece, in this thread


def test_nested_loops_run_serially(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(3)
    ends = np.zeros((100, 64), np.int64)
    loops.run(bodies.address("nested"), ends, 100, 1)
    expected = np.zeros((100, 64), np.int64)
    expected[:, 0] = 64
    assert (ends == expected).all()


def test_nested_loops_run_in_their_caller(loops: Loops) -> None:
    parallel.set_num_threads(2)
    both = threading.Barrier(2)
    wrong = []

    def outer(begin: int, end: int) -> None:
        both.wait(60)  # so that a worker runs one of the two
        me = threading.get_ident()
        loops.run_python(lambda b, e: wrong.append(b) if threading.get_ident() != me else None, 8)

    loops.run_python(outer, 2)
    assert not wrong


# ---- how many threads, and where


def test_set_num_threads(loops: Loops) -> None:
    default = parallel.num_threads()
    parallel.set_num_threads(3)
    assert parallel.num_threads() == 3
    parallel.set_num_threads(None)
    assert parallel.num_threads() == default


@pytest.mark.parametrize("count", [0, -1, MAX_THREADS + 1, 2.0, True, "2"])
def test_set_num_threads_refuses(loops: Loops, count: Any) -> None:
    with pytest.raises(CallError) as caught:
        parallel.set_num_threads(count)
    assert caught.value.code == "KC5002"
    assert repr(count) in caught.value.message
    assert str(MAX_THREADS) in caught.value.hints[0]


@pytest.mark.parametrize(("count", "cpus"), [(2, [0]), (1, [-1]), (1, [10**6]), (None, [0])])
def test_set_num_threads_refuses_cpus(loops: Loops, count: int | None, cpus: list[int]) -> None:
    with pytest.raises(CallError) as caught:
        parallel.set_num_threads(count, cpus)
    assert caught.value.code == "KC5002"
    assert caught.value.message.endswith(f"cpus does not name {count} CPUs")


def test_native_configure_refuses(loops: Loops) -> None:
    before = loops.num_threads()
    assert loops.configure(-1, None) == 2
    assert loops.configure(MAX_THREADS + 1, None) == 2
    assert loops.configure(2, np.array([0, -1], np.int32).ctypes.data) == 2
    assert loops.num_threads() == before


def test_settings_cannot_change_inside_a_loop(loops: Loops) -> None:
    parallel.set_num_threads(2)
    both = threading.Barrier(2)
    codes = []

    def body(begin: int, end: int) -> None:
        both.wait(60)
        try:
            parallel.set_num_threads(4)
        except CallError as error:
            codes.append(error.code)
        codes.append(parallel.num_threads())
        codes.append(loops.shutdown())

    loops.run_python(body, 2)
    assert sorted(codes, key=str) == [1, 1, 2, 2, "KC5003", "KC5003"]


def test_workers_are_pinned_and_the_caller_is_not(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(len(CPUS) + 1)  # one more, so that there is a worker on any machine
    loops.meet(bodies, len(CPUS) + 1)
    places = [os.sched_getaffinity(worker) for worker in worker_ids()]
    assert all(len(place) == 1 for place in places)
    assert set.union(*places) == set(CPUS)
    assert sorted(os.sched_getaffinity(0)) == CPUS


@pytest.mark.skipif(len(CPUS) < 2, reason="needs two CPUs")
def test_workers_leave_the_callers_cpu_free(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(2, CPUS[:2])
    try:
        for cpu in (0, 1, 0, 1):
            os.sched_setaffinity(0, {CPUS[cpu]})
            loops.meet(bodies, 2)
            (worker,) = worker_ids()
            assert os.sched_getaffinity(worker) == {CPUS[1 - cpu]}
    finally:
        os.sched_setaffinity(0, CPUS)


# A function of the pool, callable from outside.
PLACE = """
define void @place(ptr %mask, i32 %home, ptr %workers, i32 %count, i32 %round) {
  call fastcc void @place_workers(ptr %mask, i32 %home, ptr %workers, i32 %count, i32 %round)
  ret void
}
"""


@pytest.mark.parametrize(
    ("siblings", "cpus", "home", "expected"),
    [
        ("distant", range(8), 2, [3, 4, 5]),
        ("distant", range(8), 2, [3, 4, 5, 6, 7]),
        ("adjacent", range(8), 0, [2, 4, 6]),
        ("adjacent", range(8), 0, [2, 4, 6, 1, 3]),
        ("adjacent", range(8), 5, [6, 0, 2]),
        ("adjacent", range(8), 7, [0, 1, 2, 3, 4, 5, 6]),
        ("none", [1, 3, 70, 8191], 70, [8191, 1]),
        ("none", [0, 1], 0, [1, 0, 1, 0]),
        ("none", [5], 5, [5, 5]),
    ],
)
def test_workers_get_cores_of_their_own(
    tmp_path: Path,
    siblings: str,
    cpus: Sequence[int],
    home: int,
    expected: list[int],
) -> None:
    """Two hardware threads for each of four cores: (0, 4) ... (3, 7) or (0, 1) ... (6, 7)."""
    for cpu in range(8 if siblings != "none" else 0):
        pair = f"{cpu % 4},{cpu % 4 + 4}" if siblings == "distant" else f"{cpu & 6}-{cpu | 1}"
        (tmp_path / f"cpu{cpu}").write_text(pair + "\n")
    path = f"{tmp_path}/cpu%d"
    text, count = re.subn(
        r'\[\d+ x i8\] c"/sys/devices/.*?\\00"',
        lambda _: f'[{len(path) + 1} x i8] c"{path}\\00"',
        pool_ir(llvm.get_process_triple()),
    )
    assert count == 1
    code = Code(text + PLACE)
    place = ctypes.CFUNCTYPE(
        None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32
    )(code.address("place"))

    mask = np.zeros(MAX_CPUS, np.uint8)
    mask[list(cpus)] = 1
    bits = np.packbits(mask, bitorder="little")
    records = np.zeros((len(expected), 4), np.int32)  # the last of a record's fields is the CPU
    crowded = len(expected) + 1 >= len(cpus)
    place(bits.ctypes.data, home, records.ctypes.data, len(expected), int(crowded))
    assert records[:, 3].tolist() == expected


def test_workers_leave_signals_to_the_program(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(2)
    loops.meet(bodies, 2)
    (worker,) = worker_ids()
    status = Path(f"/proc/self/task/{worker}/status").read_text()
    (blocked,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigBlk"))
    open_signals = [n for n in range(1, 32) if not int(blocked, 16) >> (n - 1) & 1]
    # The crashes, and the two that nothing can block: SIGKILL and SIGSTOP.
    assert open_signals == [4, 5, 7, 8, 9, 11, 19, 31]


def test_default_is_the_affinity_mask() -> None:
    out = script(
        """
        os.sched_setaffinity(0, CPUS[:1])
        loops, bodies = compiled()
        counts = np.zeros(100, np.int64)
        loops.run(bodies.address("count"), counts, 100)
        print(parallel.num_threads(), len(worker_ids()), counts.sum())
        os.sched_setaffinity(0, CPUS)
        parallel.set_num_threads(None)
        print(parallel.num_threads() == min(len(CPUS), loops.cpu_quota(b"") or len(CPUS)))
        """,
        KC_NUM_THREADS="",
    )
    assert out.split() == ["1", "0", "100", "True"]


def test_kc_num_threads() -> None:
    out = script(
        """
        for text in ("0", "-1", "abc", "100000", "2.5", " 2", "1025"):
            os.environ["KC_NUM_THREADS"] = text
            try:
                parallel.ensure_pool()
            except CallError as error:
                assert repr(text) in error.message and "1 to 1024" in error.hints[0]
                print(error.code)
        os.environ["KC_NUM_THREADS"] = "3"
        loops, bodies = compiled()
        loops.meet(bodies, 3)
        print(parallel.num_threads(), len(worker_ids()))
        parallel.set_num_threads(2)
        print(parallel.num_threads())
        """
    )
    assert out.split() == ["KC5001"] * 7 + ["3", "2", "2"]


def test_native_code_says_what_it_ignores(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, loops: Loops
) -> None:
    monkeypatch.setenv("KC_NUM_THREADS", "")
    parallel.set_num_threads(None)
    default = parallel.num_threads()
    for text in ("0", "many", "4x"):
        monkeypatch.setenv("KC_NUM_THREADS", text)
        assert loops.configure(0, None) == 0  # decide anew
        assert loops.num_threads() == default
        assert f"KC_NUM_THREADS='{text}' is ignored" in capfd.readouterr().err


def group(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("250000 100000", 3), ("200000 100000", 2), ("50000 100000", 1), ("max 100000", 0)],
)
def test_cgroup_v2_quota(loops: Loops, tmp_path: Path, quota: str, expected: int) -> None:
    group(tmp_path, "proc/self/cgroup", "0::/a/b")
    group(tmp_path, "sys/fs/cgroup/a/b/cpu.max", quota)
    assert loops.cpu_quota(str(tmp_path).encode()) == expected


def test_cgroup_quota_of_ancestors_counts(loops: Loops, tmp_path: Path) -> None:
    group(tmp_path, "proc/self/cgroup", "0::/a/b/c")
    group(tmp_path, "sys/fs/cgroup/a/b/c/cpu.max", "max 100000")
    group(tmp_path, "sys/fs/cgroup/a/b/cpu.max", "800000 100000")
    group(tmp_path, "sys/fs/cgroup/a/cpu.max", "400000 100000")
    assert loops.cpu_quota(str(tmp_path).encode()) == 4


def test_cgroup_v2_root_in_a_container(loops: Loops, tmp_path: Path) -> None:
    group(tmp_path, "proc/self/cgroup", "0::/")
    group(tmp_path, "sys/fs/cgroup/cpu.max", "150000 50000")
    assert loops.cpu_quota(str(tmp_path).encode()) == 3


@pytest.mark.parametrize(("quota", "expected"), [(350000, 4), (-1, 0)])
def test_cgroup_v1_quota(loops: Loops, tmp_path: Path, quota: int, expected: int) -> None:
    lines = ["9:name=systemd:/", "5:cpuset:/other", "4:cpu,cpuacct:/docker/x", "0::/"]
    group(tmp_path, "proc/self/cgroup", "\n".join(lines))
    group(tmp_path, "sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", str(quota))
    group(tmp_path, "sys/fs/cgroup/cpu/docker/x/cpu.cfs_period_us", "100000")
    group(tmp_path, "sys/fs/cgroup/cpu/other/cpu.cfs_quota_us", "100000")
    group(tmp_path, "sys/fs/cgroup/cpu/other/cpu.cfs_period_us", "100000")
    assert loops.cpu_quota(str(tmp_path).encode()) == expected


def test_cgroup_v1_of_the_host_seen_in_a_container(loops: Loops, tmp_path: Path) -> None:
    group(tmp_path, "proc/self/cgroup", "2:cpuacct,cpu:/docker/0123")
    group(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000")
    group(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000")
    assert loops.cpu_quota(str(tmp_path).encode()) == 2


def test_no_cgroups(loops: Loops, tmp_path: Path) -> None:
    assert loops.cpu_quota(str(tmp_path).encode()) == 0


# ---- processes


def test_fork() -> None:
    out = script(
        """
        parallel.set_num_threads(3)
        loops, bodies = compiled()
        def work():
            counts = np.zeros(1000, np.int64)
            loops.run(bodies.address("count"), counts, 1000, 10)
            loops.meet(bodies, 3)
            return (counts == 1).all() and len(worker_ids()) == 2 and parallel.num_threads() == 3
        assert work()
        child = os.fork()
        if child == 0:
            assert worker_ids() == []
            assert work()
            grandchild = os.fork()
            if grandchild == 0:
                os._exit(0 if work() else 1)
            assert os.waitpid(grandchild, 0)[1] == 0
            sys.exit(0)  # with the handlers of exit
        assert os.waitpid(child, 0)[1] == 0
        assert work()
        print("done")
        """
    )
    assert out == "done\n"


def test_fork_while_a_loop_runs_in_another_thread() -> None:
    out = script(
        """
        parallel.set_num_threads(2)
        loops, bodies = compiled()
        counts, over = np.zeros(5000, np.int64), threading.Event()
        def forever():
            while not over.is_set():
                loops.run(bodies.address("count"), counts, 5000, 100)
        busy = threading.Thread(target=forever)
        busy.start()
        for _ in range(30):
            child = os.fork()
            if child == 0:
                loops.meet(bodies, 2)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        over.set()
        busy.join()
        assert counts.min() == counts.max() > 0
        print("done")
        """
    )
    assert out == "done\n"


def test_multiprocessing() -> None:
    out = script(
        """
        import multiprocessing
        parallel.set_num_threads(2)
        loops, bodies = compiled()
        def work(n):
            counts = np.zeros(n, np.int64)
            loops.run(bodies.address("count"), counts, n, 1)
            loops.meet(bodies, 2)
            return int(counts.sum())
        work(10)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(work, [10, 100, 1000]))
        """
    )
    assert out == "[10, 100, 1000]\n"


def pool_ir_on(system: str) -> str:
    """The pool as it works on systems that lack a call it prefers."""
    text = pool_ir(llvm.get_process_triple())
    advice = r"(@madvise\(.* i32 noundef )18\b"  # MADV_WIPEONFORK
    flags = rf"(@mmap\(.* i32 noundef 3, i32 noundef ){0x104022}\b"
    pattern, new = {
        "no MADV_WIPEONFORK": (advice, r"\g<1>9999"),
        "advice is ignored": (r"(tail )?call i32 @madvise\(.*", "add i32 0, 0"),
        "no MAP_FIXED_NOREPLACE": (flags, rf"\g<1>{0x4022}"),
        "no mapping at will": (flags, r"\g<1>0"),
    }[system]
    changed, count = re.subn(pattern, new, text)
    assert count
    return changed


@pytest.mark.parametrize(
    "system",
    ["no MADV_WIPEONFORK", "advice is ignored", "no MAP_FIXED_NOREPLACE", "no mapping at will"],
)
def test_older_systems(system: str) -> None:
    out = script(
        f"""
        system = {system!r}
        codes = [Code(pool_ir_on(system)) for _ in range(2)]
        bodies = Code(BODIES, {{"kc_parallel_for": codes[0].address("kc_parallel_for")}})
        def use():
            for code in codes:
                code.loops().configure(3, None)
                code.loops().meet(bodies, 3)
            # One pool, or where modules cannot find each other's one pool each.
            assert len(worker_ids()) == (4 if system == "no mapping at will" else 2)
        use()
        child = os.fork()
        if child == 0:
            use()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        use()
        assert [code.loops().shutdown() for code in codes] == [0, 0]
        assert worker_ids() == []
        print("done")
        """
    )
    assert out == "done\n"


def test_a_system_that_refuses_threads() -> None:
    out = script(
        """
        refusal = "add i32 0, 11"  # EAGAIN
        text = pool_ir(llvm.get_process_triple())
        text, count = re.subn(r"(tail )?call i32 @pthread_create\\(.*", refusal, text)
        assert count == 1
        code = Code(text)
        loops = code.loops()
        bodies = Code(BODIES, {"kc_parallel_for": code.address("kc_parallel_for")})
        ends = np.zeros(100, np.int64)
        print(loops.num_threads())
        for _ in range(2):
            loops.run(bodies.address("chunks"), ends, 100, 10)
            print(loops.num_threads(), ends[0])
        """,
        KC_NUM_THREADS="3",
    )
    assert out.split() == ["3", "1", "100", "1", "100"]


def test_shutdown_joins_and_the_next_loop_starts_anew(loops: Loops, bodies: Code) -> None:
    parallel.set_num_threads(3)
    loops.meet(bodies, 3)
    wait_until_asleep(worker_ids())
    for _ in range(3):
        assert loops.shutdown() == 0
        assert worker_ids() == []
        loops.meet(bodies, 3)
        assert len(worker_ids()) == 2


@pytest.mark.parametrize(
    "last",
    [
        "pass",  # the workers spin
        "wait_until_asleep(worker_ids())",
        "threading.Thread(target=forever, daemon=True).start(); time.sleep(0.1)",
        "sys.exit(0)",
    ],
)
def test_exit(last: str) -> None:
    out = script(
        f"""
        import atexit
        # Runs after kc's own handler.
        atexit.register(lambda: print(len(worker_ids()) if {last[:9] != "threading"} else 0))
        parallel.set_num_threads(3)
        loops, bodies = compiled()
        counts = np.zeros(5000, np.int64)
        def forever():
            while True:
                loops.run(bodies.address("count"), counts, 5000, 100)
        loops.meet(bodies, 3)
        print(len(worker_ids()), flush=True)
        {last}
        """
    )
    assert out.split() == ["2", "0"]


def test_interrupt() -> None:
    out = script(
        """
        import signal
        parallel.set_num_threads(2)
        loops, bodies = compiled()
        counts = np.zeros(5000, np.int64)
        loops.meet(bodies, 2)
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            while True:
                loops.run(bodies.address("count"), counts, 5000, 100)
        except KeyboardInterrupt:
            print("interrupted")
        loops.meet(bodies, 2)
        """
    )
    assert out == "interrupted\n"


# ---- one pool for all modules


def test_the_pool_is_compiled_once() -> None:
    out = script(
        """
        seen, together = [], threading.Barrier(4)
        def ask():
            together.wait()
            seen.append(parallel.ensure_pool())
        askers = [threading.Thread(target=ask) for _ in range(4)]
        for asker in askers: asker.start()
        for asker in askers: asker.join()
        assert all(pool == seen[0] for pool in seen) and set(seen[0]) == set(SYMBOLS)
        assert worker_ids() == []
        print("done")
        """
    )
    assert out == "done\n"


def test_two_modules_share_one_pool(loops: Loops, bodies: Code) -> None:
    code = Code(pool_ir(llvm.get_process_triple()))
    twin = code.loops()
    parallel.set_num_threads(3)
    assert twin.num_threads() == 3
    loops.meet(bodies, 3)
    workers = worker_ids()
    twin.meet(bodies, 3)
    assert worker_ids() == workers
    assert len(workers) == 2

    # A loop of one module is nested in a loop of the other.
    ends = np.zeros(100, np.int64)
    loops.run_python(lambda b, e: twin.run(bodies.address("chunks"), ends, 100, 1), 2)
    assert ends.tolist() == [100] + [0] * 99

    # The other one ends the workers, and starts the next.
    assert twin.configure(2, None) == 0
    assert parallel.num_threads() == 2
    twin.meet(bodies, 2)
    loops.meet(bodies, 2)
    assert len(worker_ids()) == 1
    assert loops.shutdown() == 0
    assert worker_ids() == []


def test_modules_find_one_pool_when_they_start_together() -> None:
    out = script(
        """
        codes = [Code(pool_ir(llvm.get_process_triple())) for _ in range(4)]
        bodies = Code(BODIES, {"kc_parallel_for": codes[0].address("kc_parallel_for")})
        together = threading.Barrier(4)
        def use(code):
            together.wait()
            for _ in range(500):
                counts = np.zeros(64, np.int64)
                code.loops().run(bodies.address("count"), counts, 64, 4)
                assert (counts == 1).all()
        users = [threading.Thread(target=use, args=(code,)) for code in codes]
        for user in users: user.start()
        for user in users: user.join()
        print(len(worker_ids()))
        codes[0].loops().shutdown()
        """,
        KC_NUM_THREADS="3",
    )
    assert out == "2\n"


def build_library(path: Path) -> None:
    """The pool as a shared library, as an exported kernel contains it."""
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, reloc="pic")
    module = llvm.parse_assembly(pool_ir(llvm.get_process_triple()))
    path.with_suffix(".o").write_bytes(machine.emit_object(module))
    command = ["ld", "-shared", "-o", str(path), str(path.with_suffix(".o"))]
    subprocess.run(command, check=True)


def addresses(library: ctypes.CDLL) -> dict[str, int]:
    return {name: ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in SYMBOLS}


def load_library(path: Path) -> tuple[ctypes.CDLL, Loops]:
    library = ctypes.CDLL(str(path))
    return library, Loops(addresses(library))


def unload(library: ctypes.CDLL) -> None:
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    assert close(library._handle) == 0


@pytest.mark.skipif(shutil.which("ld") is None, reason="needs a linker")
def test_libraries_share_the_pool_and_can_be_unloaded(tmp_path: Path) -> None:
    for name in ("one.so", "two.so"):
        build_library(tmp_path / name)
    out = script(
        f"""
        paths = [Path({str(tmp_path)!r}) / name for name in ("one.so", "two.so")]
        first, first_loops = load_library(paths[0])
        second, second_loops = load_library(paths[1])
        bodies = Code(BODIES, addresses(first))
        first_loops.meet(bodies, 3)
        workers = worker_ids()
        assert len(workers) == 2
        second_loops.meet(bodies, 3)
        loops, _ = compiled()
        loops.meet(bodies, 3)
        assert worker_ids() == workers

        unload(second)  # the workers run the code of the first
        loops.meet(bodies, 3)
        assert worker_ids() == workers
        unload(first)
        assert str(paths[0]) not in Path("/proc/self/maps").read_text()
        assert worker_ids() == []
        loops.meet(bodies, 3)
        assert len(worker_ids()) == 2

        first, first_loops = load_library(paths[0])
        loops.shutdown()
        first_loops.meet(bodies, 3)  # joined at exit by the library
        print("done")
        """,
        KC_NUM_THREADS="3",
    )
    assert out == "done\n"


# ---- other systems


@pytest.mark.parametrize("triple", ["x86_64-pc-linux-gnu", "aarch64-unknown-linux-gnu"])
def test_text_is_valid(triple: str) -> None:
    module = llvm.parse_assembly(pool_ir(triple))
    module.verify()
    defined = {f.name for f in module.functions if not f.is_declaration}
    assert set(SYMBOLS) <= defined
    pauses = {"llvm.x86.sse2.pause", "llvm.aarch64.isb"}
    assert len(pauses & {f.name for f in module.functions}) == 1


@pytest.mark.parametrize("triple", ["arm64-apple-darwin23.0.0", "riscv64-unknown-linux-gnu"])
def test_loops_are_serial_elsewhere(triple: str, bodies: Code) -> None:
    text = pool_ir(triple).replace(triple, llvm.get_process_triple())
    code = Code(text)
    loops = code.loops()
    assert (loops.num_threads(), loops.configure(4, None), loops.shutdown()) == (1, 0, 0)
    numbered: list[tuple[int, ...]] = []
    loops.run_numbered(lambda *which: numbered.append(which), 100, 1, 4)
    assert numbered == [(0, 100, 0)]
    ends = np.zeros(100, np.int64)
    loops.run(bodies.address("chunks"), ends, 100, 1)
    assert ends.tolist() == [100] + [0] * 99
    loops.run(bodies.address("chunks"), None, 0, 1)
