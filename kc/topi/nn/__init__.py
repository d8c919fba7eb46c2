"""Operators of neural networks."""

from typing import TYPE_CHECKING

from kc.support.absent_names import no_attribute as _no_attribute
from kc.topi.nn.activation import (
    celu,
    elu,
    gelu,
    hardsigmoid,
    hardswish,
    leaky_relu,
    mish,
    prelu,
    relu,
    selu,
    silu,
    softplus,
    softsign,
    swish,
)
from kc.topi.nn.attention import (
    attention,
    rotary_embedding,
)
from kc.topi.nn.convolution import (
    conv,
    conv1d,
    conv1d_ncw,
    conv1d_nwc,
    conv2d,
    conv2d_hwcn,
    conv2d_nchw,
    conv2d_nhwc,
    conv3d_ncdhw,
    conv3d_ndhwc,
    group_conv1d_ncw,
    group_conv1d_nwc,
    group_conv2d_nchw,
    group_conv2d_nhwc,
)
from kc.topi.nn.dense import (
    batch_matmul,
    bias_add,
    dense,
    dense_pack,
    flatten,
    matmul,
    scale_shift_nchw,
    scale_shift_nchwc,
    scale_shift_nhwc,
)
from kc.topi.nn.normalization import (
    batch_norm,
    group_norm,
    instance_norm,
    l2_normalize,
    layer_norm,
    lrn,
    rms_norm,
)
from kc.topi.nn.padding import (
    dilate,
    edge_pad,
    mirror_pad,
    pad,
)
from kc.topi.nn.pool_grad import (
    pool_grad,
)
from kc.topi.nn.pooling import (
    adaptive_pool,
    adaptive_pool1d,
    adaptive_pool3d,
    global_pool,
    pool1d,
    pool2d,
    pool3d,
)
from kc.topi.nn.softmax import (
    fast_softmax,
    log_softmax,
    softmax,
)

if TYPE_CHECKING:
    from kc.topi.nn.binary import (
        binarize_pack,
        binary_dense,
    )
    from kc.topi.nn.bitserial import (
        bitpack,
        bitserial_conv2d_nchw,
        bitserial_conv2d_nhwc,
        bitserial_dense,
    )
    from kc.topi.nn.blocked import (
        conv2d_NCHWc,
        conv2d_NCHWc_int8,
        depthwise_conv2d_NCHWc,
    )
    from kc.topi.nn.correlation import correlation_nchw
    from kc.topi.nn.deformable import deformable_conv2d_nchw, deformable_conv2d_nhwc
    from kc.topi.nn.depthwise import (
        depthwise_conv2d_backward_input_nhwc,
        depthwise_conv2d_backward_weight_nhwc,
        depthwise_conv2d_nchw,
        depthwise_conv2d_nhwc,
    )
    from kc.topi.nn.loss import (
        nll_loss,
    )
    from kc.topi.nn.quantization import (
        dequantize,
        quantize,
        simulated_dequantize,
        simulated_quantize,
    )
    from kc.topi.nn.recurrent import (
        fifo_buffer,
        lstm,
    )
    from kc.topi.nn.resampling import (
        upsampling,
        upsampling3d,
    )
    from kc.topi.nn.space import (
        batch_to_space_nd,
        col2im,
        depth_to_space,
        space_to_batch_nd,
        space_to_depth,
    )
    from kc.topi.nn.transposed import (
        conv1d_transpose_ncw,
        conv2d_transpose_nchw,
        conv3d_transpose_ncdhw,
        group_conv2d_transpose_nchw,
    )
    from kc.topi.nn.unpooling import max_unpool
    from kc.topi.nn.winograd import (
        conv2d_winograd_nchw,
        conv2d_winograd_weight_transform,
        winograd_transform_matrices,
    )

_LATER = {
    "bitpack": "bitserial",
    "bitserial_conv2d_nchw": "bitserial",
    "bitserial_conv2d_nhwc": "bitserial",
    "bitserial_dense": "bitserial",
    "correlation_nchw": "correlation",
    "deformable_conv2d_nchw": "deformable",
    "deformable_conv2d_nhwc": "deformable",
    "binarize_pack": "binary",
    "binary_dense": "binary",
    "conv2d_NCHWc": "blocked",
    "conv2d_NCHWc_int8": "blocked",
    "depthwise_conv2d_NCHWc": "blocked",
    "depthwise_conv2d_backward_input_nhwc": "depthwise",
    "depthwise_conv2d_backward_weight_nhwc": "depthwise",
    "depthwise_conv2d_nchw": "depthwise",
    "depthwise_conv2d_nhwc": "depthwise",
    "nll_loss": "loss",
    "dequantize": "quantization",
    "quantize": "quantization",
    "simulated_dequantize": "quantization",
    "simulated_quantize": "quantization",
    "fifo_buffer": "recurrent",
    "lstm": "recurrent",
    "upsampling": "resampling",
    "upsampling3d": "resampling",
    "batch_to_space_nd": "space",
    "col2im": "space",
    "depth_to_space": "space",
    "space_to_batch_nd": "space",
    "space_to_depth": "space",
    "max_unpool": "unpooling",
    "conv1d_transpose_ncw": "transposed",
    "conv2d_transpose_nchw": "transposed",
    "conv3d_transpose_ncdhw": "transposed",
    "group_conv2d_transpose_nchw": "transposed",
    "conv2d_winograd_nchw": "winograd",
    "conv2d_winograd_weight_transform": "winograd",
    "winograd_transform_matrices": "winograd",
}
"""Operators whose modules are imported when they are first named; a module has another name."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise _no_attribute("topi.nn", name)
    import importlib

    return getattr(importlib.import_module(f"kc.topi.nn.{_LATER[name]}"), name)


__all__ = [
    "adaptive_pool", "adaptive_pool1d", "adaptive_pool3d", "attention", "batch_matmul",
    "batch_norm", "batch_to_space_nd", "bias_add", "binarize_pack", "binary_dense", "bitpack",
    "bitserial_conv2d_nchw", "bitserial_conv2d_nhwc", "bitserial_dense", "celu", "col2im",
    "conv", "conv1d", "conv1d_ncw", "conv1d_nwc", "conv1d_transpose_ncw", "conv2d",
    "conv2d_NCHWc", "conv2d_NCHWc_int8", "conv2d_hwcn", "conv2d_nchw", "conv2d_nhwc",
    "conv2d_transpose_nchw", "conv2d_winograd_nchw", "conv2d_winograd_weight_transform",
    "conv3d_ncdhw", "conv3d_ndhwc", "conv3d_transpose_ncdhw", "correlation_nchw",
    "deformable_conv2d_nchw", "deformable_conv2d_nhwc", "dense", "dense_pack", "depth_to_space",
    "depthwise_conv2d_NCHWc", "depthwise_conv2d_backward_input_nhwc",
    "depthwise_conv2d_backward_weight_nhwc", "depthwise_conv2d_nchw", "depthwise_conv2d_nhwc",
    "dequantize", "dilate", "edge_pad", "elu", "fast_softmax", "fifo_buffer", "flatten", "gelu",
    "global_pool", "group_conv1d_ncw", "group_conv1d_nwc", "group_conv2d_nchw",
    "group_conv2d_nhwc", "group_conv2d_transpose_nchw", "group_norm", "hardsigmoid", "hardswish",
    "instance_norm", "l2_normalize", "layer_norm", "leaky_relu", "log_softmax", "lrn", "lstm",
    "matmul", "max_unpool", "mirror_pad", "mish", "nll_loss", "pad", "pool1d", "pool2d",
    "pool3d", "pool_grad", "prelu", "quantize", "relu", "rms_norm", "rotary_embedding",
    "scale_shift_nchw", "scale_shift_nchwc", "scale_shift_nhwc", "selu", "silu",
    "simulated_dequantize", "simulated_quantize", "softmax", "softplus", "softsign",
    "space_to_batch_nd", "space_to_depth", "swish", "upsampling", "upsampling3d",
    "winograd_transform_matrices",
]  # fmt: skip
