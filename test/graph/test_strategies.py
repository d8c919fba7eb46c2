"""Strategies of the user come before kc's computations and schedules."""

from collections.abc import Iterator
from typing import Any

import graph_programs as programs
import numpy as np
import pytest
from graph_programs import parsed
from test_graph_cache import folder, work  # noqa: F401  # pyright: ignore[reportUnusedImport]

import kc
from kc import relay, te, topi
from kc.graph import OpStrategy
from kc.support.diagnostics import GraphError

X = np.linspace(-2, 2, 64, dtype=np.float32).reshape(4, 16)
OPERATORS = ("nn.relu", "nn.dense", "exp")


@pytest.fixture(autouse=True)
def forgetting() -> Iterator[None]:
    yield
    for name in OPERATORS:
        kc.graph.unregister(name)


def unary(name: str) -> kc.IRModule:
    return parsed(f"""
graph.func @main(%x: MAT) -> MAT {{
  %0 = graph.{name}(%x) : (MAT) -> MAT
  graph.return %0 : MAT
}}
""")


def halves(outs: Any) -> Any:
    """A schedule that no rule of kc's makes: 16 columns as 2 by 8, the inner loop outermost."""
    schedule = te.create_schedule([out.op for out in outs])
    i, j = schedule[outs[0]].op.axis
    outer, inner = schedule[outs[0]].split(j, factor=8)
    schedule[outs[0]].reorder(inner, outer, i)
    return schedule


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_a_schedule(target: str) -> None:
    seen: list[Any] = []

    @kc.graph.register_schedule("nn.relu")
    def schedule(attrs: Any, outs: Any, target: Any) -> Any:
        seen.append((attrs.name, len(outs), str(target.kind)))
        return halves(outs)

    f = kc.graph.build(unary("nn.relu"), target)
    np.testing.assert_array_equal(f(X), np.maximum(X, 0))
    assert set(seen) == {("nn.relu", 1, target)}
    text = f.get_source("tir")
    assert text.index("in 8 {") < text.index("in 2 {") < text.index("in 4 {")


def test_a_compute() -> None:
    @kc.graph.register_compute("nn.relu")
    def compute(attrs: Any, inputs: Any, out_type: Any) -> Any:
        assert (out_type.shape, out_type.dtype) == ((4, 16), "float32")
        return [te.compute(out_type.shape, lambda *i: inputs[0](*i) * 3.0, name="thrice")]

    f = kc.graph.build(unary("nn.relu"))
    np.testing.assert_array_equal(f(X), X * 3)
    kc.graph.unregister("nn.relu")
    np.testing.assert_array_equal(kc.graph.build(unary("nn.relu"))(X), np.maximum(X, 0))


def multiplied(by: float) -> Any:
    """A computation."""
    return lambda attrs, inputs, out_type: topi.multiply(inputs[0], by)


def test_the_highest_level_whose_condition_holds() -> None:
    @kc.graph.register_strategy("exp")
    def strategy(attrs: Any, inputs: Any, out_type: Any, target: Any) -> OpStrategy:
        result = OpStrategy()
        rows = te.const(inputs[0].shape[0], "int32")
        result.add_implementation(multiplied(2), None, name="low", plevel=1)
        with te.SpecializedCondition(rows > 3):
            result.add_implementation(multiplied(3), None, name="large", plevel=15)
        with te.SpecializedCondition(rows * 2 > 20):
            result.add_implementation(multiplied(4), None, name="larger", plevel=20)
        with te.SpecializedCondition(te.var("n") > 1):
            result.add_implementation(multiplied(5), None, name="unknown", plevel=30)
        return result

    np.testing.assert_array_equal(kc.graph.build(unary("exp"))(X), X * 3)
    wide = kc.IRModule.parse(str(unary("exp")).replace("4x16", "11x16"))
    np.testing.assert_array_equal(kc.graph.build(wide)(np.tile(X[:1], (11, 1))), 4 * np.tile(X[:1], (11, 1)))  # fmt: skip  # noqa: E501


def test_levels_of_registrations() -> None:
    kc.graph.register_compute("exp", multiplied(2), level=5)
    kc.graph.register_compute("exp", multiplied(3), level=15)
    kc.graph.register_compute("exp", multiplied(4), level=10)
    np.testing.assert_array_equal(kc.graph.build(unary("exp"))(X), X * 3)


def test_the_schedule_of_a_group_is_that_of_its_anchor() -> None:
    seen: list[str] = []

    @kc.graph.register_schedule("nn.dense")
    def dense(attrs: Any, outs: Any, target: Any) -> Any:
        seen.append(outs[0].op.name)
        return te.create_schedule([out.op for out in outs])

    @kc.graph.register_schedule("nn.relu")
    def relu(attrs: Any, outs: Any, target: Any) -> Any:
        raise AssertionError("relu is no anchor")

    x, w, b = (np.ones(shape, np.float32) for shape in ((4, 8), (16, 8), (16,)))
    f = kc.graph.build(parsed(programs.NETWORK))
    np.testing.assert_allclose(f(x, w, b), np.full((4, 16), 1 / 16))
    assert set(seen) == {"T_relu"}


def test_functions_without_a_version_are_not_cached(
    folder: Any,  # noqa: F811
    work: dict[str, int],  # noqa: F811
) -> None:
    def scheduled(version: str | None) -> int:
        kc.graph.unregister("exp")
        kc.graph.register_compute("exp", multiplied(2), version=version)
        before = work["schedules"]
        kc.graph.build(unary("exp"))
        return work["schedules"] - before

    assert (scheduled(None), scheduled(None)) == (1, 1)
    assert (scheduled("1"), scheduled("1"), scheduled("2")) == (1, 0, 1)


REFUSED = {
    "no strategy": (
        lambda: kc.graph.register_strategy("exp", lambda *_: None),  # pyright: ignore
        "the strategy of exp returned None",
    ),
    "another shape": (
        lambda: kc.graph.register_compute("exp", lambda a, inputs, t: topi.transpose(inputs[0])),
        "the compute of exp gave float32[16, 4]",
    ),
    "no tensor": (
        lambda: kc.graph.register_compute("exp", lambda a, inputs, t: [3]),
        "the compute of exp gave int",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    register, message = REFUSED[case]
    register()
    with pytest.raises(GraphError) as caught:
        kc.graph.build(unary("exp"))
    assert (caught.value.code, caught.value.message) == ("KC2493", message)


def test_an_unknown_operator() -> None:
    with pytest.raises(GraphError, match="KC2404.*there is no operator 'nn.rleu'"):
        kc.graph.register_schedule("nn.rleu", halves)  # pyright: ignore


def test_the_names_of_relay() -> None:
    strategies = relay.op.strategy

    @relay.op.register_strategy("nn.relu")
    def strategy(attrs: Any, inputs: Any, out_type: Any, target: Any) -> Any:
        result = relay.op.OpStrategy()
        result.add_implementation(
            strategies.wrap_topi_compute(topi.nn.relu),
            strategies.wrap_topi_schedule(halves),
            name="mine",
        )
        return result

    relay.op.register_injective_schedule("exp")
    assert relay.op.get("nn.relu").get_attr("FTVMStrategy") is strategy
    f = kc.graph.build(unary("nn.relu"))
    np.testing.assert_array_equal(f(X), np.maximum(X, 0))
    assert "in 8 {" in f.get_source("tir")
    relay.op.get("nn.relu").reset_attr("FTVMStrategy")
    assert "in 8 {" not in kc.graph.build(unary("nn.relu")).get_source("tir")
