"""``defunctionalization``: no function is a value afterwards, and results are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_programs import FUNCTIONS, parsed
from test_data_types import RECURSION, program

import kc
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.support.diagnostics import GraphError
from kc.tvm.relay.prelude import Prelude

NESTED = (Path(__file__).parent.parent / "transforms" / "graph" / "lambda_lift.mlir").read_text()
X, Y = np.array([1, 2], np.float32), np.array([3, -1], np.float32)


def applied(module: kc.IRModule) -> kc.IRModule:
    """The module after the pass, which does nothing the second time."""
    copied = kc.IRModule(module.op.clone())
    defunctionalization = registry.pass_class("defunctionalization")()
    defunctionalization.apply(registry.context(), copied.op)
    copied.op.verify()
    registry.pass_class("infer-type")().apply(registry.context(), copied.op)
    once = str(copied)
    assert "!graph.fn" not in once
    assert "call_indirect" not in once
    defunctionalization.apply(registry.context(), copied.op)
    assert str(copied) == once
    return copied


@pytest.mark.parametrize(
    ("module", "arguments", "name"),
    [
        (parsed(FUNCTIONS), (X, Y), "main"),
        (program(RECURSION), (np.int32(5), np.int32(3)), "main"),
        (kc.IRModule.parse(NESTED), (np.arange(4, dtype="f4"), np.array(True)), "main"),
        (kc.IRModule.parse(NESTED), (np.arange(4, dtype="f4"), np.array(True)), "nested"),
        (kc.IRModule.parse(NESTED), (np.arange(4, dtype="f4"), np.array(False)), "nested"),
    ],
    ids=["functions", "recursion", "main", "nested, true", "nested, false"],
)
def test_the_results_are_the_same(module: kc.IRModule, arguments, name: str) -> None:
    expected = Interpreter(module).run(*arguments, name=name)
    np.testing.assert_array_equal(Interpreter(applied(module)).run(*arguments, name=name), expected)


def test_functions_of_any_type_are_refused() -> None:
    module = Prelude().mod
    copied = kc.IRModule(module.op.clone())
    before = str(copied)
    with pytest.raises(GraphError, match="KC2486") as refused:
        registry.pass_class("defunctionalization")().apply(registry.context(), copied.op)
    assert "a function that is a value is !graph.fn<" in str(refused.value)
    assert str(copied) == before
