"""A fork while other threads work: the child has their locks and caches, but not the threads.

A lock that another thread holds at a fork is never released in the child, which then waits for
ever. Two rules keep the child usable:

- *kc's own locks* (:func:`fork_lock`) are free again in the child, unless the forking thread holds
  them itself. What they protect is consistent after each statement of Python, or is put right by a
  function that is given to :func:`in_child`.
- *LLVM* and *imports* have state that only they can put right. A fork waits until no other thread
  is inside of them: :mod:`llvmlite` runs one call at a time, under a lock that is taken around the
  fork, as the C library does with those of ``malloc``.

Python's ``functools.cached_property`` has a lock before Python 3.12, which is freed as kc's own.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

PATIENCE = 30.0
"""Seconds that a fork waits for imports of other threads; one that never ends is no reason to hang
here."""

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_repairs: list[Callable[[], None]] = []
_held: list[Any] = []
"""The lock of llvmlite, taken before a fork and released after it in both processes."""


def fork_lock() -> Any:
    """A lock that no other thread holds in the child of a fork.

    It is reentrant, because only such a lock knows its thread: one that the forking thread holds
    stays held, and is released by it.
    """
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def is_held(lock: Any) -> bool:
    """Whether this thread holds a lock of :func:`fork_lock`."""
    return lock._is_owned()


def in_child(repair: Callable[[], None]) -> Callable[[], None]:
    """Have ``repair`` called in the child of each fork, before anything else of kc runs there."""
    _repairs.append(repair)
    return repair


def _llvm_lock() -> Any:
    """The lock under which llvmlite calls LLVM; None before it is imported."""
    binding = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(binding, "lib", None), "_lock", None)


def _others_import() -> bool:
    """Whether another thread is in the middle of an import; the child would wait for its end."""
    bootstrap = sys.modules["_frozen_importlib"]
    own = threading.get_ident()
    locks = [reference() for reference in list(getattr(bootstrap, "_module_locks", {}).values())]
    owners = {getattr(lock, "owner", None) for lock in locks} - {None}
    # A fork in the middle of an import may be what the other threads wait for.
    return bool(owners) and own not in owners


def _before() -> None:
    if len(sys._current_frames()) == 1:
        return
    end = time.monotonic() + PATIENCE
    while True:
        lock = _llvm_lock()
        if lock is not None:
            lock.__enter__()
        if not _others_import() or time.monotonic() > end:
            break
        # Its module may call LLVM.
        if lock is not None:
            lock.__exit__(None, None, None)
        time.sleep(0.001)
    if lock is not None:
        _held.append(lock)


def _release() -> None:
    if _held:
        _held.pop().__exit__(None, None, None)


def _after_in_child() -> None:
    _release()
    locks: list[Any] = list(_locks)
    if sys.version_info < (3, 12):
        kind = functools.cached_property
        properties = [thing for thing in gc.get_objects() if type(thing) is kind]
        locks += [lock for thing in properties if (lock := getattr(thing, "lock", None))]
    for lock in locks:
        if not is_held(lock):
            lock._at_fork_reinit()
    for repair in _repairs:
        repair()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_after_in_child)
