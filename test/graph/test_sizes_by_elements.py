"""Results whose size depends on elements: a bound and a count, which a call cuts to."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kc
from kc.graph import Interpreter
from kc.support.diagnostics import GraphError

PLACES = """
graph.func @main(%x: tensor<3x5xf32>) -> tuple<tensor<?x2xsi32>, tensor<3x5xf32>> {
  %c = graph.constant dense<0.0> : tensor<f32>
  %1 = graph.greater(%x, %c) : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xi1>
  %2 = graph.argwhere(%1) : (tensor<3x5xi1>) -> tensor<?x2xsi32>
  %3 = graph.exp(%x) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %t = graph.tuple(%2, %3) : tensor<?x2xsi32>, tensor<3x5xf32>
  graph.return %t : tuple<tensor<?x2xsi32>, tensor<3x5xf32>>
}
"""

ALONE = """
graph.func @main(%x: tensor<?xf32, #graph.dims<"n">>) -> tensor<?x1xsi32> {
  %0 = graph.argwhere(%x) : (tensor<?xf32, #graph.dims<"n">>) -> tensor<?x1xsi32>
  graph.return %0 : tensor<?x1xsi32>
}
"""

ARRAYS = [
    np.array([[1, 0, -1, 2, 0], [0, 0, 0, 3, 0], [-2, 1, 0, 0, 0]], np.float32),
    -np.ones((3, 5), np.float32),
    np.ones((3, 5), np.float32),
]


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_results_are_cut(target: str) -> None:
    f = kc.graph.build(kc.IRModule.parse(PLACES), target)
    for x in ARRAYS:
        places, powers = f(x)
        np.testing.assert_array_equal(places, np.argwhere(x > 0))
        assert places.dtype == np.int32
        np.testing.assert_allclose(powers, np.exp(x), rtol=1e-6)
        interpreted, _ = Interpreter(kc.IRModule.parse(PLACES)).run(x)
        np.testing.assert_array_equal(places, interpreted)


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_bounds_are_expressions_of_names(target: str) -> None:
    f = kc.graph.build(kc.IRModule.parse(ALONE), target)
    for n in (1, 4, 33):
        x = np.where(np.arange(n) % 3 == 0, 2.0, 0.0).astype(np.float32)
        np.testing.assert_array_equal(f(x), np.argwhere(x))


def test_outputs_that_are_passed_are_bounds_and_counts() -> None:
    f = kc.graph.build(kc.IRModule.parse(PLACES))
    assert [spec.name for spec in f["main"].signature.args] == [
        "x", "output_0", "output_1", "output_0_count",
    ]  # fmt: skip
    places, powers = np.empty((15, 2), np.int32), np.empty((3, 5), np.float32)
    count = np.empty(1, np.int32)
    assert f(ARRAYS[0], places, powers, count) is None
    assert count == 4
    np.testing.assert_array_equal(places[:4], np.argwhere(ARRAYS[0] > 0))


LOADED = """
import sys
import numpy as np
from kc.runtime import load_module
places, powers, count = load_module(sys.argv[1])(np.load(sys.argv[2]))
assert places.shape == (15, 2)
np.save(sys.argv[3], places[: count[0]])
"""


def test_files_give_the_counts(tmp_path: Path) -> None:
    f = kc.graph.build(kc.IRModule.parse(PLACES))
    f.export_library(tmp_path / "places.so")
    np.save(tmp_path / "x.npy", ARRAYS[0])
    arguments = [str(tmp_path / name) for name in ("places.so", "x.npy", "y.npy")]
    subprocess.run([sys.executable, "-c", LOADED, *arguments], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), np.argwhere(ARRAYS[0] > 0))


def test_what_uses_such_a_value_is_left_to_the_interpreter() -> None:
    text = PLACES.replace(
        "  %3 =", "  %4 = graph.abs(%2) : (tensor<?x2xsi32>) -> tensor<?x2xsi32>\n  %3 ="
    ).replace("graph.tuple(%2,", "graph.tuple(%4,")
    with pytest.raises(GraphError) as caught:
        kc.graph.build(kc.IRModule.parse(text))
    assert caught.value.code == "KC2447"
    assert caught.value.message.endswith("the size of an operand depends on elements")
    assert any("the interpreter runs" in hint for hint in caught.value.hints)
    (places, _) = Interpreter(kc.IRModule.parse(text)).run(ARRAYS[0])
    np.testing.assert_array_equal(places, np.argwhere(ARRAYS[0] > 0))
