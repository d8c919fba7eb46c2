"""Networks of few parameters, after Iandola et al., SqueezeNet (2016)."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Expr, Function, Var
from kc.tvm.relay.op import function_named, nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network, unknown
from kc.tvm.relay.testing.init import create_workload

_FIRES = {
    "1.0": (16, 16, 32, "pool", 32, 48, 48, 64, "pool", 64),
    "1.1": (16, 16, "pool", 32, 32, "pool", 48, 48, 64, 64),
}
"""Channels between the layers of the fire modules of a version, and the pools among them."""


def _conv(data: Expr, name: str, channels: int, size: int, stride: int = 1, pad: int = 0) -> Any:
    x = layers.conv2d(
        data,
        name=name,
        channels=channels,
        kernel_size=(size, size),
        strides=(stride, stride),
        padding=(pad, pad),
    )
    return nn.relu(nn.bias_add(x, Var(f"{name}_bias")))


def _pool(data: Expr) -> Any:
    return nn.max_pool2d(data, pool_size=(3, 3), strides=(2, 2))


def get_net(
    batch_size: int,
    image_shape: tuple[int, ...],
    num_classes: int,
    version: str,
    dtype: str,
) -> Function:
    """The network of version "1.0" or "1.1". Raises GraphError KC2403 for another one."""
    if version not in _FIRES:
        raise unknown("version", version, sorted(_FIRES))
    concatenate: Any = function_named("concatenate")
    x: Any = image(batch_size, image_shape, dtype)[0]
    channels, size = (96, 7) if version == "1.0" else (64, 3)
    x = _pool(_conv(x, "conv1", channels, size, 2))
    number = 1
    for width in _FIRES[version]:
        if isinstance(width, str):
            x = _pool(x)
            continue
        number += 1
        x = _conv(x, f"fire{number}_squeeze", width, 1)
        left = _conv(x, f"fire{number}_expand1x1", 4 * width, 1)
        right = _conv(x, f"fire{number}_expand3x3", 4 * width, 3, pad=1)
        x = concatenate((left, right), axis=1)
    x = _conv(nn.dropout(x, rate=0.5), "conv10", num_classes, 1)
    return network(nn.softmax(nn.batch_flatten(nn.global_avg_pool2d(x))))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    version: str = "1.0",
    image_shape: tuple[int, ...] = (3, 224, 224),
    dtype: str = "float32",
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, image_shape, num_classes, version, dtype))
