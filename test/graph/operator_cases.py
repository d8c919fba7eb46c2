"""Shared by the tests of operators of graphs: a case, and how its three answers are compared."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Block

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.dialects.graph.declaration import OperatorOp, call
from kc.dialects.graph.types import Spec, TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp
from kc.graph.lowering import Bounded, compute, lowering_of
from kc.topi import table

TOLERANCES = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-5, "float64": 1e-12}


@dataclass
class Case:
    """An operator with its operands, and the values that numpy says it has."""

    name: str
    operands: Sequence[Any]
    """Arrays; a text such as "2x3xint32" is one with random elements."""
    expected: Callable[..., Any] | None
    attributes: dict[str, Any] = field(default_factory=dict)
    constants: Sequence[int] = ()
    """The operands that are constants: the sizes of the result depend on their elements."""

    def __str__(self) -> str:
        written = [part if isinstance(part, str) else str(part.shape) for part in self.operands]
        more = [f"{name}={value}" for name, value in self.attributes.items()]
        return f"{self.name}({', '.join([*written, *more])})"


def case(name: str, *operands: Any, expected: Any = None, constants: Any = (), **attributes: Any):
    """A case; ``expected`` is a function of the arrays of the operands."""
    return Case(name, operands, expected, attributes, constants)


def array_of(operand: Any, seed: int = 0) -> np.ndarray:
    """An operand's array: small numbers, of floats in steps of 1/4 from 1/4 up to 3/4."""
    if not isinstance(operand, str):
        return np.asarray(operand)
    *sizes, dtype = operand.split("x")
    shape = tuple(map(int, sizes))
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if "float" in dtype:
        return (rng.integers(1, 4, shape) / 4).astype(dtype)
    return rng.integers(1, 8, shape).astype(dtype)


def operation_of(case: Case, arrays: Sequence[np.ndarray]) -> OperatorOp:
    """The operation of a case, on arguments of a block, or on constants."""
    specs = [TensorSpec(array.shape, str(array.dtype)) for array in arrays]
    values: list[Any] = list(Block(arg_types=[spec.type for spec in specs]).args)
    for n in case.constants:
        values[n] = ConstantOp.of(arrays[n]).result
    return call(case.name, *values, **case.attributes)


def inferred(name: str, *specs: TensorSpec, **attributes: Any) -> Spec:
    """The type of a result, by the operation's type relation."""
    values = Block(arg_types=[spec.type for spec in specs]).args
    spec = spec_of(call(name, *values, **attributes).result.type)
    assert spec is not None
    return spec


def check(case: Case) -> set[str]:
    """Check a case: type relation, computation, values. The functions of topi that it used."""
    arrays = [array_of(operand, n) for n, operand in enumerate(case.operands)]
    operation = operation_of(case, arrays)
    operation.verify()
    spec = spec_of(operation.result.type)
    assert spec is not None, f"{case}: no type is inferred"
    parts = spec if isinstance(spec, tuple) else (spec,)
    tensors = [
        te.placeholder(array.shape, str(array.dtype), f"p{n}") for n, array in enumerate(arrays)
    ]
    with rows_used() as rows:
        computed = compute(operation.operator, tensors, spec)
    own = lowering_of(operation.OPERATOR)
    assert own is not None
    assert rows <= set(own.rows), f"{case}: {rows} not in {own}"
    assert len(computed) == len(parts), f"{case}: {len(computed)} results, {spec} inferred"
    for tensor, part in zip(computed, parts, strict=True):
        assert not isinstance(tensor, Bounded)
        assert isinstance(part, TensorSpec)
        said = tuple(int(size) for size in tensor.shape), tensor.dtype
        assert said == (part.shape, part.dtype), f"{case}: computed {said}, inferred {part}"
    if case.expected is not None:
        expected = case.expected(*arrays)
        expected = expected if isinstance(expected, tuple) else [expected]
        for value, wanted in zip(values_of(tensors, arrays, computed), expected, strict=True):
            tolerance = TOLERANCES.get(str(value.dtype), 0)
            assert value.shape == np.shape(wanted), f"{case}: {value.shape}, {np.shape(wanted)}"
            if tolerance:
                wide = value.astype(np.float64), np.asarray(wanted, np.float64)
                np.testing.assert_allclose(*wide, tolerance, tolerance, err_msg=str(case))
            else:
                np.testing.assert_array_equal(value, wanted, err_msg=str(case))
    return rows


def values_of(
    tensors: Sequence[te.Tensor], arrays: Sequence[np.ndarray], computed: Sequence[Any]
) -> list[np.ndarray]:
    """The results, by the interpreter of loops, which checks every access."""
    operations = list(dict.fromkeys(tensor.op for tensor in computed))
    module = kc.lower(te.create_schedule(operations), [*tensors, *computed])
    results = [np.zeros(tuple(map(int, t.shape)), t.dtype) for t in computed]
    run(module.op, "main", [*(np.array(array) for array in arrays), *results])
    return results


@contextlib.contextmanager
def rows_used() -> Iterator[set[str]]:
    """The names of the functions of topi that are called, but not by topi itself."""
    names: set[str] = set()
    running = table.running

    def noted(name: str) -> Any:
        if table._running.get() is None:
            names.add(name)
        return running(name)

    table.running = noted
    try:
        yield names
    finally:
        table.running = running
