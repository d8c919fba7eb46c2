"""Kernels written as Python functions: see :func:`kc.script`.

The words of scripts (``block``, ``grid``, ``parallel``, ``alloc_buffer``, ...) may be imported from
here, for editors; scripts do not need the import.
"""

from kc.tir.script.function import ScriptFunction, ScriptKernel, script
from kc.tir.script.names import (
    alloc_buffer,
    allocate,
    axis,
    bind,
    block,
    const_range,
    grid,
    init,
    output_tensor,
    parallel,
    serial,
    thread_binding,
    unroll,
    unrolled,
    vectorize,
    vectorized,
    where,
)

__all__ = [
    "ScriptFunction",
    "ScriptKernel",
    "alloc_buffer",
    "allocate",
    "axis",
    "bind",
    "block",
    "const_range",
    "grid",
    "init",
    "output_tensor",
    "parallel",
    "script",
    "serial",
    "thread_binding",
    "unroll",
    "unrolled",
    "vectorize",
    "vectorized",
    "where",
]
