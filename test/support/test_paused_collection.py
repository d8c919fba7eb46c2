"""Pauses of Python's garbage collector."""

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

import kc
from kc import te
from kc.support.paused_collection import paused_collection


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    assert gc.isenabled()
    yield
    gc.enable()


def test_nested_pauses_end_with_the_outer_one():
    with paused_collection():
        assert not gc.isenabled()
        with paused_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_pause_ends_with_an_error():
    with pytest.raises(ZeroDivisionError), paused_collection():
        _ = 1 // 0
    assert gc.isenabled()


PERMANENT = """
import gc
from kc.support.paused_collection import paused_collection

with paused_collection(permanent=True):
    kept = [[] for _ in range(10_000)]
print(id(kept[0]) in {id(obj) for obj in gc.get_objects(generation=2)}, gc.get_freeze_count())
gc.freeze()
frozen = gc.get_freeze_count()
with paused_collection(permanent=True):
    more = [[] for _ in range(10_000)]
print(gc.get_freeze_count() == frozen > 10_000)
"""


def test_what_is_permanent_is_old_and_what_the_user_froze_stays_frozen():
    done = subprocess.run(
        [sys.executable, "-c", PERMANENT], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True 0\nTrue\n"


def test_what_was_off_stays_off():
    gc.disable()
    with paused_collection():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_pauses_of_two_threads_overlap():
    began, ended = threading.Event(), threading.Event()

    def pause() -> None:
        with paused_collection():
            began.set()
            ended.wait(10)

    thread = threading.Thread(target=pause)
    with paused_collection():
        thread.start()
        assert began.wait(10)
    assert not gc.isenabled()  # the other thread's pause goes on
    ended.set()
    thread.join()
    assert gc.isenabled()


def test_builds_pause_it():
    states: list[bool] = []
    a = te.placeholder((4,), name="A")
    b = te.compute((4,), lambda i: a[i] + 1.0, name="B")
    kc.build([a, b], instrument=lambda name, module: states.append(gc.isenabled()))
    assert states
    assert not any(states)
    assert gc.isenabled()
