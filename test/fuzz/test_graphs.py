"""Random graphs: a slice of the family ``graph``, of which ``make fuzz FAMILY=graph`` runs more."""

from __future__ import annotations

from random import Random

import pytest
from cases import run_case
from graph import drawn

from kc.dialects.graph.declaration import OperatorOp


@pytest.mark.parametrize("seed", range(12))
def test_a_random_graph_is_the_same_in_each_way(seed: int) -> None:
    done = run_case(seed, family="graph", native=seed % 3 == 0)
    if done.error is not None:
        raise done.error
    assert done.stage == "done"


def test_the_graphs_have_all_kinds_of_operations() -> None:
    kinds: set[str] = set()
    for seed in range(120):
        module, _ = drawn(Random(seed))
        module.verify()
        kinds |= {op.name for op in module.walk() if not isinstance(op, OperatorOp)}
    assert kinds >= {
        "graph.func", "graph.call", "graph.fn", "graph.call_indirect", "graph.if", "graph.while",
        "graph.tuple", "graph.tuple_get_item", "graph.let", "graph.constant",
    }  # fmt: skip
