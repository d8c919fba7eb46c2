"""Operators of sparse matrices, and of lists of the places of elements."""

from __future__ import annotations

import numpy as np
import pytest
from operator_cases import Case, array_of, case, check, inferred

import kc
from kc import relay
from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import dimension
from kc.dialects.graph.types import TensorSpec

N = dimension("n")
DENSE = np.array([[0, 2, 0], [1, 0, 3], [0, 0, 0]], np.float32)
ROWS = np.array([2, 1, 3], np.float32), np.array([1, 0, 2], np.int32), np.array([0, 1, 3, 3])
BLOCKS = (
    np.arange(1, 9, dtype=np.float32).reshape(2, 2, 2), np.array([1, 0], np.int32),
    np.array([0, 1, 2], np.int32),
)  # fmt: skip
OF_BLOCKS = np.array([[0, 0, 1, 2], [0, 0, 3, 4], [5, 6, 0, 0], [7, 8, 0, 0]])
PLACES = np.array([[2, 1], [0, 3], [2, 0], [5, 1]])
VALUES = np.array([1, 2, 3, 4], np.float32)
FILLED = (
    [[0, 3], [1, 0], [2, 1], [2, 0], [3, 0]], [2, 9, 1, 3, 9], [False, True, False, True],
)  # fmt: skip

CASES = [
    case("nn.sparse_dense", "2x3xfloat32", *ROWS, expected=lambda x, *_: x @ DENSE.T),
    case("nn.sparse_dense", "2x3xfloat32", *ROWS, sparse_lhs=True,
         expected=lambda x, *_: DENSE @ x.T),
    case("nn.sparse_dense", "3x4xfloat32", *BLOCKS, expected=lambda x, *_: x @ OF_BLOCKS.T),
    case("nn.sparse_dense", "3x4xfloat32", *BLOCKS, sparse_lhs=True,
         expected=lambda x, *_: OF_BLOCKS @ x.T),
    case("nn.sparse_add", "3x3xfloat32", *ROWS, expected=lambda x, *_: x + DENSE),
    case("nn.sparse_transpose", *ROWS, expected=lambda *_: ([1, 2, 3], [1, 0, 1], [0, 1, 2, 3])),
    case("sparse_fill_empty_rows", PLACES, VALUES, np.array([4, 5]), np.float32(9),
         constants=(0, 2), expected=lambda *_: FILLED),
    case("sparse_fill_empty_rows", np.zeros((0, 3), np.int32), np.zeros(0, np.int8),
         np.array([2, 1, 1]), np.int8(7), constants=(0, 2),
         expected=lambda *_: ([[0, 0, 0], [1, 0, 0]], [7, 7], [True, True])),
    case("sparse_reshape", np.array([[0, 5], [3, 2]]), np.array([4, 6]), np.array([2, -1, 3]),
         expected=lambda *_: ([[0, 1, 2], [1, 2, 2]], [2, 4, 3])),
    case("sparse_reshape", np.array([[1, 1], [0, 2]], np.int32), np.array([2, 3]),
         np.array([6], np.int32), expected=lambda *_: ([[4], [2]], [6])),
]  # fmt: skip


@pytest.mark.parametrize("each", CASES, ids=str)
def test_an_operator_computes_what_its_definition_says(each: Case) -> None:
    check(each)


def test_the_function_of_relay_takes_a_matrix_as_a_tuple() -> None:
    x = relay.var("x", shape=(2, 3), dtype="float32")
    matrix = [relay.const(part) for part in ROWS]
    forms = [
        relay.nn.sparse_dense(x, tuple(matrix)),
        relay.nn.sparse_dense(x, relay.Tuple(matrix)),
        relay.nn.sparse_dense(x, sparse_mat=matrix),
    ]
    data = array_of("2x3xfloat32")
    for body in forms:
        module = kc.IRModule.from_expr(relay.Function([x], body))
        np.testing.assert_allclose(kc.graph.Interpreter(module).run(data), data @ DENSE.T)
    transposed = relay.nn.sparse_transpose(matrix)
    assert len(transposed) == 3
    with pytest.raises(kc.error.GraphError, match="sparse_data, sparse_indices, sparse_indptr"):
        relay.nn.sparse_dense(x, matrix[:2])


def test_the_number_of_places_is_known_when_the_program_runs() -> None:
    places = relay.var("places", shape=(4, 2), dtype="int64")
    values = relay.var("values", shape=(4,), dtype="float32")
    call = relay.sparse_fill_empty_rows(
        places, values, relay.const(np.array([4, 5])), relay.const(np.float32(9))
    )
    module = kc.IRModule.from_expr(relay.Function([places, values], call.astuple()))
    results = kc.graph.Interpreter(module).run(PLACES, VALUES)
    for own, wanted in zip(results, FILLED, strict=True):
        np.testing.assert_array_equal(np.asarray(own), wanted)


def _of(*shape, dtype: str = "float32") -> TensorSpec:
    return TensorSpec(shape, dtype)


def _ints(*shape) -> TensorSpec:
    return _of(*shape, dtype="int32")


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "expected"),
    [
        ("nn.sparse_dense", [_of(N, 3), _of(5), _ints(5), _ints(4)], {}, _of(N, 3)),
        ("nn.sparse_dense", [_of(2, 3), _of(5), _ints(5), _ints(N)], {"sparse_lhs": True},
         _of(N - 1, 2)),
        ("sparse_fill_empty_rows", [_ints(N, 2), _of(N), _ints(2), _of()], {},
         (_ints(None, 2), _of(None), _of(None, dtype="bool"))),
        ("sparse_reshape", [_ints(N, 2), _ints(2), _ints(3)], {}, (_ints(N, 3), _ints(3))),
    ],
)  # fmt: skip
def test_symbolic_sizes_are_exact(name, operands, attributes, expected) -> None:
    assert inferred(name, *operands, **attributes) == expected


@pytest.mark.parametrize(
    ("name", "operands", "part"),
    [
        ("nn.sparse_dense", [_of(2, 3), _of(5), _ints(4), _ints(4)], "are 5 and 4"),
        ("nn.sparse_dense", [_of(2, 3), _of(5, 2, 2), _ints(5), _ints(4)], "multiple of the 2"),
        ("nn.sparse_dense", [_of(2, 3), _of(5, 2), _ints(5), _ints(4)], "or 3 of blocks"),
        ("nn.sparse_dense", [_of(2, 3), _of(5), _ints(5), _ints(0)], "and one more"),
        ("nn.sparse_add", [_of(4, 3), _of(5), _ints(5), _ints(4)], "are 4 and 3"),
        ("nn.sparse_transpose", [_of(5), _of(5), _ints(4)], "must be integers"),
        ("sparse_fill_empty_rows", [_ints(4, 2), _of(3), _ints(2), _of()], "are 4 and 3"),
        ("sparse_reshape", [_ints(4, 2), _ints(3), _ints(2)], "are 2 and 3"),
        ("sparse_reshape", [_ints(4, 2), _ints(2), _ints(0)], "1 or more"),
    ],
)
def test_what_does_not_fit_is_refused(name, operands, part) -> None:
    with pytest.raises(RelationError, match=part):
        inferred(name, *operands)
