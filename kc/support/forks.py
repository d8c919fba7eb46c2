"""Forks in a process with several threads: the child has the locks of the other threads, but not
the threads.

If another thread holds a lock at a fork, no thread releases that lock in the child, which would
wait forever. Two rules keep the child usable:

- *kc's own locks* (:func:`fork_lock`) are free again in the child, unless the forking thread holds
  them. What they protect is consistent after each statement of Python, or a function that is given
  to :func:`in_child` repairs it.
- *LLVM* and *imports* have state that kc cannot repair. A fork waits until no other thread is in
  them. llvmlite runs one call at a time, under a lock; kc takes that lock around the fork, as the C
  library does with the locks of ``malloc``.

Before Python 3.12, ``functools.cached_property`` has a lock, which is freed like kc's own.
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
"""The maximum time, in seconds, that a fork waits for imports of other threads, which might never
end.
"""

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_repairs: list[Callable[[], None]] = []
_held: list[Any] = []
"""The lock of llvmlite, taken before a fork and released after it in both processes."""


def fork_lock() -> Any:
    """A lock that no other thread holds in the child of a fork.

    The lock is reentrant, because only a reentrant lock knows its thread. If the forking thread
    holds the lock, the lock stays held in the child and that thread releases it.
    """
    lock = threading.RLock()
    _locks.add(lock)
    return lock


def is_held(lock: Any) -> bool:
    """True if this thread holds a lock created by :func:`fork_lock`."""
    return lock._is_owned()


def in_child(repair: Callable[[], None]) -> Callable[[], None]:
    """Register ``repair``, which the child of each fork calls before any other code of kc runs."""
    _repairs.append(repair)
    return repair


def _llvm_lock() -> Any:
    """The lock under which llvmlite calls LLVM; None before it is imported."""
    binding = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(binding, "lib", None), "_lock", None)


def _others_import() -> bool:
    """True if another thread is importing a module; the child would wait for that import
    forever.
    """
    bootstrap = sys.modules["_frozen_importlib"]
    own = threading.get_ident()
    locks = [reference() for reference in list(getattr(bootstrap, "_module_locks", {}).values())]
    owners = {getattr(lock, "owner", None) for lock in locks} - {None}
    # If this thread is importing, too, other threads may be waiting for that import.
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
        properties = [instance for instance in gc.get_objects() if type(instance) is kind]
        locks += [lock for instance in properties if (lock := getattr(instance, "lock", None))]
    for lock in locks:
        if not is_held(lock):
            lock._at_fork_reinit()
    for repair in _repairs:
        repair()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_after_in_child)
