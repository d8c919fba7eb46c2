"""Passes on graphs: the interpreter computes the same before and after, and twice is as once.

The cases are the programs of the lit tests of the passes, on random inputs.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import TupleType

import kc
from kc.dialects.graph.declaration import all_operators
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.graph.interpreter import DataValue, Interpreter
from kc.support import registry

TEXTS = Path(__file__).parent.parent / "transforms" / "graph"

CASES = {
    "dead-code-elimination": {"inline_once": True},
    "eliminate-common-subexpr": {},
    "canonicalize-ops": {},
    "fast-math": {},
    "split-args": {"max_function_args": 2},
    "inline": {},
    "simplify-expr": {},
    "canonicalize-cast": {},
    "to-graph-normal-form": {},
    "to-basic-block-normal-form": {},
    "to-a-normal-form": {},
    "label-ops": {},
    "eta-expand": {"expand_global_var": True},
    "lambda-lift": {},
    "lazy-gradient-init": {},
}
"""A pass, and its options."""
CLOSE = {"fast-math": 2e-3}
"""The relative difference that a pass may make; no difference where there is none."""


def values_of(type_, rng):
    """A random value of a type; None for a function, which no array is."""
    if isinstance(type_, TupleType):
        return tuple(values_of(part, rng) for part in type_.types)
    spec = spec_of(type_)
    if not isinstance(spec, TensorSpec):
        return None
    shape = tuple(size if isinstance(size, int) else 3 for size in spec.shape)
    if spec.dtype == "bool":
        return rng.random(shape) < 0.5
    if "int" in spec.dtype:
        return rng.integers(0, 5, shape).astype(spec.dtype)
    return rng.standard_normal(shape).astype(spec.dtype)


def flat(value):
    """The arrays of a value."""
    if isinstance(value, DataValue):
        return [np.array(value.tag), *flat(value.fields)]
    return [each for part in value for each in flat(part)] if isinstance(value, tuple) else [value]


def applied(mod, flag):
    registry.pass_class(flag)(**CASES[flag]).apply(registry.context(), mod.op)
    mod.op.verify()
    return mod


@pytest.mark.parametrize("flag", CASES)
def test_a_pass_keeps_the_values(flag: str) -> None:
    all_operators()
    text = (TEXTS / f"{flag.replace('-', '_')}.mlir").read_text()
    text = re.split(r"^// -----$", text, flags=re.MULTILINE)[0]
    before, after = kc.IRModule.parse(text), applied(kc.IRModule.parse(text), flag)
    once = str(after.op)
    rng = np.random.default_rng(0)
    count = 0
    for name, function in Interpreter(after).functions.items():
        if name not in Interpreter(before).functions:
            continue
        for _ in range(2):
            arguments = [values_of(each, rng) for each in function.function_type.inputs]
            if any(each is None for each in arguments):
                continue
            expected = Interpreter(before).run(*arguments, name=name)
            result = Interpreter(after).run(*arguments, name=name)
            for a, b in zip(flat(expected), flat(result), strict=True):
                np.testing.assert_equal(a.dtype, b.dtype)
                if flag in CLOSE:
                    np.testing.assert_allclose(b, a, rtol=CLOSE[flag])
                else:
                    np.testing.assert_array_equal(a, b)
            count += 1
    assert count
    assert str(applied(after, flag).op) == once
