"""Programs of articles about Relay and relay.build, with their imports renamed, and results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc as tvm
from kc import relay
from kc.contrib import relay_viz
from kc.graph.interpreter import Interpreter


def test_functions_that_are_not_called_are_removed(tmp_path: Path):
    a1 = relay.var("a1", shape=(1,), dtype="float32")
    a2 = relay.var("a2", shape=(1,), dtype="float32")
    add_op = relay.add(a1, a2)
    f1 = relay.Function([a1, a2], add_op)

    d1 = relay.var("d1", shape=(1, 32, 56, 56), dtype="float32")
    w1 = relay.var("w1", shape=(32, 32, 3, 3), dtype="float32")
    b1 = relay.var("b1", shape=(32,), dtype="float32")
    conv = relay.nn.conv2d(d1, w1, strides=(1, 1), padding=(1, 1))
    bias = relay.nn.bias_add(conv, b1)
    relu = relay.nn.relu(bias)
    f2 = relay.Function([d1, w1, b1], relu)

    mod = tvm.IRModule({"add_func": f1, "main": f2})
    mod = relay.transform.InferType()(mod)
    assert mod["main"].ret_type == relay.TensorType((1, 32, 56, 56), "float32")

    mod = relay.transform.RemoveUnusedFunctions()(mod)
    assert [str(name) for name in mod.get_global_vars()] == ["main"]

    for plotter, ending in ((None, ".html"), (relay_viz.DotPlotter(), ".dot")):
        relay_viz.RelayVisualizer(mod, plotter=plotter).render(str(tmp_path / "graph"))
        assert "conv2d" in (tmp_path / f"graph{ending}").read_text()


def test_a_shared_node_is_computed_once_with_and_without_let():
    x = relay.var("x", shape=(1, 32), dtype="float32")
    log = relay.log(x)
    shared = relay.Function([x], relay.add(log, log))
    assert shared.astext().count("log(") == 1
    v1 = relay.var("v1")
    bound = relay.Function([x], relay.Let(v1, relay.log(x), relay.add(v1, v1)))
    assert "let %v1 = log(%x)" in bound.astext()
    value = np.full((1, 32), 2, "float32")
    for function in (shared, bound):
        run = Interpreter(tvm.IRModule.from_expr(function)).run
        np.testing.assert_allclose(run(value), 2 * np.log(value), rtol=1e-6)
    form = relay.transform.ToANormalForm()(tvm.IRModule.from_expr(shared))
    assert form.astext().count("let %") >= 2
    back = relay.transform.ToGraphNormalForm()(form)
    assert "let" not in back.astext()


def test_a_closure_computes_outside_what_is_shared_there():
    # fn (%x) { %1 = log(%x); %2 = fn (%y) { add(%y, %1) }; %2 }: where is %1 computed?
    x = relay.var("x", shape=(3,))
    y = relay.var("y", shape=(3,))
    v = relay.var("v")
    inner = relay.Function([y], relay.add(y, v))
    f = relay.Function([x], relay.Let(v, relay.log(x), inner)(x))
    value = np.array([1, 2, 3], "float32")
    run = Interpreter(tvm.IRModule.from_expr(f)).run
    np.testing.assert_allclose(run(value), value + np.log(value), rtol=1e-6)


def test_a_constant_of_topi_and_relay():
    a1 = relay.var("a1", shape=(1,), dtype="float32")
    c1 = relay.const(10, "float32")
    c2 = relay.add(c1, a1)
    run = relay.create_executor("graph", tvm.IRModule.from_expr(relay.Function([a1], c2)))
    assert run.evaluate()(np.array([4], "float32")).numpy() == 14


def test_constants_are_propagated_and_folded():
    # int x = 14; int y = 7 - x / 2; return y * (28 / x + 2);
    x, y = relay.var("x"), relay.var("y")
    c = relay.const
    quotient = relay.op.floor_divide
    body = relay.Let(
        x,
        c(14),
        relay.Let(y, c(7) - quotient(x, c(2)), y * (quotient(c(28), x) + c(2))),
    )
    mod = tvm.IRModule.from_expr(relay.Function([], body))
    folded = relay.transform.FoldConstant()(relay.transform.ToGraphNormalForm()(mod))
    result = folded["main"].body
    assert isinstance(result, relay.Constant)
    assert result.data.numpy() == 0
    # i = 320 * 200 * 32
    product = relay.Function([], c(320) * c(200) * c(32))
    mod = relay.transform.FoldConstant()(tvm.IRModule.from_expr(product))
    result = mod["main"].body
    assert isinstance(result, relay.Constant)
    assert result.data.numpy() == 2048000


def test_conv_bias_and_relu_become_one_group():
    d1 = relay.var("d1", shape=(1, 8, 14, 14), dtype="float32")
    w1 = relay.var("w1", shape=(8, 8, 3, 3), dtype="float32")
    b1 = relay.var("b1", shape=(8,), dtype="float32")
    conv = relay.nn.conv2d(d1, w1, strides=(1, 1), padding=(1, 1))
    relu = relay.nn.relu(relay.nn.bias_add(conv, b1))
    mod = tvm.IRModule.from_expr(relay.Function([d1, w1, b1], relu))
    fused = relay.transform.FuseOps(fuse_opt_level=2)(mod)
    (group,) = relay.analysis.extract_fused_functions(mod).values()
    assert relay.testing.count_ops(group.body) == {
        "nn.conv2d": 1,
        "nn.bias_add": 1,
        "nn.relu": 1,
    }
    assert "Primitive=1" in fused.astext()


def test_passes_under_a_context():
    x = relay.var("x", shape=(1, 4, 4, 4))
    names = ("gamma", "beta", "mean", "var")
    params = [relay.var(name, shape=(4,)) for name in names]
    norm = relay.nn.batch_norm(x, *params)[0]
    mod = tvm.IRModule.from_expr(relay.Function([x, *params], norm))
    seq = tvm.transform.Sequential([relay.transform.SimplifyInference()])
    with tvm.transform.PassContext(opt_level=3):
        assert "batch_norm" not in seq(mod).astext()
    with tvm.transform.PassContext(opt_level=3, disabled_pass=["SimplifyInference"]):
        assert "batch_norm" in seq(mod).astext()


def test_a_program_for_arm_is_saved(tmp_path: Path):
    x = relay.var("x", shape=(1, 1024), dtype="float32")
    y = relay.add(x, x)
    func = relay.Function([x], y)
    mod = tvm.IRModule.from_expr(func)

    with tvm.transform.PassContext(opt_level=3):
        graph, lib, params = relay.build(
            mod,
            target="llvm --device=arm_cpu -mtriple=armv7a-linux-gnueabihf -mattr=+neon",
            params=None,
        )
    lib.save(str(tmp_path / "a.o"))
    header = (tmp_path / "a.o").read_bytes()[:20]
    assert header[:5] == b"\x7fELF\x01"
    assert header[18] == 40  # EM_ARM
    assert graph
    assert not params
    assembly = lib.get_source("asm")
    assert "vadd.f32" in assembly
    assert "q" in assembly[assembly.index("vadd.f32") :][:30]  # of four elements


def test_a_build_for_c():
    x = relay.var("x", shape=(1, 16), dtype="float32")
    mod = tvm.IRModule.from_expr(relay.Function([x], relay.add(x, x)))
    with tvm.transform.PassContext(opt_level=3, disabled_pass=[], required_pass=[], config={}):
        graph, lib, params = relay.build(mod, target="c", params=None)
    value = np.arange(16, dtype="float32").reshape(1, 16)
    np.testing.assert_allclose(np.asarray(lib(value)), 2 * value)
    assert "#include" in lib.get_source()
    assert (bool(graph), params) == (True, {})


PASSES = """
AlterOpLayout CanonicalizeOps CombineParallelConv2D CombineParallelDense ConvertLayout
DeadCodeElimination DefuseOps EliminateCommonSubexpr FastMath FoldConstant FuseOps InferType Inline
LazyGradientInit MergeCompilerRegions SimplifyExpr SimplifyInference SplitArgs
ToBasicBlockNormalForm ToMixedPrecision"""


@pytest.mark.parametrize("name", PASSES.split())
def test_each_pass_of_the_list_has_its_name(name: str):
    maker: Any = getattr(relay.transform, name)
    assert callable(maker)
