"""Networks of convolutions of each channel by itself, after Howard et al., MobileNets (2017)."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Expr, Function
from kc.tvm.relay.op import nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network
from kc.tvm.relay.testing.init import create_workload

_BLOCKS = (
    (64, 1),
    (128, 2),
    (128, 1),
    (256, 2),
    (256, 1),
    (512, 2),
    *[(512, 1)] * 5,
    (1024, 2),
    (1024, 1),
)
"""Channels of the result, and stride, of each separable block."""


def conv_block(
    data: Expr,
    name: str,
    channels: int,
    kernel_size: tuple[int, int] = (3, 3),
    strides: tuple[int, int] = (1, 1),
    padding: tuple[int, int] = (1, 1),
    epsilon: float = 1e-5,
    layout: str = "NCHW",
    groups: int = 1,
) -> Any:
    """A convolution, a norm and relu."""
    is_depthwise = groups > 1
    x = layers.conv2d(
        data,
        name=f"{name}_conv",
        channels=channels,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        groups=groups,
        data_layout=layout,
        kernel_layout=layers.conv_kernel_layout(layout, is_depthwise),
    )
    axis = layout.index("C")
    return nn.relu(layers.batch_norm_infer(x, epsilon=epsilon, axis=axis, name=f"{name}_bn"))


def separable_conv_block(
    data: Expr,
    name: str,
    depthwise_channels: int,
    pointwise_channels: int,
    stride: int = 1,
    layout: str = "NCHW",
) -> Any:
    """A convolution of each channel by itself, and one of size 1 over all channels."""
    x = conv_block(
        data,
        f"{name}_depthwise",
        depthwise_channels,
        strides=(stride, stride),
        layout=layout,
        groups=depthwise_channels,
    )
    return conv_block(
        x, f"{name}_pointwise", pointwise_channels, (1, 1), padding=(0, 0), layout=layout
    )


def mobile_net(
    num_classes: int = 1000,
    data_shape: tuple[int, ...] = (1, 3, 224, 224),
    dtype: str = "float32",
    alpha: float = 1.0,
    is_shallow: bool = False,
    layout: str = "NCHW",
) -> Function:
    """The network with ``alpha`` times as many channels, without the five equal blocks if it is
    shallow."""
    x: Any
    x, _ = image(data_shape[0], data_shape[1:], dtype, layout)
    channels = int(32 * alpha)
    x = conv_block(x, "conv_block_1", channels, strides=(2, 2), layout=layout)
    blocks = [block for block in _BLOCKS if not (is_shallow and block == (512, 1))]
    for number, (width, stride) in enumerate(blocks, 1):
        following = int(width * alpha)
        name = f"separable_conv_block_{number}"
        x = separable_conv_block(x, name, channels, following, stride, layout)
        channels = following
    x = nn.batch_flatten(nn.global_avg_pool2d(x, layout=layout))
    return network(nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc")))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: tuple[int, ...] = (3, 224, 224),
    dtype: str = "float32",
    layout: str = "NCHW",
    alpha: float = 1.0,
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    shape = (batch_size, *image_shape)
    return create_workload(mobile_net(num_classes, shape, dtype, alpha, layout=layout))
