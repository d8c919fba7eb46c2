"""Networks of parallel convolutions, after Szegedy et al., Rethinking the Inception Architecture
(2016)."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Expr, Function
from kc.tvm.relay.op import function_named, nn
from kc.tvm.relay.testing import layers
from kc.tvm.relay.testing._networks import image, network
from kc.tvm.relay.testing.init import create_workload


class _Builder:
    """Makes the parts of a network; convolutions get numbers in the order of their making."""

    def __init__(self) -> None:
        self.count = 0

    def conv(
        self,
        data: Expr,
        channels: int,
        kernel: tuple[int, int] = (1, 1),
        stride: int = 1,
        pad: tuple[int, int] | None = None,
    ) -> Any:
        """A convolution, which keeps the size unless told otherwise, a norm and relu."""
        name = f"conv{self.count}"
        self.count += 1
        x = layers.conv2d(
            data,
            name=name,
            channels=channels,
            kernel_size=kernel,
            strides=(stride, stride),
            padding=(kernel[0] // 2, kernel[1] // 2) if pad is None else pad,
        )
        return nn.relu(layers.batch_norm_infer(x, epsilon=2e-5, scale=False, name=f"{name}_bn"))

    def pool(self, data: Expr, kind: str, stride: int = 1) -> Any:
        """A pool of size 3, which keeps the size if the stride is 1."""
        pad = 1 if stride == 1 else 0
        options = {"pool_size": (3, 3), "strides": (stride, stride), "padding": (pad, pad)}
        if kind == "avg":
            return nn.avg_pool2d(data, count_include_pad=True, **options)
        return nn.max_pool2d(data, **options)

    def squares(self, data: Expr, pool_channels: int) -> Any:
        """Branches of sizes 1, 5 and twice 3, and a pool."""
        return _joined(
            self.conv(data, 64),
            self.conv(self.conv(data, 48), 64, (5, 5)),
            self.conv(self.conv(self.conv(data, 64), 96, (3, 3)), 96, (3, 3)),
            self.conv(self.pool(data, "avg"), pool_channels),
        )

    def shrink_squares(self, data: Expr) -> Any:
        """Half the rows and columns, by sizes 3 and twice 3, and a pool."""
        deep = self.conv(self.conv(data, 64), 96, (3, 3))
        return _joined(
            self.conv(data, 384, (3, 3), 2, (0, 0)),
            self.conv(deep, 96, (3, 3), 2, (0, 0)),
            self.pool(data, "max", 2),
        )

    def strips(self, data: Expr, width: int) -> Any:
        """Branches of rows and columns of size 7, and a pool."""
        row, column = (1, 7), (7, 1)
        deep = self.conv(data, width)
        for kernel in (column, row, column):
            deep = self.conv(deep, width, kernel)
        return _joined(
            self.conv(data, 192),
            self.conv(self.conv(self.conv(data, width), width, row), 192, column),
            self.conv(deep, 192, row),
            self.conv(self.pool(data, "avg"), 192),
        )

    def shrink_strips(self, data: Expr) -> Any:
        """Half the rows and columns, by size 3 after strips of size 7, and a pool."""
        deep = self.conv(self.conv(self.conv(data, 192), 192, (1, 7)), 192, (7, 1))
        return _joined(
            self.conv(self.conv(data, 192), 320, (3, 3), 2, (0, 0)),
            self.conv(deep, 192, (3, 3), 2, (0, 0)),
            self.pool(data, "max", 2),
        )

    def crosses(self, data: Expr, pool: str) -> Any:
        """Branches that end with a row and a column of size 3 each, and a pool."""
        first = self.conv(data, 384)
        second = self.conv(self.conv(data, 448), 384, (3, 3))
        return _joined(
            self.conv(data, 320),
            *(self.conv(x, 384, kernel) for x in (first, second) for kernel in ((1, 3), (3, 1))),
            self.conv(self.pool(data, pool), 192),
        )


def _joined(*parts: Expr) -> Any:
    concatenate: Any = function_named("concatenate")
    return concatenate(parts, axis=1)


def get_net(
    batch_size: int, num_classes: int, image_shape: tuple[int, ...], dtype: str
) -> Function:
    """The network, for images of at least 75 rows and columns."""
    x: Any = image(batch_size, image_shape, dtype)[0]
    builder = _Builder()
    x = builder.conv(x, 32, (3, 3), 2, (0, 0))
    x = builder.conv(x, 32, (3, 3), 1, (0, 0))
    x = builder.pool(builder.conv(x, 64, (3, 3)), "max", 2)
    x = builder.conv(builder.conv(x, 80), 192, (3, 3), 1, (0, 0))
    x = builder.pool(x, "max", 2)
    for pool_channels in (32, 64, 64):
        x = builder.squares(x, pool_channels)
    x = builder.shrink_squares(x)
    for width in (128, 160, 160, 192):
        x = builder.strips(x, width)
    x = builder.shrink_strips(x)
    for pool in ("avg", "max"):
        x = builder.crosses(x, pool)
    x = nn.batch_flatten(nn.global_avg_pool2d(x))
    return network(nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc1")))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: tuple[int, ...] = (3, 299, 299),
    dtype: str = "float32",
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
