"""The programs of docs/graph.md run, and its text is IR."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import kc
from kc.dialects.graph.declaration import OPERATORS, Operator, Pattern, operator
from kc.dialects.graph.types import TensorSpec
from kc.graph.lowering import LOWERINGS

PAGE = (Path(__file__).parents[2] / "docs" / "graph.md").read_text()


def snippets(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def snippet_with(words: str) -> str:
    """The program in Python that has these words."""
    (snippet,) = [each for each in snippets("python") if words in each]
    return snippet


def test_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any):
    monkeypatch.chdir(tmp_path)
    state: dict[str, Any] = {}
    exec(compile(snippets("python")[0], "graph.md", "exec"), state)
    assert "graph.nn.softmax" in capsys.readouterr().out
    x = np.ones((1, 64), np.float32)
    x[0, 0] = 0.5
    # All rows of the weight are equal, so each of ten classes has the probability 1 / 10.
    np.testing.assert_allclose(state["f"](x), np.full((1, 10), 0.1), rtol=1e-5)
    assert (tmp_path / "model.o").stat().st_size


def test_the_text():
    (text,) = snippets("mlir")
    module = kc.IRModule.parse(text)
    x, w = np.ones((3, 64), np.float32), np.ones((10, 64), np.float32)
    result = kc.graph.Interpreter(module).run(x, w)
    np.testing.assert_allclose(result, np.full((3, 10), 0.1), rtol=1e-5)


def test_the_schedule():
    from kc import relay, te
    from kc.expr.op_attributes import attribute_of

    state: dict[str, Any] = {"kc": kc, "te": te}
    try:
        exec(compile(snippet_with("register_schedule"), "graph.md", "exec"), state)
        assert attribute_of("nn.relu", "FTVMSchedule") is state["schedule"]
        x = relay.var("x", shape=(8, 4))
        f = kc.graph.build(kc.IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
        x = np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)
        np.testing.assert_array_equal(f(x), np.maximum(x, 0))
        assert "in 8 parallel" in f.get_source("tir")
    finally:
        kc.graph.unregister("nn.relu")


def test_the_new_operator(monkeypatch: pytest.MonkeyPatch):
    from kc import te, topi
    from kc.expr.tensor import Tensor
    from kc.graph.lowering import compute, lowering

    names = {"te": te, "topi": topi, "Tensor": Tensor, "lowering": lowering}
    shared = {"Operator": Operator, "Pattern": Pattern, "operator": operator}
    module = ModuleType("mine")
    state: dict[str, Any] = vars(module)
    state |= {**names, **shared, "TensorSpec": TensorSpec}
    monkeypatch.setitem(sys.modules, "mine", module)
    try:
        exec(compile(snippet_with("class Scale"), "graph.md", "exec"), state)
        data = te.placeholder((4,), name="data")
        (result,) = compute(state["Scale"](factor=3.0), [data])
        scaled = np.zeros(4, np.float32)
        kc.build([data, result])(np.arange(4, dtype=np.float32), scaled)
        np.testing.assert_array_equal(scaled, [0, 3, 6, 9])
    finally:
        OPERATORS.pop("mine.scale", None)
        LOWERINGS.pop("mine.scale", None)


def test_patterns():
    x = kc.relay.var("x", shape=(1, 4, 6, 6))
    weight = kc.relay.const(np.ones((4, 4, 1, 1), np.float32))
    conv = kc.relay.nn.relu(kc.relay.nn.conv2d(x * x, weight))
    state: dict[str, Any] = {"relay": kc.relay, "expr": conv}
    exec(compile(snippet_with("class ToSquare"), "graph.md", "exec"), state)
    assert state["pattern"].match(conv)
    after = kc.relay.dataflow_pattern.rewrite(state["ToSquare"](), conv)
    assert "power" in after.astext()
    assert "multiply" not in after.astext()


def test_the_page_in_chinese(capsys: pytest.CaptureFixture[str]):
    text = (Path(__file__).parents[2] / "docs" / "graph.zh.md").read_text()
    state: dict[str, Any] = {}
    for program in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
        exec(compile(program, "graph.zh.md", "exec"), state)
    assert "graph.nn.softmax" in capsys.readouterr().out
    # All rows of the weight are equal, so each of ten classes has the probability 1 / 10.
    np.testing.assert_allclose(np.asarray(state["result"]), np.full((1, 10), 0.1), rtol=1e-5)
    assert len(state["groups"]) == 2
    assert "power" in state["squared"].astext()
    np.testing.assert_allclose(np.asarray(state["probabilities"]).sum(), 1, rtol=1e-5)
