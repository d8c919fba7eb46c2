"""Thread axes and memory scopes: the meaning of loops that are bound to threads.

``tir.for %i in 64 thread "threadIdx.x" { ... }`` runs its iterations as threads. The axes are
``blockIdx.x``, ``.y``, ``.z``, ``threadIdx.x``, ``.y``, ``.z``, ``vthread.x``, ``.y``, ``.z`` and
``vthread``; the body of the outermost loop bound to an axis is a *kernel*.

* **Lockstep.** An operation is executed by all threads before the next one is, in each iteration
  of the serial loops around it: a barrier is implied wherever one thread reads what another one of
  its block has written. Blocks (``blockIdx``) are in no order: none may read what another writes.
* **Own iterations.** Inside a loop of an axis, another loop of the same axis is no loop: each
  thread runs the iteration of its own number. So the threads share the work of loading a tile,
  say. All loops of an axis in a kernel have the same extent. ``vthread`` alone names no axis: each
  loop bound to it is one of its own.
* **Once.** What stands outside of the loops of an axis does not depend on it, and happens once.
  What all threads do in the same way to the same memory (the same iteration of a block) has the
  effect of one of them doing it.
* **Reductions.** Threads of ``threadIdx`` that update the same element, as iterations of one
  reduction, combine their values one after the other.
* **Virtual threads** run interleaved in one real thread: registers of several, in one. On a CPU
  they run one after the other, and are refused (KC4207) where that gives other results.

A buffer that is allocated in a kernel belongs to the iterations of the loops around the ``alloc``,
as usual, except that the threads that share its memory scope have a single buffer:

==========================  =======================================
scope                       shared by the threads of
==========================  =======================================
``global``                  all axes
``shared``, ``shared.dyn``  ``threadIdx`` and ``vthread``: a block
``warp``                    ``threadIdx.x``
``local``, all others       none
==========================  =======================================

If an ``alloc`` is further out than that, code generation must move it inwards, and refuses the
kernel if it cannot.

TVM: ``thread_axis``, ``bind``, ``InjectVirtualThread``, ``CanRelaxStorageUnderThread``. CUDA: the
memory and thread hierarchies.
"""

from __future__ import annotations

BLOCK_AXES = ("blockIdx.x", "blockIdx.y", "blockIdx.z")
"""The axes of a grid, whose points are blocks."""

LANE_AXES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
"""The axes of a block, whose points are threads."""

VIRTUAL_AXES = ("vthread", "vthread.x", "vthread.y", "vthread.z")
"""The axes of virtual threads."""

THREAD_AXES = (*BLOCK_AXES, *LANE_AXES, *VIRTUAL_AXES)
"""The axes that loops are bound to."""


def is_same_axis(outer: str | None, inner: str | None) -> bool:
    """True if two nested loops are bound to the same threads."""
    return outer is not None and outer == inner and outer != "vthread"


def is_in_lockstep(axis: str | None) -> bool:
    """True if the threads of an axis run in lockstep."""
    return axis is not None and axis not in BLOCK_AXES


def is_shared(scope: str, axis: str | None) -> bool:
    """True if the threads of an axis share a buffer of a memory scope."""
    if axis is None:
        return False
    if scope == "global":
        return True
    if scope == "warp":
        return axis == "threadIdx.x"
    return scope in ("shared", "shared.dyn") and axis not in BLOCK_AXES
