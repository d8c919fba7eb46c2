"""The text that torch-mlir writes gives what torch gave: modules of every kind, as data."""

import numpy as np
import pytest
from torch_modules import exports, stored

import kc

EXPORTS, GRAPHS = exports(), stored()
SLICE = ("batch_norm", "gru", "scatter", "topk", "bfloat16", "linear_of_any_batch")
NAMES = [pytest.param(name, marks=() if name in SLICE else pytest.mark.sweep) for name in EXPORTS]


@pytest.mark.parametrize("name", NAMES)
def test_a_module_gives_what_torch_gave(name: str):
    _, inputs, wanted = GRAPHS[name]
    results = kc.build(kc.IRModule.parse(EXPORTS[name], f"{name}.mlir"))(*inputs)
    results = results if isinstance(results, tuple | list) else [results]
    tolerance = {"float16": 5e-3, "bfloat16": 2e-2}.get(name, 2e-5)
    for result, expected in zip(results, wanted, strict=True):
        assert np.shape(result) == expected.shape
        np.testing.assert_allclose(
            np.asarray(result, np.float64),
            expected.astype(np.float64),
            rtol=tolerance,
            atol=tolerance,
        )


def test_most_modules_are_exported():
    """torch-mlir itself does not lower the bag of an embedding."""
    assert GRAPHS.keys() - EXPORTS.keys() == {"embedding_bag"}
