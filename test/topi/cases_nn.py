"""Cases of the operators of networks; importing the module enters them."""

from typing import Any

import numpy as np
from topi_cases import case

from kc.topi import testing

case("nn.relu", lambda x: np.maximum(x, 0))
case("nn.relu", lambda x: np.maximum(x, 0), 'nn.relu(T(5, dtype="int8"))')
case("nn.leaky_relu", lambda x: np.where(x > 0, x, x * 0.1))
case("nn.prelu", lambda x, s: np.where(x > 0, x, x * s[:, None]))
case("nn.prelu", lambda x, s: np.where(x > 0, x, x * s), "nn.prelu(T(2, 3, 4), T(4), axis=-1)")


def normal(x):
    return (1 + testing.erf_python(x / np.sqrt(2))) / 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


case("nn.gelu", lambda x: x * normal(x), roundings=8)
case(
    "nn.gelu",
    lambda x: x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    'nn.gelu(T(7), "tanh")',
    16,
)
case("nn.silu", lambda x: x * sigmoid(x), roundings=8)
case("nn.swish", lambda x: x * sigmoid(x), roundings=8)
case("nn.hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6)
case("nn.hardsigmoid", lambda x: np.clip(x / 6 + 0.5, 0, 1))
case("nn.softplus", lambda x: np.logaddexp(x, 0), roundings=8)
case("nn.mish", lambda x: x * np.tanh(np.logaddexp(x, 0)), roundings=12)
case("nn.softsign", lambda x: x / (1 + abs(x)))
case("nn.elu", elu, roundings=8)
case("nn.selu", lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772), roundings=12)
case("nn.celu", lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2)), roundings=12)

case("nn.pad", lambda x: np.pad(x, ((1, 0), (0, 2)), constant_values=1.5))
case("nn.pad", lambda x: np.pad(x, ((2, 2), (0, 0))), "nn.pad(T(3, 4), (2,))")
case("nn.pad", lambda x: x[1:, :-2], "nn.pad(T(3, 4), (-1, 0), (0, -2))")
case("nn.pad", lambda x: x, 'nn.pad(T(3, "n=4"), (0, 0))')
case("nn.pad", lambda x: np.pad(x, ((0, 0), (2, 1))), 'nn.pad(T(3, "n=4"), (0, 2), (0, 1))')
case("nn.mirror_pad", lambda x: np.pad(x, ((1, 1), (2, 0)), "reflect"))
case(
    "nn.mirror_pad",
    lambda x: np.pad(x, ((3, 0), (0, 4)), "symmetric"),
    "nn.mirror_pad(T(3, 4), (3, 0), (0, 4))",
)
case("nn.dilate", lambda x: testing.dilate_python(x, (1, 2)))
case("nn.dilate", lambda x: testing.dilate_python(x, (3, 2), 7), "nn.dilate(T(3, 4), (3, 2), 7.0)")
case("nn.dilate", lambda x: np.zeros((0, 7)), "nn.dilate(T(0, 4), (3, 2))")
case(
    "nn.dilate",
    lambda x: testing.dilate_python(x, (2,)),
    'nn.dilate(T("n=5", dtype="int16"), (2,))',
)

case("nn.space_to_batch_nd", lambda x: testing.space_to_batch_nd_python(x, (2, 3), (0, 0), (0, 0)))
case(
    "nn.space_to_batch_nd",
    lambda x: testing.space_to_batch_nd_python(x, (2, 2), (1, 0), (0, 1), 2.5),
    "nn.space_to_batch_nd(T(2, 3, 5, 2), (2, 2), (1, 0), (0, 1), 2.5)",
)
case("nn.batch_to_space_nd", lambda x: testing.batch_to_space_nd_python(x, (2, 3), (0, 0), (0, 0)))
case(
    "nn.batch_to_space_nd",
    lambda x: testing.batch_to_space_nd_python(x, (2, 2), (1, 0), (0, 2)),
    "nn.batch_to_space_nd(T(8, 3, 4, 2), (2, 2), (1, 0), (0, 2))",
)
case("nn.depth_to_space", lambda x: testing.depth_to_space_python(x, 2))
for mode in ("CDR", "CRD"):
    case(
        "nn.depth_to_space",
        lambda x: testing.depth_to_space_python(x, 2, "CDR"),
        f'nn.depth_to_space(T(2, 8, 2, 3), 2, mode="{mode}")',
    )
case(
    "nn.depth_to_space",
    lambda x: testing.depth_to_space_python(x.transpose(0, 3, 1, 2), 3).transpose(0, 2, 3, 1),
    'nn.depth_to_space(T(1, 2, 3, 9), 3, "NHWC")',
)
case("nn.space_to_depth", lambda x: testing.space_to_depth_python(x, 2))
case(
    "nn.space_to_depth",
    lambda x: testing.space_to_depth_python(x.transpose(0, 3, 1, 2), 3).transpose(0, 2, 3, 1),
    'nn.space_to_depth(T(1, 3, 6, 2), 3, "NHWC")',
)

LOSS = 'nn.nll_loss(T(4, 3), T(4, dtype="int32", of=[0, 2, -100, 1]), T(3), "{}", {})'
for reduction in ("none", "sum", "mean"):
    case(
        "nn.nll_loss",
        lambda p, t, w, reduction=reduction: testing.nll_loss(p, t, w, reduction, -100),
        LOSS.format(reduction, -100),
        8,
    )
case(
    "nn.nll_loss",
    lambda p, t, w: np.nan,
    LOSS.replace("[0, 2, -100, 1]", "[-1] * 4").format("mean", -1),
)
case(
    "nn.nll_loss",
    lambda p, t, w: testing.nll_loss(p, t, w, "sum", 2),
    'nn.nll_loss(T(2, 3, 2, 2), T(2, 2, 2, dtype="uint8", of=[0, 1, 2, 2, 1, 0, 0, 1]), T(3), '
    '"sum", 2)',
    16,
)

case("nn.dense", testing.dense, roundings=16)
case(
    "nn.dense",
    lambda a, w: testing.dense(a.astype("int32"), w.astype("int32")),
    'nn.dense(T(3, 70, dtype="int8"), T(5, 70, dtype="int8"), None, "int32")',
)
case("nn.dense", testing.dense, 'nn.dense(T("m=3", "k=6"), T("n=5", "k=6"), T("n=5"))', 16)
case("nn.dense", lambda a, w: np.zeros((3, 2)), "nn.dense(T(3, 0), T(2, 0))")
case("nn.matmul", np.matmul, roundings=16)
case(
    "nn.matmul",
    lambda a, b, c: a.T @ b.T + c,
    "nn.matmul(T(6, 4), T(5, 6), T(5), None, True, True)",
    16,
)
case("nn.batch_matmul", testing.batch_matmul, roundings=16)
case(
    "nn.batch_matmul",
    lambda a, b: testing.batch_matmul(a, b, None, True, False),
    "nn.batch_matmul(T(1, 6, 4), T(3, 6, 5), None, None, True, False)",
    16,
)
case(
    "nn.dense_pack",
    lambda a, w: a @ w.transpose(1, 0, 2).reshape(w.shape[1], w.shape[0] * w.shape[2]),
    roundings=16,
)
case("nn.bias_add", lambda x, b: x + b.reshape(-1, *[1] * (x.ndim - 2)))
case("nn.bias_add", lambda x, b: x + b, "nn.bias_add(T(2, 3, 4), T(4), -1)")
case("nn.flatten", lambda x: x.reshape(len(x), int(np.prod(x.shape[1:]))))
case("nn.flatten", lambda x: x[:, None], "nn.flatten(T(3))")
case("nn.flatten", lambda x: x.reshape(0, 6), "nn.flatten(T(0, 2, 3))")
case("nn.flatten", lambda x: x.reshape(2, 20), 'nn.flatten(T("n=2", 4, "k=5"))')
case("nn.scale_shift_nchw", lambda x, a, b: x * a[:, None, None] + b[:, None, None])
case("nn.scale_shift_nhwc", lambda x, a, b: x * a + b)
case(
    "nn.scale_shift_nchwc",
    lambda x, a, b: x * a[:, None, None] + b[:, None, None],
)

case("nn.softmax", testing.softmax_python, roundings=8)
case("nn.softmax", lambda x: testing.softmax_python(x, 1), "nn.softmax(T(2, 5, 3), 1)", 8)
case("nn.softmax", testing.softmax_python, 'nn.softmax(T("n=3", "m=7"))', 8)
case(
    "nn.softmax",
    lambda x: np.full((3, 2), np.nan),
    "nn.softmax(T(3, 2, of=[-np.inf, -np.inf, np.inf, 1, np.nan, 0]))",
)
case("nn.fast_softmax", testing.softmax_python, roundings=16)
case("nn.log_softmax", testing.log_softmax_python, roundings=8)
case("nn.log_softmax", lambda x: testing.log_softmax_python(x, 0), "nn.log_softmax(T(5, 3), 0)", 8)
case("nn.lrn", lambda x: testing.lrn_python(x, 3, 1, 2, 0.0001, 0.75), roundings=8)
case(
    "nn.lrn",
    lambda x: testing.lrn_python(x, 4, 3, 1.5, 0.5, 0.5),
    "nn.lrn(T(2, 2, 3, 6), 4, 3, 0.5, 0.5, 1.5)",
    16,
)
case(
    "nn.batch_norm",
    lambda x, g, b, m, v: [
        (x - m[:, None, None]) / np.sqrt(v[:, None, None] + 1e-5) * g[:, None, None]
        + b[:, None, None],
        m,
        v,
    ],
    "nn.batch_norm(T(2, 3, 4, 4), T(3), T(3), T(3), T(3, of=[0.5, 1, 2]))",
    16,
)
case(
    "nn.batch_norm",
    lambda x, g, b, m, v: [(x - m) / np.sqrt(v + 0.5), m, v],
    "nn.batch_norm(T(2, 3), T(3), T(3), T(3), T(3, of=[0.5, 1, 2]), -1, 0.5, False, False)",
    16,
)
case("nn.layer_norm", testing.layer_norm_python, roundings=32)
case(
    "nn.layer_norm",
    lambda x: testing.layer_norm_python(x, None, None, (1, 2)),
    "nn.layer_norm(T(2, 3, 5), axis=(1, 2))",
    32,
)
case(
    "nn.rms_norm",
    lambda x, w: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w,
    roundings=32,
)
case(
    "nn.rms_norm",
    lambda x: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5),
    'nn.rms_norm(T("n=3", "m=7"))',
    32,
)
case(
    "nn.instance_norm",
    lambda x, g, b: testing.group_norm_python(x, g, b, x.shape[1]),
    roundings=64,
)
case("nn.group_norm", lambda x, g, b: testing.group_norm_python(x, g, b, 3), roundings=64)
case("nn.l2_normalize", lambda x: testing.l2_normalize_python(x, 1e-12, 1), roundings=8)
case(
    "nn.l2_normalize",
    lambda x: testing.l2_normalize_python(x, 1e-12),
    "nn.l2_normalize(T(3, 5), 1e-12)",
    16,
)


def words(x):
    bits = (x >= 0).reshape(*x.shape[:-1], x.shape[-1] // 32, 32).astype(np.uint64)
    return (bits << np.arange(31, -1, -1, dtype=np.uint64)).sum(-1).astype(np.uint32)


case("nn.binarize_pack", words)
case("nn.binarize_pack", lambda x: words(x.T).T, "nn.binarize_pack(T(32, 3), 0)")


def signs(words):
    bits = words[..., None] >> np.arange(32, dtype=np.uint32) & 1
    return bits.reshape(words.shape[0], 32 * words.shape[1]).astype("float64") * 2 - 1


case("nn.binary_dense", lambda a, w: signs(a) @ signs(w).T)

case("nn.fifo_buffer", lambda x, b: np.concatenate([b, x], 1)[:, x.shape[1] :])
case("nn.fifo_buffer", lambda x, b: np.concatenate([b, x])[-4:],
     'nn.fifo_buffer(T(4, 2, dtype="int8"), T(4, 2, dtype="int8"), 0)')  # fmt: skip
case("nn.fifo_buffer", lambda x, b: b, "nn.fifo_buffer(T(0, 2), T(4, 2), 0)")


def added(columns, image, block, stride, padding, dilation):
    """Each block added where it lies, one after another."""
    batch, rows = columns.shape[:2]
    taps = columns.reshape(batch, rows // np.prod(block), *block, -1)
    spans = [(size - 1) * dilation + 1 for size in block]
    whole = np.zeros([*taps.shape[:2], *(size + 2 * padding for size in image)])
    lines = [(size + 2 * padding - span) // stride + 1
             for size, span in zip(image, spans, strict=True)]  # fmt: skip
    for number, place in enumerate(np.ndindex(*lines)):
        at = tuple(
            slice(p * stride, p * stride + span, dilation)
            for p, span in zip(place, spans, strict=True)
        )
        whole[(..., *at)] += taps[..., number]
    return whole[(..., *(slice(padding, padding + size) for size in image))]


BLOCKS: list[tuple[Any, ...]] = [
    ((4, 4), (2, 2), (1, 0, 1)), ((5, 6), (3, 2), (2, 1, 1)), ((5, 5), (2, 2), (1, 1, 2)),
    ((7,), (3,), (2, 0, 1)), ((3, 3, 3), (2, 2, 2), (1, 0, 1)),
]  # fmt: skip
for image, block, options in BLOCKS:
    spans = [(size - 1) * options[2] + 1 for size in block]
    lines = np.prod([(size + 2 * options[1] - span) // options[0] + 1
                     for size, span in zip(image, spans, strict=True)])  # fmt: skip
    case(
        "nn.col2im",
        lambda x, i=image, b=block, o=options: added(x, i, b, *o),
        f"nn.col2im(T(2, {2 * np.prod(block)}, {lines}), {image}, {block}, {options[0]}, "
        f"{options[1]}, {options[2]})",
        16,
    )


def unpooled(x, places, size):
    count = int(np.prod(size))
    result = np.zeros((*x.shape[:2], count))
    for at in np.ndindex(*x.shape):
        if 0 <= places[at] < count:
            result[(*at[:2], places[at])] = x[at]
    return result.reshape(*x.shape[:2], *size)


UNPOOLED = 'T(1, 2, 2, 2, dtype="{}", of=[0, 3, 5, 5, 15, -1, 16, 99])'
case("nn.max_unpool", lambda x, i: unpooled(x, i, (4, 4)),
     f"nn.max_unpool(T(1, 2, 2, 2), {UNPOOLED.format('int64')}, 2)")  # fmt: skip
case("nn.max_unpool", lambda x, i: unpooled(x, i.astype("int64"), (3, 5)),
     f"nn.max_unpool(T(1, 2, 2, 2), {UNPOOLED.format('int8')}, 2, output_size=(3, 5))")  # fmt: skip
case("nn.max_unpool", lambda x, i: unpooled(x, i, (20, 20)),
     f"nn.max_unpool(T(1, 2, 2, 2), {UNPOOLED.format('int8')}, 2, output_size=20)")  # fmt: skip
case("nn.max_unpool", lambda x, i: unpooled(x, i, (5,)),
     'nn.max_unpool(T(1, 1, 3), T(1, 1, 3, dtype="uint32", of=[4, 2, 4000000000]), 3, 2, 1)',
)  # fmt: skip
