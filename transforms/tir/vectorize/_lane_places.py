"""The position of the best term in lanes (argmax and similar reducers), without comparisons of
positions.

A combiner that takes the first of equal terms compares their positions. The terms of a lane arrive
in increasing order of position, so that a lane's current position always precedes the next term's,
provided that the lane already has a term. Therefore lanes begin with their first terms instead of
neutral elements. The loop combines the first term with itself; this changes nothing, as each result
of the combiner is the value of one of its two sides.

The remaining condition is applied comparison by comparison, each with separate selections: on
AVX-512, LLVM otherwise joins the masks of several registers to combine them, and splits them again.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.loop_tree import iter_types
from kc.analysis.reductions.reductions import Reduction
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.arith import CmpfOp, CmpiOp, SelectOp
from kc.dialects.tir import ApplyOp, BlockOp, CombineOp, ForKind, ForOp, IterType
from kc.transforms.tir.blocks._partial_results import Split

_EITHER = (
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.MaxUIOp,
    arith.MinUIOp,
)
"""Operations other than a selection whose result is one of the operands."""

_BEFORE = {"slt": True, "sle": True, "ult": True, "ule": True, "ne": True} | dict.fromkeys(
    ("sgt", "sge", "ugt", "uge", "eq"), False
)
"""Predicates of comparisons of a position with a later position, with their results."""

_SWAPPED = {"slt": "sgt", "sle": "sge", "ult": "ugt", "ule": "uge"}
_SWAPPED |= {swapped: name for name, swapped in _SWAPPED.items()}

MOST_SELECTIONS = 8
"""The most selections that replace the logic of a condition. A condition with more comparisons is
left as it is.
"""

_OR_EQUAL = {"ogt": "oge", "olt": "ole", "ugt": "uge", "ult": "ule", "sgt": "sge", "slt": "sle"}
"""The variants of comparison predicates that also hold for equal operands."""


def growing_places(split: Split, loop: ForOp, lanes: int) -> list[int]:
    """The numbers of the results of a reduction that are compared positions of terms, if the
    positions increase from term to term in ``loop`` and the loops around it, and each lane has at
    least two terms.

    Empty if the nest contains other operations, if terms may be skipped, or if combining a term
    with itself may change the result.
    """
    block, reduction = split.block, split.reduction
    if not isinstance(split.root, ForOp) or not _is_nest(split.root, block):
        return []
    if reduction.guard is not None or block.predicate.data.constraints or block.has_init:
        return []
    steps = reduction.steps
    if len(steps) != 1 or not isinstance(step := steps[0], CombineOp):
        return []
    if not _takes_a_side(step, reduction):
        return []
    loops = [
        loop for loop in loop_tree.all_loops_around(block) if loop_tree.is_inside(loop, split.root)
    ]
    terms = 1
    for inner in loops:
        kinds = (
            ForKind.SERIAL,
            ForKind.UNROLLED,
            *((ForKind.VECTORIZED,) if inner is loop else ()),
        )
        if not inner.static_extent or inner.kind.data not in kinds:
            return []
        if inner in split.path:
            continue
        if iter_types(inner, block) != {IterType.REDUCE}:
            return []
        terms *= inner.static_extent
    if terms < 2 * lanes:
        return []
    counted = [inner for inner in loops if inner not in split.path]
    return [
        n
        for n, value in enumerate(step.combined)
        for update in reduction.updates
        if update.store.value is value
        and _is_compared(step, n)
        and _grows(update.term, block, counted)
    ]


def _is_nest(root: ForOp, block: BlockOp) -> bool:
    """True if the loops from ``root`` to ``block`` form a perfect nest."""
    child: Operation = root
    while isinstance(child, ForOp):
        if child.body.block.first_op is None or child.body.block.first_op.next_op is not None:
            return False
        child = child.body.block.first_op
    return child is block


def _takes_a_side(step: CombineOp, reduction: Reduction) -> bool:
    """True if each result is either the lane's value or the term, whatever the conditions."""
    count = len(step.combined)
    sides = step.combiner.block.args
    for n, value in enumerate(step.yield_op.values):
        own = {sides[n], sides[n + count]}
        op = value.owner
        if isinstance(op, arith.SelectOp):
            if {op.lhs, op.rhs} != own:
                return False
        elif not isinstance(op, _EITHER) or set(op.operands) != own:
            return False
    loads = {update.store.value: update.load.result for update in reduction.updates}
    return all(loads.get(value) is lhs for value, lhs in zip(step.combined, step.lhs, strict=True))


def _is_compared(step: CombineOp, n: int) -> bool:
    """True if the combiner compares the lane's value and the term of result ``n``."""
    sides = step.combiner.block.args
    own = {sides[n], sides[n + len(step.combined)]}
    return any(isinstance(op, arith.CmpiOp) and set(op.operands) == own for op in step.combiner.ops)


def _grows(term: SSAValue, block: BlockOp, counted: Sequence[ForOp]) -> bool:
    """True if ``term`` is an integer that increases with each iteration of the loops ``counted``,
    outermost first, and never exceeds the width of its type.
    """
    if isinstance(term.owner, arith.ExtSIOp):
        term = term.owner.input
    if not isinstance(term.type, IntegerType) or (form := _linear(term, block)) is None:
        return False
    factors, constant = form
    largest = constant
    for value, factor in factors.items():
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        if not isinstance(loop, ForOp) or value is not loop.var or factor < 0:
            return False
        if loop.static_extent is None:
            return False
        largest += factor * max(0, loop.static_extent - 1)
    if constant < 0 or largest >= 1 << (term.type.width.data - 1):
        return False
    inside = 0
    for loop in reversed(counted):
        assert loop.static_extent is not None
        if factors.get(loop.var, 0) <= inside:
            return False
        inside += factors[loop.var] * (loop.static_extent - 1)
    return True


Linear = tuple[dict[SSAValue, int], int]
"""Values with their factors, and a constant."""


def _linear(value: SSAValue, block: BlockOp) -> Linear | None:
    """An index or integer in ``block`` as a constant plus a sum of outside values times factors;
    None if it is not linear. An integer equals the sum modulo ``2 ** width``.
    """
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return {}, op.value.value.data
    if isinstance(op, arith.IndexCastOp) and isinstance(op.input.type, IndexType):
        return _linear(op.input, block)
    if isinstance(op, arith.AddiOp | arith.MuliOp):
        lhs, rhs = _linear(op.lhs, block), _linear(op.rhs, block)
        if lhs is None or rhs is None:
            return None
        if isinstance(op, arith.AddiOp):
            return _added(lhs, rhs, 1)
        if lhs[0] and rhs[0]:
            return None
        form, (_, factor) = (lhs, rhs) if lhs[0] else (rhs, lhs)
        return _added(({}, 0), form, factor)
    if isinstance(op, ApplyOp):
        expr: AffineExpr = op.map.data.results[0]
        operands = list(op.operands)
    elif op is block.body.block:
        assert isinstance(value, BlockArgument)
        expr = block.binding_exprs[value.index]
        operands = list(block.binding_operands)
    elif loop_tree.defined_inside(value, block):
        return None
    else:
        return {value: 1}, 0
    terms, constant = linear_terms(expr)
    total: Linear = {}, constant
    for atom, factor in terms.items():
        if not isinstance(atom, AffineDimExpr):
            return None
        if (part := _linear(operands[atom.position], block)) is None:
            return None
        total = _added(total, part, factor)
    return total


def _added(lhs: Linear, rhs: Linear, factor: int) -> Linear:
    """``lhs + rhs * factor``."""
    factors = dict(lhs[0])
    for value, own in rhs[0].items():
        factors[value] = factors.get(value, 0) + factor * own
    return factors, lhs[1] + factor * rhs[1]


# The combiner


def without_places(step: CombineOp, growing: Sequence[int]) -> None:
    """Remove the comparisons of positions from a combiner whose results ``growing`` are positions,
    where the first side's position always precedes the second's.
    """
    count = len(step.combined)
    body = step.combiner.block
    before: dict[SSAValue, SSAValue] = {body.args[n]: body.args[n + count] for n in growing}
    condition, comparisons = _Conditions(before), Comparisons()
    for op in [op for op in body.ops if isinstance(op, arith.SelectOp)]:
        if not isinstance(op.cond.type, IntegerType):
            continue
        ops: list[Operation] = []
        place = condition.of(op.cond)
        if not _is_short(place):
            continue
        value = _chosen(place, op.lhs, op.rhs, ops, comparisons)
        for new in ops:
            new.location = op.location
        Rewriter.insert_op(ops, InsertPoint.before(op))
        op.result.replace_all_uses_with(value)
        op.detach()
        op.erase()
    for op in reversed([*body.ops]):
        if op.results and not any(result.uses for result in op.results):
            op.detach()
            op.erase()


Condition = bool | SSAValue | tuple
"""True, False, a value, ``("not", c)``, ``("or", c, d)``, ``("and", c, d)``, or a comparison
``("cmp", op, name)``: ``op`` with the predicate ``name``.
"""


Comparisons = dict[tuple[Operation, str], SSAValue]
"""The new comparisons, by the original comparison and the new predicate."""


class _Conditions:
    """The simplified forms of conditions, under the assumption that some values are less than
    others.
    """

    def __init__(self, before: dict[SSAValue, SSAValue]) -> None:
        self.before = before
        self.conditions: dict[SSAValue, Condition] = {}

    def of(self, value: SSAValue) -> Condition:
        if value not in self.conditions:
            self.conditions[value] = self._of(value)
        return self.conditions[value]

    def _of(self, value: SSAValue) -> Condition:
        op = value.owner
        if isinstance(op, arith.ConstantOp):
            return bool(op.value.value.data)  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(op, arith.CmpiOp):
            name = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
            if self.before.get(op.lhs) is op.rhs:
                return _BEFORE[name]
            if self.before.get(op.rhs) is op.lhs:
                return _BEFORE[_SWAPPED.get(name, name)]
        if isinstance(op, arith.OrIOp):
            return _either(self.of(op.lhs), self.of(op.rhs))
        if isinstance(op, arith.AndIOp):
            return _both(self.of(op.lhs), self.of(op.rhs))
        if isinstance(op, arith.XOrIOp):
            lhs, rhs = self.of(op.lhs), self.of(op.rhs)
            for constant, rest in ((lhs, rhs), (rhs, lhs)):
                if isinstance(constant, bool):
                    return _negated(rest) if constant else rest
        return value


def _is_short(condition: Condition) -> bool:
    """True if ``condition`` has at most :data:`MOST_SELECTIONS` comparisons."""
    work, count = [condition], 0
    while work and count <= MOST_SELECTIONS:
        part = work.pop()
        if isinstance(part, tuple) and part[0] in ("not", "or", "and"):
            work += part[1:]
        else:
            count += 1
    return count <= MOST_SELECTIONS


def _negated(condition: Condition) -> Condition:
    if isinstance(condition, bool):
        return not condition
    if isinstance(condition, tuple) and condition[0] == "not":
        return condition[1]
    return ("not", condition)


def _either(lhs: Condition, rhs: Condition) -> Condition:
    if lhs is True or rhs is True:
        return True
    if lhs is False or rhs is False:
        return rhs if lhs is False else lhs
    if (joined := _or_equal(lhs, rhs) or _or_equal(rhs, lhs)) is not None:
        return joined
    return ("or", lhs, rhs)


def _both(lhs: Condition, rhs: Condition) -> Condition:
    if lhs is False or rhs is False:
        return False
    if lhs is True or rhs is True:
        return rhs if lhs is True else lhs
    return ("and", lhs, rhs)


def _name(op: Operation) -> str:
    if isinstance(op, arith.CmpfOp):
        return arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    assert isinstance(op, arith.CmpiOp)
    return arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]


def _or_equal(order: Condition, equality: Condition) -> Condition | None:
    """``x > y or x == y`` as one comparison; None if the two conditions are no such pair."""
    if not isinstance(order, SSAValue) or not isinstance(equality, SSAValue):
        return None
    first, second = order.owner, equality.owner
    for class_ in (arith.CmpfOp, arith.CmpiOp):
        if isinstance(first, class_) and isinstance(second, class_):
            if {first.lhs, first.rhs} != {second.lhs, second.rhs}:
                return None
            if _name(second) not in ("oeq", "eq") or _name(first) not in _OR_EQUAL:
                return None
            return ("cmp", first, _OR_EQUAL[_name(first)])
    return None


def _chosen(
    condition: Condition,
    then: SSAValue,
    otherwise: SSAValue,
    ops: list[Operation],
    comparisons: Comparisons,
) -> SSAValue:
    """``then`` where ``condition`` holds, else ``otherwise``, with one selection per comparison."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    if isinstance(condition, tuple):
        kind = condition[0]
        if kind == "not":
            return _chosen(condition[1], otherwise, then, ops, comparisons)
        if kind in ("or", "and"):
            rest = _chosen(condition[2], then, otherwise, ops, comparisons)
            sides = (then, rest) if kind == "or" else (rest, otherwise)
            return _chosen(condition[1], *sides, ops, comparisons)
        _, op, name = condition
        if (op, name) not in comparisons:
            if isinstance(op, arith.CmpfOp):
                compared: Operation = CmpfOp(op.lhs, op.rhs, name, op.fastmath)
            else:
                compared = CmpiOp(op.lhs, op.rhs, name)
            ops.append(compared)
            comparisons[op, name] = compared.results[0]
        condition = comparisons[op, name]
    assert isinstance(condition, SSAValue)
    select = SelectOp(condition, then, otherwise)
    ops.append(select)
    return select.result
