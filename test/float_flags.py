"""The flags of this thread's arithmetic: x86's MXCSR."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable

INVALID, DENORMAL, UNDERFLOW = 1, 2, 16
"""An operand was a signalling NaN (or there is no result), an operand was subnormal, and a result
was, and was rounded."""

IS_X86 = platform.machine() == "x86_64" and platform.system() == "Linux"

_WORD = 7
"""The index of MXCSR in glibc's ``fenv_t``, after the 28 bytes of the x87."""


def noted(call: Callable[[], object]) -> int:
    """The flags, of the three, that ``call`` raises."""
    library = ctypes.CDLL("libm.so.6")
    state = (ctypes.c_uint32 * 8)()
    library.fegetenv(state)
    state[_WORD] &= ~0x3F
    library.fesetenv(state)
    call()
    library.fegetenv(state)
    return state[_WORD] & (INVALID | DENORMAL | UNDERFLOW)
