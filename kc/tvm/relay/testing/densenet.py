"""Networks whose layers get the results of all layers before, after Huang et al. (2017)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.tvm.relay.expr import Expr, Function
from kc.tvm.relay.op import function_named, nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network, unknown
from kc.tvm.relay.testing.init import create_workload

_VARIANTS: dict[int, tuple[int, int, tuple[int, ...]]] = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
}
"""First channels, channels that a layer adds, and layers of each block, by number of layers."""


def _norm_conv(
    data: Expr, name: str, channels: int, size: int, stride: int = 1, pad: int = 0
) -> Any:
    x = nn.relu(layers.batch_norm_infer(data, name=f"{name}_bn"))
    return layers.conv2d(
        x,
        name=f"{name}_conv",
        channels=channels,
        kernel_size=(size, size),
        strides=(stride, stride),
        padding=(pad, pad),
    )


def _network(
    first: int,
    growth: int,
    blocks: Sequence[int],
    data_shape: tuple[int, ...],
    dtype: str,
    classes: int,
    bottleneck: int = 4,
) -> Function:
    concatenate: Any = function_named("concatenate")
    x: Any = image(data_shape[0], data_shape[1:], dtype)[0]
    x = layers.conv2d(
        x, name="conv1", channels=first, kernel_size=(7, 7), strides=(2, 2), padding=(3, 3)
    )
    x = nn.relu(layers.batch_norm_infer(x, name="batch1"))
    x = nn.max_pool2d(x, pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    channels = first
    for block, count in enumerate(blocks, 1):
        for layer in range(1, count + 1):
            name = f"block{block}_layer{layer}"
            inner = _norm_conv(x, f"{name}_1", bottleneck * growth, 1)
            added = _norm_conv(inner, f"{name}_2", growth, 3, pad=1)
            x = concatenate((x, added), axis=1)
        channels += count * growth
        if block < len(blocks):
            channels //= 2
            x = _norm_conv(x, f"transition{block}", channels, 1)
            x = nn.avg_pool2d(x, pool_size=(2, 2), strides=(2, 2))
    x = nn.relu(layers.batch_norm_infer(x, name="batch5"))
    x = nn.batch_flatten(nn.global_avg_pool2d(x))
    return network(layers.dense_add_bias(x, units=classes, name="fc"))


def get_net(
    densenet_size: int = 121,
    classes: int = 1000,
    batch_size: int = 4,
    image_shape: tuple[int, ...] = (3, 224, 224),
    dtype: str = "float32",
) -> Function:
    """The network of 121, 161, 169 or 201 layers. Raises GraphError KC2403 for another number."""
    if densenet_size not in _VARIANTS:
        raise unknown("number of layers", densenet_size, sorted(_VARIANTS))
    first, growth, blocks = _VARIANTS[densenet_size]
    return _network(first, growth, blocks, (batch_size, *image_shape), dtype, classes)


def get_workload(
    densenet_size: int = 121,
    classes: int = 1000,
    batch_size: int = 4,
    image_shape: tuple[int, ...] = (3, 224, 224),
    dtype: str = "float32",
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(densenet_size, classes, batch_size, image_shape, dtype))
