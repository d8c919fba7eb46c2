"""The laws that schedules rely on if a reduction has a user-defined combiner.

Schedules combine the terms of an element in any order and in parts, and each part begins with the
identity. All schedules give the same result if the combiner ``f`` with its identity ``e`` satisfies

* ``f(f(a, b), c) == f(a, f(b, c))`` and ``f(a, b) == f(b, a)``;
* ``f(e, x) == x == f(x, e)``, and ``f(e, e) == e``, since parts may be empty. If a reduction
  starts from ``e`` anyway (a maximum from 0), ``f(e, e) == e`` alone is enough: the number of times
  that ``e`` takes part does not matter. But an ``e`` that changes every value (a product from 0) is
  refused.

If ``f(e, e)`` is not a number (an online softmax from -inf: ``exp(-inf - -inf)``), terms are
combined in any order, but only in non-empty parts. A transformation whose parts may be empty asks
:func:`why_no_empty_parts` first.

The laws are proven for combiners with one operation per component, and for choices by a value
(:mod:`kc.analysis.reductions.combiner_proofs`). The interpreter evaluates all others on some dozens
of values (:mod:`kc.analysis.reductions.combiner_trials`). Integers wrap, and the trial values span
their whole range. Floats are computed as doubles and compared up to the rounding of their own type.
Two exceptions admit the usual reducers of tuples:

* The trial values differ in every component. The order may therefore decide which of two equal
  maxima a combiner keeps the position of, as in TVM's ``argmax``.
* If a law fails, it is tried again with positive whole numbers for integers and for components that
  start from 0, as these may be counts or weights: Welford's parts count at least one number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, Region, SSAValue

from kc.analysis.reductions.combiner_proofs import satisfies_laws
from kc.analysis.reductions.combiner_trials import BrokenLaw, Trial
from kc.analysis.trust import UNSAFE_ATTRIBUTE
from kc.dialects import te, tir
from kc.support.diagnostics import KCError, Location, ParseError
from kc.support.locations import location_of

_KNOWN: dict[Any, BrokenLaw | None] = {}
"""Verdicts, by the text of the combiner."""
_MEMO_SIZE = 1024


def require_laws(
    op: te.ComputeOp | tir.CombineOp | tir.ThreadAllreduceOp,
    *,
    unsafe: bool = False,
    error: type[KCError] = ParseError,
    unsigned: Sequence[bool] = (),
    location: Location | None = None,
    has_empty_parts: bool = False,
) -> None:
    """Refuse (``error`` KC2046) a reduction whose combiner breaks a law.

    With ``unsafe``, or if the operation is marked with ``kc.unsafe``, the user vouches for the
    combiner on the values that it meets, and the operation is marked. ``unsigned`` selects the
    components that are printed as unsigned numbers. ``location`` is the place where the user wrote
    the reduction, by default the location of the operation. ``has_empty_parts``: some terms of the
    reduction may be identities; for a reduction across threads this is always assumed.
    """
    if UNSAFE_ATTRIBUTE in op.attributes:
        return
    if isinstance(op, te.ComputeOp):
        if not op.has_combine or op.identity is None or op.combiner_name is None:
            return
        region, identity, name = op.combine, op.identity, op.combiner_name.data
        starts_from_identity = not op.has_init
    else:
        region, identity, name = op.combiner, op.identity, op.label
        starts_from_identity = _starts_from_identity(op)
        has_empty_parts = has_empty_parts or isinstance(op, tir.ThreadAllreduceOp)
    broken = broken_law(region, identity, starts_from_identity, unsigned, has_empty_parts or unsafe)
    if broken is None:
        return
    if unsafe:
        vouch_for(op, name)
        return
    mark = "unsafe=True" if error is not ParseError else f'{{{UNSAFE_ATTRIBUTE} = "why"}}'
    raise error(
        "KC2046",
        f"the reducer {name} {broken.title}",
        location=location or location_of(op),
        why=f"{broken.why}; schedules combine terms in any order, and in parts that start from the "
        "identity",
        hints=[
            *([FINITE_START] if broken.is_of_empty_parts else []),
            f"{mark} if such values are never combined",
        ],
    )


FINITE_START = "an identity that can be combined with itself: te.min_value(dtype) instead of -inf"


def why_no_empty_parts(step: Operation) -> str | None:
    """The reason why a reduction by ``step`` must not have empty parts; None if parts may be empty.

    Reductions across threads and lanes, some of which may have no term, depend on the answer.
    """
    if not isinstance(step, tir.CombineOp) or UNSAFE_ATTRIBUTE in step.attributes:
        return None
    broken = broken_law(
        step.combiner, step.identity, _starts_from_identity(step), has_empty_parts=True
    )
    return f"the reducer {step.label} {broken.title}: {broken.why}" if broken is not None else None


def vouch_for(op: Operation, name: str) -> None:
    """Mark a reduction as trusted: the user vouches for its combiner, called ``name``."""
    op.attributes[UNSAFE_ATTRIBUTE] = StringAttr(f"the laws of {name}")


def require_laws_in(module: Operation) -> None:
    """Refuse (ParseError KC2046) combiners below ``module`` that break a law."""
    for op in module.walk():
        if isinstance(op, te.ComputeOp | tir.CombineOp | tir.ThreadAllreduceOp):
            require_laws(op)


def _starts_from_identity(op: tir.CombineOp | tir.ThreadAllreduceOp) -> bool:
    """True unless the reduction is known to start from a value other than the identity."""
    block = op.parent_op()
    while block is not None and not isinstance(block, tir.BlockOp):
        block = block.parent_op()
    if block is None or not block.init.blocks:
        return True
    stores = [init for init in block.init.walk() if isinstance(init, tir.StoreOp)]
    starts = [store.value.owner for store in stores]
    return all(
        isinstance(start, arith.ConstantOp) and start.value in op.identity.data for start in starts
    )


def broken_law(
    region: Region,
    identity: ArrayAttr,
    starts_from_identity: bool = True,
    unsigned: Sequence[bool] = (),
    has_empty_parts: bool = False,
) -> BrokenLaw | None:
    """A law that the combiner ``region`` with ``identity`` breaks; None if all laws hold.

    ``starts_from_identity``: the reduction has no other initial value. ``has_empty_parts``: parts
    without a term are combined.
    """
    if satisfies_laws(region, identity):
        return None
    key = (*_text(region, 2 * len(identity)), identity, starts_from_identity, _shown(unsigned))
    if key not in _KNOWN:
        if len(_KNOWN) >= _MEMO_SIZE:
            _KNOWN.clear()
        _KNOWN[key] = Trial(region, identity, starts_from_identity, unsigned).broken_law()
    broken = _KNOWN[key]
    return None if broken and broken.is_of_empty_parts and not has_empty_parts else broken


def _shown(unsigned: Sequence[bool]) -> tuple[bool, ...]:
    return tuple(unsigned) if any(unsigned) else ()


def _text(region: Region, operands: int) -> Iterator[Any]:
    """The computation of a combiner with ``operands`` operands, as hashable values."""
    numbers: dict[SSAValue, int] = {}
    for n, arg in enumerate(region.block.args):
        numbers[arg] = n
        yield arg.type, arg.name_hint if n >= operands else None
    for op in region.walk():
        if op.parent is not region.block:  # ops of nested regions are compared as text
            continue
        nested = tuple(str(inner) for inner in op.regions)
        yield (
            op.name if op is not region.block.last_op else None,
            tuple(numbers.get(operand, -1) for operand in op.operands),
            tuple(op.result_types),
            tuple(sorted(op.properties.items(), key=lambda item: item[0])),
            nested,
        )
        for result in op.results:
            numbers[result] = len(numbers)
