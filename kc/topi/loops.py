"""Operators that need loops: statements, which the interpreter also runs, rather than calls of C.

Each operator is a ``te.extern``; the loop over an axis runs for all other indices, one after
another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.expr.calls import call_packed
from kc.expr.constructors import Expr, as_expr, compare, const
from kc.expr.tensor import Tensor
from kc.support.global_functions import TAKES_VECTORS

VECTOR = 512
"""The bits of a vector in statements on vectors; processors with narrower registers use several."""


class Loops:
    """A builder of statements, with the inputs and outputs as indexable buffers."""

    def __init__(self, ins: Sequence[Any], outs: Sequence[Any]) -> None:
        from kc.tir import ir_builder  # loads tir, which few operators need

        self.ib = ir_builder.create()
        self.ins = [self.ib.buffer_ptr(buffer) for buffer in ins]
        self.outs = [self.ib.buffer_ptr(buffer) for buffer in outs]

    def nest(self, sizes: Sequence[Any], body: Callable[..., None], name: str = "i") -> None:
        """Loops over ``sizes``, row-major, around ``body`` of their variables.

        Without sizes there is a loop of one iteration, because a GPU's code must be in a loop.
        """

        def inner(n: int, at: tuple[Any, ...]) -> None:
            if n == len(sizes):
                body(*at)
                return
            with self.ib.for_range(0, sizes[n], name=f"{name}{n}") as index:
                inner(n + 1, (*at, index))

        if sizes:
            inner(0, ())
            return
        with self.ib.for_range(0, 1, name=f"{name}0"):
            body()

    def along(
        self, shape: Sequence[Any], axis: int, body: Callable[[Callable[[Any], Any]], None]
    ) -> None:
        """Call ``body`` in loops over all other axes, with a function from a position along the
        axis to the index of the element.
        """
        rest = [size for n, size in enumerate(shape) if n != axis]

        def inner(*at: Any) -> None:
            body(lambda index: (*at[:axis], index, *at[axis:]))

        self.nest(rest, inner)

    def in_forms(self, on_vectors: Callable[[], None], on_scalars: Callable[[], None]) -> None:
        """Both forms of a statement: ``on_vectors`` for targets with vectors, else ``on_scalars``.
        ``choose-vector-form`` keeps one of them.
        """
        takes = self.ib.let("takes_vectors", call_packed(TAKES_VECTORS))
        with self.ib.if_scope(compare("eq", takes, const(1))):
            on_vectors()
        with self.ib.else_scope():
            on_scalars()

    def variable(self, dtype: str, name: str) -> Any:
        """A buffer of one element, written and read as ``v[0]``. Each thread has its own."""
        return self.ib.allocate(dtype, (1,), name=name, scope="local")


def written(
    name: str,
    shapes: Sequence[Any],
    dtypes: Sequence[str],
    inputs: Sequence[Tensor],
    body: Callable[[Loops], None],
    tag: str = "",
) -> list[Tensor]:
    """The output tensors of the statements that ``body`` writes."""

    def statement(ins: Any, outs: Any) -> Any:
        loops = Loops(ins, outs)
        body(loops)
        return loops.ib.get()

    from kc.tir.extern import extern  # loads tir, which few operators need

    result = extern([tuple(shape) for shape in shapes], list(inputs), statement, name=name,
                    dtype=list(dtypes), tag=tag)  # fmt: skip
    return list(result) if isinstance(result, list | tuple) else [result]


def size_of(shape: Sequence[Any], axis: int) -> Expr:
    """A dimension as an expression."""
    return as_expr(shape[axis])
