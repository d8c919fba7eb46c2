"""The semantics of the operators in graphs of ``torch.export``: expressions of ``kc.te`` and
``kc.topi``.

The operators are those that ``ExportedProgram.run_decompositions`` leaves: ATen's core. Each entry
of :data:`OPERATORS` has the name of its operator, ``aten.relu.default``, and takes the operator's
arguments, with a :class:`kc.te.Tensor` for each tensor, and ``node``, the :class:`Output` to
compute.
"""

from __future__ import annotations

import operator as python_operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import prod
from typing import Any

from kc import te, topi
from kc.expr.tensor import Tensor
from kc.frontend.torch import antialias, backward, ordering, placing, recurrent
from kc.frontend.torch.numerics import WIDTHS, Output, converted
from kc.frontend.torch.rules import OPERATORS, Unsupported
from kc.frontend.torch.rules import axis_of as _axis
from kc.frontend.torch.rules import in_type as _in_type
from kc.frontend.torch.rules import number_of as _number
from kc.frontend.torch.rules import rank_of as _rank
from kc.frontend.torch.rules import rule as _operator
from kc.frontend.torch.rules import sizes_of as _sizes
from kc.te.elementwise import one_by_one
from kc.topi import image, nn
from kc.topi.image.resize import resized
from kc.topi.reduction import first_of

# Elements ------------------------------------------------------------------------------------


def _unary(function: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def elementwise(x: Tensor, *_: Any, node: Output) -> Tensor:
        return function(_in_type(x, node.dtype))

    return elementwise


for _name in (
    "exp", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "sigmoid", "abs", "floor", "ceil",
    "trunc", "bitwise_not", "exp2", "erfc",
):  # fmt: skip
    _operator(_name)(_unary(getattr(topi, _name)))
_operator("neg")(_unary(topi.negative))
_operator("relu")(_unary(nn.relu))
_operator("clone", "alias", "detach", "lift_fresh_copy", "contiguous")(_unary(topi.identity))
_operator("reciprocal")(_unary(lambda x: topi.divide(te.const(1.0, x.dtype), x)))
_operator("expm1")(_unary(lambda x: one_by_one("T_expm1", te.expm1, x)))
_operator("log1p")(_unary(lambda x: one_by_one("T_log1p", te.log1p, x)))
_operator("silu")(_unary(lambda x: topi.multiply(x, topi.sigmoid(x))))


_operator("round")(_unary(topi.round))


@_operator("sign")
def _sign(x: Tensor, *, node: Output) -> Tensor:
    """The sign as 1, 0 or -1. For NaN it is 0, unlike in numpy and topi."""
    if "float" not in x.dtype:
        return topi.sign(x)
    return topi.where(topi.isnan(x), te.const(0.0, x.dtype), topi.sign(x))


@_operator("round.decimals")
def _round_decimals(x: Tensor, *, decimals: int = 0, node: Output) -> Tensor:
    """Round to a number of decimals: scale by a power of 10, round halves to even, and scale back,
    as torch does.
    """
    if "float" not in x.dtype:
        raise Unsupported("round of integers to decimals")
    power = te.const(10.0 ** abs(decimals), x.dtype)
    into, out = (topi.multiply, topi.divide) if decimals > 0 else (topi.divide, topi.multiply)
    return out(topi.round(into(x, power)), power)


@_operator("_to_copy", "to.dtype")
def _to_copy(x: Tensor, *_: Any, node: Output, **__: Any) -> Tensor:
    return topi.identity(x) if x.dtype == node.dtype else converted(x, node.dtype)


@_operator("gelu")
def _gelu(x: Tensor, *, approximate: str = "none", node: Output) -> Tensor:
    return nn.gelu(x, approximate)


@_operator("leaky_relu")
def _leaky_relu(x: Tensor, slope: float = 0.01, *, node: Output) -> Tensor:
    return nn.leaky_relu(x, slope)


@_operator("elu")
def _elu(
    x: Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0, *, node: Output
) -> Tensor:
    def element(*i: Any) -> Any:
        v = x(*i)
        below = (te.exp(v * te.const(input_scale, x.dtype)) - 1.0) * te.const(alpha, x.dtype)
        return te.if_then_else(v > 0.0, v, below) * te.const(scale, x.dtype)

    return te.compute(x.shape, element, "elu")


@_operator("clamp", "clamp.Tensor", "hardtanh")
def _clamp(x: Tensor, low: Any = None, high: Any = None, *, node: Output, **bounds: Any) -> Tensor:
    low, high = bounds.get("min", low), bounds.get("max", high)
    x = _in_type(x, node.dtype)
    for bound, function in ((low, topi.maximum), (high, topi.minimum)):
        if bound is not None:
            x = function(x, _in_type(bound, node.dtype))
    return x


def _binary(function: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    def elementwise(a: Any, b: Any, *, node: Output, alpha: Any = 1) -> Tensor:
        b = _in_type(b, node.dtype)
        if alpha != 1:
            b = topi.multiply(b, _in_type(alpha, node.dtype))
        return function(_in_type(a, node.dtype), b)

    return elementwise


for _name, _function in {
    "add": topi.add, "sub": topi.subtract, "mul": topi.multiply, "div": topi.divide,
    "bitwise_and": topi.bitwise_and, "bitwise_or": topi.bitwise_or,
    "bitwise_xor": topi.bitwise_xor,
}.items():  # fmt: skip
    _operator(f"{_name}.Tensor", f"{_name}.Scalar")(_binary(_function))
for _name in ("maximum", "minimum", "atan2"):
    _operator(_name)(_binary(getattr(topi, _name)))


def _of_numbers(function: Callable[[Any, Any], Any]) -> Callable[[Tensor, Tensor], Tensor]:
    """The minimum or maximum of two values that ignores a single NaN."""

    def extreme(a: Any, b: Any) -> Any:
        x, y = topi.where(topi.isnan(a), b, a), topi.where(topi.isnan(b), a, b)
        return function(x, y)

    return extreme


for _name, _function in {"fmax": topi.maximum, "fmin": topi.minimum}.items():
    _operator(_name)(_binary(_of_numbers(_function)))


@_operator("rsub.Scalar", "rsub.Tensor")
def _rsub(a: Tensor, b: Any, *, node: Output) -> Tensor:
    return topi.subtract(_in_type(b, node.dtype), _in_type(a, node.dtype))


@_operator("div.Tensor_mode", "div.Scalar_mode")
def _rounded_quotient(a: Any, b: Any, *, rounding_mode: str | None = None, node: Output) -> Tensor:
    functions = {None: topi.divide, "floor": topi.floor_divide, "trunc": topi.trunc_divide}
    return functions[rounding_mode](_in_type(a, node.dtype), _in_type(b, node.dtype))


for _name, _function in {
    "floor_divide": topi.floor_divide, "remainder": topi.floor_mod, "fmod": topi.trunc_mod,
    "bitwise_left_shift": topi.left_shift, "bitwise_right_shift": topi.right_shift,
    "__lshift__": topi.left_shift, "__rshift__": topi.right_shift,
}.items():  # fmt: skip
    _overloads = ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor")
    _operator(_name, *(f"{_name}.{overload}" for overload in _overloads))(_binary(_function))


@_operator("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _power(a: Any, b: Any, *, node: Output) -> Tensor:
    """The power. For the exponents that torch computes by products or roots, the same products or
    roots.
    """
    a = _in_type(a, node.dtype)
    if isinstance(b, int | float) and b in (2, 3):
        return reduce(topi.multiply, [a] * int(b))
    if isinstance(b, int | float) and b in (0.5, -0.5):
        return topi.sqrt(a) if b > 0 else topi.rsqrt(a)
    return topi.power(a, _in_type(b, node.dtype))


def _comparison(function: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    def elementwise(a: Tensor, b: Any, *, node: Output) -> Tensor:
        if isinstance(b, Tensor):
            common = max(a.dtype, b.dtype, key=WIDTHS.index)
        else:
            common = "float32" if isinstance(b, float) and "float" not in a.dtype else a.dtype
        if common == "bool":
            common = "int8"
        return function(_in_type(a, common), _in_type(b, common))

    return elementwise


for _name, _function in {
    "eq": topi.equal, "ne": topi.not_equal, "lt": topi.less, "le": topi.less_equal,
    "gt": topi.greater, "ge": topi.greater_equal,
}.items():  # fmt: skip
    _operator(f"{_name}.Tensor", f"{_name}.Scalar")(_comparison(_function))


def _logical(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    def elementwise(a: Tensor, b: Tensor, *, node: Output) -> Tensor:
        return function(converted(a, "bool"), converted(b, "bool"))

    return elementwise


for _name in ("logical_and", "logical_or", "logical_xor"):
    _operator(_name)(_logical(getattr(topi, _name)))


@_operator("logical_not")
def _logical_not(x: Tensor, *, node: Output) -> Tensor:
    return topi.equal(x, te.const(0, x.dtype)) if x.dtype != "bool" else topi.logical_not(x)


@_operator("where.self")
def _where(condition: Tensor, a: Any, b: Any, *, node: Output) -> Tensor:
    a, b = _in_type(a, node.dtype), _in_type(b, node.dtype)
    condition, a, b = (
        topi.broadcast_to(x, node.shape)
        if isinstance(x, Tensor)
        else topi.full(node.shape, node.dtype, x)
        for x in (condition, a, b)
    )
    return te.compute(node.shape, lambda *i: te.if_then_else(condition(*i), a(*i), b(*i)), "where")


@_operator("isnan", "isinf")
def _isnan(x: Tensor, *, node: Output) -> Tensor:
    return topi.isnan(x)


_operator("isinf")(lambda x, *, node: topi.isinf(x))  # pyright: ignore


# New tensors ---------------------------------------------------------------------------------


@_operator("full", "full_like", "new_full")
def _full(*operands: Any, node: Output, **_: Any) -> Tensor:
    return topi.full(node.shape, node.dtype, operands[-1])


@_operator("zeros", "zeros_like", "new_zeros", "empty.memory_format", "new_empty", "empty_strided")
def _zeros(*_: Any, node: Output, **__: Any) -> Tensor:
    return topi.full(node.shape, node.dtype, 0)


@_operator("ones", "ones_like", "new_ones")
def _ones(*_: Any, node: Output, **__: Any) -> Tensor:
    return topi.full(node.shape, node.dtype, 1)


@_operator("scalar_tensor")
def _scalar_tensor(value: Any, *, node: Output, **_: Any) -> Tensor:
    return topi.full((), node.dtype, value)


@_operator("arange", "arange.start", "arange.start_step")
def _arange(*bounds: Any, node: Output, **_: Any) -> Tensor:
    start, step = 0, 1
    if len(bounds) > 1:
        start = bounds[0]
    if len(bounds) > 2:
        step = bounds[2]
    first, stride = te.const(start, node.dtype), te.const(step, node.dtype)
    return te.compute(node.shape, lambda i: first + i.astype(node.dtype) * stride, "arange")


# Shapes --------------------------------------------------------------------------------------


@_operator("view", "reshape", "_unsafe_view", "flatten.using_ints", "_reshape_alias")
@_operator("squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", "unsqueeze_copy", "view_copy")
def _reshape(x: Tensor, *_: Any, node: Output) -> Tensor:
    return topi.reshape(x, node.shape)


@_operator("expand", "expand_copy")
def _expand(x: Tensor, *_: Any, node: Output, **__: Any) -> Tensor:
    return topi.broadcast_to(x, node.shape)


@_operator("permute", "permute_copy")
def _permute(x: Tensor, axes: Sequence[int], *, node: Output) -> Tensor:
    return topi.transpose(x, [_axis(axis, _rank(x)) for axis in axes])


@_operator("transpose.int", "t")
def _transpose(x: Tensor, first: int = 0, second: int = 1, *, node: Output) -> Tensor:
    axes = list(range(_rank(x)))
    first, second = _axis(first, _rank(x)), _axis(second, _rank(x))
    if axes:
        axes[first], axes[second] = axes[second], axes[first]
    return topi.transpose(x, axes) if _rank(x) > 1 else topi.identity(x)


@_operator("slice.Tensor", "slice_copy.Tensor")
def _slice(
    x: Tensor, axis: int = 0, start: Any = None, end: Any = None, step: int = 1, *, node: Output
) -> Tensor:
    axis, size = _axis(axis, _rank(x)), x.shape[_axis(axis, _rank(x))]
    start = 0 if start is None else start
    if isinstance(start, int) and isinstance(size, int):
        start = min(max(start + size if start < 0 else start, 0), size)
    return te.compute(
        node.shape,
        lambda *i: x(*i[:axis], start + i[axis] * step, *i[axis + 1 :]),
        "slice",
    )


@_operator("select.int", "select_copy.int")
def _select(x: Tensor, axis: int, index: int, *, node: Output) -> Tensor:
    axis = _axis(axis, _rank(x))
    at = x.shape[axis] + index if index < 0 else index
    return te.compute(node.shape, lambda *i: x(*i[:axis], at, *i[axis:]), "select")


@_operator("cat")
def _cat(tensors: Sequence[Tensor], axis: int = 0, *, node: Output) -> Tensor:
    parts = [_in_type(x, node.dtype) for x in tensors if _rank(x) == len(node.shape)]
    return topi.concatenate(parts, _axis(axis, len(node.shape)))


@_operator("stack")
def _stack(tensors: Sequence[Tensor], axis: int = 0, *, node: Output) -> Tensor:
    return topi.stack([_in_type(x, node.dtype) for x in tensors], _axis(axis, len(node.shape)))


@_operator("split_with_sizes", "split_with_sizes_copy")
def _split(x: Tensor, sizes: Sequence[int], axis: int = 0, *, node: Any) -> list[Tensor]:
    ends = [sum(sizes[: n + 1]) for n in range(len(sizes) - 1)]
    return topi.split(x, ends, _axis(axis, _rank(x)))


@_operator("unbind.int")
def _unbind(x: Tensor, axis: int = 0, *, node: Any) -> list[Tensor]:
    return [_select(x, axis, n, node=part) for n, part in enumerate(node)]


@_operator("constant_pad_nd")
def _pad(x: Tensor, amounts: Sequence[int], value: Any = 0.0, *, node: Output) -> Tensor:
    before, after = [0] * _rank(x), [0] * _rank(x)
    for n in range(len(amounts) // 2):
        before[-1 - n], after[-1 - n] = amounts[2 * n], amounts[2 * n + 1]
    filled = _in_type(value, node.dtype)

    def element(*i: Any) -> Any:
        at = [index - low for index, low in zip(i, before, strict=True)]
        inside = [
            condition
            for index, size, low, high in zip(at, x.shape, before, after, strict=True)
            for condition in ([index >= 0] if low > 0 else [])
            + ([index < size] if high > 0 else [])
        ]
        return te.if_then_else(te.all(*inside), x(*at), filled) if inside else x(*at)

    return te.compute(node.shape, element, "pad")


@_operator("repeat")
def _repeat(x: Tensor, amounts: Sequence[int], *, node: Output) -> Tensor:
    return topi.tile(x, amounts)


@_operator("flip")
def _flip(x: Tensor, axes: Sequence[int], *, node: Output) -> Tensor:
    for axis in axes:
        x = topi.flip(x, _axis(axis, _rank(x)))
    return x


# Products ------------------------------------------------------------------------------------


@_operator("mm")
def _mm(a: Tensor, b: Tensor, *, node: Output, acc: str) -> Tensor:
    return topi.matmul(a, b, acc_dtype=acc)


@_operator("bmm")
def _bmm(a: Tensor, b: Tensor, *, node: Output, acc: str) -> Tensor:
    return nn.batch_matmul(a, b, transpose_b=False, acc_dtype=acc)


@_operator("addmm")
def _addmm(
    c: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1, node: Output, acc: str
) -> Tensor:
    scaled = nn.matmul(a, b, out_dtype=acc)
    if alpha != 1:
        scaled = topi.multiply(scaled, _in_type(alpha, acc))
    c = converted(c, acc)
    if beta != 1:
        c = topi.multiply(c, _in_type(beta, acc))
    return converted(topi.add(scaled, c), node.dtype)


@_operator("linear")
def _dense(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, *, node: Output, acc: str
) -> Tensor:
    rows = topi.reshape(x, (-1, x.shape[-1])) if _rank(x) != 2 else x
    product = nn.matmul(rows, weight, out_dtype=acc, transpose_b=True)
    if bias is not None:
        product = topi.add(product, converted(bias, acc))
    product = converted(product, node.dtype)
    return product if rows is x else topi.reshape(product, node.shape)


@_operator("_trilinear")
def _trilinear(
    a: Tensor, b: Tensor, c: Tensor, expand_a: Sequence[int], expand_b: Sequence[int],
    expand_c: Sequence[int], summed: Sequence[int], *_: Any, node: Output,
) -> Tensor:  # fmt: skip
    """The sum of the products of three tensors that get axes of size 1."""
    wide = []
    for x, axes in ((a, expand_a), (b, expand_b), (c, expand_c)):
        shape = list(x.shape)
        for axis in axes:
            shape.insert(axis, 1)
        wide.append(topi.reshape(x, shape))
    product = topi.multiply(topi.multiply(wide[0], wide[1]), wide[2])
    return topi.reshape(topi.sum(product, list(summed)), node.shape)


@_operator("convolution")
def _convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
    *,
    node: Output,
    acc: str,
) -> Tensor:
    """A convolution over one to three dimensions. A transposed convolution is computed from the
    dilated input and the flipped kernel, with exchanged channels in each group.
    """
    count = _rank(x) - 2
    stride, padding, dilation, output_padding = (
        _sizes(values, count) for values in (stride, padding, dilation, output_padding)
    )
    window = [int(size) for size in weight.shape[2:]]
    if transposed:
        x = nn.dilate(x, [1, 1, *stride])
        low = [d * (k - 1) - p for d, k, p in zip(dilation, window, padding, strict=True)]
        high = [before + extra for before, extra in zip(low, output_padding, strict=True)]
        x = _padded(x, low, high)
        filters, inputs = weight, int(weight.shape[0]) // groups
        outputs = int(weight.shape[1])
        weight = te.compute(
            (outputs * groups, inputs, *window),
            lambda o, c, *k: filters(
                o // outputs * inputs + c,
                o % outputs,
                *(size - 1 - at for size, at in zip(window, k, strict=True)),
            ),
            "flipped",
        )
        stride, before = [1] * count, [0] * (2 * count)
    else:
        before = [*padding, *padding]
    y = nn.conv(x, weight, stride, before, dilation, groups, f"NC{'DHW'[3 - count :]}", acc)
    if bias is not None:
        y = topi.add(y, topi.reshape(converted(bias, acc), (bias.shape[0], *[1] * count)))
    return converted(y, node.dtype)


def _padded(x: Tensor, low: Sequence[int], high: Sequence[int]) -> Tensor:
    """Pad the last axes with zeros; a negative number removes elements."""
    count = len(low)
    shape = [
        *x.shape[:-count],
        *(size + a + b for size, a, b in zip(x.shape[-count:], low, high, strict=True)),
    ]
    amounts = [n for pair in zip(reversed(low), reversed(high), strict=True) for n in pair]
    return _pad(x, amounts, 0, node=Output(tuple(shape), x.dtype))


# Reductions ----------------------------------------------------------------------------------


def _axes(axis: Any, rank: int) -> list[int]:
    if axis is None or axis == []:
        return list(range(rank))
    return [_axis(n, rank) for n in (axis if isinstance(axis, list | tuple) else [axis])]


def _reduction(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def reduction(
        x: Tensor, axis: Any = None, keepdim: bool = False, *, node: Output, **_: Any
    ) -> Tensor:
        x = _in_type(x, node.dtype)
        if _rank(x) == 0:
            return topi.identity(x)
        return topi.reshape(function(x, _axes(axis, _rank(x)), keepdim), node.shape)

    return reduction


def _sums(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def sums(*operands: Any, node: Output, acc: str, **options: Any) -> Tensor:
        return _reduction(partial(function, acc_dtype=acc))(*operands, node=node, **options)

    return sums


_operator("sum", "sum.dim_IntList")(_sums(topi.sum))
_operator("amax", "max")(_reduction(topi.max))
_operator("amin", "min")(_reduction(topi.min))
_operator("prod", "prod.dim_int")(_sums(topi.prod))
_operator("mean", "mean.dim")(_sums(topi.mean))


@_operator("any", "any.dim", "any.dims")
def _any(x: Tensor, axis: Any = None, keepdim: bool = False, *, node: Output) -> Tensor:
    return topi.reshape(topi.any(converted(x, "bool"), _axes(axis, _rank(x)), keepdim), node.shape)


@_operator("all", "all.dim", "all.dims")
def _all(x: Tensor, axis: Any = None, keepdim: bool = False, *, node: Output) -> Tensor:
    return topi.reshape(topi.all(converted(x, "bool"), _axes(axis, _rank(x)), keepdim), node.shape)


def _count(x: Tensor, axes: Sequence[int]) -> Any:
    return prod(x.shape[axis] for axis in axes)


@_operator("var.correction")
def _variance(
    x: Tensor, axis: Any = None, *, correction: Any = 1, keepdim: bool = False, node: Output
) -> Tensor:
    axes = _axes(axis, _rank(x))
    count = _count(x, axes)
    mean = topi.divide(topi.sum(x, axes, True), _number(count, x.dtype))
    apart = topi.subtract(x, mean)
    squares = topi.sum(topi.multiply(apart, apart), axes, keepdim)
    return topi.reshape(topi.divide(squares, _number(count - correction, x.dtype)), node.shape)


@_operator("var.dim")
def _variance_of(
    x: Tensor, axis: Any = None, unbiased: bool = True, keepdim: bool = False, *, node: Output
) -> Tensor:
    return _variance(x, axis, correction=int(unbiased), keepdim=keepdim, node=node)


@_operator("var_mean.correction")
def _variance_and_mean(
    x: Tensor, axis: Any = None, *, correction: Any = 1, keepdim: bool = False, node: Any
) -> list[Tensor]:
    axes = _axes(axis, _rank(x))
    mean = topi.divide(topi.sum(x, axes, keepdim), _number(_count(x, axes), x.dtype))
    variance = _variance(x, axis, correction=correction, keepdim=keepdim, node=node[0])
    return [variance, topi.reshape(mean, node[1].shape)]


@_operator("linalg_vector_norm")
def _vector_norm(
    x: Tensor, order: Any = 2, axis: Any = None, keepdim: bool = False, *, node: Output, **_: Any
) -> Tensor:
    """The norm of a vector: the root of the sum of powers, the largest or smallest magnitude, or
    the number of nonzero elements.
    """
    x = _in_type(x, node.dtype)
    sizes, axes = topi.abs(x), _axes(axis, _rank(x))
    if not axes:  # a number
        power = sizes if order != 0 else converted(converted(x, "bool"), x.dtype)
        return topi.reshape(power, node.shape)
    if order in (float("inf"), float("-inf")):
        result = (topi.max if order > 0 else topi.min)(sizes, axes, keepdim)
    elif order == 0:
        result = topi.sum(converted(converted(x, "bool"), x.dtype), axes, keepdim)
    elif order == 1:
        result = topi.sum(sizes, axes, keepdim)
    elif order == 2:
        result = topi.sqrt(topi.sum(topi.multiply(x, x), axes, keepdim))
    else:
        power = topi.sum(topi.power(sizes, te.const(float(order), x.dtype)), axes, keepdim)
        result = topi.power(power, te.const(1 / order, x.dtype))
    return topi.reshape(result, node.shape)


@_operator("argmax", "argmin")
def _argmax(x: Tensor, axis: Any = None, keepdim: bool = False, *, node: Output) -> Tensor:
    return _extreme_index(topi.argmax, x, axis, node)


@_operator("argmin")
def _argmin(x: Tensor, axis: Any = None, keepdim: bool = False, *, node: Output) -> Tensor:
    return _extreme_index(topi.argmin, x, axis, node)


def _extreme_index(function: Callable[..., Tensor], x: Tensor, axis: Any, node: Output) -> Tensor:
    if axis is None:
        x, axis = topi.reshape(x, (_count(x, range(_rank(x))),)), 0
    index = function(x, _axis(axis, _rank(x)), False)
    return topi.reshape(_in_type(index, node.dtype), node.shape)


@_operator("max.dim", "min.dim")
def _max_with_index(x: Tensor, axis: int, keepdim: bool = False, *, node: Any) -> list[Tensor]:
    return [
        topi.reshape(topi.max(x, _axis(axis, _rank(x)), keepdim), node[0].shape),
        _extreme_index(topi.argmax, x, axis, node[1]),
    ]


@_operator("min.dim")
def _min_with_index(x: Tensor, axis: int, keepdim: bool = False, *, node: Any) -> list[Tensor]:
    return [
        topi.reshape(topi.min(x, _axis(axis, _rank(x)), keepdim), node[0].shape),
        _extreme_index(topi.argmin, x, axis, node[1]),
    ]


@_operator("cumsum")
def _cumsum(x: Tensor, axis: int, *, node: Output, acc: str, **_: Any) -> Tensor:
    return _scanned(topi.cumsum, _in_type(x, node.dtype), axis, acc)


@_operator("cumprod")
def _cumprod(x: Tensor, axis: int, *, node: Output, acc: str, **_: Any) -> Tensor:
    return _scanned(topi.cumprod, _in_type(x, node.dtype), axis, acc)


def _scanned(function: Callable[..., Tensor], x: Tensor, axis: int, acc: str) -> Tensor:
    return function(x, _axis(axis, _rank(x)), acc_dtype=acc) if _rank(x) else topi.identity(x)


# Normalisation -------------------------------------------------------------------------------


@_operator("_softmax", "softmax.int")
def _softmax(x: Tensor, axis: int, *_: Any, node: Output, acc: str) -> Tensor:
    return nn.softmax(_in_type(x, node.dtype), _axis(axis, _rank(x)), acc)


@_operator("_log_softmax", "log_softmax.int")
def _log_softmax(x: Tensor, axis: int, *_: Any, node: Output, acc: str) -> Tensor:
    return nn.log_softmax(_in_type(x, node.dtype), _axis(axis, _rank(x)), acc)


def _scaled(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, shape: Sequence[Any] | None = None
) -> Tensor:
    """The input times a weight plus a bias, both reshaped to broadcast."""
    for operand, function in ((weight, topi.multiply), (bias, topi.add)):
        if operand is not None:
            x = function(x, operand if shape is None else topi.reshape(operand, shape))
    return x


def _standardized(x: Tensor, axes: Sequence[int], epsilon: float) -> list[Tensor]:
    """The input minus its mean, divided by the root of its variance; the mean; the reciprocal
    root.
    """
    count = _number(_count(x, axes), x.dtype)
    mean = topi.divide(topi.sum(x, axes, True), count)
    apart = topi.subtract(x, mean)
    variance = topi.divide(topi.sum(topi.multiply(apart, apart), axes, True), count)
    factor = topi.rsqrt(topi.add(variance, te.const(epsilon, x.dtype)))
    return [topi.multiply(apart, factor), mean, factor]


@_operator("_native_batch_norm_legit.no_stats")
def _batch_norm_of_itself(
    x: Tensor, weight: Any, bias: Any, training: bool, momentum: float, epsilon: float, *, node: Any
) -> list[Tensor]:
    y, mean, factor = _standardized(x, [n for n in range(_rank(x)) if n != 1], epsilon)
    y = _scaled(y, weight, bias, (x.shape[1], *[1] * (_rank(x) - 2)))
    return [y, topi.reshape(mean, (x.shape[1],)), topi.reshape(factor, (x.shape[1],))]


@_operator("_native_batch_norm_legit_no_training")
def _batch_norm(
    x: Tensor, weight: Any, bias: Any, mean: Tensor, variance: Tensor, momentum: float,
    epsilon: float, *, node: Any,
) -> list[Tensor]:  # fmt: skip
    shape = (x.shape[1], *[1] * (_rank(x) - 2))
    factor = topi.rsqrt(topi.add(variance, te.const(epsilon, variance.dtype)))
    y = topi.subtract(x, topi.reshape(mean, shape))
    y = topi.multiply(y, topi.reshape(factor, shape))
    return [_scaled(y, weight, bias, shape)]


@_operator("native_layer_norm")
def _layer_norm(
    x: Tensor, shape: Sequence[int], weight: Any, bias: Any, epsilon: float, *, node: Any
) -> list[Tensor]:
    axes = list(range(_rank(x) - len(shape), _rank(x)))
    y, mean, factor = _standardized(x, axes, epsilon)
    return [_scaled(y, weight, bias), mean, factor]


@_operator("native_group_norm")
def _group_norm(
    x: Tensor, weight: Any, bias: Any, n: Any, channels: Any, inner: Any, groups: int,
    epsilon: float, *, node: Any,
) -> list[Tensor]:  # fmt: skip
    grouped = topi.reshape(x, (n, groups, channels // groups * inner))
    y, mean, factor = _standardized(grouped, [2], epsilon)
    shape = (channels, *[1] * (_rank(x) - 2))
    two = (n, groups)
    y = _scaled(topi.reshape(y, x.shape), weight, bias, shape)
    return [y, topi.reshape(mean, two), topi.reshape(factor, two)]


# Pooling and interpolation -------------------------------------------------------------------

_POOLS = (nn.pool1d, nn.pool2d, nn.pool3d)
_ADAPTIVE = (nn.adaptive_pool1d, nn.adaptive_pool, nn.adaptive_pool3d)


def _pool(
    x: Tensor, count: int, kind: str, window: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool, includes_padding: bool, node: Output, acc: str | None = None,
) -> Tensor:  # fmt: skip
    """Pool over the last ``count`` axes. An input without a batch axis gets one for the
    computation.
    """
    window = _sizes(window, count)
    stride = _sizes(stride, count) if stride else window
    padding = _sizes(padding, count)
    shape = (1, *x.shape) if _rank(x) == count + 1 else x.shape
    pooled = _POOLS[count - 1](
        topi.reshape(x, shape) if shape is not x.shape else x,
        window, stride, _sizes(dilation, count), [*padding, *padding], kind, ceil_mode,
        f"NC{'DHW'[3 - count :]}", includes_padding, acc,
    )  # fmt: skip
    return topi.reshape(pooled, node.shape) if shape is not x.shape else pooled


@_operator("max_pool2d_with_indices", "max_pool3d_with_indices")
def _max_pool(
    x: Tensor, window: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, *, node: Any,
) -> list[Tensor]:  # fmt: skip
    count = len(window)
    pool = _pool(x, count, "max", window, stride, padding, dilation, ceil_mode, True, node[0])
    taps, apart = _sizes(window, count), _sizes(dilation, count)
    steps, before = _sizes(stride, count) if stride else taps, _sizes(padding, count)

    def place(n: int, at: Any, tap: Any) -> tuple[Any, list[Any]]:
        inside = at * steps[n] + tap * apart[n] - before[n]
        return inside, [inside >= 0, inside < x.shape[n - count]]

    return [pool, _places_of_maxima(x, taps, place, node[1])]


def _places_of_maxima(
    x: Tensor,
    taps: Sequence[Any],
    place: Callable[[int, Any, Any], tuple[Any, list[Any]]],
    node: Output,
) -> Tensor:
    """The row-major position, within the last axes, of each window's first largest element, or of
    its first NaN. ``place`` gives the position of a tap along an axis, and the conditions under
    which the tap is inside the input.
    """
    count = len(taps)
    loops = [te.reduce_axis((0, size), name=f"k{n}") for n, size in enumerate(taps)]
    sizes, front = x.shape[-count:], _rank(x) - count
    reducer = first_of(largest=True, last=False, dtype=x.dtype)

    def best(*i: Any) -> Any:
        places, conditions, number = [], [], te.const(0, "int64")
        for n, size in enumerate(sizes):
            at, there = place(n, i[front + n], loops[n])
            places.append(at)
            conditions += there
            number = number * size + at.astype("int64")
        where = te.all(*conditions)
        return reducer((number, x(*i[:front], *places)), axis=loops, where=where)

    number, _ = te.compute(node.shape, best, "max_places")
    return _in_type(number, node.dtype)


@_operator("max_pool1d", "max_pool2d", "max_pool3d")
def _max_pool_alone(
    x: Tensor, window: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, *, node: Output,
) -> Tensor:  # fmt: skip
    return _pool(x, len(window), "max", window, stride, padding, dilation, ceil_mode, True, node)


@_operator("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(
    x: Tensor, window: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: Any = None, *, node: Output, acc: str,
) -> Tensor:  # fmt: skip
    if divisor_override is not None:
        total = _sum_pool(x, window, stride, padding, node, acc)
        return converted(topi.divide(total, _number(divisor_override, acc)), node.dtype)
    return _pool(
        x, len(window), "avg", window, stride, padding, 1, ceil_mode, count_include_pad, node, acc
    )


def _sum_pool(x: Tensor, window: Any, stride: Any, padding: Any, node: Output, acc: str) -> Tensor:
    """The sums of windows over the last axes."""
    count = len(window)
    taps = _sizes(window, count)
    steps, before = _sizes(stride, count) if stride else taps, _sizes(padding, count)
    loops = [te.reduce_axis((0, size), name=f"k{n}") for n, size in enumerate(taps)]
    front = _rank(x) - count
    zero = te.const(0.0, acc)

    def total(*i: Any) -> Any:
        at = [i[front + n] * steps[n] + loops[n] - before[n] for n in range(count)]
        bounds = zip(at, x.shape[front:], strict=True)
        inside = te.all(*(part for place, size in bounds for part in (place >= 0, place < size)))
        value = x(*i[:front], *at).astype(acc)
        return te.sum(te.if_then_else(inside, value, zero), axis=loops)

    return te.compute(node.shape, total, "sum_pool")


@_operator("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d")
def _adaptive_avg_pool(x: Tensor, size: Sequence[int], *, node: Output, acc: str) -> Tensor:
    if _rank(x) == len(size) + 1:
        x = topi.reshape(x, (1, *x.shape))
    pool = _ADAPTIVE[len(size) - 1](x, list(size), "avg", f"NC{'DHW'[3 - len(size) :]}", acc)
    return topi.reshape(pool, node.shape)


@_operator("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d")
def _adaptive_max_pool(x: Tensor, size: Sequence[int], *, node: Any) -> list[Tensor]:
    count, source = len(size), x
    if _rank(x) == count + 1:
        x = topi.reshape(x, (1, *x.shape))
    pool = _ADAPTIVE[count - 1](x, list(size), "max", f"NC{'DHW'[3 - count :]}")

    def place(n: int, at: Any, tap: Any) -> tuple[Any, list[Any]]:
        whole, bins = source.shape[n - count], size[n]
        inside = at * whole // bins + tap
        return inside, [inside < ((at + 1) * whole + bins - 1) // bins]

    # A bin begins and ends at most within an element, so it covers up to two elements more.
    taps = [whole // bins + 2 for whole, bins in zip(source.shape[-count:], size, strict=True)]
    return [topi.reshape(pool, node[0].shape), _places_of_maxima(source, taps, place, node[1])]


def _resized(
    x: Tensor, node: Output, method: str, mode: str, factors: Sequence[Any], cubic: float = -0.75
) -> Tensor:
    """``factors``, as the calls have them: a list or None, or numbers or None.

    torch takes the places of elements from a factor where there is one, and not from the size that
    is its product rounded down. Those of nearest elements are products with a quotient of float32:
    element 22 of 66 is element 12 of 39, and not 13.
    """
    letters = "DHW"[5 - _rank(x) :]
    per_axis: list[Any] = []
    for factor in factors:
        per_axis += factor if isinstance(factor, list | tuple) else [factor]
    per_axis += [None] * (len(letters) - len(per_axis))
    nearest = method == "nearest_neighbor"
    steps: list[float | None] = []
    for size, out, factor in zip(x.shape[2:], node.shape[2:], per_axis, strict=True):
        if factor is None:
            is_known = isinstance(size, int) and isinstance(out, int)
            steps.append(float(size) / out if nearest and is_known else None)  # pyright: ignore
        else:
            is_exact = isinstance(size, int) and size * factor == out
            steps.append(1.0 / factor if nearest or not is_exact else None)
    rounding = "floor" if nearest else ""
    return resized(
        x, None, list(node.shape[2:]), f"NC{letters}", method, mode, rounding, cubic, 0, 0.0, None,
        letters, steps,
    )  # fmt: skip


@_operator("upsample_nearest1d.vec", "upsample_nearest2d.vec", "upsample_nearest3d.vec")
@_operator("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d")
def _nearest(x: Tensor, size: Any, *factors: Any, node: Output) -> Tensor:
    return _resized(x, node, "nearest_neighbor", "asymmetric", factors)


@_operator("upsample_linear1d.vec", "upsample_bilinear2d.vec", "upsample_trilinear3d.vec")
@_operator("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
def _linear(x: Tensor, size: Any, align_corners: bool, *factors: Any, node: Output) -> Tensor:
    return _resized(x, node, "linear", "align_corners" if align_corners else "half_pixel", factors)


@_operator("upsample_bicubic2d.vec", "upsample_bicubic2d")
def _cubic(x: Tensor, size: Any, align_corners: bool, *factors: Any, node: Output) -> Tensor:
    return _resized(x, node, "cubic", "align_corners" if align_corners else "half_pixel", factors)


@_operator("grid_sampler_2d")
def _grid_sampler(
    x: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool, *, node: Output
) -> Tensor:
    if mode == 2:
        raise Unsupported("bicubic interpolation at the places of a grid")
    method, outside = ("bilinear", "nearest")[mode], ("zeros", "border", "reflection")[padding]
    places = topi.transpose(grid, [0, 3, 1, 2])
    return image.grid_sample(x, places, method, "NCHW", outside, align_corners)


# Indices -------------------------------------------------------------------------------------


def _inside(index: Any, size: Any) -> Any:
    """An index within an axis; a negative index counts from the end. An index out of bounds, which
    torch refuses, is clamped.
    """
    index = index.astype("int64")
    index = te.if_then_else(index < 0, index + size, index)
    return te.max(te.min(index, size - 1), te.const(0, "int64"))


@_operator("embedding")
def _embedding(weight: Tensor, index: Tensor, *_: Any, node: Output) -> Tensor:
    rank = _rank(index)
    return te.compute(
        node.shape,
        lambda *i: weight(_inside(index(*i[:rank]), weight.shape[0]), i[rank]),
        "embedding",
    )


@_operator("_embedding_bag", "_embedding_bag_forward_only")
def _embedding_bag(
    weight: Tensor, index: Tensor, offsets: Tensor, *rest: Any, node: Any
) -> list[Tensor]:
    """Sums, or means, of rows from each offset to the next; a bag without rows is 0."""
    mode = rest[1] if len(rest) > 1 else 0
    if mode == 2 or (len(rest) > 3 and rest[3] is not None):
        raise Unsupported("bags of maxima, and weights of rows")
    bags, size = offsets.shape[0], index.shape[0]
    k = te.reduce_axis((0, size), name="k")

    def is_in(b: Any) -> Any:
        first = offsets(b) <= k
        last = te.any(b + 1 >= bags, k < offsets(te.min(b + 1, bags - 1)))
        return te.all(first, last)

    zero = te.const(0.0, weight.dtype)
    total = te.compute(
        node[0].shape,
        lambda b, j: te.sum(
            te.if_then_else(is_in(b), weight(_inside(index(k), weight.shape[0]), j), zero), axis=k
        ),
        "bag",
    )
    if mode == 0:
        return [total]
    n = te.reduce_axis((0, size), name="n")
    k = n
    unit = te.const(1.0, weight.dtype)
    counts = te.compute(
        (bags,), lambda b: te.sum(te.if_then_else(is_in(b), unit, zero), axis=n), "count"
    )
    return [te.compute(node[0].shape, lambda b, j: total(b, j) / te.max(counts(b), unit), "mean")]


@_operator("index_select")
def _index_select(x: Tensor, axis: int, index: Tensor, *, node: Output) -> Tensor:
    axis = _axis(axis, _rank(x))
    return te.compute(
        node.shape,
        lambda *i: x(*i[:axis], _inside(index(i[axis]), x.shape[axis]), *i[axis + 1 :]),
        "index_select",
    )


@_operator("index.Tensor", "_unsafe_index.Tensor")
def _index(x: Tensor, indices: Sequence[Any], *, node: Output) -> Tensor:
    """Replace the indexed axes by the broadcast indices: at the first of them if they are
    neighbours, else at the front.
    """
    index_of = {axis: index for axis, index in enumerate(indices) if index is not None}
    if any(index.dtype in ("bool", "uint8") for index in index_of.values()):
        raise Unsupported("an index that is a mask: how much it takes is known at the call alone")
    rank = max(_rank(index) for index in index_of.values())
    axes = sorted(index_of)
    place = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0

    def element(*i: Any) -> Any:
        at, rest = i[place : place + rank], [*i[:place], *i[place + rank :]]
        places = []
        for axis in range(_rank(x)):
            index = index_of.get(axis)
            if index is None:
                places.append(rest.pop(0))
                continue
            own = at[rank - _rank(index) :]
            own = [0 if size == 1 else n for n, size in zip(own, index.shape, strict=True)]
            places.append(_inside(index(*own), x.shape[axis]))
        return x(*places)

    return te.compute(node.shape, element, "index")


@_operator("gather")
def _gather(x: Tensor, axis: int, index: Tensor, *, node: Output, **_: Any) -> Tensor:
    axis = _axis(axis, _rank(x))
    return te.compute(
        node.shape,
        lambda *i: x(*i[:axis], _inside(index(*i), x.shape[axis]), *i[axis + 1 :]),
        "gather",
    )


@_operator("scatter.src", "scatter.value", "scatter_add")
def _scatter(x: Tensor, axis: int, index: Tensor, source: Any, *, node: Output) -> Tensor:
    if not isinstance(source, Tensor):
        source = topi.full(index.shape, node.dtype, source)
    return topi.scatter(x, index, placing.cropped(source, index.shape), _axis(axis, _rank(x)))


@_operator("scatter_add")
def _scatter_add(x: Tensor, axis: int, index: Tensor, source: Tensor, *, node: Output) -> Tensor:
    return topi.scatter_add(x, index, placing.cropped(source, index.shape), _axis(axis, _rank(x)))


_ENTERED = (antialias, backward, ordering, placing, recurrent)
"""Modules that enter rules where they are imported."""


def _part(parts: Any, n: int, *, node: Any) -> Any:
    """One result of an operation with several results."""
    if n >= len(parts):
        raise Unsupported(f"result {n} of an operator of which {len(parts)} are computed here")
    return parts[n]


for _name in ("_assert_tensor_metadata", "sym_constrain_range_for_size"):
    OPERATORS[f"aten.{_name}.default"] = lambda *_, **__: None
OPERATORS["<built-in function getitem>"] = _part
for _function in (python_operator.add, python_operator.sub, python_operator.mul):
    # Sizes.
    OPERATORS[str(_function)] = lambda a, b, *, node, _f=_function: _f(a, b)
