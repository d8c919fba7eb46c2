"""PyTorch's operators, one for each overload of ATen: ``graph.aten.add.Tensor``.

The importer of torch's graphs makes those that no operator of Relay computes to the last bit: torch
says in which types each is computed (``kc/frontend/torch/numerics.py``). ``arguments`` and
``options`` are the arguments of the call in Python; ``"%0"`` stands for operand 0. The type of the
result is the one that torch reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kc.dialects.graph.declaration import Operator, Pattern, declare_all


@dataclass(frozen=True)
class Aten(Operator):
    """An operator of ATen, whose result torch tells."""

    inputs = ("*operands",)
    pattern = Pattern.OPAQUE

    arguments: tuple[Any, ...] = ()
    options: tuple[Any, ...] = ()
    """(name, value) of each argument with a name."""
    is_first: bool = False
    """True if the result is the first of several results, the others of which have no use."""
    absent: tuple[int, ...] = ()
    """The places of results that torch does not compute: None among its results."""

    def infer(self, *operands: Any) -> Any:
        return None


_ROWS: dict[Pattern, str] = {
    Pattern.ELEMWISE: """
        exp log log2 log10 sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh
        erf sigmoid abs floor ceil trunc bitwise_not exp2 erfc neg relu clone alias detach
        lift_fresh_copy contiguous reciprocal expm1 log1p silu round round.decimals sign _to_copy
        to.dtype gelu leaky_relu elu clamp hardtanh isnan isinf logical_not pow.Tensor_Scalar
        add.Scalar sub.Scalar mul.Scalar div.Scalar rsub.Scalar div.Scalar_mode
        eq.Scalar ne.Scalar lt.Scalar le.Scalar gt.Scalar ge.Scalar
        bitwise_and.Scalar bitwise_or.Scalar bitwise_xor.Scalar
        full full_like new_full zeros zeros_like new_zeros empty.memory_format new_empty ones
        ones_like new_ones scalar_tensor empty_strided fill.Scalar arange arange.start
        arange.start_step
        """,
    Pattern.BROADCAST: """
        add.Tensor sub.Tensor mul.Tensor div.Tensor rsub.Tensor div.Tensor_mode maximum minimum
        fmax fmin atan2 pow.Tensor_Tensor pow.Scalar clamp.Tensor where.self
        eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor
        logical_and logical_or logical_xor bitwise_and.Tensor bitwise_or.Tensor bitwise_xor.Tensor
        expand expand_copy fill.Tensor copy
        """,
    Pattern.INJECTIVE: """
        view reshape _unsafe_view flatten.using_ints _reshape_alias squeeze squeeze.dim squeeze.dims
        unsqueeze unsqueeze_copy view_copy permute permute_copy transpose.int t
        slice.Tensor slice_copy.Tensor select.int select_copy.int cat stack
        split_with_sizes split_with_sizes_copy unbind.int constant_pad_nd repeat flip
        upsample_nearest1d.vec upsample_nearest2d.vec upsample_nearest3d.vec
        upsample_nearest1d upsample_nearest2d upsample_nearest3d
        upsample_linear1d.vec upsample_bilinear2d.vec upsample_trilinear3d.vec
        upsample_linear1d upsample_bilinear2d upsample_trilinear3d
        upsample_bicubic2d.vec upsample_bicubic2d grid_sampler_2d
        embedding index_select index.Tensor _unsafe_index.Tensor gather index_fill.int_Scalar
        index_fill.int_Tensor slice_scatter select_scatter as_strided as_strided_copy diagonal
        diagonal_copy diagonal_scatter unfold unfold_copy
        reflection_pad1d reflection_pad2d reflection_pad3d
        replication_pad1d replication_pad2d replication_pad3d
        """,
    Pattern.COMM_REDUCE: """
        sum sum.dim_IntList prod prod.dim_int mean mean.dim amax max amin min any any.dim any.dims
        all all.dim all.dims argmax argmin
        """,
    Pattern.OUT_ELEMWISE_FUSABLE: """
        mm bmm addmm linear convolution _trilinear _softmax softmax.int _log_softmax log_softmax.int
        native_layer_norm native_group_norm _native_batch_norm_legit_no_training
        _native_batch_norm_legit.no_stats avg_pool1d avg_pool2d avg_pool3d _adaptive_avg_pool2d
        _adaptive_avg_pool3d adaptive_avg_pool1d max_pool1d max_pool2d max_pool3d
        linalg_vector_norm var.dim var.correction _upsample_bilinear2d_aa
        _upsample_bilinear2d_aa.vec _upsample_bicubic2d_aa _upsample_bicubic2d_aa.vec
        """,
    Pattern.OPAQUE: """
        _cdist_forward _pdist_forward cumsum cumprod max.dim min.dim var_mean.correction
        max_pool2d_with_indices max_pool3d_with_indices adaptive_max_pool1d adaptive_max_pool2d
        adaptive_max_pool3d scatter.src scatter.value scatter_add scatter_reduce.two scatter.reduce
        scatter.value_reduce sort sort.stable topk index_copy index_put _unsafe_index_put index_add
        masked_scatter max_unpool2d max_unpool3d bucketize.Tensor bucketize.Scalar
        searchsorted.Tensor searchsorted.Scalar native_dropout _embedding_bag
        _embedding_bag_forward_only col2im max_pool2d_with_indices_backward
        embedding_dense_backward native_layer_norm_backward native_group_norm_backward
        convolution_backward avg_pool2d_backward _adaptive_avg_pool2d_backward gru.input
        rnn_tanh.input rnn_relu.input median median.dim histc
        """,
}
"""Pattern -> operators, without ``aten.`` and ``.default``."""

_OVERLOADED = """
    floor_divide remainder fmod bitwise_left_shift bitwise_right_shift __lshift__ __rshift__
    """
_OVERLOADS = ("", ".Tensor", ".Scalar", ".Tensor_Scalar", ".Scalar_Tensor")


def _named(name: str) -> str:
    return f"aten.{name}" if "." in name else f"aten.{name}.default"


def _declare(pattern: Pattern, names: list[str]) -> None:
    members = {"__module__": __name__, "__doc__": Aten.__doc__, "pattern": pattern}
    base = type("Aten", (Aten,), members)
    declare_all(base, {_named(name): f"PyTorch's ``{_named(name)}``." for name in names})


for _pattern, _names in _ROWS.items():
    _declare(_pattern, _names.split())
_declare(
    Pattern.BROADCAST, [name + overload for name in _OVERLOADED.split() for overload in _OVERLOADS]
)
