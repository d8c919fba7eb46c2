"""The permission to use the tile registers of x86 (AMX), which a process has on request alone.

Linux saves their 8 KiB when it switches threads, and gives them to a process that asks for them
(``arch_prctl``, since 5.16). The permission holds for all threads, also of forked processes, and is
asked for once. Other systems give them without being asked, or not at all.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from functools import cache

ARCH_PRCTL, REQUEST, TILE_DATA = 158, 0x1023, 18
"""The system call, what it is asked to do, and the state that is asked for."""

FEATURE = "amx-"
"""The prefix of the names of features that need the permission."""

REFUSED = "kc: the operating system gives this process no tile registers (AMX)"
"""The message of code outside of Python that is refused tile registers. All such code contains
it."""


@cache
def tile_refusal() -> str | None:
    """Why this process cannot use tile registers; None where it can, from now on."""
    if platform.machine() not in ("x86_64", "AMD64"):
        return f"this machine is {platform.machine()}"
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ARCH_PRCTL, REQUEST, TILE_DATA) == 0:
        return None
    reason = os.strerror(ctypes.get_errno())
    return f"the operating system gives this process none: {reason}"
