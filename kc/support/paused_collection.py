"""Pauses of garbage collection while a build creates many objects that stay alive.

The objects of a module refer to each other, and a build creates some 100,000 of them. Python's
collector traverses the live ones again and again. This takes a tenth of the build time, and 100 ms
more in every tenth build, when it traverses all objects of the process. After a build most of its
objects are garbage, which one short collection of the young objects finds. Mercurial does the same
while it reads a repository (``util.nogc``).
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kc.support.forks import fork_lock, in_child

MANY_MODULES = 100
"""The number of modules imported during a pause from which on most young objects belong to
modules.
"""

_LOCK = fork_lock()
_pauses: dict[int, int] = {}
"""The number of nested pauses of each thread; threads without a pause have no entry."""


@contextmanager
def paused_collection(*, permanent: bool = False) -> Iterator[None]:
    """Turn automatic collections off in the body; if they were off before, they stay off
    afterwards.

    Pauses may be nested, and may overlap in several threads; the last pause to end turns
    collections on again. With ``permanent``, the objects that the body creates are kept, as modules
    are: they are moved to the oldest generation, so collections of young objects do not traverse
    them. The same holds for a body that imports :data:`MANY_MODULES`, as the first build does.
    """
    thread = threading.get_ident()
    modules = len(sys.modules)
    with _LOCK:
        counted = bool(_pauses) or gc.isenabled()
        if counted:
            _pauses[thread] = _pauses.get(thread, 0) + 1
            gc.disable()
    try:
        yield
    finally:
        if counted:
            with _LOCK:
                if sum(_pauses.values()) == 1:
                    permanent = permanent or len(sys.modules) - modules >= MANY_MODULES
                    if permanent and not gc.get_freeze_count():
                        gc.freeze()
                        gc.unfreeze()  # moves all objects to the oldest generation
                    gc.enable()
                _end_pause(thread)


def _end_pause(thread: int) -> None:
    _pauses[thread] -= 1
    if not _pauses[thread]:
        del _pauses[thread]


@in_child
def _end_pauses_of_others() -> None:
    """Reset the pauses in the child of a fork, which has a single thread."""
    for thread in [thread for thread in _pauses if thread != threading.get_ident()]:
        del _pauses[thread]
        if not _pauses:
            gc.enable()
