"""The checks of operators' arguments, with their common diagnostics."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from kc.expr.constructors import Const, Expr, as_expr, const
from kc.expr.dtypes import INTS, UINTS, check_dtype, is_float
from kc.expr.indices import same_dim
from kc.expr.nodes import Dim
from kc.expr.relations import ceil_divide
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted, suggest
from kc.topi.kinds import items_of, number_of, shown, whole_complaint
from kc.topi.table import ANY, check_tensor, refuse, take_as_equal

INDICES = (*INTS, *UINTS)


def tensor(value: Any, what: str, ndim: int | None = None, types: tuple[str, ...] = ANY) -> Tensor:
    """``value``. Raises KC2300 to KC2302 if it is not a tensor of the rank and the types."""
    checked = check_tensor(value, what, types)
    if ndim is not None:
        rank(checked, what, ndim)
    return checked


def dtype_of(value: Any, types: tuple[str, ...], what: str = "dtype") -> str:
    """An element type by name. Raises KC2001 or KC2301 if it is not one of ``types``."""
    kind = check_dtype(value)
    if kind not in types:
        raise refuse("KC2301", f"{what} is {kind}", "it takes " + ", ".join(types))
    return kind


def rank(value: Tensor, what: str, *ndims: int) -> None:
    """Raise KC2302 unless the tensor has one of the ranks."""
    if value.ndim not in ndims:
        raise refuse(
            "KC2302",
            f"{what} {value.name} of the shape {shape_text(value.shape)} has "
            f"{counted(value.ndim, 'dimension')}",
            "1 dimension is expected"
            if ndims == (1,)
            else f"{' or '.join(map(str, ndims))} dimensions are expected",
        )


def index_tensor(value: Any, what: str = "the tensor of indices", ndim: int | None = None) -> Any:
    """``value``. Raises KC2309 if it is not a tensor of integers."""
    checked = check_tensor(value, what)
    if checked.dtype not in INDICES:
        raise refuse(
            "KC2309",
            f"{what} {checked.name} has elements of type {checked.dtype}",
            "indices must be integers",
            f'topi.cast({checked.name}, "int32")',
        )
    return tensor(checked, what, ndim)


def same_size(a: Tensor, axis_a: int, b: Tensor, axis_b: int, rule: str) -> None:
    """Raise KC2303 if two dimensions are different constants; symbolic sizes must be equal at the
    call.
    """
    if agree(a.shape[axis_a], b.shape[axis_b]):
        return
    raise refuse(
        "KC2303",
        f"{a.name} of the shape {shape_text(a.shape)} and {b.name} of the shape "
        f"{shape_text(b.shape)}",
        f"dimension {axis_a} of {a.name} is {a.shape[axis_a]}, dimension {axis_b} of {b.name} is "
        f"{b.shape[axis_b]}",
        rule,
    )


def fits(left: Dim, right: Dim) -> bool:
    """True if two dimensions may be equal; symbolic sizes may."""
    a, b = dim(left), dim(right)
    return a == b if isinstance(a, int) and isinstance(b, int) else True


def agree(left: Dim, right: Dim) -> bool:
    """True if two dimensions may be equal. The call then checks symbolic sizes."""
    if fits(left, right):
        take_as_equal(left, right)
        return True
    return False


def surely_same(left: Dim, right: Dim) -> bool:
    """True if two dimensions are equal for all sizes."""
    return same_dim(left, right)


def same_shape(a: Tensor, b: Tensor, rule: str) -> None:
    """Raise KC2303 unless two tensors have one shape."""
    if a.ndim != b.ndim or not all(map(agree, a.shape, b.shape)):
        raise refuse(
            "KC2303",
            f"{a.name} of the shape {shape_text(a.shape)} and {b.name} of the shape "
            f"{shape_text(b.shape)}",
            "the shapes must be equal",
            rule,
        )


def axis_of(axis: Any, ndim: int, what: str = "axis") -> int:
    """An axis counted from the front; negative ones count from the end (KC2304)."""
    number = whole(axis, what)
    if not -ndim <= number < ndim:
        raise refuse(
            "KC2304",
            f"{what} {number} of a tensor with {counted(ndim, 'dimension')}",
            f"axes are {-ndim} to {ndim - 1}" if ndim else "it has no axes",
        )
    return number % ndim


def axes_of(axis: Any, ndim: int, *, twice: bool = False) -> tuple[int, ...]:
    """The axes of a reduction, sorted; None means all axes.

    Raises KC2304 for an axis that does not exist, KC2305 for a repeated axis (unless ``twice``).
    """
    if axis is None:
        return tuple(range(ndim))
    listed = axis if isinstance(axis, list | tuple) else (axis,)
    axes = [axis_of(item, ndim) for item in listed]
    if len({*axes}) != len(axes) and not twice:
        repeated = next(item for n, item in enumerate(axes) if item in axes[:n])
        raise refuse(
            "KC2305",
            f"axis {repeated} is given twice in {tuple(listed)}",
            "each axis may be listed once; negative axes count from the end",
        )
    return tuple(sorted({*axes}))


def whole(value: Any, what: str) -> int:
    """``value``. Raises KC2313 if it is not an integer that is known when the program is built."""
    complaint = whole_complaint(what, value)
    if complaint is not None:
        raise refuse(complaint.code, complaint.message, complaint.why)
    return operator.index(number_of(value))


def listed(value: Any, what: str) -> list[Any]:
    """The items of a list, a tuple, a range or an array of one dimension. A number or a scalar
    expression gives a list of one item. Raises KC2319 for anything else.
    """
    items = items_of(value)
    if items is not None:
        return items
    if value is None or isinstance(value, str | bytes | Iterable):
        raise refuse("KC2319", f"{what} is {shown(value)}", "it must be a list of numbers")
    return [value]


def flag(value: Any, what: str) -> bool:
    """``value`` as a bool; 0 and 1 are accepted, as in TVM. Raises KC2319 for anything else."""
    if isinstance(value, bool | int) and value in (0, 1):
        return bool(value)
    if getattr(value, "shape", None) == () and value in (0, 1):  # a number of numpy's
        return bool(value)
    raise refuse("KC2319", f"{what} is {shown(value)}", "it must be True or False")


def float_of(value: Any, what: str) -> float:
    """``value``. Raises KC2319 if it is not a number that is known when the program is built."""
    import numbers  # imported at the call, not at start-up

    if isinstance(value, numbers.Real):
        return float(value)
    raise refuse("KC2319", f"{what} is {shown(value)}", "it must be a number")


def wholes(value: Any, count: int, what: str) -> tuple[int, ...]:
    """``count`` integers; a single integer is repeated (KC2311, KC2313). A 1-d array is a list."""
    if getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return (whole(value, what),) * count
    if len(value) != count and len(value) != 1:
        raise refuse(
            "KC2311",
            f"{what} has {counted(len(value), 'number')}: {tuple(value)}",
            f"it must be an integer, or a list of {count} integers",
        )
    return tuple(whole(item, what) for item in value) * (count if len(value) == 1 else 1)


def positive(value: Any, count: int, what: str) -> tuple[int, ...]:
    """``count`` integers of at least 1 (KC2306)."""
    numbers = wholes(value, count, what)
    if any(number < 1 for number in numbers):
        raise refuse(
            "KC2306",
            f"{what} is {value}",
            "it must be at least 1",
        )
    return numbers


def called(function: Callable[..., Any], what: str, *args: Any) -> Any:
    """The result of a function that the user passed to an operator.

    Raises KC2321 if the function does not accept the arguments; its own exceptions pass through.
    """
    try:
        return function(*args)
    except (TypeError, ValueError) as error:
        trace = error.__traceback__
        # The error comes from inside the called function.
        if trace is None or trace.tb_next is not None:
            raise
        raise refuse(
            "KC2321",
            f"{what} cannot be called with {counted(len(args), 'argument')}",
            f"{type(error).__name__}: {error}",
        ) from error


def word(value: Any, words: Sequence[str], what: str) -> str:
    """``value``. Raises KC2312 if it is not one of ``words``."""
    if not isinstance(value, str) or value not in words:
        raise refuse(
            "KC2312", f"{what} is {shown(value)}", None, *suggest(str(value), words, "it is")
        )
    return value


def dim(value: Any) -> Dim:
    """A dimension, as an int if it is constant."""
    return int(value.value) if isinstance(value, Const) else value


def is_size(value: Any, count: int) -> bool:
    """True if a dimension is the constant ``count``."""
    value = dim(value)
    return isinstance(value, int) and value == count


def constant(value: Dim, what: str) -> int:
    """A constant size. Raises KC2313 if it is symbolic."""
    return whole(dim(value), what)


def product(dims: Sequence[Dim]) -> Dim:
    """The number of elements."""
    total: Any = 1
    for size in dims:
        total = size if isinstance(total, int) and total == 1 else times(total, size)
    return total


def times(a: Any, b: Any) -> Any:
    """The product of two sizes."""
    a, b = dim(a), dim(b)
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if isinstance(b, int) and b == 1:
        return a
    return b if isinstance(a, int) and a == 1 else a * b


def plus(a: Any, b: Any) -> Any:
    """The sum of two sizes."""
    a, b = dim(a), dim(b)
    if isinstance(b, int) and not isinstance(a, int) and b < 0:
        return a - -b
    return a if isinstance(b, int) and b == 0 else a + b


def over(a: Any, b: int) -> Any:
    """A size divided, rounded down."""
    return a // b if isinstance(a, int) or b != 1 else a


def over_up(a: Any, b: int) -> Any:
    """A size divided, rounded up."""
    return ceil_divide(a, b)


def number(value: Any, dtype: str) -> Expr:
    """A scalar in the type ``dtype``; a Python number is rounded to the type."""
    if isinstance(value, Expr) or hasattr(value, "__kc_scalar__"):
        return as_expr(value).astype(dtype)
    if not is_float(dtype) and isinstance(value, float):
        value = int(value)
    return const(value, dtype)


def inside(index: Any, size: Dim) -> Expr:
    """``index`` clamped to the nearest index of a dimension, so that no read is out of bounds."""
    from kc.expr.functions import max as largest
    from kc.expr.functions import min as smallest

    index = as_expr(index)
    if index.dtype == "uint64":  # from 2^63 it is no number of int64, but far outside
        return smallest(index, as_expr(plus(size, -1)).astype("uint64")).astype("int64")
    if index.dtype in UINTS or index.dtype in ("int8", "int16"):
        index = index.astype("int64")
    last = as_expr(plus(size, -1)).astype(index.dtype)
    return largest(smallest(index, last), const(0, index.dtype))


def length_of(value: Expr, size: Dim) -> Expr:
    """A length from a tensor, clamped to the range from 0 to the size of a dimension, in int64."""
    from kc.expr.functions import max as largest
    from kc.expr.functions import min as smallest

    if value.dtype == "uint64":
        return smallest(value, as_expr(size).astype("uint64")).astype("int64")
    most = as_expr(size).astype("int64")
    return largest(smallest(value.astype("int64"), most), const(0, "int64"))


def not_empty(data: Tensor, axis: int, indices: Tensor) -> None:
    """Raise KC2317 if elements are taken from an axis of constant size 0."""
    if is_size(data.shape[axis], 0) and not any(is_size(size, 0) for size in indices.shape):
        raise refuse(
            "KC2317",
            f"elements are taken from axis {axis} of {data.name} of the shape "
            f"{shape_text(data.shape)}",
            "the axis is empty, so no index is valid",
        )


def guarded(data: Tensor, axes: Sequence[int], read: Callable[[], Expr]) -> Expr:
    """The result of ``read``; 0 if one of the axes has a symbolic size and is empty at the call."""
    from kc.expr.constructors import all_of, if_then_else

    unknown = [
        as_expr(data.shape[axis]) for axis in axes if not isinstance(dim(data.shape[axis]), int)
    ]
    if not unknown:
        return read()
    return if_then_else(all_of(*(size > 0 for size in unknown)), read(), const(0, data.dtype))
