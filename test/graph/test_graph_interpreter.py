"""The interpreter of graphs: each kind of operation, sizes, and what it refuses."""

import re

import numpy as np
import pytest
from graph_programs import FUNCTIONS, LOOP, NETWORK, RECURSION, TUPLES, parsed

from kc.graph import interpreter
from kc.graph.interpreter import Interpreter
from kc.support.diagnostics import GraphError

RNG = np.random.default_rng(0)


def array(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def run(text: str, *arguments: object, name: str = "main", way: str = "compiled") -> object:
    return Interpreter(parsed(text), way).run(*arguments, name=name)  # pyright: ignore


@pytest.mark.parametrize("way", ["compiled", "interpreter"])
def test_a_network(way: str) -> None:
    x, w, b = array(4, 8), array(16, 8), array(16)
    scores = np.maximum(x.astype(float) @ w.T + b, 0)
    powers = np.exp(scores)
    expected = powers / powers.sum(-1, keepdims=True)
    np.testing.assert_allclose(run(NETWORK, x, w, b, way=way), expected, rtol=1e-5)  # pyright: ignore


@pytest.mark.parametrize("condition", [True, False])
def test_tuples_and_branches(condition: bool) -> None:
    a, b = array(2), array(2)
    first, (second,) = run(TUPLES, (a, b), condition)  # pyright: ignore
    np.testing.assert_array_equal(first, a)
    np.testing.assert_array_equal(second, a - b if condition else b)


def test_a_loop() -> None:
    doubled, left = run(LOOP, 1.5, 5)  # pyright: ignore
    assert (float(doubled), int(left)) == (1.5 * 2**5, 0)
    unchanged, _ = run(LOOP, 1.5, 0)  # pyright: ignore
    assert float(unchanged) == 1.5


def test_functions_that_are_values() -> None:
    x, z = array(2), array(2)
    product = x * z * z
    np.testing.assert_array_equal(run(FUNCTIONS, x, z), -(x - (x - product)))


def test_a_function_that_a_call_returns_may_be_passed_on() -> None:
    interpreted = Interpreter(parsed(FUNCTIONS))
    x, z = array(2), array(2)
    adder = interpreted.run(z, name="adder")
    np.testing.assert_array_equal(interpreted.run(adder, x, name="twice"), x + z + z)


def test_recursion_deeper_than_pythons() -> None:
    assert run(RECURSION, 3000) == 3000 * 3001 // 2


def test_recursion_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MOST_CALLS", 50)
    with pytest.raises(GraphError, match=r"KC2444.*@endless is called 50 calls deep"):
        run(RECURSION, 1, name="endless")


SIZES = """
graph.func @main(%x: WIDE, %y: THIN) -> WIDE {
  %0 = graph.add(%x, %y) : (WIDE, THIN) -> WIDE
  graph.return %0 : WIDE
}
"""


def test_sizes_with_names() -> None:
    x, y = array(6, 8), array(6, 1)
    np.testing.assert_array_equal(run(SIZES, x, y), x + y)
    empty = run(SIZES, x[:0], y[:0])
    assert empty.shape == (0, 8)  # pyright: ignore


def test_equal_names_are_equal_sizes() -> None:
    with pytest.raises(GraphError) as caught:
        run(SIZES, array(6, 8), array(4, 1))
    assert str(caught.value) == (
        "error[KC2443]: @main: an array of shape [4, 1] for float32[2 * n, 1]\n"
        "  --> <string>:2:1\n"
        "   |  n is 3\n"
        "  why: 2 * n is 6"
    )


def test_a_size_that_is_no_multiple() -> None:
    with pytest.raises(GraphError, match="KC2443"):
        run(SIZES, array(6, 8), array(5, 1))


BAD = [
    ((array(4, 8), array(16, 8)), "@main takes 3 arguments, 2 arguments came"),
    (
        (array(8, 4), array(16, 8), array(16)),
        "the argument x has the shape [8, 4], but must be float32[4, 8]",
    ),
    (
        (array(4, 8), array(16, 8), np.zeros(16)),
        "the argument b has elements of float64, but must have float32",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_arguments_that_do_not_fit(arguments: tuple[np.ndarray, ...], message: str) -> None:
    with pytest.raises(GraphError, match=f"KC2442.*{re.escape(message)}"):
        run(NETWORK, *arguments)


def test_a_name_of_no_function() -> None:
    with pytest.raises(GraphError, match=r"KC2441.*no function @mian(.|\n)*did you mean 'main'"):
        run(NETWORK, name="mian")


def test_elided_elements() -> None:
    text = """
graph.func @main() -> tensor<4xf32> {
  %w = graph.constant dense_resource<w> : tensor<4xf32>
  graph.return %w : tensor<4xf32>
}
"""
    with pytest.raises(GraphError, match="KC2446"):
        run(text)


def test_the_callable_has_outputs_as_arguments() -> None:
    function = Interpreter(parsed(TUPLES)).callable()
    assert str(function.signature) == (
        "main(t_0: float32[2], t_1: float32[2], c: bool[], output_0: out float32[2], "
        "output_1_0: out float32[2])"
    )
    a, b, out, inner = (array(2) for _ in range(4))
    function(a, b, np.array(True), out, inner)
    np.testing.assert_array_equal(inner, a - b)
    np.testing.assert_array_equal(function(a, b, np.array(False))[1], b)


def test_a_group_without_operands_has_the_sizes_of_its_caller() -> None:
    vector = 'tensor<?xf32, #graph.dims<"n">>'
    text = f"""
    graph.func private @fused_zeros() -> {vector} attributes {{primitive}} {{
      %z = graph.zeros() <shape = [#graph.size<"n">], dtype = "float32"> : () -> {vector}
      graph.return %z : {vector}
    }}
    graph.func @main(%x: {vector}) -> {vector} {{
      %z = graph.call @fused_zeros() : () -> {vector}
      %r = graph.add(%x, %z) : ({vector}, {vector}) -> {vector}
      graph.return %r : {vector}
    }}
    """
    np.testing.assert_array_equal(run(text, np.ones(3, "f")), np.ones(3))
