"""Which operators modules of torch become: Relay's, whole ones, and those of the core's list."""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import Any

import numpy as np
import pytest
from torch_modules import core_overloads as overloads_of_torch
from torch_modules import stored

import kc
from kc.dialects.graph.declaration import OperatorOp, all_operators
from kc.frontend.torch.graph_import import import_graph
from kc.frontend.torch.numerics import NUMERICS
from kc.frontend.torch.operators import OPERATORS
from kc.frontend.torch.operators_table import CORE, REFUSED, core_overloads, is_supported
from kc.frontend.torch.relay_operators import FORMS
from kc.graph.cost import cost_of

GRAPHS = stored()


def operators(name: str) -> Counter[str]:
    """The operators of a stored program, with their numbers."""
    module = import_graph(GRAPHS[name][0], "main", None)
    return Counter(op.OPERATOR.name for op in module.op.walk() if isinstance(op, OperatorOp))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linear", {"nn.dense": 1, "nn.bias_add": 1}),
        ("conv_grouped", {"nn.conv2d": 1, "nn.bias_add": 1}),
        ("residual_block", {"nn.conv2d": 2, "nn.batch_norm": 2, "nn.relu": 2, "add": 1}),
        ("attention_causal", {"nn.attention": 1}),
        ("max_pool", {"nn.max_pool2d": 1}),
        ("layer_norm", {"nn.layer_norm": 1}),
        ("gru", {"full": 1, "aten.gru.input": 1}),
        ("bfloat16", {"aten.linear.default": 1}),  # torch rounds the bias and the sum once
    ],
)
def test_modules_become_operators_of_relay(name: str, expected: dict[str, int]):
    assert operators(name) == expected


def test_a_recurrent_layer_is_one_operator():
    assert operators("lstm")["nn.lstm"] == 1
    assert sum(operators("lstm").values()) < 20


@pytest.mark.parametrize("name", ["gru", "nearest", "cumulative_sum"])
def test_operators_of_aten_have_a_cost(name: str):
    module = import_graph(GRAPHS[name][0], "main", None)
    costs = [
        cost_of(op)
        for op in module.op.walk()
        if isinstance(op, OperatorOp) and op.OPERATOR.name.startswith("aten.")
    ]
    assert costs
    for cost in costs:
        assert cost.operations is not None
        assert cost.read > 0 < cost.written


def test_norms_of_batches_join_their_convolutions():
    program, (x,), (wanted,) = GRAPHS["residual_block"]
    function: Any = kc.build(import_graph(program, "main", None))
    assert len(function.kernels) == 2
    np.testing.assert_allclose(function(x), wanted, rtol=1e-5, atol=1e-5)


def test_each_core_overload_is_supported_or_has_a_reason():
    core = core_overloads()
    assert len(core) == len(set(core)) > 150
    for name in core:
        assert is_supported(name) != (name in REFUSED), name
    assert REFUSED.keys() <= {*core}


def test_each_rule_has_an_operation_and_types():
    declared = all_operators()
    for name in OPERATORS:
        if not name.startswith("aten.") or name.startswith("aten._assert_tensor"):
            continue
        if name == "aten.sym_constrain_range_for_size.default":
            continue
        assert name in declared, name
        assert name.removeprefix("aten.").removesuffix(".default") in NUMERICS, name
    # Attention and LSTM have a form alone: others than these are decomposed.
    assert FORMS.keys() - OPERATORS.keys() == {
        "aten.lstm.input", "aten.scaled_dot_product_attention.default",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_the_list_is_that_of_torch():
    torch: Any = importlib.import_module("torch")
    version = torch.__version__.partition("+")[0]
    if f"torch {version} " not in CORE.read_text(encoding="utf-8").partition("\n")[0]:
        pytest.skip(f"the list is of another version than {version}")
    assert core_overloads() == overloads_of_torch()
