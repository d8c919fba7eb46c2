"""The inverse of max pooling: elements at the indices that pooling returned."""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import Expr, all_of, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import is_float
from kc.expr.tensor import Tensor, shape_text
from kc.te.autodiff.own_rules import with_rules
from kc.te.computes import compute
from kc.topi.arguments import constant, index_tensor, length_of, positive, same_shape
from kc.topi.loops import Loops, written
from kc.topi.nn.padding import amounts
from kc.topi.table import ANY, operator, refuse


@operator(
    "scatter", ANY, 'nn.max_unpool(T(1, 2, 2, 2), T(1, 2, 2, 2, dtype="int64"), 2, 2)',
    onnx="MaxUnpool", torch="max_unpool2d", gradient="own",
)  # fmt: skip
def max_unpool(
    data: Tensor, indices: Tensor, kernel: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Tensor:  # fmt: skip
    """Elements of (N, C, ...) at their ``indices``, row-major places in an image; 0 elsewhere.

    The images have ``output_size``, by default ``(in - 1) * stride + kernel`` less the padding;
    ``stride`` is the kernel by default. An index counts the places of the image of its own batch
    item and channel, as torch's; one outside is left out, of equal ones the last is taken. Raises
    KC2302 and KC2303 for ranks and shapes, KC2306 for sizes below 1, KC2309 for indices of floats.
    """
    index_tensor(indices)
    same_shape(data, indices, "there is an index for each element")
    if data.ndim < 3:
        raise refuse("KC2302", f"{data.name} of the shape {shape_text(data.shape)}",
                     "it must have a batch, channels, and at least 1 spatial "
                     "dimension")  # fmt: skip
    count = data.ndim - 2
    taps = positive(kernel, count, "kernel")
    steps = taps if stride is None else positive(stride, count, "stride")
    heads, tails = amounts(padding, taps)
    if output_size is None:
        inner = [constant(size, "the size of the image") for size in data.shape[2:]]
        sizes = [
            (size - 1) * step + tap - head - tail
            for size, step, tap, head, tail in zip(inner, steps, taps, heads, tails, strict=True)
        ]
    else:
        sizes = list(output_size) if isinstance(output_size, list | tuple) else [output_size]
    image = positive(sizes, count, "output_size")
    places = 1
    for size in image:
        places *= size

    def place_of(index: Any) -> tuple[list[Any], Expr]:
        """The place in an image of a row-major index, and the condition that it is in range."""
        inside = [index < as_expr(places).astype(index.dtype)] if fits_type(index) else []
        if not index.dtype.startswith("uint"):
            inside.append(index >= const(0, index.dtype))
        rest = convert(length_of(index, places - 1), "int64")
        own: list[Any] = []
        for size in reversed(image):
            own.insert(0, rest % size)
            rest = rest // size
        return own, all_of(*inside) if inside else const(True)

    def body(loops: Loops) -> None:
        (source, targets), (result,) = loops.ins, loops.outs
        zero = const(0, data.dtype)
        loops.nest(result_shape, lambda *at: result.__setitem__(at, zero), "c")

        def move(*at: Any) -> None:
            own, inside = place_of(targets[at])
            with loops.ib.if_scope(inside):
                result[(*at[:2], *own)] = source[at]

        loops.nest(data.shape, move)

    def fits_type(index: Any) -> bool:
        """True if the index's type can hold the number of places, so that an index may be out of
        range.
        """
        bits = int("".join(filter(str.isdigit, index.dtype)))
        return places < 1 << (bits if index.dtype.startswith("uint") else bits - 1)

    result_shape = (*data.shape[:2], *image)
    result = written("max_unpool", [result_shape], [data.dtype], [data, indices], body)[0]

    def back(head: Tensor) -> Tensor:
        """The gradient for the last of equal indices; 0 where there is no element."""

        def number(*at: Any) -> Expr:
            number: Expr = const(0, "int64")
            for place, size in zip(at, data.shape, strict=True):
                number = number * convert(as_expr(size), "int64") + convert(as_expr(place), "int64")
            return number + 1

        numbers = compute(data.shape, number, "numbers")
        last = max_unpool(numbers, indices, kernel, stride, padding, output_size)

        def own(*at: Any) -> Expr:
            place, inside = place_of(indices(*at))
            target = (*at[:2], *place)
            holds = all_of(inside, compare("eq", last(*target), numbers(*at)))
            return select(holds, head(*target), const(0, data.dtype))

        return compute(data.shape, own, f"{data.name}_grad")

    return with_rules(result, {data: back}) if is_float(data.dtype) else result
