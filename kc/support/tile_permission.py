"""The permission to use the tile registers of x86 (AMX), which a process must request.

Linux saves their 8 KiB when it switches threads, so it enables them only for processes that request
them (``arch_prctl``, since 5.16). The permission covers all threads and forked processes, and is
requested once. Other systems enable them without a request, or not at all.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache

ARCH_PRCTL, REQUEST, TILE_DATA = 158, 0x1023, 18
"""The system call, its operation, and the requested state."""

FEATURE = "amx-"
"""The prefix of the features that need the permission."""

REFUSED = "kc: the operating system gives this process no tile registers (AMX)"
"""The message of code outside of Python if tile registers are refused. All such code contains
it.
"""


@cache
def tile_refusal() -> str | None:
    """The reason why this process cannot use tile registers; None if it can from now on."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return f"this machine is {platform.machine()}"
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ARCH_PRCTL, REQUEST, TILE_DATA) == 0:
        return None
    reason = os.strerror(ctypes.get_errno())
    return f"the operating system refuses them to this process: {reason}"
