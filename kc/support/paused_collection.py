"""No garbage collections while much is made of which little is garbage.

The objects of a module refer to each other, and a build makes some 100,000 of them. Python's
collector looks at those that are alive again and again: a tenth of the time of a build, and 100 ms
more in every tenth, when it looks at all objects of the process. After a build most of what it
made is garbage, and is found by one short collection of the young objects. Mercurial does the same
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
"""After a pause in which so many modules were imported, most of what is young is theirs."""

_LOCK = fork_lock()
_pauses: dict[int, int] = {}
"""The number of pauses that each thread is in; threads without a pause are left out."""


@contextmanager
def paused_collection(*, permanent: bool = False) -> Iterator[None]:
    """Automatic collections are off in the body, as they stay where they were off before.

    Pauses may be nested and overlap in threads: the last to end switches collections on again.
    What a body with ``permanent`` makes stays, as modules do: it is old at once, and the next
    collections of young objects do not look at it. The same holds for a body that imports
    :data:`MANY_MODULES`, as the first build does.
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
    """The child of a fork has one thread, and none of the pauses of the others."""
    for thread in [thread for thread in _pauses if thread != threading.get_ident()]:
        del _pauses[thread]
        if not _pauses:
            gc.enable()
