"""Programs of the kinds of TVM 0.9's tutorials about Relay, in our own words, which run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc as tvm
from kc import relay
from kc.contrib import graph_executor
from kc.relay import testing


def test_quick_start(tmp_path: Path):
    """A network is built, run by the graph executor, exported, loaded, and run again."""
    mod, params = testing.resnet.get_workload(
        num_layers=8, batch_size=1, image_shape=(3, 16, 16), num_classes=10
    )
    assert "nn.conv2d" in mod.astext(show_meta_data=False)
    with tvm.transform.PassContext(opt_level=3):
        lib = relay.build(mod, "llvm", params=params)
    dev = tvm.cpu()
    data = np.random.default_rng(0).uniform(-1, 1, (1, 3, 16, 16)).astype("float32")
    module = graph_executor.GraphModule(lib["default"](dev))
    module.set_input("data", data)
    module.run()
    out = module.get_output(0, tvm.nd.empty((1, 10))).numpy()
    np.testing.assert_allclose(out.sum(), 1, rtol=1e-5)
    path = tmp_path / "deploy_lib.so"
    lib.export_library(str(path))
    loaded = tvm.runtime.load_module(str(path))
    again = graph_executor.GraphModule(loaded["default"](dev))
    again.set_input("data", tvm.nd.array(data))
    again.run()
    np.testing.assert_array_equal(again.get_output(0).numpy(), out)


def test_passes_one_by_one_and_in_sequence():
    """Passes are called, gathered into a sequence, and switched by the context."""
    x = relay.var("x", relay.TensorType((1, 4, 8, 8), "float32"))
    weight = relay.const(np.random.default_rng(0).standard_normal((4, 4, 3, 3)).astype("f4"))
    y = relay.nn.conv2d(x, weight)
    c = relay.const(np.ones((4, 6, 6), "f4"))
    y = relay.add(relay.add(c, c), y)
    z, z1 = relay.add(y, c), relay.add(y, c)
    f = relay.Function([x], relay.add(z, z1))
    mod = tvm.IRModule.from_expr(f)

    folded = relay.transform.FoldConstant()(mod)
    assert testing.count_ops(folded["main"])["add"] == 4
    once = relay.transform.EliminateCommonSubexpr()(folded)
    assert testing.count_ops(once["main"])["add"] == 3
    fused = relay.transform.FuseOps(fuse_opt_level=0)(once)
    assert fused.astext().count("Primitive=1") == 4
    joined = relay.transform.FuseOps(fuse_opt_level=2)(once)
    assert joined.astext().count("Primitive=1") == 1

    seq = tvm.transform.Sequential(
        [
            relay.transform.FoldConstant(),
            relay.transform.EliminateCommonSubexpr(),
            relay.transform.FuseOps(fuse_opt_level=2),
        ]
    )
    with tvm.transform.PassContext(opt_level=2):  # the second pass has the level 3
        assert seq(mod).astext().count("add(") == 4
    with tvm.transform.PassContext(opt_level=3):
        assert seq(mod).astext().count("add(") == 3
    with tvm.transform.PassContext(opt_level=3, disabled_pass=["EliminateCommonSubexpr"]):
        assert seq(mod).astext().count("add(") == 4


def test_a_pass_of_ones_own():
    """A pass that multiplies the constants of a function, written as a class."""

    @relay.transform.function_pass(opt_level=1)
    class CustomPipeline:
        def __init__(self, multiplier: float) -> None:
            self.multiplier = multiplier

        def transform_function(self, func: Any, mod: Any, ctx: Any) -> Any:
            outer = self

            class ReplaceConstant(relay.ExprMutator):
                def visit_constant(self, const: Any) -> Any:
                    return relay.const(const.data.numpy() * np.float32(outer.multiplier))

            return ReplaceConstant().visit(func)

    x = relay.var("x", shape=(2,))
    mod = tvm.IRModule.from_expr(relay.Function([x], x + relay.const(2.0)))
    after = CustomPipeline(multiplier=3)(mod)
    run = relay.create_executor("graph", after).evaluate()
    np.testing.assert_allclose(run(np.zeros(2, "f4")).numpy(), [6, 6])


def test_instruments_see_passes(capsys: pytest.CaptureFixture[str]):
    """Classes of a user count passes, and print between them."""

    @tvm.instrument.pass_instrument
    class Counter:
        def __init__(self) -> None:
            self.names: list[str] = []

        def enter_pass_ctx(self) -> None:
            self.names.append("in")

        def exit_pass_ctx(self) -> None:
            self.names.append("out")

        def run_before_pass(self, mod: Any, info: Any) -> None:
            self.names.append(info.name)

    x = relay.var("x", shape=(2,))
    mod = tvm.IRModule.from_expr(relay.Function([x], x + (relay.const(1.0) + relay.const(1.0))))
    counter: Any = Counter()
    timing = tvm.instrument.PassTimingInstrument()
    with tvm.transform.PassContext(opt_level=3, instruments=[counter, timing]):
        mod = relay.transform.FoldConstant()(mod)
        mod = tvm.transform.PrintIR("after")(mod)
        profile = timing.render()
    assert counter.names[0] == "in"
    assert counter.names[-1] == "out"
    assert "FoldConstant" in counter.names
    assert "FoldConstant" in profile
    assert "after" in capsys.readouterr().err


def test_a_graph_convolution():
    """Layers of a graph network: relu(adjacency (x w) + b), the adjacency being sparse."""
    generator = np.random.default_rng(0)
    nodes, features, hidden = 12, 6, 5
    adjacency = np.where(generator.random((nodes, nodes)) < 0.3, 1, 0).astype("f4")
    rows, columns = np.nonzero(adjacency)
    parts = {
        "g_data": adjacency[rows, columns],
        "indices": columns.astype("int32"),
        "indptr": np.searchsorted(rows, np.arange(nodes + 1)).astype("int32"),
    }
    data = relay.var("infeats", shape=(nodes, features))
    sparse = [relay.var(k, shape=v.shape, dtype=str(v.dtype)) for k, v in parts.items()]
    weight, bias = relay.var("w", shape=(hidden, features)), relay.var("b", shape=(hidden,))
    # Relay's product is dense times the transpose of the sparse matrix; the nodes are its columns.
    turned = relay.nn.dense(weight, data)
    out = relay.transpose(relay.nn.sparse_dense(turned, sparse))
    out = relay.nn.relu(relay.nn.bias_add(out, bias, axis=-1))
    func = relay.Function(relay.analysis.free_vars(out), out)
    params = {
        **parts,
        "infeats": generator.standard_normal((nodes, features)).astype("f4"),
        "w": generator.standard_normal((hidden, features)).astype("f4"),
        "b": generator.standard_normal(hidden).astype("f4"),
    }
    lib = relay.build(tvm.IRModule.from_expr(func), "llvm")
    module = graph_executor.GraphModule(lib["default"](tvm.cpu()))
    module.set_input(**params)
    module.run()
    expected = adjacency @ params["infeats"] @ params["w"].T + params["b"]
    np.testing.assert_allclose(
        module.get_output(0).numpy(), np.maximum(expected, 0), rtol=1e-4, atol=1e-5
    )


def test_a_convolution_with_its_parameters_bound():
    """Weights are bound by name, and what depends on them alone is computed by the build."""
    out_channels = 4
    data = relay.var("data", relay.TensorType((1, 3, 8, 8), "float32"))
    weight = relay.var("weight")
    bn_gamma, bn_beta = relay.var("bn_gamma"), relay.var("bn_beta")
    bn_mmean, bn_mvar = relay.var("bn_mean"), relay.var("bn_var")
    simple_net = relay.nn.conv2d(
        data=data, weight=weight, kernel_size=(3, 3), channels=out_channels, padding=(1, 1)
    )
    simple_net = relay.nn.batch_norm(simple_net, bn_gamma, bn_beta, bn_mmean, bn_mvar)[0]
    simple_net = relay.nn.relu(simple_net)
    net = relay.Function(relay.analysis.free_vars(simple_net), simple_net)
    mod, params = testing.create_workload(net)
    with tvm.transform.PassContext(opt_level=3):
        lib = relay.build(mod, "llvm", params=params)
    x = np.random.default_rng(0).uniform(-1, 1, (1, 3, 8, 8)).astype("float32")
    interpreted = relay.create_executor("debug", mod, params=params).evaluate()(x)
    np.testing.assert_allclose(np.asarray(lib(x)), interpreted.numpy(), rtol=1e-4, atol=1e-5)
    main = lib.get_source("graph")
    assert "batch_norm" not in main


def test_parameters_as_bytes():
    """Parameters go into bytes and back, and into the executor."""
    mod, params = testing.mlp.get_workload(1, image_shape=(1, 4, 4))
    data = relay.save_param_dict(params)
    again = relay.load_param_dict(bytearray(data))
    assert again.keys() == params.keys()
    lib = relay.build(mod, "llvm")
    module = graph_executor.GraphModule(lib["default"](tvm.cpu()))
    module.set_input(**again)
    x = np.ones((1, 1, 4, 4), "f4")
    module.run(data=x)
    built = relay.build(mod, "llvm", params=params)
    np.testing.assert_allclose(module.get_output(0).numpy(), np.asarray(built(x)), rtol=1e-5)
