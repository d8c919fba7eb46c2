"""Arrays that end, or begin, where memory does: an access beyond faults instead of going unseen.

An array lies in pages of its own with a page in front and one behind that nothing may access. As it
must be aligned to its elements (which is what the call demands, see ``docs/calls.md``), it ends
exactly where its memory does, or begins where that begins. A kernel that reads a vector too many
ends the process then, so that callers run it in one that they can lose.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np

import kc

ENDS = ("end", "start")
"""The ends of an array that may touch inaccessible memory."""

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_NOTHING = 0


def guarded(array: np.ndarray, at: str = "end") -> np.ndarray:
    """A dense copy of ``array`` with nothing behind its end, or nothing in front of its ``start``.

    It is aligned to its elements, and no better than that, where its size allows it. Its memory is
    freed with it.
    """
    assert at in ENDS
    page = mmap.PAGESIZE
    size = array.nbytes
    room = max(1, -(-size // page)) * page
    memory = mmap.mmap(-1, room + 2 * page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for place in (begin, begin + page + room):
        if _LIBC.mprotect(place, page, _NOTHING):
            raise OSError(ctypes.get_errno(), "mprotect")
    offset = page + (room - size if at == "end" else 0)
    copy = np.ndarray(array.shape, array.dtype, memory, offset)
    copy[...] = array
    return copy


def checked_build(*args: Any, **keywords: Any) -> Any:
    """``kc.build`` with bound checks. They are in the code before LLVM, which need not optimise."""
    config = {"tir.instrument_bound_checkers": True}
    with kc.transform.PassContext(opt_level=0, config=config):
        return kc.build(*args, **keywords)


def all_guarded(values: Sequence[Any], at: str) -> list[Any]:
    """``values`` with its arrays guarded, and numbers as they are."""
    return [guarded(value, at) if isinstance(value, np.ndarray) else value for value in values]
