"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.expr.constructors import Expr, all_of, as_expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import bits, check_dtype
from kc.expr.rewrite import Substitution
from kc.expr.tensor import Tensor, placeholder
from kc.te.autodiff.own_rules import with_rules
from kc.te.autodiff.rules import reads
from kc.topi.accumulation import accumulation
from kc.topi.arguments import axis_of, called, is_size, number, plus
from kc.topi.broadcast import multiply
from kc.topi.elementwise import cast
from kc.topi.loops import VECTOR, written
from kc.topi.shape import flip, reshape
from kc.topi.table import NUMBERS, operator, refuse

SIDE_BY_SIDE = 16
"""The number of vectors of columns that are added row by row: the part of a row then exceeds the
processor's prefetch distance, and the sums stay in the first cache.
"""


@operator(
    "scan", NUMBERS, 'scanop(T(3, 4), lambda a, b: a + b, 0, "cumsum", 1)', gradient="own",
)  # fmt: skip
def scanop(
    data: Tensor, binop: Callable[[Any, Any], Any], identity_value: Any, op_name: str,
    axis: int | None = None, dtype: str | None = None, exclusive: bool | None = None,
) -> Tensor:  # fmt: skip
    """``binop`` of the elements up to each index along an axis, from the first to the last.

    ``binop`` takes the combination so far and an element, and returns an expression of ``dtype``
    (by default the type of the data); ``identity_value`` is the start. ``axis`` None flattens the
    tensor; ``exclusive`` excludes the element at the index itself. The operation has the name
    ``op_name``. Raises KC2300 for a ``binop`` that is no function, KC2304 for an axis that does not
    exist.
    """
    if not callable(binop):
        raise refuse("KC2300", f"binop is {binop!r}", "it must be a function of two elements",
                     "lambda total, element: total + element")  # fmt: skip
    result = _scan(data, axis, dtype, exclusive, op_name, identity_value, binop)
    (source,) = result.op.input_tensors
    along = 0 if axis is None else axis_of(axis, data.ndim)

    def back(head: Tensor) -> Tensor:
        before = _scan(source, along, result.dtype, True, op_name, identity_value, binop)
        return _undone(source, before, head, along, bool(exclusive), binop)

    return with_rules(result, {source: back})


def _undone(
    source: Tensor, before: Tensor, head: Tensor, along: int, exclusive: bool,
    binop: Callable[[Any, Any], Any],
) -> Tensor:  # fmt: skip
    """The adjoints of the elements of a scan, from the last to the first.

    ``before`` holds the combination before each element, at which the slopes of ``binop`` are
    derived. Raises KC2203 if it has no derivative.
    """
    kind = head.dtype
    scalars = [placeholder((), kind, name) for name in ("total", "element", "flow")]
    total, element, flow = (scalar() for scalar in scalars)
    combined = convert(as_expr(binop(total, element)), kind)

    def slope(operand: Tensor) -> Expr:
        value: Expr = const(0, kind)
        for read in reads(combined, flow, {operand}):
            holds = all_of(*read.conditions) if read.conditions else None
            value = value + (read.flow if holds is None else select(holds, read.flow, 0))
        return value

    to_total, to_element = slope(scalars[0]), slope(scalars[1])

    def body(loops: Any) -> None:
        (elements, states, heads), (result,) = loops.ins, loops.outs
        last = plus(source.shape[along], -1)

        def line(place: Callable[[Any], Any]) -> None:
            flowing = loops.variable(kind, "flowing")
            flowing[0] = const(0, kind)
            with loops.ib.for_range(0, source.shape[along], name="k") as k:
                here = place(last - k)
                if not exclusive:
                    flowing[0] = flowing[0] + heads[here]
                values = states[here], convert(elements[here], kind), flowing[0]
                at = Substitution(dict(zip((total, element, flow), values, strict=True)))
                result[here] = convert(at(to_element), source.dtype)
                flowing[0] = at(to_total)
                if exclusive:
                    flowing[0] = flowing[0] + heads[here]

        loops.along(source.shape, along, line)

    inputs = [source, before, head]
    return written("scan_grad", [source.shape], [source.dtype], inputs, body)[0]


def _scan(
    data: Tensor, axis: int | None, dtype: str | None, exclusive: bool | None, name: str,
    start: Any, combine: Callable[[Any, Any], Any], within: str = "", *, of_lanes: bool = False,
) -> Tensor:  # fmt: skip
    """A scan along an axis. ``within`` is the type of the combination so far, by default the type
    of the result; ``of_lanes`` is true if ``combine`` also accepts vectors.
    """
    kind = check_dtype(dtype) if dtype else data.dtype
    within = within or kind
    source = reshape(data, (-1,)) if axis is None else data
    along = 0 if axis is None else axis_of(axis, data.ndim)

    def body(loops: Any) -> None:
        (elements,), (result,) = loops.ins, loops.outs

        def line(place: Callable[[Any], Any]) -> None:
            total = loops.variable(within, "total")
            total[0] = number(start, within)
            with loops.ib.for_range(0, source.shape[along], name="k") as k:
                if exclusive:
                    result[place(k)] = convert(total[0], kind)
                element = convert(elements[place(k)], within)
                combined = as_expr(called(combine, "binop", total[0], element))
                total[0] = convert(combined, within)
                if not exclusive:
                    result[place(k)] = convert(total[0], kind)

        def side_by_side(place: Callable[[Any, Any], Any], count: int, vectors: int) -> None:
            """Scan adjacent lines row by row; ``place`` maps a row and a column to an index."""
            ib, wide = loops.ib, f"{within}x{count}"
            totals = ib.allocate(within, (vectors, count), name="totals")
            with ib.for_range(0, vectors, name="v") as v:
                ib.emit(totals.buffer.vstore([v, 0], convert(number(start, within), wide)))
            with (
                ib.for_range(0, source.shape[along], name="k") as k,
                ib.for_range(0, vectors, name="v") as v,
            ):
                at = list(place(k, v * count))
                total = ib.let("total", totals.buffer.vload([v, 0], wide))
                element = elements.buffer.vload(at, f"{source.dtype}x{count}")
                combined = ib.let("combined", as_expr(combine(total, convert(element, wide))))
                ib.emit(totals.buffer.vstore([v, 0], combined))
                shown = total if exclusive else combined
                ib.emit(result.buffer.vstore(at, convert(shown, f"{kind}x{count}")))

        def in_columns() -> None:
            """Scan many adjacent lines at once, then a vector of lines, then the remaining
            lines.
            """
            columns, done = source.shape[-1], 0
            outer = [size for n, size in enumerate(source.shape[:-1]) if n != along]
            count = VECTOR // max(map(bits, (source.dtype, within, kind)))
            for vectors in (SIDE_BY_SIDE, 1):
                width = vectors * count
                blocks = (columns - done) // width
                if not is_size(blocks, 0):
                    begin = done

                    def block(*at: Any, width: int = width, begin: Any = begin) -> None:
                        *around, n = at
                        side_by_side(
                            lambda k, column: (
                                *around[:along], k, *around[along:], begin + n * width + column
                            ),
                            count, width // count,
                        )  # fmt: skip

                    loops.nest([*outer, blocks], block)
                done = done + blocks * width
            rest = columns - done
            if not is_size(rest, 0):
                loops.nest(
                    [*outer, rest],
                    lambda *at: line(lambda k: (*at[:along], k, *at[along:-1], done + at[-1])),
                    "r",
                )

        def one_by_one() -> None:
            loops.along(source.shape, along, line)

        if of_lanes and along < source.ndim - 1:
            loops.in_forms(in_columns, one_by_one)
        else:
            one_by_one()

    return written(name, [source.shape], [kind], [source], body)[0]


@operator(
    "scan",
    NUMBERS,
    "cumsum(T(3, 4), 1)",
    numpy="cumsum",
    onnx="CumSum",
    torch="cumsum",
    gradient="own",
)
def cumsum(
    data: Tensor,
    axis: int | None = None,
    dtype: str | None = None,
    exclusive: bool | None = None,
    acc_dtype: str | None = None,
) -> Tensor:
    """The sums of the elements up to each index along an axis (None: of the flat tensor).

    They have the type ``dtype``, by default the type of the data, and are accumulated in
    ``acc_dtype``: by default ``dtype`` if that is set, else float32 for narrower floats.
    ``exclusive`` excludes the element at the index itself.
    """
    within = accumulation(data.dtype, acc_dtype, dtype).within
    result = _scan(data, axis, dtype, exclusive, "cumsum", 0, lambda a, b: a + b, within,
                   of_lanes=True)  # fmt: skip
    (source,) = result.op.input_tensors

    def later(head: Tensor) -> Tensor:
        """The sums from each place to the end."""
        along = 0 if axis is None else axis_of(axis, data.ndim)
        return cast(flip(cumsum(flip(head, along), along, None, exclusive), along), source.dtype)

    return with_rules(result, {source: later})


@operator(
    "scan",
    NUMBERS,
    "cumprod(T(3, 4), 1)",
    numpy="cumprod",
    onnx="CumProd",
    torch="cumprod",
    gradient="own",
)
def cumprod(
    data: Tensor,
    axis: int | None = None,
    dtype: str | None = None,
    exclusive: bool | None = None,
    acc_dtype: str | None = None,
) -> Tensor:
    """The products of the elements up to each place along an axis; see :func:`cumsum`."""
    within = accumulation(data.dtype, acc_dtype, dtype).within
    result = _scan(data, axis, dtype, exclusive, "cumprod", 1, lambda a, b: a * b, within,
                   of_lanes=True)  # fmt: skip
    (source,) = result.op.input_tensors
    along = 0 if axis is None else axis_of(axis, data.ndim)

    def slope(head: Tensor) -> Tensor:
        """The product before each element, times the weighted sum of products after it: without a
        quotient, so that elements may be 0.
        """
        before = cumprod(source, along, result.dtype, True, within)
        behind = _weighted_products(source, head, along, bool(exclusive))
        return cast(multiply(before, behind), source.dtype)

    return with_rules(result, {source: slope})


def _weighted_products(source: Tensor, head: Tensor, along: int, exclusive: bool) -> Tensor:
    """For each index the sum over the later indices (itself included unless ``exclusive``) of
    ``head`` times the product of the elements in between.
    """
    kind, within = head.dtype, accumulation(head.dtype, None).within

    def body(loops: Any) -> None:
        (elements, flow), (result,) = loops.ins, loops.outs
        last = plus(source.shape[along], -1)

        def line(place: Callable[[Any], Any]) -> None:
            total = loops.variable(within, "total")
            total[0] = const(0, within)
            with loops.ib.for_range(0, source.shape[along], name="k") as k:
                here = place(last - k)
                if not exclusive:
                    total[0] = total[0] + convert(flow[here], within)
                result[here] = convert(total[0], kind)
                total[0] = total[0] * convert(elements[here], within)
                if exclusive:
                    total[0] = total[0] + convert(flow[here], within)

        loops.along(source.shape, along, line)

    return written("cumprod_grad", [source.shape], [kind], [source, head], body)[0]
