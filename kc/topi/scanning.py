"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.te.dtypes import check_dtype
from kc.te.expr import Expr, const
from kc.te.expr import cast as convert
from kc.te.tensor import Tensor
from kc.topi.arguments import axis_of
from kc.topi.loops import written
from kc.topi.shape import reshape
from kc.topi.table import NUMBERS, operator


def _scan(
    data: Tensor, axis: int | None, dtype: str | None, exclusive: bool | None, name: str,
    start: int, combine: Callable[[Any, Any], Expr],
) -> Tensor:  # fmt: skip
    kind = check_dtype(dtype) if dtype else data.dtype
    source = reshape(data, (-1,)) if axis is None else data
    along = 0 if axis is None else axis_of(axis, data.ndim)

    def body(loops: Any) -> None:
        (given,), (result,) = loops.ins, loops.outs

        def line(place: Callable[[Any], Any]) -> None:
            total = loops.variable(kind, "total")
            total[0] = const(start, kind)
            with loops.ib.for_range(0, source.shape[along], name="k") as k:
                if exclusive:
                    result[place(k)] = total[0]
                total[0] = combine(total[0], convert(given[place(k)], kind))
                if not exclusive:
                    result[place(k)] = total[0]

        loops.along(source.shape, along, line)

    return written(name, [source.shape], [kind], [source], body)[0]


@operator(
    "scan",
    NUMBERS,
    "cumsum(T(3, 4), 1)",
    numpy="cumsum",
    onnx="CumSum",
    torch="cumsum",
    gradient="none",
)
def cumsum(
    data: Tensor, axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None
) -> Tensor:
    """The sums of the elements up to each place along an axis (None: of the flat tensor).

    They are added up in ``dtype``, by default that of the data; ``exclusive`` leaves out the
    element at the place itself.
    """
    return _scan(data, axis, dtype, exclusive, "cumsum", 0, lambda a, b: a + b)


@operator(
    "scan",
    NUMBERS,
    "cumprod(T(3, 4), 1)",
    numpy="cumprod",
    onnx="CumProd",
    torch="cumprod",
    gradient="none",
)
def cumprod(
    data: Tensor, axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None
) -> Tensor:
    """The products of the elements up to each place along an axis; see :func:`cumsum`."""
    return _scan(data, axis, dtype, exclusive, "cumprod", 1, lambda a, b: a * b)
