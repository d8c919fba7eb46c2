"""Rules of the importer that place elements, view, compare and derive, against torch itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc.support.diagnostics import KCError

torch: Any = pytest.importorskip("torch", reason="compares with torch: pip install torch")

F = torch.nn.functional
aten = torch.ops.aten
NAN = float("nan")


def r(*shape: int) -> Any:
    """Numbers that are the same in each run."""
    generator = torch.Generator().manual_seed(sum(shape) + len(shape))
    return torch.randn(shape, generator=generator)


I = torch.tensor([0, 2, -3])  # noqa: E741  # equal ones: the last is the first
R = torch.tensor([0, 2, 0])
PLACES = torch.tensor([[0, 1, 0], [0, 0, 1]])
HOLDS = torch.tensor([True, False, True])
X, V = r(3, 4), r(3, 4)
Y = torch.tensor([[3.0, NAN, 1.0, 2.0, NAN, -1.0], [0.0, 5.0, -3.0, 2.0, -0.5, 2.5]])
Z = torch.tensor([[3, 5, 1], [2, 2, 9]])


def changed(x: Any, key: Any, value: Any) -> Any:
    x = x.clone()
    x[key] = value
    return x


GROUPS: dict[str, tuple[tuple[Any, ...], Callable[..., Any]]] = {
    "index_put": ((X, V), lambda x, v: (
        x.index_put((I,), v, accumulate=True), x.index_put((I[:2],), v[:2]),
        aten.index_put(x, [None, I], v[:, :3], True), aten.index_put(x, [I, I], v[0, :3], True),
        changed(x, (slice(None), I[:2]), 2.0), x.index_put((I[:2, None], I[:2]), v[0, :2]),
        changed(x, x > 0, 0.0), changed(x, (slice(None), HOLDS.repeat(2)[:4]), 1.5),
        x.index_put((HOLDS,), v[:1], accumulate=True), x.index_put((x > 0,), v[0, 0]),
        x.index_put((torch.zeros(0, dtype=torch.int64),), v[:0]),
    )),
    "along": ((X, V), lambda x, v: (
        x.index_copy(0, R[:2], v[:2]), x.index_copy(-1, R[1:], v[:, :2]),
        x.index_add(0, R, v, alpha=2), x.index_fill(1, I, 1.5),
    )),
    "slices": ((X, V), lambda x, v: (
        x.slice_scatter(v[:, :2], 1, -3, None, 2), x.slice_scatter(v[:1], 0, 2, 100),
        x.slice_scatter(v[:, :0], 1, 100), x.select_scatter(v[:, 0], 1, -1),
        x.diagonal_scatter(v[0, :3], 1), x.diagonal_scatter(v[0, :2], -1), x.diagonal(-1),
        x.diagonal(1, -1, 0), x.as_strided((2, 3), (4, 1), 1), x.unfold(1, 2, 1), x.unfold(0, 2, 1),
    )),
    "scatter_reduce": ((X, V[:2, :3].contiguous()), lambda x, v: tuple(
        x.scatter_reduce(dim, PLACES, v, mode, include_self=own)
        for mode in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)
        for dim in (0, 1)
    )),
    "scatter_reduce of integers": (
        (torch.tensor([[7, -7, 5, 1]] * 3), torch.tensor([[-4, 9, 2], [3, -3, 3]])),
        lambda x, v: tuple(
            x.scatter_reduce(0, PLACES, v, mode, include_self=own)
            for mode in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)
        ),
    ),
    "scatter_reduce of NaN": (
        (torch.tensor([NAN, 1.0, 2.0]), torch.tensor([1.0, NAN, 3.0])), lambda x, v: tuple(
            x.scatter_reduce(0, torch.tensor([0, 1, 2]), v, mode, include_self=own)
            for mode in ("amax", "amin", "mean") for own in (True, False)
        ),
    ),
    "masks": ((X, V), lambda x, v: (
        x.masked_scatter(HOLDS[:, None], v), x.masked_scatter(x > 0, v), torch.fill(x, 2.0),
        torch.fill(x, v[0, 0]), aten.copy(x, v[0]), aten.native_dropout(x, 0.5, False)[0],
    )),
    "functions": ((X, V), lambda x, v: (
        torch.atan2(x, v), torch.atan2(x, v[0]), torch.exp2(x), torch.erfc(3 * x), x.var(1),
        aten.var.dim(x, [1], False), aten.var.dim(x, [0], True, True),
        x.sort(dim=0, stable=True)[1],
        torch.bucketize(x, torch.tensor([-1.0, 0.0, 0.5])),
        torch.bucketize(x, torch.tensor([-1.0, 0.0, 0.5]), out_int32=True, right=True),
        torch.bucketize(torch.tensor([1, 2, 3]), torch.tensor([1, 3]), right=True),
        torch.searchsorted(x.sort(1)[0], v, side="right"),
    )),
    "orders": ((Y, Z), lambda y, z: (
        *torch.sort(y, dim=1, descending=True, stable=True), *torch.sort(y, dim=0, stable=True),
        *y.topk(3, 1), *y.topk(2, 1, largest=False), *y.topk(0, 1), *z.topk(2),
        *torch.sort(y.double(), dim=1, descending=True, stable=True),
        *torch.sort(y.half(), dim=1, descending=True, stable=True),
        y.median(), *y.median(1), *y.median(0, keepdim=True), z.median(), *z.median(-1),
        torch.histc(y, 5, 0, 3), torch.histc(z.float(), 4), torch.histc(z.float() * 0, 4),
    )),
    "antialias": ((r(1, 2, 13, 17),), lambda x: (
        F.interpolate(x, size=(5, 6), mode="bilinear", antialias=True),
        F.interpolate(x, size=(5, 40), mode="bicubic", antialias=True),
        F.interpolate(x, scale_factor=0.37, mode="bilinear", antialias=True),
        F.interpolate(x, size=(5, 6), mode="bilinear", antialias=True, align_corners=True),
        F.avg_pool2d(x, 3, 2, 1, divisor_override=5), F.avg_pool3d(x, 2, 1, divisor_override=3),
        F.avg_pool2d(x[0], 3, 2, 1, True, divisor_override=5),
    )),
    "recurrent": ((r(4, 2, 3), r(2, 2, 5), r(10, 3), r(10, 5), r(10)), lambda x, h, wi, wh, b: (
        *aten.rnn_tanh.input(x, h[:1], [wi[:5], wh[:5], b[:5], b[5:]], True, 1, 0.0, False, False,
                             False),
        *aten.rnn_relu.input(x, h, [wi[:5], wh[:5], wi[5:], wh[5:]], False, 1, 0.0, False, True,
                             False),
        *aten.gru.input(x.transpose(0, 1), h[:1, :, :3], [wi[1:], wh[1:, :3]],
                        False, 1, 0.0, False, False, True),
        *aten.lstm.input(x, [h[:1, :, :2], h[1:, :, :2]], [wi[:8], wh[:8, :2], b[:8], b[2:]], True,
                         1, 0.0, False, False, False),
    )),
    "distances": ((r(2, 3, 4), r(2, 5, 4)), lambda x, y: (
        *(aten._cdist_forward(x, y, p, None) for p in (0.0, 1.0, 2.0, 3.0, float("inf"))),
        aten._pdist_forward(y[0]), aten._pdist_forward(y[0], 1.0),
    )),
    "images": ((r(1, 2, 4, 4), r(1, 8, 9)), lambda x, c: (
        aten.col2im(c, [4, 4], [2, 2], [1, 1], [1, 1], [2, 2]), aten.col2im(c[0], [4, 4], [2, 2],
        [1, 1], [1, 1], [2, 2]), F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
        aten.max_unpool2d(x[0, :, :2, :2], PLACES[:, :2, None].repeat(1, 1, 2) + torch.arange(2),
                          [3, 3]),
        aten.reflection_pad2d(x, [1, 2, 0, 3]), aten.reflection_pad2d(x, [-1, 2, 1, -2]),
        aten.reflection_pad1d(x[0], [3, 1]), aten.reflection_pad3d(x[None], [1, 2, 0, 3, 1, 0]),
        aten.replication_pad2d(x, [1, 2, 0, 6]), aten.replication_pad2d(x, [-1, 2, 1, -2]),
        aten.replication_pad1d(x[0], [3, 1]), aten.replication_pad3d(x[None], [1, 2, 0, 3, 1, 0]),
    )),
    "backward": ((r(2, 4, 5, 5), r(6, 2, 3, 3), r(2, 6, 3, 3)), lambda x, w, g: (
        *aten.convolution_backward(g, x, w, [6], [1, 1], [0, 0], [1, 1], False, [0, 0], 2,
                                   [True, True, True]),
        aten.convolution_backward(g, x, w, [6], [1, 1], [0, 0], [1, 1], False, [0, 0], 2,
                                  [False, True, False])[1],
        aten.avg_pool2d_backward(g[:, :4], x, [3, 3], [1, 1], [0, 0], False, True, None),
        aten._adaptive_avg_pool2d_backward(g[:, :4], x),
        aten.max_pool2d_with_indices_backward(
            g[:, :4], x, [3, 3], [1, 1], [0, 0], [1, 1], False,
            aten.max_pool2d_with_indices(x, [3, 3], [1, 1])[1]),
        aten.embedding_dense_backward(g[0, 0], torch.tensor([1, 0, 1]), 4, -1, False),
        aten.embedding_dense_backward(g[0], torch.tensor([[1, 0, 1]] * 6), 4, 0, False),
        *aten.native_layer_norm_backward(x, x * x, [5, 5], x.mean((2, 3), True), x.var((2, 3),
            keepdim=True), w.reshape(-1)[:25].reshape(5, 5), x[0, 0], [True, True, True]),
        *aten.native_group_norm_backward(x, x * x, x[:, :2].mean((2, 3)), x[:, :2].var((2, 3)),
            w.reshape(-1)[:4], 2, 4, 25, 2, [True, True, True]),
    )),
}  # fmt: skip
"""Results of many operators, which one program computes."""


class Of(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *given: Any) -> Any:
        return self.function(*given)


def imported(function: Callable[..., Any], *given: Any) -> Any:
    """The graph itself, whose operators are not decomposed further."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.export.export(Of(function), given)
        program = program.run_decompositions(decomp_table={})
        program.run_decompositions = lambda *_: program
        return kc.from_torch(program)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("group", GROUPS)
def test_same_as_torch(group: str):
    given, function = GROUPS[group]
    wanted = function(*given)
    results = kc.build(imported(function, *given))(*(x.numpy() for x in given))
    assert len(results) == len(wanted)
    for n, (result, want) in enumerate(zip(results, wanted, strict=True)):
        result = np.asarray(result)
        assert str(want.dtype) == f"torch.{result.dtype}", f"result {n}"
        np.testing.assert_allclose(
            result, want.numpy(), rtol=2e-5, atol=2e-5, err_msg=f"{group}: result {n}"
        )


REFUSED: dict[str, tuple[tuple[Any, ...], Callable[..., Any], str]] = {
    "a mask": (
        (X, V), lambda x, v: aten.index_put(x, [HOLDS], v[:2]),
        "aten.index_put.default: values for the elements of a mask, whose number the call alone "
        "knows",
    ),
    "memory in another order": (
        (X,), lambda x: aten.as_strided(x.t(), [2, 2], [1, 2]),
        "aten.as_strided.default: a view of a tensor whose memory is not row-major from its first "
        "element",
    ),
    "a random number": (
        (X,), lambda x: aten.native_dropout(x, 0.5, True)[0],
        "aten.native_dropout.default: it draws numbers: call eval() before the export",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str):
    given, function, why = REFUSED[case]
    with pytest.raises(KCError) as caught:
        imported(function, *given)
    lines = str(caught.value).splitlines()
    assert lines[0] == ("error[KC0091]: kc.from_torch: the exported program cannot be imported")
    assert f"  why: {why}" in lines
