"""The steps of reductions: their neutral elements, and copies of the steps on other values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from kc.analysis.reductions.reductions import Reduction, Update, makers_of_element
from kc.dialects.tir import CombineOp
from kc.support.float_formats import upper_limit


def neutral_element(combiner: type[Operation], element: Attribute) -> IntegerAttr | FloatAttr:
    """The ``e`` with ``combiner(e, x) == x`` for each ``x`` of type ``element``."""
    if isinstance(element, AnyFloat):
        top = upper_limit(str(element))
        number = {
            arith.AddfOp: 0.0,
            arith.MulfOp: 1.0,
            arith.MaximumfOp: -top,
            arith.MinimumfOp: top,
        }[combiner]
        return FloatAttr(number, element)
    assert isinstance(element, IntegerType | IndexType)
    width = element.width.data if isinstance(element, IntegerType) else 64
    top = 1 << (width - 1)
    value = {
        arith.AddiOp: 0,
        arith.MuliOp: 1,
        arith.MaxSIOp: -top,
        arith.MinSIOp: top - 1,
        arith.MaxUIOp: 0,
        arith.MinUIOp: -1,
    }[combiner]
    return IntegerAttr(value, element)


def neutral_of(update: Update) -> Attribute:
    """The neutral element of the step of ``update``."""
    step = update.step
    if isinstance(step, CombineOp):
        return step.identity.data[list(step.combined).index(update.store.value)]  # pyright: ignore
    return neutral_element(type(step), update.term.type)


def steps_on(
    reduction: Reduction,
    old: Sequence[SSAValue],
    new: Sequence[SSAValue],
    variables: Mapping[SSAValue, SSAValue],
) -> tuple[list[Operation], list[SSAValue]]:
    """The steps of ``reduction`` on the values ``old`` and ``new``, and their results, one for each
    buffer.

    ``variables`` maps the spatial variables of its block to values at the new place.
    """
    copies: dict[Operation, Operation] = {}
    ops, mapping = captured_copies(reduction, variables)
    results: list[SSAValue] = []
    for n, update in enumerate(reduction.updates):
        step = update.step
        copy = copies.get(step)
        if copy is None:
            copy = copies[step] = step.clone(mapping)
            ops.append(copy)
        if isinstance(step, CombineOp):
            at = list(step.combined).index(update.store.value)  # pyright: ignore
            copy.operands[at] = old[n]
            copy.operands[len(step.lhs) + at] = new[n]
        else:
            at = list(step.operands).index(update.load.result)
            copy.operands[at], copy.operands[1 - at] = old[n], new[n]
            at = 0
        results.append(copy.results[at])
    return ops, results


def captured_copies(
    reduction: Reduction, variables: Mapping[SSAValue, SSAValue]
) -> tuple[list[Operation], dict[SSAValue, SSAValue]]:
    """Copies of the operations that compute the values captured by combiners of ``reduction``, and
    the map from old to new values. ``variables`` maps the variables of the reduction's block.
    """
    ops: list[Operation] = []
    mapping = dict(variables)
    for step in reduction.steps:
        for value in step.captured if isinstance(step, CombineOp) else ():
            for definition in makers_of_element(value, reduction.block) or ():
                if definition.results[0] not in mapping:
                    ops.append(definition.clone(mapping))
                    ops[-1].location = definition.location
    return ops, mapping
