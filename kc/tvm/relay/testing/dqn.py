"""The network of deep Q-learning, after Mnih et al. (2015)."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Function, Var
from kc.tvm.relay.op import nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network
from kc.tvm.relay.testing.init import create_workload

_CONVOLUTIONS = ((32, 8, 4), (64, 4, 2), (64, 3, 1))
"""Channels, size of the kernel, stride."""


def get_net(
    batch_size: int,
    num_actions: int = 18,
    image_shape: tuple[int, ...] = (4, 84, 84),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> Function:
    """Three convolutions and two dense layers, the last of ``num_actions`` units."""
    x: Any
    x, axis = image(batch_size, image_shape, dtype, layout)
    for number, (channels, size, stride) in enumerate(_CONVOLUTIONS, 1):
        x = layers.conv2d(
            x,
            name=f"conv{number}",
            channels=channels,
            kernel_size=(size, size),
            strides=(stride, stride),
            padding=(0, 0),
            data_layout=layout,
            kernel_layout=layers.conv_kernel_layout(layout),
        )
        x = nn.relu(nn.bias_add(x, Var(f"conv{number}_bias"), axis=axis))
    x = nn.relu(layers.dense_add_bias(nn.batch_flatten(x), units=512, name="dense1"))
    return network(layers.dense_add_bias(x, units=num_actions, name="dense2"))


def get_workload(
    batch_size: int,
    num_actions: int = 18,
    image_shape: tuple[int, ...] = (4, 84, 84),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, num_actions, image_shape, dtype, layout))
