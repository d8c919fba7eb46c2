"""Functions of Relay that are more than the call of an operator with its attributes: their
parameters have other names or defaults, or they make several calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.relay.expr import Constant, Expr, TupleWrapper, const
from kc.tvm.relay.operator_functions import call_operator

COMPOSED: dict[str, Callable[..., Any]] = {}
"""The functions by their names in ``relay``, such as ``random.normal``."""


def _entered(name: str) -> Callable[[Any], Any]:
    def enter(function: Any) -> Any:
        COMPOSED[name] = function
        return function

    return enter


@_entered("arange")
def arange(start: Any, stop: Any = None, step: Any = None, dtype: str = "float32") -> Expr:
    """The numbers from ``start`` to below ``stop`` by ``step``; from 0 if there is no ``stop``."""
    first, last = (0, start) if stop is None else (start, stop)
    numbers = (first, last, 1 if step is None else step)
    operands = [each if isinstance(each, Expr) else const(each, dtype) for each in numbers]
    return call_operator("arange", operands, {"dtype": dtype})


@_entered("clip")
def clip(a: Any, a_min: float, a_max: float) -> Expr:
    """The elements, those below ``a_min`` and above ``a_max`` replaced by these."""
    return call_operator("clip", [a], {"a_min": a_min, "a_max": a_max})


@_entered("variance")
def variance(
    data: Any,
    axis: Any = None,
    keepdims: bool = False,
    exclude: bool = False,
    unbiased: bool = False,
    with_mean: Any = None,
) -> Expr:
    """The mean square of the distances to the mean, or to ``with_mean``, along axes."""
    attributes = {"axis": axis, "keepdims": keepdims, "exclude": exclude, "unbiased": unbiased}
    return call_operator("variance", [data, with_mean], attributes)


@_entered("segment_sum")
def segment_sum(data: Any, segment_ids: Any, num_segments: int | None = None) -> Expr:
    """The sums of the rows of ``data`` that have the same number in ``segment_ids``.

    The numbers are below ``num_segments``. Raises GraphError KC2401 without it.
    """
    from kc.tvm.relay.traversal import infer_type_of

    if num_segments is None:
        raise GraphError(
            "KC2401",
            "segment_sum: the number of segments is not known",
            location=caller_location(),
            why="the size of the result would depend on the elements of segment_ids",
            hints=["num_segments=8"],
        )
    rows = infer_type_of(data)
    zeros = call_operator(
        "zeros", [], {"shape": (num_segments, *rows.shape[1:]), "dtype": rows.dtype}
    )
    where = call_operator("expand_dims", [segment_ids], {"axis": 0})
    return call_operator("scatter_nd", [zeros, where, data], {"mode": "add"})


@_entered("nn.const")
def nn_const(value: Any, dtype: str | None = None) -> Constant:
    """A constant: ``relay.const``."""
    return const(value, dtype)


@_entered("nn.dropout_raw")
def dropout_raw(data: Any, rate: float = 0.5) -> TupleWrapper:
    """``nn.dropout`` with its mask."""
    call = call_operator("nn.dropout", [data], {"rate": rate})
    return TupleWrapper(call, 2)


@_entered("nn.bitpack")
def bitpack(
    data: Any,
    bits: int = 1,
    pack_axis: int = 1,
    bit_axis: int = 2,
    pack_type: str = "uint32",
    name: str = "BitPack",
) -> Expr:
    """Small numbers as words: the operator ``nn.bitpack``; the name does not matter."""
    del name
    attributes = {
        "bits": bits,
        "pack_axis": pack_axis,
        "bit_axis": bit_axis,
        "pack_type": pack_type,
    }
    return call_operator("nn.bitpack", [data], attributes)


def _padding(padding: Any, rank: int) -> tuple[int, ...]:
    """The padding before all dimensions, then after all, of a number, one number for each
    dimension, or two."""
    numbers = (padding,) * rank if isinstance(padding, int) else tuple(padding)
    if len(numbers) == 1:
        numbers *= rank
    if len(numbers) == rank:
        numbers *= 2
    if len(numbers) != 2 * rank:
        raise GraphError(
            "KC2405",
            f"the padding {padding!r}",
            location=caller_location(),
            why=f"it has 1, {rank} or {2 * rank} numbers",
        )
    return numbers


@_entered("nn.get_pad_tuple1d")
def get_pad_tuple1d(padding: Any) -> tuple[int, ...]:
    """(left, right). Raises GraphError KC2405 for another count of numbers."""
    return _padding(padding, 1)


@_entered("nn.get_pad_tuple2d")
def get_pad_tuple2d(padding: Any) -> tuple[int, ...]:
    """(top, left, bottom, right). Raises GraphError KC2405 for another count of numbers."""
    return _padding(padding, 2)


@_entered("nn.get_pad_tuple3d")
def get_pad_tuple3d(padding: Any) -> tuple[int, ...]:
    """The padding as (front, top, left, back, bottom, right). Raises GraphError KC2405 if
    ``padding`` has another count of numbers than 1, 3 or 6.
    """
    return _padding(padding, 3)


@_entered("random.threefry_key")
def threefry_key(seed: int) -> Constant:
    """The generator of a seed: two words of the key, and a counter of zero."""
    words = [seed % 2**32, seed // 2**32 % 2**32, 0, 0]
    return const(np.array(words, np.uint32))


@_entered("random.threefry_generate")
def threefry_generate(key: Any, shape: Any) -> TupleWrapper:
    """The next generator, and random words."""
    return TupleWrapper(call_operator("random.threefry_generate", [key], {"out_shape": shape}), 2)


@_entered("random.uniform")
def uniform(
    key: Any, shape: Any, dtype: str = "float32", low: Any = 0.0, high: Any = 1.0
) -> TupleWrapper:
    """The next generator, and numbers from ``low`` to below ``high``."""
    return _drawn("random.uniform", key, shape, dtype, low, high)


@_entered("random.normal")
def normal(
    key: Any, shape: Any, dtype: str = "float32", mean: Any = 0.0, scale: Any = 1.0
) -> TupleWrapper:
    """The next generator, and normally distributed numbers."""
    return _drawn("random.normal", key, shape, dtype, mean, scale)


def _drawn(name: str, key: Any, shape: Any, dtype: str, *parameters: Any) -> TupleWrapper:
    operands = [each if isinstance(each, Expr) else const(each, dtype) for each in parameters]
    attributes = {"out_shape": shape, "out_dtype": dtype}
    return TupleWrapper(call_operator(name, [key, *operands], attributes), 2)


@_entered("qnn.conv2d")
def qnn_conv2d(
    data: Any,
    kernel: Any,
    input_zero_point: Any,
    kernel_zero_point: Any,
    input_scale: Any,
    kernel_scale: Any,
    kernel_size: Any = None,
    channels: Any = None,
    strides: Any = (1, 1),
    padding: Any = (0, 0),
    dilation: Any = (1, 1),
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str = "",
    out_dtype: str = "int32",
) -> Expr:
    """The convolution of quantized tensors: the operator ``qnn.conv2d``."""
    operands = [data, kernel, input_zero_point, kernel_zero_point, input_scale, kernel_scale]
    return call_operator(
        "qnn.conv2d",
        operands,
        {
            "kernel_size": kernel_size,
            "channels": channels,
            "strides": strides,
            "padding": padding,
            "dilation": dilation,
            "groups": groups,
            "data_layout": data_layout,
            "kernel_layout": kernel_layout,
            "out_layout": out_layout,
            "out_dtype": out_dtype,
        },
    )
