"""No garbage collections while much is made of which little is garbage.

The objects of a module refer to each other, and a build makes some 100,000 of them. Python's
collector looks at those that are alive again and again: a tenth of the time of a build, and 100 ms
more in every tenth, when it looks at all objects of the process. After a build most of what it
made is garbage, and is found by one short collection of the young objects. Mercurial does the same
while it reads a repository (``util.nogc``).
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
_pauses = 0
"""In how many threads and calls there is a pause."""


@contextmanager
def paused_collection(*, permanent: bool = False) -> Iterator[None]:
    """Automatic collections are off in the body, as they stay where they were off before.

    Pauses may be nested and overlap in threads: the last to end switches collections on again.
    What a body with ``permanent`` makes stays, as modules do: it is old at once, and the next
    collections of young objects do not look at it.
    """
    global _pauses
    with _LOCK:
        if _pauses or gc.isenabled():
            _pauses += 1
            gc.disable()
            counted = True
        else:
            counted = False
    try:
        yield
    finally:
        if counted:
            with _LOCK:
                _pauses -= 1
                if not _pauses:
                    if permanent and not gc.get_freeze_count():
                        gc.freeze()
                        gc.unfreeze()  # moves all objects to the oldest generation
                    gc.enable()
