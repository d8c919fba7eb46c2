"""Residual networks with the norm before each convolution, after He et al., Identity Mappings in
Deep Residual Networks (2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.tvm.relay.expr import Expr, Function
from kc.tvm.relay.op import nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network, unknown
from kc.tvm.relay.testing.init import create_workload

_UNITS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
    269: (3, 30, 48, 8),
}
"""The units of the stages, by the number of layers."""


def _norm(data: Expr, name: str, layout: str, **options: Any) -> Expr:
    axis = layout.index("C")
    return layers.batch_norm_infer(data, epsilon=2e-5, axis=axis, name=name, **options)


def _conv(data: Expr, name: str, layout: str, channels: int, size: int, stride: int = 1) -> Any:
    return layers.conv2d(
        data,
        name=name,
        channels=channels,
        kernel_size=(size, size),
        strides=(stride, stride),
        padding=(size // 2, size // 2),
        data_layout=layout,
        kernel_layout=layers.conv_kernel_layout(layout),
    )


def residual_unit(
    data: Expr,
    num_filter: int,
    stride: tuple[int, int],
    dim_match: bool,
    name: str,
    bottle_neck: bool = True,
    data_layout: str = "NCHW",
) -> Any:
    """Convolutions whose result is added to their input; two of size 3, or with ``bottle_neck``
    one of size 3 between two of size 1. Without ``dim_match`` the input goes through one too."""
    step = stride[0]
    layout = data_layout
    first = nn.relu(_norm(data, f"{name}_bn1", layout))
    if bottle_neck:
        inner = num_filter // 4
        x = _conv(first, f"{name}_conv1", layout, inner, 1, step)
        x = nn.relu(_norm(x, f"{name}_bn2", layout))
        x = _conv(x, f"{name}_conv2", layout, inner, 3)
        x = nn.relu(_norm(x, f"{name}_bn3", layout))
        x = _conv(x, f"{name}_conv3", layout, num_filter, 1)
    else:
        x = _conv(first, f"{name}_conv1", layout, num_filter, 3, step)
        x = nn.relu(_norm(x, f"{name}_bn2", layout))
        x = _conv(x, f"{name}_conv2", layout, num_filter, 3)
    shortcut = data if dim_match else _conv(first, f"{name}_sc", layout, num_filter, 1, step)
    return x + shortcut


def resnet(
    units: Sequence[int],
    num_stages: int,
    filter_list: Sequence[int],
    num_classes: int,
    data_shape: tuple[int, ...],
    bottle_neck: bool = True,
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Function:
    """A network of stages of units; small images (up to 32) are not halved before the first."""
    x: Any
    x, _ = image(data_shape[0], data_shape[1:], dtype, layout)
    x = _norm(x, "bn_data", layout, scale=False)
    if data_shape[layout.index("H")] <= 32:
        x = _conv(x, "conv0", layout, filter_list[0], 3)
    else:
        x = _conv(x, "conv0", layout, filter_list[0], 7, 2)
        x = nn.relu(_norm(x, "bn0", layout))
        x = nn.max_pool2d(x, pool_size=(3, 3), strides=(2, 2), padding=(1, 1), layout=layout)
    for stage in range(num_stages):
        for unit in range(units[stage]):
            step = 2 if unit == 0 and stage > 0 else 1
            x = residual_unit(
                x,
                filter_list[stage + 1],
                (step, step),
                unit > 0,
                f"stage{stage + 1}_unit{unit + 1}",
                bottle_neck,
                layout,
            )
    x = nn.relu(_norm(x, "bn1", layout))
    x = nn.batch_flatten(nn.global_avg_pool2d(x, layout=layout))
    return network(nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc1")))


def get_net(
    batch_size: int,
    num_classes: int,
    num_layers: int = 50,
    image_shape: tuple[int, ...] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Function:
    """The network of 18, 34, 50, 101, 152, 200 or 269 layers; for images of up to 28 rows, that of
    6 n + 2 layers, or of 9 n + 2 from 164 on. Raises GraphError KC2403 for another number."""
    data_shape = (batch_size, *image_shape)
    if data_shape[layout.index("H") if "H" in layout else 0] <= 28:
        group = 9 if num_layers >= 164 else 6
        if num_layers < 8 or (num_layers - 2) % group:
            raise unknown("number of layers", num_layers, ["8", "14", "20", "...", "164", "173"])
        filters = [16, 64, 128, 256] if group == 9 else [16, 16, 32, 64]
        units: Sequence[int] = [(num_layers - 2) // group] * 3
        deep = group == 9
    else:
        if num_layers not in _UNITS:
            raise unknown("number of layers", num_layers, sorted(_UNITS))
        deep = num_layers >= 50
        filters = [64, 256, 512, 1024, 2048] if deep else [64, 64, 128, 256, 512]
        units = _UNITS[num_layers]
    return resnet(units, len(units), filters, num_classes, data_shape, deep, layout, dtype)


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: tuple[int, ...] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
    **kwargs: Any,
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    net = get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype, **kwargs)
    return create_workload(net)
