"""Networks of convolutions of size 3, after Simonyan and Zisserman (2015)."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Function, Var
from kc.tvm.relay.op import nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network, unknown
from kc.tvm.relay.testing.init import create_workload

_LAYERS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""The convolutions of each stage, by the number of layers."""
_CHANNELS = (64, 128, 256, 512, 512)


def get_net(
    batch_size: int,
    image_shape: tuple[int, ...],
    num_classes: int,
    dtype: str,
    num_layers: int = 11,
    batch_norm: bool = False,
) -> Function:
    """The network of 11, 13, 16 or 19 layers. Raises GraphError KC2403 for another number."""
    if num_layers not in _LAYERS:
        raise unknown("number of layers", num_layers, sorted(_LAYERS))
    x: Any = image(batch_size, image_shape, dtype)[0]
    for stage, (count, channels) in enumerate(zip(_LAYERS[num_layers], _CHANNELS, strict=True), 1):
        for number in range(1, count + 1):
            name = f"conv{stage}_{number}"
            x = layers.conv2d(x, name=name, channels=channels, kernel_size=(3, 3), padding=(1, 1))
            x = nn.bias_add(x, Var(f"{name}_bias"))
            if batch_norm:
                x = layers.batch_norm_infer(x, name=f"bn{stage}_{number}")
            x = nn.relu(x)
        x = nn.max_pool2d(x, pool_size=(2, 2), strides=(2, 2))
    x = nn.batch_flatten(x)
    for number in (6, 7):
        x = nn.relu(layers.dense_add_bias(x, units=4096, name=f"fc{number}"))
        x = nn.dropout(x, rate=0.5)
    return network(nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc8")))


def get_workload(
    batch_size: int,
    num_classes: int = 1000,
    image_shape: tuple[int, ...] = (3, 224, 224),
    dtype: str = "float32",
    num_layers: int = 11,
    batch_norm: bool = False,
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    net = get_net(batch_size, image_shape, num_classes, dtype, num_layers, batch_norm)
    return create_workload(net)
