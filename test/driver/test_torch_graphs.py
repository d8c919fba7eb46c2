"""Exported programs of torch as graphs: their values, before and after fusion, are torch's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay

torch = pytest.importorskip("torch")

from kc.frontend.torch.graph_import import import_graph  # noqa: E402
from kc.graph.interpreter import Interpreter  # noqa: E402
from kc.support.diagnostics import KCError  # noqa: E402


class Network(torch.nn.Module):
    """A few layers, one of which has several results."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.linear = torch.nn.Linear(8, 5)
        self.layer_norm = torch.nn.LayerNorm(5)

    def forward(self, x: Any) -> Any:
        y = torch.relu(self.norm(self.convolution(x)))
        y = torch.nn.functional.max_pool2d(y, 2).mean((2, 3))
        a, b = torch.split(self.layer_norm(self.linear(y)), [2, 3], 1)
        return torch.softmax(b, -1), a * 2


def test_a_network_with_several_results():
    torch.manual_seed(0)
    network, x = Network().eval(), torch.randn(1, 3, 8, 8)
    module = import_graph(torch.export.export(network, (x,)), "main", None)
    expected = [part.detach().numpy() for part in network(x)]
    for each in (module, relay.transform.FuseOps()(module)):
        results = Interpreter(each).run(x.numpy())
        for result, want in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, want, rtol=1e-5, atol=1e-6)


def test_named_sizes():
    linear, x = torch.nn.Linear(4, 3), torch.randn(5, 4)
    sizes = {"input": {0: torch.export.Dim("batch")}}
    program = torch.export.export(linear, (x,), dynamic_shapes=sizes)
    module = import_graph(program, "main", None)
    (size, four) = module["main"].params[0].type_annotation.shape
    assert four == 4
    assert len(size.names) == 1
    for rows in (2, 7):
        x = torch.randn(rows, 4)
        result = Interpreter(module).run(x.numpy())
        np.testing.assert_allclose(result, linear(x).detach().numpy(), rtol=1e-5, atol=1e-6)


class Joined(torch.nn.Module):
    """Operators whose sizes are expressions of named ones."""

    def forward(self, x: Any, y: Any) -> Any:
        rows = x.view(x.shape[0] * 2, -1)
        return torch.cat([x, y], 1), rows, x.expand(3, *x.shape), x.softmax(1), x.mean(0)


BATCH = torch.export.Dim("batch", min=2, max=64)
LENGTH = torch.export.Dim("length", min=2, max=64)
OPEN: dict[str, Any] = {
    "transformer": (
        lambda: torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True),
        ({0: BATCH, 1: LENGTH},),
        [[(2, 5, 16)], [(3, 7, 16)]],
    ),
    "lstm": (
        lambda: torch.nn.LSTM(3, 4, batch_first=True),
        ({0: BATCH},),
        [[(2, 5, 3)], [(4, 5, 3)]],
    ),
    "joined": (Joined, ({0: BATCH}, {0: BATCH}), [[(2, 4), (2, 6)], [(5, 4), (5, 6)]]),
}
"""Modules, their open sizes, and the shapes of the inputs of some calls."""


@pytest.mark.slow
@pytest.mark.parametrize("name", OPEN)
def test_modules_of_any_size(name: str):
    torch.manual_seed(0)
    make, sizes, calls = OPEN[name]
    module = make().eval()
    example = [torch.randn(shape) for shape in calls[0]]
    function = kc.build(kc.from_torch(module, *example, dynamic_shapes=sizes))
    for shapes in calls:
        inputs = [torch.randn(shape) for shape in shapes]
        results = function(*(part.numpy() for part in inputs))
        expected = _flat(module(*inputs))
        results = results if isinstance(results, tuple | list) else [results]
        for result, want in zip(results, expected, strict=True):
            np.testing.assert_allclose(result, want.detach().numpy(), rtol=1e-4, atol=1e-5)


def _flat(value: Any) -> list[Any]:
    """The tensors of a result of torch."""
    if isinstance(value, tuple | list):
        return [part for each in value for part in _flat(each)]
    return [value]


class Strided(torch.nn.Module):
    """A view of the memory of a transposed tensor."""

    def forward(self, x: Any) -> Any:
        return torch.ops.aten.as_strided(x.t(), [2, 2], [1, 2])


def test_a_view_of_memory_in_another_order_is_refused():
    program = torch.export.export(Strided(), (torch.randn(3, 4),))
    with pytest.raises(KCError, match="KC0091") as caught:
        import_graph(program, "main", None)
    assert "a view of a tensor whose memory is not row-major from its first element" in str(
        caught.value
    )
