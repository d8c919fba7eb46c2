"""A perceptron with two hidden layers."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Function
from kc.tvm.relay.op import nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network
from kc.tvm.relay.testing.init import create_workload


def get_net(
    batch_size: int,
    num_classes: int = 10,
    image_shape: tuple[int, ...] = (1, 28, 28),
    dtype: str = "float32",
) -> Function:
    """Layers of 128, 64 and ``num_classes`` units, the softmax of the last."""
    x: Any = image(batch_size, image_shape, dtype)[0]
    x = nn.batch_flatten(x)
    for number, units in enumerate((128, 64), 1):
        x = nn.relu(layers.dense_add_bias(x, units=units, name=f"fc{number}"))
    return network(nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc3")))


def get_workload(
    batch_size: int,
    num_classes: int = 10,
    image_shape: tuple[int, ...] = (1, 28, 28),
    dtype: str = "float32",
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
