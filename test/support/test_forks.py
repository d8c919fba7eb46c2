"""Forks while other threads compile, import, pause collections and call: the child works on."""

from __future__ import annotations

import functools
import gc
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kc.support import forks
from kc.support.paused_collection import paused_collection

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 30
"""Seconds until a child is taken to hang. One that does hangs for ever; one that works on a busy
machine takes a second or two."""

PROGRAM = """
import faulthandler, os, threading, time

def ended(work):
    # The exit status of a child that does `work`; it is ended where it hangs.
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(LIMIT, exit=True)
        try:
            os._exit(0 if work() else 3)
        except BaseException as error:
            os.write(2, repr(error).encode())
            os._exit(4)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def built(number, parallel=False):
    import numpy as np, kc
    from kc import te
    A = te.placeholder((257,), "int32", name="A")
    B = te.compute((257,), lambda x: A[x] * (number + 1) + number, name="B")
    s = te.create_schedule(B.op)
    if parallel:
        s[B].parallel(B.op.axis[0])
    f = kc.build(s, [A, B])
    a = np.arange(257, dtype="int32")
    return bool((f(a) == a * (number + 1) + number).all())
"""


def script(text: str, **environment: str) -> str:
    """The output of a Python program that sees ``PROGRAM``; it has to end well."""
    program = f"LIMIT = {LIMIT}\n{PROGRAM}\n{textwrap.dedent(text)}"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=4 * LIMIT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_20_forks_while_a_thread_compiles() -> None:
    out = script(
        """
        import kc
        stop, count = threading.Event(), 0
        def work():
            global count
            while not stop.is_set():
                assert built(count)
                count += 1
        thread = threading.Thread(target=work)
        thread.start()  # the first forks come while it imports
        statuses = [ended(lambda: built(7)) for _ in range(3)]
        import llvmlite.binding as llvm
        from kc.codegen.native import jit
        text = "define i32 @f() {\\n  ret i32 7\\n}"
        for n in range(17):
            time.sleep(0.003 * n)
            statuses.append(ended(lambda: jit(text).address("f") and (n % 4 or built(n))))
        stop.set()
        thread.join()
        assert count, "the thread compiled nothing"
        print(statuses)
        """
    )
    assert out == f"{[0] * 20}\n"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_kernels_in_processes_of_each_start_method(method: str, tmp_path: Path) -> None:
    """A kernel that was pickled, one that is built there, and parallel loops in both."""
    file = tmp_path / "program.py"
    file.write_text(
        f"LIMIT = {LIMIT}\n{PROGRAM}"
        + textwrap.dedent(
            f"""
            import multiprocessing
            import numpy as np, kc
            from kc import te

            def work(module, number):
                a = np.arange(300, dtype="float32")
                return bool((module(a) == 2 * a).all()) and built(number, parallel=True)

            if __name__ == "__main__":
                A = te.placeholder((300,), name="A")
                B = te.compute((300,), lambda i: A[i] + A[i], name="B")
                s = te.create_schedule(B.op)
                s[B].parallel(B.op.axis[0])
                module = kc.build(s, [A, B])
                assert work(module, 1)
                with multiprocessing.get_context("{method}").Pool(1) as pool:
                    print(pool.apply_async(work, (module, 2)).get(LIMIT))
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(file)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "KC_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=2 * LIMIT,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_locks_of_kc_are_known_to_forks() -> None:
    """One that is made otherwise may be held for ever in a child."""
    folders = ["kc", "dialects", "analysis", "transforms", "conversion", "codegen", "tools"]
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    makes = re.compile(r"\bthreading\.(R?Lock|Condition|(Bounded)?Semaphore|Barrier)\(")
    homes = [file.name for file in files if makes.search(file.read_text())]
    assert len(files) > 300
    assert homes == ["forks.py"]


# What is done at a fork -----------------------------------------------------------------------


def in_a_child(work: Callable[[], bool]) -> bool:
    """True if ``work`` is true in the child of a fork; a child that hangs is ended."""
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT)
        status = 1
        try:
            status = 0 if work() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Busy:
    """A thread that is in the middle of ``work``, which is called with what makes it wait there."""

    def __init__(self, work: Callable[[Callable[[], None]], None]) -> None:
        self._there, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=work, args=(self._wait,))

    def _wait(self) -> None:
        self._there.set()
        self._over.wait(LIMIT)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._there.wait(LIMIT)

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()


def test_a_lock_that_another_thread_holds_is_free_in_the_child() -> None:
    lock = forks.fork_lock()

    def work(wait: Callable[[], None]) -> None:
        with lock:
            wait()

    with Busy(work):
        assert not lock.acquire(blocking=False)
        assert in_a_child(lambda: lock.acquire(timeout=2))
        assert not lock.acquire(blocking=False)  # as before, here


def test_a_lock_of_the_forking_thread_stays_held() -> None:
    lock = forks.fork_lock()

    def is_kept() -> bool:
        taken: list[bool] = []
        thread = threading.Thread(target=lambda: taken.append(lock.acquire(blocking=False)))
        thread.start()
        thread.join()
        lock.release()
        return taken == [False] and not forks.is_held(lock)

    with lock:
        assert in_a_child(is_kept)


def test_a_cached_property_that_another_thread_computes() -> None:
    class Value:
        def __init__(self, wait: Callable[[], None] = lambda: None) -> None:
            self.wait = wait

        @functools.cached_property
        def number(self) -> int:
            self.wait()
            return 1

    free = Value()

    def work(wait: Callable[[], None]) -> None:
        assert Value(wait).number

    with Busy(work):
        lock = getattr(Value.__dict__["number"], "lock", None)  # none from Python 3.12 on
        assert in_a_child(lambda: lock is None or lock.acquire(timeout=2))
        assert in_a_child(lambda: free.number == 1)


def test_pauses_of_collections_end_with_their_threads() -> None:
    assert gc.isenabled()

    def work(wait: Callable[[], None]) -> None:
        with paused_collection():
            wait()

    def is_own_alone() -> bool:
        with paused_collection():
            inside = gc.isenabled()
        return not inside and gc.isenabled()

    with Busy(work):
        assert not gc.isenabled()
        assert in_a_child(gc.isenabled)
        assert in_a_child(is_own_alone)
        with paused_collection():
            assert in_a_child(lambda: not gc.isenabled())
    assert gc.isenabled()


def test_a_fork_waits_until_llvm_is_done() -> None:
    from llvmlite.binding import ffi

    released: list[float] = []

    def work(wait: Callable[[], None]) -> None:
        with ffi.lib._lock:
            wait()
            released.append(1)

    busy = Busy(work)
    with busy:
        timer = threading.Timer(0.2, busy._over.set)
        timer.start()
        assert in_a_child(lambda: bool(released) and ffi.lib._lock._lock.acquire(timeout=2))
    timer.join()
    assert ffi.lib._lock._lock.acquire(blocking=False)  # released here, too
    ffi.lib._lock._lock.release()


def test_a_fork_waits_for_imports_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "slowly_imported.py").write_text("import time\ntime.sleep(0.3)\nVALUE = 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def value() -> int:
        import slowly_imported  # pyright: ignore[reportMissingImports]

        return slowly_imported.VALUE

    def work(wait: Callable[[], None]) -> None:
        wait()
        assert value() == 7

    busy = Busy(work)
    with busy:
        busy._over.set()
        while "slowly_imported" not in sys.modules:
            pass
        assert in_a_child(lambda: value() == 7)
    sys.modules.pop("slowly_imported")
