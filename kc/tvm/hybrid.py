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

After TVM's hybrid script. With arrays the function is executed by Python. Several results are a
list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kc.tir.script.function import script as make

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kc.expr.constructors import Var
    from kc.expr.tensor import Tensor
    from kc.te.schedule import Schedule


def script(function: Callable[..., Any]) -> Any:
    """:func:`kc.script`: a call with tensors creates an operation and returns its tensors; a call
    with arrays runs the function in Python.
    """
    return make(function)


def build(
    sch: Schedule,
    inputs: Sequence[Tensor | Var],
    outputs: Sequence[Tensor],
    name: str = "hybrid_func",
) -> Any:
    """Compile a schedule as the function ``name``, which takes ``inputs`` and returns ``outputs``.
    As for :func:`kc.build`, a call may omit the results.
    """
    from kc.driver import build as build_module  # a program that runs no hybrid function needs none

    return build_module(sch, [*inputs, *outputs], name=name)


__all__ = ["build", "script"]


def __dir__() -> list[str]:
    return __all__
