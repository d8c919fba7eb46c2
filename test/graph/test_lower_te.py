"""Graphs as one function of loops: what schedules, kc.lower and GPUs take."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import relay
from kc.graph.passes.lower_te import lower_graphs
from kc.support.diagnostics import GraphError
from kc.tir.module import IRModule

WEIGHT = np.arange(12, dtype=np.float32).reshape(3, 4)
X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
EXPECTED = np.maximum(X @ WEIGHT.T, 0)


def network() -> IRModule:
    x = relay.var("x", shape=(2, 4))
    y = relay.nn.relu(relay.nn.dense(x, relay.const(WEIGHT)))
    return kc.IRModule.from_expr(relay.Function([x], y))


def test_a_graph_is_scheduled_by_hand():
    module = network()
    schedule = kc.tir.Schedule(module)
    schedule.parallel(schedule.get_loops("T_relu")[0])
    assert "memref.global constant @main_constant" in str(schedule.mod)
    np.testing.assert_allclose(kc.build(schedule)(X), EXPECTED, rtol=1e-6)
    assert "graph.nn.relu" in str(module)  # as it was


def test_the_loops_of_a_graph_get_a_schedule():
    lowered = kc.lower(network())
    np.testing.assert_allclose(kc.build(lowered)(X), EXPECTED, rtol=1e-6)
    assert kc.auto_schedule(network()).trace.as_python()


def test_a_gpu_runs_the_loops():
    assert ".entry" in kc.build(network(), target="cuda").get_source("ptx")


def test_groups_are_taken_apart():
    fused = relay.transform.FuseOps(2)(relay.transform.InferType()(network()))
    assert "primitive" in str(fused)
    lower_graphs(fused.op)
    np.testing.assert_allclose(kc.build(fused)(X), EXPECTED, rtol=1e-6)


def test_the_only_function_is_the_one_to_build():
    module = network()
    renamed = kc.IRModule({"layer": module["main"]})
    np.testing.assert_allclose(kc.build(renamed)["layer"](X), EXPECTED, rtol=1e-6)


def test_a_refusal_leaves_the_groups_of_a_module():
    text = """
    graph.func private @fused_exp(%p: tensor<4xf32>) -> tensor<4xf32> attributes {primitive} {
      %0 = graph.exp(%p) : (tensor<4xf32>) -> tensor<4xf32>
      graph.return %0 : tensor<4xf32>
    }
    graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
      %0 = graph.call @fused_exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = graph.if %c -> tensor<4xf32> {
        graph.yield %0 : tensor<4xf32>
      } else {
        graph.yield %x : tensor<4xf32>
      }
      graph.return %1 : tensor<4xf32>
    }
    """
    module = kc.IRModule.parse(text)
    before = str(module)
    with pytest.raises(GraphError) as refused:
        lower_graphs(module.op)
    assert str(refused.value) == (
        "error[KC2467]: lower-te: @main has graph.if\n"
        "  --> <string>:8:7\n"
        "  why: one function of tensor expressions has operators alone\n"
        "  try: --inline takes calls of functions apart\n"
        "  try: kc.graph.build takes all"
    )
    assert str(module) == before
