"""A generator of images, after Radford et al., DCGAN (2016)."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Expr, Function, var
from kc.tvm.relay.op import function_named, nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import network, unknown
from kc.tvm.relay.testing.init import create_workload


def _deconv(data: Expr, name: str, channels: int, layout: str) -> Any:
    """A transposed convolution that doubles rows and columns."""
    return layers.conv2d_transpose(
        data,
        name=name,
        channels=channels,
        kernel_size=(4, 4),
        strides=(2, 2),
        padding=(1, 1),
        data_layout=layout,
        kernel_layout="IOHW" if layout == "NCHW" else "HWOI",
    )


def get_net(
    batch_size: int,
    random_len: int = 100,
    oshape: tuple[int, ...] = (3, 64, 64),
    ngf: int = 128,
    code: Any = None,
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Function:
    """Images of 64 rows and columns, of ``random_len`` numbers each; ``ngf`` are the channels
    before the last layer. Raises GraphError KC2403 for another size."""
    size = oshape[1:] if layout == "NCHW" else oshape[:2]
    if tuple(size) != (64, 64):
        raise unknown("size of images", tuple(size), [(64, 64)])
    reshape: Any = function_named("reshape")
    tanh: Any = function_named("tanh")
    axis = layout.index("C")
    x = var("data", shape=(batch_size, random_len), dtype=dtype) if code is None else code
    x = nn.relu(nn.dense(x, var("dense_weight"), units=4 * 4 * ngf * 8))
    shape = (-1, ngf * 8, 4, 4) if layout == "NCHW" else (-1, 4, 4, ngf * 8)
    x = reshape(x, newshape=shape)
    for number, channels in enumerate((ngf * 4, ngf * 2, ngf), 2):
        x = _deconv(x, f"g{number}_deconv", channels, layout)
        x = nn.relu(
            layers.batch_norm_infer(x, epsilon=1e-5, scale=False, axis=axis, name=f"g{number}_bn")
        )
    colours = oshape[0] if layout == "NCHW" else oshape[2]
    return network(tanh(_deconv(x, "g5_deconv", colours, layout)))


def get_workload(
    batch_size: int,
    oshape: tuple[int, ...] = (3, 64, 64),
    ngf: int = 128,
    random_len: int = 100,
    layout: str = "NCHW",
    dtype: str = "float32",
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    net = get_net(batch_size, random_len, oshape, ngf, layout=layout, dtype=dtype)
    return create_workload(net)
