"""Operators of Relay for calls of ATen that they compute as torch does, in its types.

:data:`FORMS` has a function for each such operator of ATen: its arguments are those of the call,
with a value of the graph for each tensor, and it returns a value, or a list of values for an
operator with several results. It returns None where Relay's operator has no such form: the
importer then makes the operator of the family ``aten``. The passes on graphs know Relay's.

The types are those of :mod:`kc.frontend.torch.numerics`. Operators that torch computes in float32
for float16 and bfloat16, by several operations that round, have no form for these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Operation, SSAValue

from kc.dialects.graph.declaration import RelationError, call
from kc.dialects.graph.sizes import SizeExpr
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, numpy_dtype
from kc.frontend.torch.numerics import WIDTHS

SINGLE = ("float32", "float64")
"""The types in which all operators are computed as they stand."""
HALVES = ("float16", "bfloat16")
FLOATS = (*SINGLE, *HALVES)

Form = Callable[..., Any]
FORMS: dict[str, Form] = {}
"""The operator of ATen -> its form."""


@dataclass
class Calls:
    """Operations of one call of ATen, until it is known that they have the types of torch."""

    operations: list[Operation] = field(default_factory=list)
    read: frozenset[int] | None = None
    """The results that are read, of several; None if all may be."""

    def __call__(self, name: str, *operands: SSAValue, **attributes: Any) -> SSAValue:
        """The result of an operator. Raises RelationError for operands that do not fit."""
        return self.add(call(name, *operands, **attributes))

    def add(self, operation: Operation) -> SSAValue:
        """Append an operation; its result."""
        self.operations.append(operation)
        return operation.results[0]

    def number(self, value: Any, dtype: str) -> SSAValue:
        """A constant without dimensions."""
        import numpy as np

        return self.add(ConstantOp.of(np.asarray(value).astype(numpy_dtype(dtype)), dtype))

    def reads_only_first(self) -> bool:
        return self.read is not None and self.read <= {0}

    def converted(self, value: Any, dtype: str) -> SSAValue:
        """A value, or a number, with elements of ``dtype``, as the rules convert them."""
        if not isinstance(value, SSAValue):
            if dtype == "bool":
                return self.number(bool(value), dtype)
            return self.number(float(value) if "float" in dtype else int(value), dtype)
        own = dtype_of(value)
        if own == dtype:
            return value
        if dtype == "bool":
            return self("not_equal", value, self.number(0, own))
        return self("cast", value, dtype=dtype)

    def reshaped(self, value: SSAValue, shape: Sequence[Any]) -> SSAValue:
        """A value in another shape; itself in its own."""
        shape = tuple(shape)
        if spec(value).shape == shape:
            return value
        return self("reshape", value, newshape=shape, allowzero=0 in shape)


def form(*names: str) -> Callable[[Form], Form]:
    """Register a form for operators; a name without an overload is the default overload."""

    def enter(function: Form) -> Form:
        for name in names:
            FORMS[f"aten.{name}" if "." in name else f"aten.{name}.default"] = function
        return function

    return enter


def spec(value: SSAValue) -> TensorSpec:
    """The type of a value that is a tensor."""
    value_spec = spec_of(value.type)
    assert isinstance(value_spec, TensorSpec)
    return value_spec


def dtype_of(value: SSAValue) -> str:
    """The element type of a value that is a tensor."""
    return spec(value).dtype


def rank_of(value: SSAValue) -> int:
    """The number of dimensions of a value that is a tensor."""
    return spec(value).rank


def _axis(axis: int, rank: int) -> int:
    return axis + rank if axis < 0 else axis


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None or axis in ((), []):
        return tuple(range(rank))
    return tuple(_axis(n, rank) for n in (axis if isinstance(axis, list | tuple) else [axis]))


def _each(value: Any, count: int) -> tuple[int, ...]:
    """One number for each axis."""
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    return values * count if len(values) == 1 else values


# Elements ------------------------------------------------------------------------------------


def _unary(name: str, dtypes: Sequence[str]) -> Form:
    def elementwise(calls: Calls, x: SSAValue, *_: Any, node: TensorSpec) -> SSAValue | None:
        if node.dtype not in dtypes:
            return None
        return calls(name, calls.converted(x, node.dtype))

    return elementwise


for _name in (
    "exp", "log", "log2", "log10", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
    "asin", "acos", "atan", "asinh", "acosh", "atanh", "erf", "exp2", "erfc",
):  # fmt: skip
    form(_name)(_unary(_name, FLOATS))
form("sigmoid")(_unary("sigmoid", SINGLE))
_NUMBERS = (*FLOATS, "int8", "int16", "int32", "int64", "uint8")
for _name, _own in {
    "abs": "abs", "neg": "negative", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "round": "round", "relu": "nn.relu", "bitwise_not": "bitwise_not",
}.items():  # fmt: skip
    form(_name)(_unary(_own, _NUMBERS if _own != "bitwise_not" else ("bool", *_NUMBERS[4:])))


@form("silu")
def _silu(calls: Calls, x: SSAValue, *, node: TensorSpec) -> SSAValue | None:
    return calls("multiply", x, calls("sigmoid", x)) if node.dtype in SINGLE else None


@form("gelu")
def _gelu(
    calls: Calls, x: SSAValue, *, approximate: str = "none", node: TensorSpec
) -> SSAValue | None:
    return calls("nn.gelu", x, approximate=approximate) if node.dtype in SINGLE else None


@form("leaky_relu")
def _leaky_relu(
    calls: Calls, x: SSAValue, slope: float = 0.01, *, node: TensorSpec
) -> SSAValue | None:
    return calls("nn.leaky_relu", x, alpha=float(slope)) if node.dtype in SINGLE else None


@form("reciprocal")
def _reciprocal(calls: Calls, x: SSAValue, *, node: TensorSpec) -> SSAValue | None:
    if node.dtype not in SINGLE or dtype_of(x) != node.dtype:
        return None
    return calls("divide", calls.number(1.0, node.dtype), x)


def _test_of(name: str) -> Form:
    def test(calls: Calls, x: SSAValue, *, node: TensorSpec) -> SSAValue | None:
        return calls(name, x) if dtype_of(x) in FLOATS else None

    return test


for _name in ("isnan", "isinf"):
    form(_name)(_test_of(_name))


@form("clone", "alias", "detach", "lift_fresh_copy", "contiguous")
def _same(calls: Calls, x: SSAValue, *_: Any, node: TensorSpec, **__: Any) -> SSAValue:
    return x


@form("_to_copy", "to.dtype")
def _to_copy(calls: Calls, x: SSAValue, *_: Any, node: TensorSpec, **__: Any) -> SSAValue:
    return calls.converted(x, node.dtype)


@form("clamp", "clamp.Tensor", "hardtanh")
def _clamp(
    calls: Calls, x: SSAValue, low: Any = None, high: Any = None, *, node: TensorSpec,
    **named: Any,
) -> SSAValue | None:  # fmt: skip
    low, high = named.get("min", low), named.get("max", high)
    if node.dtype == "bool":
        return None
    x = calls.converted(x, node.dtype)
    are_numbers = all(isinstance(bound, int | float) for bound in (low, high))
    if are_numbers and node.dtype in SINGLE and low <= high:
        return calls("clip", x, a_min=float(low), a_max=float(high))
    for bound, name in ((low, "maximum"), (high, "minimum")):
        if bound is not None:
            x = calls(name, x, calls.converted(bound, node.dtype))
    return x


_PLAIN = (*SINGLE, "int8", "int16", "int32", "int64", "uint8")
"""The types whose sums, products and quotients are those of Relay's operators."""


def _binary(name: str, dtypes: Sequence[str]) -> Form:
    def elementwise(
        calls: Calls, a: Any, b: Any, *, node: TensorSpec, alpha: Any = 1
    ) -> SSAValue | None:
        if node.dtype not in dtypes:
            return None
        b = calls.converted(b, node.dtype)
        if alpha != 1:
            b = calls("multiply", b, calls.converted(alpha, node.dtype))
        return calls(name, calls.converted(a, node.dtype), b)

    return elementwise


_BITS = ("bool", "int8", "int16", "int32", "int64", "uint8")
for _name, _own, _dtypes in (
    ("add", "add", _PLAIN), ("sub", "subtract", _PLAIN), ("mul", "multiply", _PLAIN),
    ("div", "divide", _PLAIN), ("bitwise_and", "bitwise_and", _BITS),
    ("bitwise_or", "bitwise_or", _BITS), ("bitwise_xor", "bitwise_xor", _BITS),
):  # fmt: skip
    form(f"{_name}.Tensor", f"{_name}.Scalar")(_binary(_own, _dtypes))
form("maximum")(_binary("maximum", _NUMBERS))
form("minimum")(_binary("minimum", _NUMBERS))
form("atan2")(_binary("atan2", SINGLE))
for _name, _own in {
    "floor_divide": "floor_divide", "remainder": "floor_mod", "fmod": "trunc_mod",
    "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift",
    "__lshift__": "left_shift", "__rshift__": "right_shift",
}.items():  # fmt: skip
    _overloads = ("Tensor", "Scalar", "Tensor_Scalar", "Scalar_Tensor")
    _dtypes = _BITS[1:] if "shift" in _own else _PLAIN
    form(_name, *(f"{_name}.{overload}" for overload in _overloads))(_binary(_own, _dtypes))


@form("rsub.Scalar", "rsub.Tensor")
def _rsub(calls: Calls, a: Any, b: Any, *, node: TensorSpec, alpha: Any = 1) -> SSAValue | None:
    if node.dtype not in _PLAIN or alpha != 1:
        return None
    return calls("subtract", calls.converted(b, node.dtype), calls.converted(a, node.dtype))


@form("div.Tensor_mode", "div.Scalar_mode")
def _rounded_quotient(
    calls: Calls, a: Any, b: Any, *, rounding_mode: str | None = None, node: TensorSpec
) -> SSAValue | None:
    name = {None: "divide", "floor": "floor_divide", "trunc": "trunc_divide"}[rounding_mode]
    return _binary(name, _PLAIN)(calls, a, b, node=node)


@form("pow.Tensor_Scalar", "pow.Tensor_Tensor", "pow.Scalar")
def _power(calls: Calls, a: Any, b: Any, *, node: TensorSpec) -> SSAValue | None:
    if node.dtype not in SINGLE:
        return None
    a = calls.converted(a, node.dtype)
    if isinstance(b, int | float) and b in (2, 3):
        return reduce(lambda x, y: calls("multiply", x, y), [a] * int(b))
    if isinstance(b, int | float) and b in (0.5, -0.5):
        return calls("sqrt" if b > 0 else "rsqrt", a)
    return calls("power", a, calls.converted(b, node.dtype))


def _comparison(name: str) -> Form:
    def comparison(calls: Calls, a: SSAValue, b: Any, *, node: TensorSpec) -> SSAValue:
        own = dtype_of(a)
        if isinstance(b, SSAValue):
            common = max(own, dtype_of(b), key=WIDTHS.index)
        else:
            common = "float32" if isinstance(b, float) and "float" not in own else own
        common = "int8" if common == "bool" else common
        return calls(name, calls.converted(a, common), calls.converted(b, common))

    return comparison


for _name, _own in {
    "eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
    "ge": "greater_equal",
}.items():  # fmt: skip
    form(f"{_name}.Tensor", f"{_name}.Scalar")(_comparison(_own))


def _logical(name: str) -> Form:
    def logical(calls: Calls, a: SSAValue, b: SSAValue, *, node: TensorSpec) -> SSAValue:
        return calls(name, calls.converted(a, "bool"), calls.converted(b, "bool"))

    return logical


for _name in ("logical_and", "logical_or", "logical_xor"):
    form(_name)(_logical(_name))


@form("logical_not")
def _logical_not(calls: Calls, x: SSAValue, *, node: TensorSpec) -> SSAValue:
    own = dtype_of(x)
    return calls("logical_not", x) if own == "bool" else calls("equal", x, calls.number(0, own))


@form("where.self")
def _where(calls: Calls, condition: SSAValue, a: Any, b: Any, *, node: TensorSpec) -> SSAValue:
    a, b = calls.converted(a, node.dtype), calls.converted(b, node.dtype)
    return calls("where", condition, a, b)


# New tensors ---------------------------------------------------------------------------------


@form("full", "full_like", "new_full")
def _full(calls: Calls, *arguments: Any, node: TensorSpec, **_: Any) -> SSAValue | None:
    if isinstance(arguments[-1], SSAValue):
        return None
    value = calls.converted(arguments[-1], node.dtype)
    return calls("full", value, shape=node.shape, dtype=node.dtype) if node.rank else value


@form("zeros", "zeros_like", "new_zeros", "empty.memory_format", "new_empty", "empty_strided")
def _zeros(calls: Calls, *_: Any, node: TensorSpec, **__: Any) -> SSAValue | None:
    return _full(calls, 0, node=node)


@form("ones", "ones_like", "new_ones")
def _ones(calls: Calls, *_: Any, node: TensorSpec, **__: Any) -> SSAValue | None:
    return _full(calls, 1, node=node)


@form("scalar_tensor")
def _scalar_tensor(calls: Calls, value: Any, *, node: TensorSpec, **_: Any) -> SSAValue:
    return calls.converted(value, node.dtype)


# Shapes --------------------------------------------------------------------------------------


@form("view", "reshape", "_unsafe_view", "flatten.using_ints", "_reshape_alias", "squeeze")
@form("squeeze.dim", "squeeze.dims", "unsqueeze", "unsqueeze_copy", "view_copy")
def _reshape(calls: Calls, x: SSAValue, *_: Any, node: TensorSpec) -> SSAValue:
    return calls.reshaped(x, node.shape)


@form("expand", "expand_copy")
def _expand(calls: Calls, x: SSAValue, *_: Any, node: TensorSpec, **__: Any) -> SSAValue:
    return x if spec(x).shape == node.shape else calls("broadcast_to", x, shape=node.shape)


@form("permute", "permute_copy")
def _permute(calls: Calls, x: SSAValue, axes: Sequence[int], *, node: TensorSpec) -> SSAValue:
    axes = tuple(_axis(axis, rank_of(x)) for axis in axes)
    return x if axes == tuple(range(len(axes))) else calls("transpose", x, axes=axes)


@form("transpose.int", "t")
def _transpose(
    calls: Calls, x: SSAValue, first: int = 0, second: int = 1, *, node: TensorSpec
) -> SSAValue:
    rank = rank_of(x)
    axes = list(range(rank))
    if rank > 1:
        first, second = _axis(first, rank), _axis(second, rank)
        axes[first], axes[second] = axes[second], axes[first]
    return _permute(calls, x, axes, node=node)


@form("slice.Tensor", "slice_copy.Tensor")
def _slice(
    calls: Calls, x: SSAValue, axis: int = 0, start: Any = None, end: Any = None, step: int = 1,
    *, node: TensorSpec,
) -> SSAValue | None:  # fmt: skip
    axis = _axis(axis, rank_of(x))
    size = spec(x).shape[axis]
    if spec(x).shape == node.shape and step == 1:
        return x
    if isinstance(start, SizeExpr) or not isinstance(size, int):
        return None
    length = node.shape[axis]
    if not isinstance(length, int):
        return None
    start = 0 if start is None else start
    start = min(max(start + size if start < 0 else start, 0), size)
    end = min(start + length * step, size)
    return calls(
        "strided_slice", x, begin=(start,), end=(end,), strides=(step,), axes=(axis,)
    )  # fmt: skip


@form("select.int", "select_copy.int")
def _select(
    calls: Calls, x: SSAValue, axis: int, index: Any, *, node: TensorSpec
) -> SSAValue | None:
    axis = _axis(axis, rank_of(x))
    size = spec(x).shape[axis]
    if not isinstance(index, int) or not isinstance(size, int):
        return None
    at = index + size if index < 0 else index
    part = calls("strided_slice", x, begin=(at,), end=(at + 1,), axes=(axis,))
    return calls.reshaped(part, node.shape)


@form("cat")
def _cat(calls: Calls, tensors: Sequence[SSAValue], axis: int = 0, *, node: TensorSpec) -> SSAValue:
    parts = [calls.converted(x, node.dtype) for x in tensors if rank_of(x) == node.rank]
    if len(parts) == 1:
        return parts[0]
    return calls("concatenate", *parts, axis=_axis(axis, node.rank))


@form("stack")
def _stack(
    calls: Calls, tensors: Sequence[SSAValue], axis: int = 0, *, node: TensorSpec
) -> SSAValue:
    parts = [calls.converted(x, node.dtype) for x in tensors]
    return calls("stack", *parts, axis=_axis(axis, node.rank))


@form("split_with_sizes", "split_with_sizes_copy")
def _split(
    calls: Calls, x: SSAValue, sizes: Sequence[Any], axis: int = 0, *, node: Any
) -> SSAValue | None:
    if not all(isinstance(size, int) for size in sizes):
        return None
    ends = tuple(sum(sizes[: n + 1]) for n in range(len(sizes) - 1))
    if not ends:
        return None
    return calls("split", x, indices_or_sections=ends, axis=_axis(axis, rank_of(x)))


@form("unbind.int")
def _unbind(calls: Calls, x: SSAValue, axis: int = 0, *, node: Any) -> list[Any] | None:
    parts = [_select(calls, x, axis, n, node=part) for n, part in enumerate(node)]
    return None if None in parts else parts


@form("constant_pad_nd")
def _pad(
    calls: Calls, x: SSAValue, amounts: Sequence[int], value: Any = 0.0, *, node: TensorSpec
) -> SSAValue | None:
    if not all(isinstance(amount, int) and amount >= 0 for amount in amounts):
        return None
    widths = [(0, 0)] * rank_of(x)
    for n in range(len(amounts) // 2):
        widths[-1 - n] = amounts[2 * n], amounts[2 * n + 1]
    return calls("nn.pad", x, calls.converted(value, node.dtype), pad_width=tuple(widths))


@form("repeat")
def _repeat(calls: Calls, x: SSAValue, amounts: Sequence[Any], *, node: TensorSpec) -> Any:
    if not all(isinstance(amount, int) for amount in amounts):
        return None
    return calls("tile", x, reps=tuple(amounts))


@form("flip")
def _flip(calls: Calls, x: SSAValue, axes: Sequence[int], *, node: TensorSpec) -> SSAValue:
    for axis in axes:
        x = calls("reverse", x, axis=_axis(axis, rank_of(x)))
    return x


# Products ------------------------------------------------------------------------------------


@form("mm")
def _mm(calls: Calls, a: SSAValue, b: SSAValue, *, node: TensorSpec) -> SSAValue | None:
    return calls("nn.matmul", a, b) if node.dtype in SINGLE else None


@form("bmm")
def _bmm(calls: Calls, a: SSAValue, b: SSAValue, *, node: TensorSpec) -> SSAValue | None:
    return calls("nn.batch_matmul", a, b, transpose_b=False) if node.dtype in SINGLE else None


@form("addmm")
def _addmm(
    calls: Calls, c: SSAValue, a: SSAValue, b: SSAValue, *, beta: Any = 1, alpha: Any = 1,
    node: TensorSpec,
) -> SSAValue | None:  # fmt: skip
    if node.dtype not in SINGLE or beta != 1 or alpha != 1:
        return None
    return _biased(calls, calls("nn.matmul", a, b), c)


def _biased(calls: Calls, product: SSAValue, bias: SSAValue) -> SSAValue:
    """A product plus a bias, which has one element for each column or is broadcast."""
    if spec(bias).shape == spec(product).shape[-1:]:
        return calls("nn.bias_add", product, bias, axis=-1)
    return calls("add", product, bias)


@form("linear")
def _linear(
    calls: Calls, x: SSAValue, weight: SSAValue, bias: SSAValue | None = None, *, node: TensorSpec
) -> SSAValue | None:
    if node.dtype not in SINGLE or rank_of(weight) != 2 or not rank_of(x):
        return None
    product = calls("nn.dense", x, weight)
    return product if bias is None else _biased(calls, product, bias)


_LAYOUTS = {1: "W", 2: "HW", 3: "DHW"}


@form("convolution")
def _convolution(
    calls: Calls, x: SSAValue, weight: SSAValue, bias: SSAValue | None, stride: Any, padding: Any,
    dilation: Any, transposed: bool, output_padding: Any, groups: int, *, node: TensorSpec,
) -> SSAValue | None:  # fmt: skip
    count = rank_of(x) - 2
    if node.dtype not in SINGLE:
        return None
    kernel = spec(weight).shape
    attributes: dict[str, Any] = {
        "strides": _each(stride, count),
        "padding": _each(padding, count) * 2,
        "dilation": _each(dilation, count),
        "groups": groups,
        "channels": kernel[1] * groups if transposed else kernel[0],  # pyright: ignore
        "kernel_size": kernel[2:],
    }
    name = f"nn.conv{count}d"
    if transposed:
        name, attributes["output_padding"] = f"{name}_transpose", _each(output_padding, count)
    y = calls(name, x, weight, **attributes)
    return y if bias is None else calls("nn.bias_add", y, bias, axis=1)


@form("scaled_dot_product_attention")
def _attention(
    calls: Calls, query: SSAValue, key: SSAValue, value: SSAValue, mask: SSAValue | None = None,
    dropout: float = 0.0, is_causal: bool = False, *, scale: float | None = None,
    enable_gqa: bool = False, node: TensorSpec, **named: Any,
) -> SSAValue | None:  # fmt: skip
    """Attention of (..., L, E): all leading dimensions but the heads are one batch."""
    mask = named.get("attn_mask", mask)
    is_causal = named.get("is_causal", is_causal)
    dropout = named.get("dropout_p", dropout)
    rank = rank_of(query)
    shapes = [spec(part).shape for part in (query, key, value)]
    is_plain = dropout == 0 and node.dtype in FLOATS and rank in (3, 4)
    if not is_plain or any(len(shape) != rank for shape in shapes):
        return None
    if len({shape[:-2] for shape in shapes}) > 1 and not (enable_gqa and rank == 4):
        return None  # torch broadcasts them
    if rank == 3:
        query, key, value = (
            calls.reshaped(part, (1, *shape))
            for part, shape in zip((query, key, value), shapes, strict=True)
        )
        if mask is not None and rank_of(mask) == 3:
            mask = calls.reshaped(mask, (1, *spec(mask).shape))
    more = () if mask is None else (mask,)
    attributes = {} if scale is None else {"scale": float(scale)}
    result = calls("nn.attention", query, key, value, *more, is_causal=is_causal, **attributes)
    return calls.reshaped(result, node.shape)


@form("lstm.input")
def _lstm(
    calls: Calls, x: SSAValue, states: Sequence[SSAValue], parameters: Sequence[SSAValue],
    has_biases: bool, layers: int, dropout: float, train: bool, bidirectional: bool,
    batch_first: bool, *, node: Any,
) -> list[SSAValue] | None:  # fmt: skip
    """An operator for each layer and direction."""
    size = 4 if has_biases else 2
    directions = 2 if bidirectional else 1
    hidden, cell = states
    is_projected = spec(hidden).shape[-1] != spec(cell).shape[-1]
    if len(parameters) != size * layers * directions or is_projected or rank_of(x) != 3:
        return None
    if (dropout and train and layers > 1) or dtype_of(x) not in SINGLE:
        return None
    if batch_first:
        x = calls("transpose", x, axes=(1, 0, 2))
    steps = spec(x).shape[0]
    if not isinstance(steps, int):
        return None
    lasts: list[tuple[SSAValue, SSAValue]] = []

    def at(value: SSAValue, place: int) -> SSAValue:
        part = calls("strided_slice", value, begin=(place,), end=(place + 1,), axes=(0,))
        return calls.reshaped(part, spec(value).shape[1:])

    for layer in range(layers):
        outputs: list[SSAValue] = []
        for direction in range(directions):
            number = layer * directions + direction
            own = list(parameters[size * number : size * (number + 1)])
            if not has_biases:
                rows = spec(own[0]).shape[0]
                zero = calls("full", calls.number(0, dtype_of(x)), shape=(rows,), dtype=dtype_of(x))
                own += [zero, zero]
            initial = at(hidden, number), at(cell, number)
            result = calls("nn.lstm", x, *own, *initial, reverse=direction == 1)
            h, c = (calls.add(TupleGetItemOp(result, n)) for n in range(2))
            outputs.append(h)
            last = 0 if direction else steps - 1
            lasts.append((at(h, last), at(c, last)))
        x = calls("concatenate", *outputs, axis=2) if bidirectional else outputs[0]
    if batch_first:
        x = calls("transpose", x, axes=(1, 0, 2))
    first, second = ([pair[n] for pair in lasts] for n in range(2))
    stacked = [calls("stack", *parts, axis=0) for parts in (first, second)]
    return [x, *stacked]


# Reductions ----------------------------------------------------------------------------------


def _reduction(name: str, dtypes: Sequence[str]) -> Form:
    def reduction(
        calls: Calls, x: SSAValue, axis: Any = None, keepdim: bool = False, *, node: TensorSpec,
        **_: Any,
    ) -> SSAValue | None:  # fmt: skip
        if node.dtype not in dtypes or not rank_of(x):
            return None
        x = calls.converted(x, node.dtype)
        return calls(name, x, axis=_axes(axis, rank_of(x)), keepdims=bool(keepdim))

    return reduction


form("sum", "sum.dim_IntList")(_reduction("sum", _PLAIN))
form("prod", "prod.dim_int")(_reduction("prod", _PLAIN))
form("mean", "mean.dim")(_reduction("mean", SINGLE))
form("amax", "max")(_reduction("max", _NUMBERS))
form("amin", "min")(_reduction("min", _NUMBERS))
form("any", "any.dim", "any.dims")(_reduction("any", ("bool",)))
form("all", "all.dim", "all.dims")(_reduction("all", ("bool",)))


def _place(name: str) -> Form:
    def place(
        calls: Calls, x: SSAValue, axis: Any = None, keepdim: bool = False, *, node: TensorSpec
    ) -> SSAValue | None:
        if not rank_of(x) or dtype_of(x) not in _NUMBERS:
            return None
        if axis is None:
            count = reduce(lambda a, b: a * b, spec(x).shape, 1)  # pyright: ignore
            x, axis = calls.reshaped(x, (count,)), 0
        index = calls(name, x, axis=(_axis(axis, rank_of(x)),), keepdims=bool(keepdim))
        return calls.reshaped(calls.converted(index, node.dtype), node.shape)

    return place


form("argmax")(_place("argmax"))
form("argmin")(_place("argmin"))


# Normalisation and pools ---------------------------------------------------------------------


def _distribution(name: str) -> Form:
    def distribution(
        calls: Calls, x: SSAValue, axis: int, *_: Any, node: TensorSpec
    ) -> SSAValue | None:
        if node.dtype not in SINGLE or not rank_of(x):
            return None
        return calls(name, calls.converted(x, node.dtype), axis=_axis(axis, rank_of(x)))

    return distribution


form("_softmax", "softmax.int")(_distribution("nn.softmax"))
form("_log_softmax", "log_softmax.int")(_distribution("nn.log_softmax"))


def _parameters(
    calls: Calls, weight: SSAValue | None, bias: SSAValue | None, size: Any, dtype: str
) -> tuple[list[SSAValue], dict[str, bool]]:
    """gamma and beta, and the attributes that leave out absent ones."""
    parameters = [
        calls("full", calls.number(value, dtype), shape=(size,), dtype=dtype) if part is None
        else part
        for part, value in ((weight, 1), (bias, 0))
    ]  # fmt: skip
    return parameters, {"scale": weight is not None, "center": bias is not None}


@form("_native_batch_norm_legit_no_training")
def _batch_norm(
    calls: Calls, x: SSAValue, weight: Any, bias: Any, mean: SSAValue, variance: SSAValue,
    momentum: float, epsilon: float, *, node: Any,
) -> list[SSAValue] | None:  # fmt: skip
    if not calls.reads_only_first() or dtype_of(x) not in SINGLE:
        return None
    parameters, options = _parameters(calls, weight, bias, spec(x).shape[1], dtype_of(x))
    attributes = {"axis": 1, "epsilon": float(epsilon), **options}
    result = calls("nn.batch_norm", x, *parameters, mean, variance, **attributes)
    return [calls.add(TupleGetItemOp(result, 0))]


@form("native_layer_norm")
def _layer_norm(
    calls: Calls, x: SSAValue, shape: Sequence[Any], weight: Any, bias: Any, epsilon: float, *,
    node: Any,
) -> list[SSAValue] | None:  # fmt: skip
    if not calls.reads_only_first() or dtype_of(x) not in SINGLE or len(shape) != 1:
        return None
    parameters, options = _parameters(calls, weight, bias, spec(x).shape[-1], dtype_of(x))
    return [calls("nn.layer_norm", x, *parameters, axis=-1, epsilon=float(epsilon), **options)]


@form("native_group_norm")
def _group_norm(
    calls: Calls, x: SSAValue, weight: Any, bias: Any, n: Any, channels: Any, inner: Any,
    groups: int, epsilon: float, *, node: Any,
) -> list[SSAValue] | None:  # fmt: skip
    if not calls.reads_only_first() or dtype_of(x) not in SINGLE:
        return None
    parameters, options = _parameters(calls, weight, bias, channels, dtype_of(x))
    attributes = {"num_groups": groups, "axis": 1, "epsilon": float(epsilon), **options}
    return [calls("nn.group_norm", x, *parameters, **attributes)]


@form("native_dropout")
def _dropout(
    calls: Calls, x: SSAValue, p: float, train: bool | None, *, node: Any
) -> list[SSAValue] | None:
    if (train is not False and p) or not calls.reads_only_first():
        return None
    return [x]


@form("max_pool2d_with_indices", "max_pool3d_with_indices", "max_pool1d", "max_pool2d")
@form("max_pool3d")
def _max_pool(
    calls: Calls, x: SSAValue, window: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, *, node: Any,
) -> Any:  # fmt: skip
    has_places = not isinstance(node, TensorSpec)
    if has_places and not calls.reads_only_first():
        return None
    count = len(window)
    if rank_of(x) != count + 2:
        return None
    result = calls(f"nn.max_pool{count}d", x, **_windows(count, window, stride, padding),
                   dilation=_each(dilation, count), ceil_mode=bool(ceil_mode))  # fmt: skip
    return [result] if has_places else result


def _windows(count: int, window: Any, stride: Any, padding: Any) -> dict[str, Any]:
    window = _each(window, count)
    return {
        "pool_size": window,
        "strides": _each(stride, count) if stride else window,
        "padding": _each(padding, count) * 2,
    }


@form("avg_pool1d", "avg_pool2d", "avg_pool3d")
def _avg_pool(
    calls: Calls, x: SSAValue, window: Any, stride: Any = (), padding: Any = 0,
    ceil_mode: bool = False, count_include_pad: bool = True, divisor: Any = None, *,
    node: TensorSpec,
) -> SSAValue | None:  # fmt: skip
    count = len(window)
    if node.dtype not in SINGLE or divisor is not None or rank_of(x) != count + 2:
        return None
    return calls(f"nn.avg_pool{count}d", x, **_windows(count, window, stride, padding),
                 ceil_mode=bool(ceil_mode), count_include_pad=bool(count_include_pad))  # fmt: skip


@form("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool1d")
def _adaptive_avg_pool(
    calls: Calls, x: SSAValue, size: Sequence[Any], *, node: TensorSpec
) -> SSAValue | None:
    count = len(size)
    if node.dtype not in SINGLE or rank_of(x) != count + 2:
        return None
    return calls(f"nn.adaptive_avg_pool{count}d", x, output_size=tuple(size))


@form("embedding")
def _embedding(
    calls: Calls, weight: SSAValue, index: SSAValue, *_: Any, node: TensorSpec
) -> SSAValue:
    return calls("take", weight, index, axis=0)


def relay_form(
    name: str, arguments: Sequence[Any], options: dict[str, Any], node: Any,
    read: frozenset[int] | None,
) -> tuple[Any, list[Operation]] | None:  # fmt: skip
    """The value of a call of ATen and the operations that compute it; None if it has no form.

    ``node`` is the type that torch reports, ``read`` the results that are used, of several.
    """
    function = FORMS.get(name)
    if function is None:
        return None
    calls = Calls(read=read)
    try:
        value = function(calls, *arguments, node=node, **options)
    except RelationError:  # operands of another form
        return None
    if value is None or not _is_as_declared(value, node):
        return None
    return value, calls.operations


def _is_as_declared(value: Any, node: Any) -> bool:
    """True if values have the types that torch reports."""
    if isinstance(value, SSAValue) and not isinstance(value.type, TupleType):
        return spec_of(value.type) == node
    if isinstance(value, SSAValue):
        return spec_of(value.type) == tuple(node)
    return all(map(_is_as_declared, value, node))
