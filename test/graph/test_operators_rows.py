"""Each function of topi is used by an operator of graphs, or has a reason why it is not; each
operator of the families of tensors has a case, and uses the functions that it names."""

from __future__ import annotations

import dataclasses
from collections import defaultdict

import pytest
import test_operators_broadcast
import test_operators_dynamic
import test_operators_elementwise
import test_operators_nn_variants
import test_operators_placing
import test_operators_shape
import test_operators_slicing
import test_operators_sparse
from operator_cases import check

from kc.dialects.graph.declaration import all_operators
from kc.graph.lowering import lowering_of
from kc.graph.lowering.rows import NO_OPERATOR
from kc.topi.table import whole_table

FAMILIES = {
    "elementwise", "broadcast", "reduce", "shape", "slicing", "gathering", "scattering", "sorting",
    "annotation", "matrix", "random", "signal", "dynamic", "sparse", "bitserial", "deformable",
    "pooling_gradient",
}  # fmt: skip
MODULES = (
    test_operators_broadcast,
    test_operators_dynamic,
    test_operators_elementwise,
    test_operators_nn_variants,
    test_operators_placing,
    test_operators_shape,
    test_operators_slicing,
    test_operators_sparse,
)


def _used() -> dict[str, set[str]]:
    """The operators that use each function of topi."""
    users: dict[str, set[str]] = defaultdict(set)
    for name, declared in all_operators().items():
        own = lowering_of(declared)
        for row in own.rows if own is not None else ():
            users[row].add(name)
    return users


def test_each_function_of_topi_has_an_operator_or_a_reason() -> None:
    rows, users = set(whole_table()), _used()
    assert set(NO_OPERATOR) <= rows
    assert not [row for row in NO_OPERATOR if row in users]
    assert not rows - set(users) - set(NO_OPERATOR)


def test_the_functions_that_operators_name_exist() -> None:
    assert not set(_used()) - set(whole_table())


def test_an_operator_belongs_to_the_module_that_declares_it() -> None:
    # nn.silu is declared with a base class of another family.
    assert all_operators()["nn.silu"].family == "activation"
    assert all_operators()["isnan"].family == "elementwise"


def test_each_operator_has_a_case_and_uses_the_functions_that_it_names() -> None:
    used: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        for case in module.CASES:
            used[case.name] |= check(dataclasses.replace(case, expected=None))
    wrong: dict[str, set[str]] = {}
    for name, declared in all_operators().items():
        if declared.family in FAMILIES and declared.__module__.startswith("kc.dialects.graph"):
            own = lowering_of(declared)
            assert own is not None, f"{name} has no computation"
            assert name in used, f"{name} has no case"
            wrong[name] = used[name] ^ set(own.rows)
    assert not {name: rows for name, rows in wrong.items() if rows}


@pytest.mark.parametrize("name", sorted(NO_OPERATOR))
def test_a_reason_that_names_an_operator_names_one_that_exists(name: str) -> None:
    reason = NO_OPERATOR[name].split(",")[0]
    words = [word for word in reason.replace(" and ", " ").split() if "_" in word or "." in word]
    assert all(word in all_operators() for word in words)
