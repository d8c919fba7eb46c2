"""Operators that torch has, too, against torch: the example of the table, and variants of it.

The extra `bench` installs torch; without it all of this is skipped, which pytest says.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from property_tests import is_in_slice
from topi_cases import TABLE, compare
from topi_variants import Variant, drawn

torch: Any = pytest.importorskip("torch", reason="compares with torch: pip install torch")

F = torch.nn.functional
KNOWN = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")
"""Types that both have, and whose results have enough digits."""

SAME = (  # the function that the table names, of the same tensors
    "acos acosh asin asinh atan atanh cos cosh sin sinh tan tanh exp log log2 log10 sqrt rsqrt erf "
    "sigmoid floor ceil trunc round abs negative sign identity isnan isinf isfinite logical_not "
    "bitwise_not nn.relu nn.gelu nn.silu nn.hardswish nn.hardsigmoid nn.softplus nn.mish "
    "nn.softsign nn.elu nn.selu nn.dense nn.matmul matmul add subtract multiply maximum minimum "
    "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor greater less equal "
    "not_equal greater_equal less_equal where det searchsorted atan2 exp2 erfc"
).split()

TEXTS = {
    "clip": "a.clamp(-1, 1)", "cast": "a.to(torch.float64)", "reinterpret": "a.view(torch.int32)",
    "full_like": "torch.full_like(a, 2.5)", "nn.leaky_relu": "F.leaky_relu(a, 0.1)",
    "nn.celu": "F.celu(a, 2.0)", "nn.prelu": "F.prelu(a, b)", "nn.swish": "F.silu(a)",
    "transpose": "a.permute(2, 0, 1)", "flip": "a.flip(1)", "stack": "torch.stack([a, b], 1)",
    "concatenate": "torch.cat([a, b], 0)", "squeeze": "a.squeeze(0)",
    "repeat": "a.repeat_interleave(2, 1)", "meshgrid": 'torch.meshgrid(a, b, indexing="ij")',
    "nn.softmax": "F.softmax(a, -1)", "nn.log_softmax": "F.log_softmax(a, -1)",
    "nn.attention": "F.scaled_dot_product_attention(a, b, c)",
    "nn.batch_matmul": "torch.bmm(a, b.transpose(1, 2))", "nn.flatten": "a.flatten(1)",
    "nn.bias_add": "a + b.reshape(-1, *[1] * (a.ndim - 2))",
    "nn.conv": "F.conv2d(a, b, None, 1, 1, 1, 2)", "nn.conv1d_ncw": "F.conv1d(a, b, None, 1, 1)",
    "nn.conv1d": "F.conv1d(a, b, None, 1, 1)",
    "nn.group_conv1d_ncw": "F.conv1d(a, b, None, 1, 1, 1, 2)",
    "nn.conv2d": "F.conv2d(a, b, None, 1, 1)", "nn.conv2d_nchw": "F.conv2d(a, b, None, 2, 1)",
    "nn.group_conv2d_nchw": "F.conv2d(a, b, None, 1, 1, 1, 2)",
    "nn.depthwise_conv2d_nchw":
        "F.conv2d(a, b.reshape(-1, 1, *b.shape[2:]), None, 1, 1, 1, a.shape[1])",
    "nn.conv2d_winograd_nchw": "F.conv2d(a, b, None, 1, 1)",
    "nn.conv3d_ncdhw": "F.conv3d(a, b, None, 1, 1)",
    "nn.conv1d_transpose_ncw": "F.conv_transpose1d(a, b, None, 2, 1, 1)",
    "nn.conv2d_transpose_nchw": "F.conv_transpose2d(a, b, None, 2, 1, 1)",
    "nn.group_conv2d_transpose_nchw": "F.conv_transpose2d(a, b, None, 2, 1, 0, 2)",
    "nn.conv3d_transpose_ncdhw": "F.conv_transpose3d(a, b, None, 2)",
    "sum": "a.sum((0, 2), dtype=a.dtype)", "max": "a.amax((0, 2))", "min": "a.amin((0, 2))",
    "prod": "a.prod(2, dtype=a.dtype).prod(0, dtype=a.dtype)", "all": "a.all(2).all(0)",
    "any": "a.any(2).any(0)", "mean": "a.mean((0, 2))",
    "variance": "a.var((0, 2), correction=0)", "logsumexp": "a.logsumexp(1)",
    "argmax": "a.argmax(1)", "argmin": "a.argmin(1)",
    "nn.pool1d": "F.max_pool1d(a, 3, 2, 1)", "nn.pool3d": "F.max_pool3d(a, 2, 2)",
    "nn.global_pool": "F.adaptive_avg_pool2d(a, 1)",
    "nn.adaptive_pool1d": "F.adaptive_max_pool1d(a, 3)",
    "nn.batch_norm":
        "(F.batch_norm(a, d, e, b, c, False, 0.1, 1e-5), d, e)",
    "nn.layer_norm": "F.layer_norm(a, a.shape[-1:], b, c)",
    "nn.rms_norm": "F.rms_norm(a, a.shape[-1:], b, 1e-5)",
    "nn.instance_norm": "F.instance_norm(a, None, None, b, c)",
    "nn.group_norm": "F.group_norm(a, 3, b, c)",
    "nn.lrn": "F.local_response_norm(a, 3, 0.0001, 0.75, 2)",
    "image.affine_grid":
        "F.affine_grid(a, (len(a), 1, 4, 5), align_corners=True).permute(0, 3, 1, 2)",
    "image.grid_sample": "F.grid_sample(a, b.permute(0, 2, 3, 1), align_corners=True)",
    "image.resize1d": 'F.interpolate(a, 8, mode="linear")',
    "image.resize2d": 'F.interpolate(a, (8, 3), mode="bilinear")',
    "image.resize3d": 'F.interpolate(a, (3, 3, 3), mode="trilinear")',
    "nn.upsampling": 'F.interpolate(a, scale_factor=2, mode="nearest")',
    "diagonal": "a.diagonal(1)", "as_strided": "a.as_strided((2, 3), (4, 1), 1)",
    "slice_scatter": "a.slice_scatter(b, 0, 1, 1 + 3 * len(b), 3)",
    "index_put": "a.index_put((b.long(), c.long()), d)",
    "masked_scatter": "a.masked_scatter(b, c)",
    "cdist": "torch.cdist(a, b)", "pdist": "F.pdist(a)",
    "divide": "a / b", "floor_divide": "torch.floor_divide(a, b)", "mod": "torch.fmod(a, b)",
    "floor_mod": "torch.remainder(a, b)", "trunc_mod": "torch.fmod(a, b)",
    "trunc_divide": 'torch.div(a, b, rounding_mode="trunc")', "power": "torch.pow(a, b)",
    "tensordot": "torch.tensordot(a, b, 2)", "einsum": 'torch.einsum("ij,jk->ik", a, b)',
    "cumsum": "a.cumsum(1, dtype=a.dtype)", "cumprod": "a.cumprod(1, dtype=a.dtype)",
    "sort": "a.sort(dim=1, stable=True).values", "topk": "a.topk(2).values",
    "argsort": "a.argsort(dim=1, stable=True).float()", "trilu": "a.triu()",
    "nn.depth_to_space": 'a.reshape(len(a), 2, 2, -1, *a.shape[2:]).permute(0, 3, 4, 1, 5, 2)'
        ".reshape(len(a), a.shape[1] // 4, 2 * a.shape[2], 2 * a.shape[3])",
    "nn.space_to_depth": "F.pixel_unshuffle(a, 2).reshape(len(a), -1, 4, a.shape[2] // 2, "
        "a.shape[3] // 2).transpose(1, 2).reshape(len(a), -1, a.shape[2] // 2, a.shape[3] // 2)",
    "nn.col2im": "F.fold(a, (4, 4), (2, 2))", "nn.l2_normalize": "F.normalize(a, 2, 1, 1e-6)",
}  # fmt: skip
"""Expressions of the tensors a, b, ..., which hold for the example and for what is like it."""

ONLY_FLOATS = ("divide", "floor_divide", "mod", "floor_mod", "trunc_mod", "trunc_divide", "power",
               "image.resize1d", "image.resize2d", "image.resize3d", "rsqrt")  # fmt: skip
"""Torch has another result for integers, or none."""
OF_THE_EXAMPLE = ("squeeze", "nn.elu")
"""The operators of which a variant differs in torch."""


def function_of(name: str) -> Any:
    """The function that the table names: of torch, of its functions of networks, or of its
    tensors.
    """
    for place in (torch, F, torch.Tensor, torch.nn):
        member: Any = place
        for part in name.split("."):
            member = getattr(member, part, None)
        if member is not None:
            return member
    return None


def test_names_of_the_table():
    """Each is one of torch's."""
    wrong = [row.name for row in TABLE.values() if row.torch and function_of(row.torch) is None]
    assert wrong == []


def result_of(name: str, tensors: list[Any]) -> Any:
    """Raises what torch does for types or sizes that it does not take."""
    if name not in TEXTS:
        return function_of(TABLE[name].torch)(*tensors)
    names = dict(zip("abcde", tensors, strict=False))
    return eval(TEXTS[name], {"torch": torch, "F": F, **names})


NAMES = [name for name in (*SAME, *TEXTS) if name in TABLE]


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if is_in_slice(name, 4) else pytest.mark.sweep) for name in NAMES],
)
def test_same_as_torch(name: str):
    example = Variant(name, TABLE[name].example)
    variants = [example]
    if name not in OF_THE_EXAMPLE:
        variants += [drawn(name, number, edges=False) for number in range(40, 43)]
    compared = 0
    for variant in variants:
        program = variant.program(7)
        if any(array.dtype.name not in KNOWN for array in program.arrays):
            continue
        if name in ONLY_FLOATS and any(array.dtype.kind != "f" for array in program.arrays):
            continue
        tensors = [torch.from_numpy(array.copy()) for array in program.arrays]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = result_of(name, tensors)
            except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
                assert variant is not example, f"torch does not take {variant.call}"
                continue
            given = program.interpreted()
        wanted = list(expected) if isinstance(expected, list | tuple) else [expected]
        for result, want in zip(given, wanted, strict=True):
            compare(result, want.numpy(), 256, variant.call)
        compared += 1
    assert compared > 0
