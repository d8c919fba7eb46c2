"""``te.hybrid``: operations of tensor expressions written as Python functions with loops.

::

    @te.hybrid.script
    def outer_product(a, b):
        c = output_tensor((a.shape[0], b.shape[0]), a.dtype)
        for i in range(a.shape[0]):
            for j in range(b.shape[0]):
                c[i, j] = a[i] * b[j]
        return c

    C = outer_product(A, B)

After TVM's hybrid script. With arrays the function is executed by Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def script(function: Callable[..., Any]) -> Any:
    """:func:`kc.script`: called with tensors, the function is an operation that makes tensors;
    called with arrays, it is executed by Python."""
    from kc.tir.script.function import script as make

    return make(function)


__all__ = ["script"]
