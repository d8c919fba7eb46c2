"""Operators that are one node of ONNX against the definition that ONNX has, `onnx.reference`.

Each node is a model of its own with the attributes of the call. The extra `onnx` installs
what is needed; without it all of this is skipped, which pytest says.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from topi_cases import TABLE, compare, program

onnx = pytest.importorskip("onnx", reason="the definitions are ONNX's: pip install onnx")
reference = pytest.importorskip("onnx.reference")


@dataclass
class Node:
    """A call of topi and the node that means the same."""

    name: str
    call: str
    kind: str
    attributes: dict[str, Any]
    order: tuple[int | None, ...] | None
    """The positions of the inputs in the call's arrays, None for an input that is left out; None:
    all, in order.
    """
    constants: dict[int, Any]
    """Inputs of the node that are arguments of the call, by their place."""
    roundings: float
    prepare: Any
    """From the arrays of the call to those of the node."""
    finish: Any
    """From the node's results to those of the call."""
    values: dict[str, Any] = field(default_factory=dict)


NODES: list[Node] = []


def node(
    name: str,
    call: str = "",
    kind: str = "",
    *,
    order: Any = None,
    constants: Any = None,
    roundings: float = 64,
    prepare: Any = None,
    finish: Any = None,
    **attributes: Any,
) -> None:
    row = TABLE[name]
    NODES.append(
        Node(
            name,
            call or row.example,
            kind or row.onnx,
            attributes,
            order,
            constants or {},
            roundings,
            prepare or (lambda arrays: arrays),
            finish or (lambda results: results),
        )
    )


# One declaration, one node, no attributes.
for plain in (
    "acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh exp log sqrt erf sigmoid floor "
    "ceil round abs negative sign identity isnan isinf logical_not bitwise_not elemwise_sum "
    "nn.relu nn.hardswish nn.softplus nn.mish nn.softsign add subtract multiply divide maximum "
    "minimum logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor greater less "
    "equal greater_equal less_equal power where matmul det nn.batch_norm gather shape ndarray_size"
).split():
    if plain not in ("nn.batch_norm", "gather", "shape", "ndarray_size"):
        node(plain)
for name in ("add", "multiply", "greater", "maximum"):
    node(name, f"{name}(T(3, 1, 2), T(4, 1))")
node(
    "divide",
    'divide(T(4, dtype="int32", of=[7, -7, 7, -8]), T(4, dtype="int32", of=[2, 2, -2, 3]))',
)
node("mod", "mod(T(4, of=[7, -7, 7.5, -8]), T(4, of=[2, 2, -2, 3]))", fmod=1)
node(
    "floor_mod",
    'floor_mod(T(4, dtype="int32", of=[7, -7, 7, -8]), T(4, dtype="int32", of=[2, 2, -2, 3]))',
    fmod=0,
)
for name, direction in (("left_shift", "LEFT"), ("right_shift", "RIGHT")):
    node(
        name,
        f'{name}(T(5, dtype="uint8"), T(5, dtype="uint8", of=[0, 1, 2, 3, 7]))',
        direction=direction,
    )
node("cast", 'cast(T(9), "int32")', to=6)
node("reinterpret", 'reinterpret(T(9), "int32")', to=6)
node("clip", "clip(T(9), -1, 1)", constants={1: np.float32(-1), 2: np.float32(1)})
node("full", 'full((2, 3), "float32", 0)', constants={0: np.array([2, 3])})
ALPHAS: dict[str, dict[str, Any]] = {
    "nn.leaky_relu": {"alpha": 0.1},
    "nn.elu": {"alpha": 0.5},
    "nn.celu": {"alpha": 2.0},
}
for name, attributes in ALPHAS.items():
    node(name, f"{name}(T(9), {attributes['alpha']})", **attributes)
node("nn.selu", alpha=1.6732632423543772, gamma=1.0507009873554805)
node("nn.hardsigmoid", "nn.hardsigmoid(T(9))", alpha=1 / 6, beta=0.5)
node("nn.prelu", "nn.prelu(T(2, 3, 4), T(4), axis=-1)")
node("nn.gelu", "nn.gelu(T(9))", approximate="none")
node("nn.silu", "nn.silu(T(9))", "Swish", alpha=1.0)
node("nn.swish", "nn.swish(T(9))", "Swish", alpha=1.0)

# Shapes.
node("expand_dims", "expand_dims(T(3, 4), 1)", constants={1: np.array([1])})
node("squeeze", "squeeze(T(1, 3, 1, 2), (0, 2))", constants={1: np.array([0, 2])})
for perm in ((1, 0, 2), (2, 0, 1)):
    node("transpose", f"transpose(T(2, 3, 4), {perm})", perm=perm)
node("reshape", "reshape(T(2, 6), (3, -1))", constants={1: np.array([3, -1])})
node("concatenate", "concatenate([T(2, 3), T(2, 1), T(2, 2)], 1)", axis=1)
node("split", "split(T(6, 4), 3, 0)", axis=0, num_outputs=3)
node("tile", "tile(T(2, 3), (2, 1))", constants={1: np.array([2, 1])})
node("shape", 'shape(T(2, 3), "int64")')
node("ndarray_size", 'ndarray_size(T(2, 3), "int64")')
node(
    "arange",
    'arange(2, 11, 3, "int64")',
    constants={0: np.int64(2), 1: np.int64(11), 2: np.int64(3)},
)
node("broadcast_to", "broadcast_to(T(3, 1), (2, 3, 4))", constants={1: np.array([2, 3, 4])})
node(
    "strided_slice",
    "strided_slice(T(6, 5), (1, -1), (6, -6), (2, -2))",
    constants={
        1: np.array([1, -1]),
        2: np.array([6, -6]),
        3: np.array([0, 1]),
        4: np.array([2, -2]),
    },
)
node("trilu", "trilu(T(3, 4), 1, False)", constants={1: np.int64(1)}, upper=0)
node("eye", "eye(3, 4, 1)", constants={0: np.zeros((3, 4), "float32")}, k=1)
node(
    "nn.pad",
    "nn.pad(T(3, 4), (1, 0), (0, 2), 1.5)",
    constants={1: np.array([1, 0, 0, 2]), 2: np.float32(1.5)},
    mode="constant",
)
node(
    "nn.mirror_pad",
    'nn.mirror_pad(T(3, 4), (1, 2), (1, 0), "REFLECT")',
    constants={1: np.array([1, 2, 1, 0])},
    mode="reflect",
)
node("nn.flatten", "nn.flatten(T(2, 3, 4))", axis=1)
for mode in ("DCR", "CRD"):
    node(
        "nn.depth_to_space",
        f'nn.depth_to_space(T(1, 8, 2, 3), 2, mode="{mode}")',
        blocksize=2,
        mode=mode,
    )
node("nn.space_to_depth", blocksize=2)
node(
    "reverse_sequence",
    'reverse_sequence(T(2, 4), T(2, dtype="int64", of=[3, 1]))',
    batch_axis=0,
    time_axis=1,
)

# Elements that indices name.
INDEX = 'T({}, dtype="int64", of={})'
node("take", f"take(T(5, 3), {INDEX.format('2, 2', '[0, 4, 2, 2]')}, 1 - 1)", axis=0)
node("gather", f"gather(T(3, 4), 1, {INDEX.format('3, 2', '[0, -1, 3, 1, 2, 2]')})", axis=1)
node(
    "gather_nd",
    f"gather_nd(T(3, 4), {INDEX.format('2, 3', '[0, 2, -1, 3, 1, 0]')})",
    prepare=lambda arrays: [arrays[0], arrays[1].T],
)
node(
    "one_hot",
    f'one_hot({INDEX.format("4", "[0, 2, 1, 4]")}, 3, 1, 5, 0, "float32")',
    constants={1: np.int64(5), 2: np.array([1, 3], "float32")},
    axis=0,
)
node(
    "compress",
    "compress(T(3, dtype='bool', of=[1, 0, 1]), T(4, 2), 0)",
    order=(1, 0),
    axis=0,
    finish=lambda results: [np.pad(results[0], ((0, 2), (0, 0))), np.array([2])],
)
for reduction, name in (("none", "scatter"), ("add", "scatter_add")):
    node(
        name,
        f"{name}(T(4, 3), {INDEX.format('2, 3', '[0, 2, -1, 1, 0, 2]')}, T(2, 3), 0)",
        axis=0,
        reduction=reduction,
    )
for reduction, mode in (("none", "update"), ("add", "add"), ("mul", "mul"), ("min", "min")):
    node(
        "scatter_nd",
        f"scatter_nd(T(4, 3), {INDEX.format('1, 2', '[3, 0]')}, T(2, 3), '{mode}')",
        prepare=lambda arrays: [arrays[0], arrays[1].T, arrays[2]],
        reduction=reduction,
    )
node("cumsum", "cumsum(T(3, 4), 1, exclusive=True)", constants={1: np.int64(1)}, exclusive=1)
if hasattr(onnx.defs, "has") and onnx.defs.has("CumProd"):
    node("cumprod", "cumprod(T(3, 4), 1)", constants={1: np.int64(1)})
node(
    "topk",
    "topk(T(3, 6), 2, 1, 'both', False)",
    constants={1: np.array([2])},
    axis=1,
    largest=1,
    sorted=1,
)
node(
    "argwhere",
    "argwhere(T(2, 3, dtype='bool', of=[1, 0, 1, 1, 0, 0]))",
    finish=lambda results: [np.pad(results[0].T, ((0, 3), (0, 0))), np.array([3])],
)
node(
    "unique",
    'unique(T(5, dtype="int32", of=[3, 1, 3, 2, 1]))',
    sorted=1,
    finish=lambda r: [np.pad(r[0], (0, 2)), np.pad(r[1], (0, 2)), r[2], np.array([3])],
)

# Reductions and norms.
for name, axis, keep in itertools.product(
    ("sum", "prod", "max", "min", "mean", "logsumexp"), (1, (0, 2)), (0, 1)
):
    axes = np.array(axis, ndmin=1)
    node(name, f"{name}(T(2, 3, 4), {axis}, {bool(keep)})", constants={1: axes}, keepdims=keep)
for name, last in itertools.product(("argmax", "argmin"), (0, 1)):
    node(
        name,
        f"{name}(T(3, 4, of=[1, 3, 3, 0, 0, 2, 2, 0, 5, 5, 5, 5]), 1, False, {bool(last)})",
        axis=1,
        keepdims=0,
        select_last_index=last,
    )
for axis in (0, 1, -1):
    node("nn.softmax", f"nn.softmax(T(2, 3, 4), {axis})", axis=axis)
    node("nn.log_softmax", f"nn.log_softmax(T(2, 3, 4), {axis})", axis=axis)
node(
    "nn.lrn",
    "nn.lrn(T(5, 5, 2, 2), 3, alpha=0.01, beta=0.5, bias=1)",
    size=3,
    alpha=0.01,
    beta=0.5,
    bias=1.0,
)
node("nn.lrn", "nn.lrn(T(5, 5, 2, 2), 4)", size=4, alpha=0.0001, beta=0.75, bias=2.0)
node("nn.layer_norm", "nn.layer_norm(T(4, 6), T(6), T(6))", axis=-1, epsilon=1e-5)
node("nn.rms_norm", "nn.rms_norm(T(4, 6), T(6))", axis=-1, epsilon=1e-5)
node("nn.instance_norm", "nn.instance_norm(T(2, 3, 4, 4), T(3), T(3))", epsilon=1e-5)
node("nn.group_norm", "nn.group_norm(T(2, 6, 4, 4), T(6), T(6), 3)", num_groups=3, epsilon=1e-5)
node("nn.l2_normalize", "nn.l2_normalize(T(4, 6), 1e-12, axis=1)", axis=1, p=2)
BATCH_NORM = "T(2, 3, 4), T(3), T(3), T(3), T(3, of=[1, 2, 0.5])"
node(
    "nn.batch_norm",
    f"nn.batch_norm({BATCH_NORM}, 1, 1e-5)",
    epsilon=1e-5,
    finish=lambda results: [results[0], None, None],
)

# Products and convolutions.
node("nn.matmul", "nn.matmul(T(4, 3), T(3, 5))", "Gemm")
node("nn.matmul", "nn.matmul(T(3, 4), T(5, 3), None, None, True, True)", "Gemm", transA=1, transB=1)
node("nn.dense", "nn.dense(T(4, 3), T(5, 3), T(5))", "Gemm", transB=1)
node("nn.batch_matmul", "nn.batch_matmul(T(2, 4, 3), T(2, 3, 5), None, None, False, False)")
for text in ("ij,jk->ik", "ij,jk"):
    node("einsum", f'einsum("{text}", T(2, 3), T(3, 4))', equation=text)
for stride, padding, dilation in ((1, 0, 1), (2, 1, 1), (1, 2, 2)):
    options: dict[str, Any] = {"strides": [stride], "pads": [padding] * 2, "dilations": [dilation]}
    text = f"{stride}, {padding}, {dilation}"
    flat: dict[str, Any] = {key: value * 2 for key, value in options.items()}
    deep: dict[str, Any] = {key: value * 3 for key, value in options.items()}
    for name in ("nn.conv1d_ncw", "nn.conv1d"):
        node(name, f"{name}(T(1, 3, 8), T(4, 3, 3), {text})", **options)
    for name in ("nn.conv2d", "nn.conv2d_nchw"):
        node(name, f"{name}(T(1, 3, 7, 8), T(4, 3, 3, 2), {text})", **flat)
    node(
        "nn.group_conv1d_ncw",
        f"nn.group_conv1d_ncw(T(1, 4, 8), T(6, 2, 3), {text}, 2)",
        group=2,
        **options,
    )
    node(
        "nn.group_conv2d_nchw",
        f"nn.group_conv2d_nchw(T(1, 4, 6, 6), T(6, 2, 3, 3), {text}, 2)",
        group=2,
        **flat,
    )
    node("nn.conv", f'nn.conv(T(1, 4, 6, 6), T(6, 2, 3, 3), {text}, 2, "NCHW")', group=2, **flat)
    node(
        "nn.depthwise_conv2d_nchw",
        f"nn.depthwise_conv2d_nchw(T(1, 3, 6, 6), T(3, 2, 3, 3), {text})",
        prepare=lambda arrays: [arrays[0], arrays[1].reshape(6, 1, 3, 3)],
        group=3,
        **flat,
    )
    node("nn.conv3d_ncdhw", f"nn.conv3d_ncdhw(T(1, 2, 5, 5, 5), T(3, 2, 3, 2, 3), {text})", **deep)
node("nn.conv2d_winograd_nchw", pads=[1, 1, 1, 1])
for stride, padding, extra in ((1, 0, 0), (2, 1, 1)):
    options: dict[str, Any] = {
        "strides": [stride],
        "pads": [padding] * 2,
        "output_padding": [extra],
    }
    for name, text, rank in (
        ("nn.conv1d_transpose_ncw", "T(1, 3, 5), T(3, 2, 3)", 1),
        ("nn.conv2d_transpose_nchw", "T(1, 3, 4, 5), T(3, 2, 3, 2)", 2),
        ("nn.conv3d_transpose_ncdhw", "T(1, 3, 3, 3, 3), T(3, 2, 3, 2, 3)", 3),
    ):
        node(
            name,
            f"{name}({text}, {stride}, {padding}, None, {extra})",
            **dict[str, Any]((key, value * rank) for key, value in options.items()),
        )
node(
    "nn.deformable_conv2d_nchw",
    kind="DeformConv",
    order=(0, 2, 1),
    pads=[1, 1, 1, 1],
    group=1,
    offset_group=1,
)

# Pools.
for ceil, stride in ((0, 2), (1, 2), (1, 3)):
    shared: dict[str, Any] = {
        "kernel_shape": [3, 3],
        "strides": [stride] * 2,
        "pads": [1] * 4,
        "ceil_mode": ceil,
    }
    node(
        "nn.pool2d",
        f'nn.pool2d(T(1, 2, 7, 8), 3, {stride}, 1, 1, "max", {bool(ceil)})',
        "MaxPool",
        **shared,
    )
    for include in (0, 1):
        node(
            "nn.pool2d",
            f'nn.pool2d(T(1, 2, 7, 8), 3, {stride}, 1, 1, "avg", {bool(ceil)}, "NCHW", '
            f"{bool(include)})",
            "AveragePool",
            count_include_pad=include,
            **shared,
        )
node(
    "nn.pool1d",
    'nn.pool1d(T(1, 2, 9), 3, 2, 2, 1, "max")',
    "MaxPool",
    kernel_shape=[3],
    strides=[2],
    pads=[1, 1],
    dilations=[2],
)
node(
    "nn.pool3d",
    'nn.pool3d(T(1, 2, 4, 5, 4), 2, 2, 1, 0, "avg")',
    "AveragePool",
    kernel_shape=[2, 2, 2],
    strides=[2, 2, 2],
)
for kind, name in (("avg", "GlobalAveragePool"), ("max", "GlobalMaxPool")):
    node("nn.global_pool", f'nn.global_pool(T(1, 2, 4, 5), "{kind}")', name)
node(
    "nn.max_unpool",
    f"nn.max_unpool(T(1, 1, 2, 2), {INDEX.format('1, 1, 2, 2', '[5, 7, 13, 15]')}, 2)",
    kernel_shape=[2, 2],
    strides=[2, 2],
)
node(
    "nn.col2im",
    "nn.col2im(T(2, 12, 12), (5, 6), (3, 2), 1, 0, 1)".replace("12, 12", "12, 15"),
    constants={1: np.array([5, 6]), 2: np.array([3, 2])},
)

# Images.
for mode, coordinates, rounding in itertools.product(
    ("nearest", "linear", "cubic"),
    ("half_pixel", "align_corners", "asymmetric"),
    ("round_prefer_floor", "floor"),
):
    if mode != "nearest" and rounding == "floor":
        continue
    method = {"nearest": "nearest_neighbor"}.get(mode, mode)
    node(
        "image.resize2d",
        f'image.resize2d(T(1, 2, 4, 5), None, (7, 3), "NCHW", "{method}", "{coordinates}", '
        f'"{rounding}", -0.75)',
        constants={3: np.array([1, 2, 7, 3])},
        mode=mode,
        nearest_mode=rounding,
        coordinate_transformation_mode=coordinates,
        cubic_coeff_a=-0.75,
        roundings=256,
    )
node("image.resize1d", constants={3: np.array([1, 2, 8])}, mode="linear")
node("image.resize3d", constants={3: np.array([1, 1, 3, 3, 3])}, mode="linear")
node(
    "nn.upsampling",
    constants={3: np.array([1, 2, 6, 8])},
    mode="nearest",
    nearest_mode="floor",
    coordinate_transformation_mode="asymmetric",
)
node(
    "nn.upsampling3d",
    constants={3: np.array([1, 1, 4, 6, 4])},
    mode="nearest",
    nearest_mode="floor",
    coordinate_transformation_mode="asymmetric",
)
for mode, padding, corners in itertools.product(
    ("linear", "nearest"), ("zeros", "border", "reflection"), (0, 1)
):
    method = "bilinear" if mode == "linear" else mode
    node(
        "image.grid_sample",
        f'image.grid_sample(T(1, 2, 4, 5), T(1, 2, 3, 3), "{method}", "NCHW", "{padding}", '
        f"{bool(corners)})",
        prepare=lambda arrays: [arrays[0], arrays[1].transpose(0, 2, 3, 1)],
        mode=mode,
        padding_mode=padding,
        align_corners=corners,
        roundings=256,
    )
node(
    "image.affine_grid",
    constants={1: np.array([1, 1, 4, 5])},
    align_corners=1,
    finish=lambda results: [results[0].transpose(0, 3, 1, 2)],
)

# Networks, signals, boxes.
node("nn.attention", "nn.attention(T(1, 2, 4, 8), T(1, 2, 5, 8), T(1, 2, 5, 6))", roundings=256)
node(
    "nn.attention",
    "nn.attention(T(1, 2, 4, 8), T(1, 2, 4, 8), T(1, 2, 4, 6), is_causal=True)",
    is_causal=1,
    roundings=256,
)
node(
    "nn.nll_loss",
    f"nn.nll_loss(T(4, 3), {INDEX.format('4', '[0, 2, 1, 2]')}, T(3, of=[1, 2, 3]), 'mean', 1)",
    reduction="mean",
    ignore_index=1,
)
node("nn.quantize", "nn.quantize(T(4, 3), T(of=0.25), T(dtype='uint8', of=5), out_dtype='uint8')")
node("nn.quantize", "nn.quantize(T(4, 3), T(3, of=[0.25, 1, 0.5]), T(3, dtype='int8'))", axis=1)
node("nn.dequantize", "nn.dequantize(T(4, 3, dtype='uint8'), T(of=0.25), T(dtype='uint8', of=5))")
for name in ("signal.hann_window", "signal.blackman_window"):
    for periodic in (0, 1):
        node(name, f"{name}(9, {bool(periodic)})", constants={0: np.int64(9)}, periodic=periodic)
node(
    "signal.mel_weight_matrix",
    "signal.mel_weight_matrix(8, 64, 16000, 100.0, 7000.0)",
    constants={
        0: np.int64(8),
        1: np.int64(64),
        2: np.int64(16000),
        3: np.float32(100),
        4: np.float32(7000),
    },
)
node(
    "signal.dft",
    "signal.dft(T(2, 5), T(2, 5), False)",
    constants={2: np.int64(1)},
    prepare=lambda arrays: [np.stack(arrays, -1)],
    finish=lambda results: [results[0][..., 0], results[0][..., 1]],
)
node(
    "vision.all_class_non_max_suppression",
    order=(0, 1),
    call="vision.all_class_non_max_suppression(T(1, 4, 4, of=[0, 0, 1, 1, 0, 0.1, 1, 1, 0, 2, 1, "
    "3, 0, 2, 1, 3.5]), T(1, 2, 4, of=[0.9, 0.8, 0.7, 0.6, 0.1, 0.2, 0.3, 0.4]), 2, 0.5, 0.15)",
    constants={2: np.array([2]), 3: np.array([0.5], "float32"), 4: np.array([0.15], "float32")},
    finish=lambda results: [
        np.pad(results[0], ((0, 8 - len(results[0])), (0, 0))),
        np.array([len(results[0])]),
    ],
)
node(
    "vision.roi_align_nchw",
    prepare=lambda arrays: [arrays[0], arrays[1][:, 1:], np.zeros(2, "int64")],
    call="vision.roi_align_nchw(T(1, 2, 5, 5), T(2, 5, of=[0, 0, 1, 3, 4, 0, 1, 1, 4, 4]), (2, 2), "
    "1.0, 'avg', 2)",
    output_height=2,
    output_width=2,
    sampling_ratio=2,
    spatial_scale=1.0,
    coordinate_transformation_mode="output_half_pixel",
)

UNCHECKED = {
    "nn.group_conv2d_transpose_nchw": "the reference takes one group only",
    "nn.rotary_embedding": "its cosines are those of a table and places, of another shape",
    "nn.lstm": "the gates, directions and biases of the node are packed in other tensors",
    "signal.stft": "test_topi_cases.py has it against numpy",
    "vision.roi_pool_nchw": "the reference has no definition of it",
    "cumprod": "the reference has it from another version on",
}
"""Operators that the table says a node of, which are not checked against it here."""


def test_all_nodes_of_the_table_are_checked():
    named = {name for name, row in TABLE.items() if row.onnx}
    assert sorted(named - {given.name for given in NODES} - UNCHECKED.keys()) == []


def evaluated(given: Node, arrays: list[np.ndarray]) -> list[Any]:
    """The results of the model that has only this node."""
    arrays = given.prepare(arrays)
    ordered = [arrays[n] if n is not None else None for n in given.order or range(len(arrays))]
    names: list[str] = []
    values: dict[str, np.ndarray] = {}
    initializers = []
    rest = iter(ordered)
    for place in range(len(ordered) + len(given.constants) + 8):
        if place in given.constants:
            names.append(f"C{place}")
            initializers.append(
                onnx.numpy_helper.from_array(np.asarray(given.constants[place]), names[-1])
            )
            continue
        array = next(rest, None)
        if array is None:
            if place > max(given.constants, default=-1):
                break
            names.append("")
            continue
        names.append(f"X{place}")
        values[names[-1]] = array
    infos = [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in values.items()
    ]
    schema = onnx.defs.get_schema(given.kind)
    count = given.attributes.get("num_outputs") or {"TopK": 2, "Unique": 4}.get(given.kind, 1)
    outputs = [f"Y{n}" for n in range(max(count, schema.min_output))]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(given.kind, names, outputs, **given.attributes)],
        "node",
        infos,
        [onnx.helper.make_empty_tensor_value_info(name) for name in outputs],
        initializers,
    )
    model = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", onnx.defs.onnx_opset_version())]
    )
    return list(given.finish(reference.ReferenceEvaluator(model).run(None, values)))


@pytest.mark.parametrize("name", sorted({given.name for given in NODES}))
def test_node(name: str):
    for given in NODES:
        if given.name != name:
            continue
        call = program(given.call, seed=1)
        with np.errstate(all="ignore"):
            wanted = evaluated(given, call.arrays)
        results = call.interpreted()
        assert len(results) == len(wanted), given.call
        for result, expected in zip(results, wanted, strict=True):
            if expected is not None:
                compare(result, expected, given.roundings, given.call)
