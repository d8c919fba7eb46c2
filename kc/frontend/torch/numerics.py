"""The types in which torch computes the operators of its graphs.

torch stores float16 and bfloat16, and computes in float32: each operator widens its operands, and
rounds its result once. :data:`NUMERICS` says so for each operator, and :func:`with_numerics` makes
the function of a rule do it, so that a rule of :mod:`kc.frontend.torch.operators` has a type or
none is entered. What some operators compute in float64 for float32 (``at::acc_type`` of CPUs) is
said, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from kc import te, topi
from kc.expr.tensor import Tensor


@dataclass(frozen=True)
class Output:
    """The type of an operator's result, as torch reports it: sizes are numbers or expressions."""

    shape: tuple[Any, ...]
    dtype: str


@dataclass(frozen=True)
class Numerics:
    """The rule by which an operator computes: :data:`EXACT`, :data:`ONCE`, :data:`WIDE`, ..."""

    kind: str
    single: str = "float32"
    """The type in which elements of float32 are computed."""
    rounds_numbers: bool = False
    """True if numbers among the operands are first rounded to the element type."""

    def within(self, dtype: str) -> str:
        """The type in which elements of ``dtype`` are computed, and added up."""
        if dtype in ("float16", "bfloat16"):
            return "float32"
        return self.single if dtype == "float32" else dtype


WIDTHS = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
)
"""Types of elements, the narrower ones first: operands are compared in the wider."""

EXACT = Numerics("exact")
"""Elements are moved, selected, compared or converted. Only the conversion of the result rounds."""
ONCE = Numerics("once")
"""A single operation of te on elements of one type. kc computes it in float32 and rounds once."""
WIDE = Numerics("wide")
"""Several operations, or one with a number of float32: ``x * 0.1`` multiplies by float32's 0.1."""
ROUNDED = Numerics("wide", rounds_numbers=True)
"""As :data:`WIDE`, but numbers are first rounded to the element type: ``x + 0.1`` adds float16's
0.1.
"""
WIDEST = Numerics("wide", "float64")
"""As :data:`WIDE`; float32 is computed in float64."""
SUMS = Numerics("sums")
"""Sums in float32, or in the result's type for integers. The rule receives this type as ``acc``."""
SCANS = Numerics("sums", "float64")
"""As :data:`SUMS`; float32 is added up in float64."""

_OVERLOADED = """
    floor_divide remainder fmod bitwise_left_shift bitwise_right_shift __lshift__ __rshift__
    """
"""Quotients, remainders and shifts, which te defines for each type; a number is rounded to it."""
_OVERLOADS = ("", ".Tensor", ".Scalar", ".Tensor_Scalar", ".Scalar_Tensor")

_ROWS: dict[Numerics, str] = {
    EXACT: """
        relu abs neg sign floor ceil trunc round bitwise_not clone alias detach lift_fresh_copy
        contiguous _to_copy to.dtype clamp clamp.Tensor hardtanh maximum minimum fmax fmin
        eq.Tensor eq.Scalar ne.Tensor ne.Scalar lt.Tensor lt.Scalar le.Tensor le.Scalar gt.Tensor
        gt.Scalar ge.Tensor ge.Scalar logical_and logical_or logical_xor logical_not where.self
        isnan isinf bitwise_and.Tensor bitwise_and.Scalar bitwise_or.Tensor bitwise_or.Scalar
        bitwise_xor.Tensor bitwise_xor.Scalar
        full full_like new_full zeros zeros_like new_zeros empty.memory_format new_empty ones
        ones_like new_ones scalar_tensor
        view reshape _unsafe_view flatten.using_ints _reshape_alias squeeze squeeze.dim squeeze.dims
        unsqueeze unsqueeze_copy view_copy expand expand_copy permute permute_copy transpose.int t
        slice.Tensor slice_copy.Tensor select.int select_copy.int cat stack split_with_sizes
        split_with_sizes_copy unbind.int constant_pad_nd repeat flip
        amax max amin min any any.dim any.dims all all.dim all.dims argmax argmin max.dim min.dim
        max_pool2d_with_indices max_pool3d_with_indices max_pool1d max_pool2d max_pool3d
        adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
        upsample_nearest1d.vec upsample_nearest2d.vec upsample_nearest3d.vec
        upsample_nearest1d upsample_nearest2d upsample_nearest3d
        embedding index_select index.Tensor _unsafe_index.Tensor gather scatter.src scatter.value
        sort sort.stable topk index_copy index_fill.int_Scalar index_fill.int_Tensor slice_scatter
        select_scatter masked_scatter as_strided as_strided_copy diagonal diagonal_copy
        diagonal_scatter unfold unfold_copy fill.Scalar fill.Tensor copy empty_strided
        max_unpool2d max_unpool3d bucketize.Tensor bucketize.Scalar searchsorted.Tensor
        searchsorted.Scalar native_dropout
        reflection_pad1d reflection_pad2d reflection_pad3d
        replication_pad1d replication_pad2d replication_pad3d
        convolution_backward avg_pool2d_backward _adaptive_avg_pool2d_backward
        gru.input rnn_tanh.input rnn_relu.input median median.dim histc
        """,
    ONCE: """
        exp log log2 log10 sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh
        erf expm1 log1p exp2 erfc atan2
        """,
    WIDE: """
        sigmoid reciprocal silu gelu leaky_relu elu round.decimals
        mul.Tensor mul.Scalar div.Tensor div.Scalar
        native_layer_norm native_group_norm _native_batch_norm_legit_no_training
        upsample_linear1d.vec upsample_bilinear2d.vec upsample_trilinear3d.vec
        upsample_linear1d upsample_bilinear2d upsample_trilinear3d
        upsample_bicubic2d.vec upsample_bicubic2d grid_sampler_2d
        _upsample_bilinear2d_aa _upsample_bilinear2d_aa.vec _upsample_bicubic2d_aa
        _upsample_bicubic2d_aa.vec
        linalg_vector_norm _trilinear _embedding_bag _embedding_bag_forward_only scatter_add
        index_put _unsafe_index_put index_add scatter_reduce.two scatter.reduce scatter.value_reduce
        col2im max_pool2d_with_indices_backward embedding_dense_backward
        native_layer_norm_backward native_group_norm_backward
        """,
    ROUNDED: """
        add.Tensor add.Scalar sub.Tensor sub.Scalar rsub.Scalar rsub.Tensor
        div.Tensor_mode div.Scalar_mode pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar
        """,
    WIDEST: """
        arange arange.start arange.start_step var.dim var.correction var_mean.correction
        _native_batch_norm_legit.no_stats
        """,
    SUMS: """
        _cdist_forward _pdist_forward
        mm bmm addmm linear convolution sum sum.dim_IntList prod prod.dim_int mean mean.dim
        _softmax softmax.int _log_softmax log_softmax.int
        avg_pool1d avg_pool2d avg_pool3d
        _adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d
        """,
    SCANS: "cumsum cumprod",
}

NUMERICS: dict[str, Numerics] = {
    **{name: numerics for numerics, names in _ROWS.items() for name in names.split()},
    **{name + overload: ONCE for name in _OVERLOADED.split() for overload in _OVERLOADS},
}
"""Operator, without ``aten.`` and ``.default`` -> the rule of its types."""


def converted(x: Tensor, dtype: str) -> Tensor:
    """``Tensor.to``. For bool, the condition that the element is not 0."""
    if x.dtype == dtype:
        return x
    if dtype == "bool":
        return topi.not_equal(x, te.const(0, x.dtype))
    return topi.cast(x, dtype)


def _each(value: Any, function: Callable[[Any], Any]) -> Any:
    """Apply ``function`` to a value, or to each element of a list."""
    if isinstance(value, list | tuple):
        return [_each(part, function) for part in value]
    return function(value)


def _rounded(results: Any, types: Any) -> Any:
    """Results in torch's types; results that no rule computes are omitted."""
    if isinstance(results, list):
        return [_rounded(part, kind) for part, kind in zip(results, types, strict=False)]
    return converted(results, types.dtype) if isinstance(results, Tensor) else results


def with_numerics(name: str, rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that computes in the types of its operator; KeyError for an operator outside the
    table.

    A rule of :data:`SUMS` receives ``acc``, the type of its sums. A rule of :data:`WIDE` receives
    operands, and computes outputs, of the wider type.
    """
    if name not in NUMERICS:
        raise KeyError(
            f"kc/frontend/torch/numerics.py says of no type in which torch computes {name}"
        )
    numerics = NUMERICS[name]
    if numerics.kind in ("exact", "once"):
        return rule
    if numerics.kind == "sums":

        def summed(*args: Any, node: Any, **options: Any) -> Any:
            return rule(*args, node=node, acc=numerics.within(node.dtype), **options)

        return summed

    def widened(*args: Any, node: Any, **options: Any) -> Any:
        def wide(value: Any) -> Any:
            if isinstance(value, Tensor):
                return converted(value, numerics.within(value.dtype))
            if isinstance(value, Output):
                return replace(value, dtype=numerics.within(value.dtype))
            if numerics.rounds_numbers and isinstance(value, float) and "float" in node.dtype:
                return te.const(value, node.dtype).value
            return value

        results = rule(
            *(_each(part, wide) for part in args),
            node=_each(node, wide),
            **{key: _each(part, wide) for key, part in options.items()},
        )
        return _rounded(results, node)

    return widened
