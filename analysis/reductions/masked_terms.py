"""Masked terms of a reduction: terms that conditions on indices make irrelevant.

::

    X[i, j] = select(j <= i, S[i, j], -inf)
    M[i] = max over j of X[i, j]                  # -inf changes no maximum
    E[i, j] = exp(X[i, j] - M[i])                 # exp(-inf) = 0
    T[i] = sum over j of E[i, j]
    P[i, j] = E[i, j] / T[i]
    O[i, d] = sum over j of P[i, j] * V[j, d]     # 0 * V[j, d] = 0, if V is finite

Where ``j > i``, no term of M, T and O changes the result. A fully masked row has the maximum -inf,
and ``-inf - -inf`` is NaN, as is ``x - M`` for a NaN maximum: all elements of such a row of E and P
are NaN. Their masked elements are therefore 0, *or every element of the row is NaN*, masked or not,
and a sum is right as long as it has one term. The maximum is one of the terms, so T is at least 1
or NaN, and 1 / T is finite or NaN.

A value is followed from the load of an element to the only block that computes it. No step assumes
an identity that holds for real numbers only.
"""

from __future__ import annotations

import math as numbers
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import is_before
from kc.analysis.accesses.regions import BoundIndexValues, loads_of, stores_to
from kc.analysis.reductions.reductions import reduction_of
from kc.dialects.affine_assembly import ZERO, linear_terms
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IterType, LoadOp, StoreOp

Variables = Mapping[SSAValue, AffineExpr]
"""The variables of a block as expressions over the roots of the index."""

NEUTRAL: Mapping[type[Operation], float] = {
    arith.AddfOp: 0.0,
    arith.AddiOp: 0,
    arith.MulfOp: 1.0,
    arith.MuliOp: 1,
    arith.MaximumfOp: -numbers.inf,
    arith.MinimumfOp: numbers.inf,
}
"""The neutral element of each combiner."""

VANISHING = "0, or all elements of the row are NaN"
POWERS = "VANISHING, and the largest element of the row is 1 or NaN"

_CASTS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.SIToFPOp, arith.UIToFPOp)

_DEPTH = 24
"""The most blocks and operations through which a value is followed."""


@dataclass(frozen=True)
class Parameter:
    """An integer parameter that is no index, such as a sequence length that the program loads:
    ``value`` in a block with ``variables``.
    """

    value: SSAValue
    variables: tuple[tuple[SSAValue, AffineExpr], ...]


@dataclass(frozen=True)
class Condition:
    """The condition ``expr >= 0`` over the roots of the index. The condition also counts as met
    where an expression of ``narrow`` (expression, bits) does not fit the integer type to which it
    is cast, because the cast then wraps.
    """

    expr: AffineExpr
    narrow: tuple[tuple[AffineExpr, int], ...] = ()


@dataclass(frozen=True)
class MaskedTerms:
    """A value that is ``value`` unless all ``conditions`` hold; nothing is known about it where
    they all hold.
    """

    value: float | str
    """A number, :data:`VANISHING` or :data:`POWERS`."""
    conditions: tuple[Condition, ...]
    finite: frozenset[SSAValue] = frozenset()
    """Buffers whose elements must all be finite for this claim to hold."""


class TermReader:
    """Reads the terms of reduction blocks of one function; conditions are over the roots of
    ``index``.
    """

    def __init__(self) -> None:
        self.index = BoundIndexValues()
        self.parameters: dict[int, Parameter] = {}
        """The parameters, by the root of the index that represents each of them."""
        self._depth = 0

    def terms_of(self, block: BlockOp) -> MaskedTerms | None:
        """The masked terms of the reduction of ``block``, which do not change the result; None if
        the reader finds no masked terms.
        """
        reduction = reduction_of(block)
        if reduction is None or len(reduction.updates) != 1 or reduction.guard is not None:
            return None
        (update,) = reduction.updates
        neutral = NEUTRAL.get(type(update.step))
        variables: dict[SSAValue, AffineExpr] = {
            arg: self.index.expr(arg) for arg in block.body.block.args
        }
        terms = self._read(update.term, variables)
        if neutral is None or terms is None or not terms.conditions:
            return None
        vanishes = terms.value in (VANISHING, POWERS) and neutral == 0
        return terms if vanishes or terms.value == neutral else None

    # Values --------------------------------------------------------------------------------

    def _read(self, value: SSAValue, variables: Variables) -> MaskedTerms | None:
        """The value that ``value`` has where it is masked, and the conditions of the mask (empty
        for a constant). None if the reader cannot derive a mask.
        """
        if self._depth > _DEPTH:
            return None
        self._depth += 1
        try:
            return self._computed(value, variables)
        finally:
            self._depth -= 1

    def _computed(self, value: SSAValue, variables: Variables) -> MaskedTerms | None:
        op = value.owner
        if isinstance(op, Block):
            return None
        if isinstance(op, arith.SelectOp):
            return self._choice(op.cond, op.lhs, op.rhs, variables)
        if isinstance(op, scf.IfOp):
            yields = _yields(op, value)
            return None if yields is None else self._choice(op.cond, *yields, variables)
        if isinstance(op, LoadOp):
            definition = self._definition(op, variables)
            return None if definition is None else self._read(*definition)
        if isinstance(op, _CASTS):
            terms = self._read(op.operands[0], variables)
            return terms if terms is not None and terms.value == 0 else None
        if isinstance(op, arith.MuliOp):
            for factor in (op.lhs, op.rhs):
                terms = self._read(factor, variables)
                if terms is not None and terms.conditions and terms.value == 0:
                    return terms
            return None
        if isinstance(op, arith.ExtFOp | arith.TruncFOp):
            terms = self._read(op.operands[0], variables)
            is_powers = terms is not None and terms.value == POWERS
            return replace(terms, value=VANISHING) if terms and is_powers else terms
        if isinstance(op, math.ExpOp | math.Exp2Op):
            return self._power(op, variables)
        if isinstance(op, arith.MulfOp):
            for factor, rest in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                terms = self._read(factor, variables)
                if terms is not None and terms.conditions:
                    return self._product(factor, terms, rest, variables)
            return None
        if isinstance(op, arith.DivfOp):
            terms = self._read(op.lhs, variables)
            if terms is None or terms.value != POWERS:
                return None
            is_total = self._is_total(op.rhs, op.lhs, variables)
            return replace(terms, value=VANISHING) if is_total else None
        if isinstance(op, arith.AddfOp):
            for term, rest in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                terms, number = self._read(term, variables), _number(rest)
                if terms is not None and terms.conditions and number is not None:
                    is_kept = terms.value in (numbers.inf, -numbers.inf) and _is_finite(number)
                    return terms if is_kept else None
        return None

    def _choice(
        self, condition: SSAValue, then: SSAValue, otherwise: SSAValue, variables: Variables
    ) -> MaskedTerms | None:
        for constant, rest, holds in ((otherwise, then, True), (then, otherwise, False)):
            number = _number(constant)
            if number is None:
                continue
            conditions = tuple(self._conditions(condition, variables, holds))
            terms = self._read(rest, variables)
            if terms is not None and terms.value == number and terms.conditions:
                return replace(terms, conditions=(*conditions, *terms.conditions))
            return MaskedTerms(number, conditions) if conditions else None
        return None

    def _power(self, op: math.ExpOp | math.Exp2Op, variables: Variables) -> MaskedTerms | None:
        exponent = op.operands[0]
        terms = self._read(exponent, variables)
        if terms is not None and terms.value == -numbers.inf:
            return replace(terms, value=0.0)
        difference = exponent.owner
        if not isinstance(difference, arith.SubfOp):
            return None
        terms = self._read(difference.lhs, variables)
        if terms is None or terms.value != -numbers.inf or not terms.conditions:
            return None
        if self._is_of_row(difference.rhs, difference.lhs, variables, arith.MaximumfOp):
            return replace(terms, value=POWERS)
        return None

    def _product(
        self, factor: SSAValue, terms: MaskedTerms, rest: SSAValue, variables: Variables
    ) -> MaskedTerms | None:
        number = _number(rest)
        if terms.value in (numbers.inf, -numbers.inf):
            return terms if number is not None and 0 < number < numbers.inf else None
        if terms.value == POWERS:
            inverse = rest.owner
            if isinstance(inverse, arith.DivfOp) and _number(inverse.lhs) == 1:
                if self._is_total(inverse.rhs, factor, variables):
                    return replace(terms, value=VANISHING)
        if terms.value not in (0, VANISHING, POWERS):
            return None
        if number is not None:
            is_kept = _is_finite(number)
            finite: frozenset[SSAValue] | None = frozenset() if is_kept else None
        else:
            finite = self._sources(rest, variables)
        if finite is None:
            return None
        value = 0.0 if terms.value == 0 else VANISHING
        return replace(terms, value=value, finite=terms.finite | finite)

    def _is_total(self, total: SSAValue, term: SSAValue, variables: Variables) -> bool:
        return self._is_of_row(total, term, variables, arith.AddfOp)

    def _is_of_row(
        self, value: SSAValue, term: SSAValue, variables: Variables, step: type[Operation]
    ) -> bool:
        """True if ``value`` loads the result of ``step`` over a row that includes ``term``."""
        load = value.owner
        if not isinstance(load, LoadOp):
            return False
        block = _only_writer(load)
        reduction = reduction_of(block) if block is not None else None
        if block is None or reduction is None or len(reduction.updates) != 1:
            return False
        (update,) = reduction.updates
        if not isinstance(update.step, step) or reduction.guard is not None:
            return False
        if not _begins_with(block, NEUTRAL[step]) or not _is_complete(block, load):
            return False
        row = self._inverse(update.store, load, variables)
        reduced = [
            arg
            for arg, kind in zip(block.body.block.args, block.types, strict=True)
            if kind is IterType.REDUCE
        ]
        if row is None or len(reduced) != 1:
            return False
        size = block.extent_of(reduced[0].index)
        return any(
            self._is_same(update.term, {**row, reduced[0]: at}, term, variables)
            for variable, at in variables.items()
            if _extent_of(variable) == size
        )

    def _is_same(
        self, value: SSAValue, variables: Variables, same: SSAValue, of: Variables
    ) -> bool:
        """True if two values, each in its own block, have the same computation."""
        if value is same and not _depends(value, {*variables, *of}):
            return True
        if isinstance(value.type, IndexType) and isinstance(same.type, IndexType):
            return self._over(value, variables) == self._over(same, of)
        first, second = value.owner, same.owner
        if isinstance(first, Block) or isinstance(second, Block):
            return False
        if type(first) is not type(second) or first.attributes != second.attributes:
            return False
        if isinstance(first, LoadOp) and isinstance(second, LoadOp):
            return first.buffer is second.buffer and self.place(first, variables) == self.place(
                second, of
            )
        if isinstance(first, scf.IfOp) and isinstance(second, scf.IfOp):
            choices = _yields(first, value), _yields(second, same)
            if choices[0] is None or choices[1] is None:
                return False
            pairs = [(first.cond, second.cond), *zip(choices[0], choices[1], strict=True)]
            return all(self._is_same(a, variables, b, of) for a, b in pairs)
        if first.regions or second.regions or first.properties != second.properties:
            return False
        pairs = list(zip(first.operands, second.operands, strict=False))
        return len(first.operands) == len(second.operands) and all(
            self._is_same(a, variables, b, of) for a, b in pairs
        )

    # Elements ------------------------------------------------------------------------------

    def _definition(self, load: LoadOp, variables: Variables) -> tuple[SSAValue, Variables] | None:
        """The value stored to the loaded element, and the variables of the block that computes
        it.
        """
        block = _only_writer(load)
        if block is None or block.is_reduction or not is_before(block, load):
            return None
        (store,) = stores_to(load.buffer)
        inner = self._inverse(store, load, variables)
        return None if inner is None else (store.value, inner)

    def _inverse(
        self, store: StoreOp, load: LoadOp, variables: Variables
    ) -> dict[SSAValue, AffineExpr] | None:
        """The spatial variables of the block of ``store`` in the instance that stores the element
        that ``load`` reads. None if the indices of ``store`` are not such variables.
        """
        block = store.parent_op()
        assert isinstance(block, BlockOp)
        of_dim = self.place(load, variables)
        inner: dict[SSAValue, AffineExpr] = {}
        for expr, at in zip(store.indices.data.results, of_dim, strict=True):
            if isinstance(expr, AffineDimExpr):
                inner[store.operands_of_map[expr.position]] = at
            elif not isinstance(expr, AffineConstantExpr):
                return None
        for arg, kind in zip(block.body.block.args, block.types, strict=True):
            if kind is IterType.SPATIAL and arg not in inner:
                if block.extent_of(arg.index) != 1:
                    return None
                inner[arg] = ZERO
        return inner

    def place(self, access: LoadOp, variables: Variables) -> list[AffineExpr]:
        operands = [self._over(operand, variables) for operand in access.operands_of_map]
        return [
            self.index.simplify(expr.replace_dims_and_symbols(operands, ()))
            for expr in access.indices.data.results
        ]

    def _over(self, value: SSAValue, variables: Variables) -> AffineExpr:
        """An index value of a block over the roots of the index."""
        return _Scoped(self, variables).expr(value)

    def parameter(self, value: SSAValue, variables: Variables) -> AffineExpr:
        """The root for a value that is not an affine expression of the block's variables. Equal
        parameters share a root.
        """
        described = Parameter(value, tuple(variables.items()))
        is_known = is_parameter(value)
        for position, described_before in self.parameters.items():
            if is_known and described_before == described:
                return AffineExpr.dimension(position)
        expr = self.index.dimension(None, (None, None))
        assert isinstance(expr, AffineDimExpr)
        if is_known:
            self.parameters[expr.position] = described
        return expr

    def _sources(self, value: SSAValue, variables: Variables) -> frozenset[SSAValue] | None:
        """The arguments and constants whose elements may be ``value``, which may also be a finite
        constant. None if ``value`` may be computed in another way.
        """
        number = _number(value)
        if number is not None:
            return frozenset() if _is_finite(number) else None
        op = value.owner
        if isinstance(op, arith.ExtFOp):
            return self._sources(op.operands[0], variables)
        if isinstance(op, arith.SelectOp):
            parts: Sequence[SSAValue] | None = (op.lhs, op.rhs)
        elif isinstance(op, scf.IfOp):
            parts = _yields(op, value)
        elif isinstance(op, LoadOp):
            if is_given(op.buffer):
                return frozenset((op.buffer,))
            block = _only_writer(op)
            if block is None or block.is_reduction:
                return None
            (store,) = stores_to(op.buffer)
            parts = (store.value,)
        else:
            return None
        sources: set[SSAValue] = set()
        for part in parts or ():
            buffers = self._sources(part, variables)
            if buffers is None:
                return None
            sources |= buffers
        return frozenset(sources) if parts else None

    # Conditions ----------------------------------------------------------------------------

    def _conditions(
        self, value: SSAValue, variables: Variables, holds: bool
    ) -> Iterator[Condition]:
        """Conditions on indices that are necessary for ``value`` to equal ``holds``."""
        op = value.owner
        if isinstance(op, arith.AndIOp if holds else arith.OrIOp):
            for operand in op.operands:
                yield from self._conditions(operand, variables, holds)
        elif isinstance(op, arith.XOrIOp):
            for operand, constant in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if _number(constant) in (1, -1):
                    yield from self._conditions(operand, variables, not holds)
                    return
        elif isinstance(op, arith.CmpiOp):
            yield from self._comparison(op, variables, holds)
        elif isinstance(op, LoadOp) and (definition := self._definition(op, variables)) is not None:
            yield from self._conditions(*definition, holds)

    def _comparison(
        self, op: arith.CmpiOp, variables: Variables, holds: bool
    ) -> Iterator[Condition]:
        sides = [self._integer(operand, variables) for operand in op.operands]
        predicate = op.predicate.value.data
        affine_sides = [side for side in sides if side is not None]
        if len(affine_sides) < 2 or predicate not in _SIGNED:
            return
        (lhs, narrow), (rhs, more) = affine_sides
        # lhs + low <= rhs, or rhs + low <= lhs
        for below, low in _SIGNED[predicate if holds else _NEGATED[predicate]]:
            difference = rhs - lhs if below else lhs - rhs
            yield Condition(self.index.simplify(difference - low), (*narrow, *more))

    def _integer(
        self, value: SSAValue, variables: Variables
    ) -> tuple[AffineExpr, tuple[tuple[AffineExpr, int], ...]] | None:
        """An integer as an index expression, with the casts that must not wrap; None if the integer
        is not affine.
        """
        if isinstance(value.type, IndexType):
            return self._over(value, variables), ()
        if not isinstance(value.type, IntegerType) or value.type.width.data == 1:
            return None
        op = value.owner
        number = _number(value)
        if number is not None:
            return AffineExpr.constant(int(number)), ()
        if isinstance(op, arith.IndexCastOp):
            expr, bits = self._over(op.operands[0], variables), value.type.width.data
            low, high = self.index.bounds(expr)
            most = 1 << (bits - 1)
            if bits >= 64 or (
                low is not None and high is not None and -most <= low and high < most
            ):
                return expr, ()
            # A size; it is assumed to fit.
            return (expr, ((expr, bits),)) if low is not None and -most <= low else None
        return (self.parameter(value, variables), ()) if is_parameter(value) else None


class _Scoped(BoundIndexValues):
    """Index values of a block over the roots of the reader's index, with ``variables`` as the
    block's variables.
    """

    def __init__(self, reader: TermReader, variables: Variables) -> None:
        super().__init__(variables)
        self.roots, self.ranges = reader.index.roots, reader.index.ranges
        self._reader, self._variables = reader, variables

    def expr(self, value: SSAValue) -> AffineExpr:
        if value not in self._exprs and not _depends(value, self._variables):
            return self._reader.index.expr(value)
        return super().expr(value)

    def _affine(self, value: SSAValue) -> AffineExpr | None:
        expr = super()._affine(value)
        return self._reader.parameter(value, self._variables) if expr is None else expr


_SIGNED: Mapping[int, Sequence[tuple[bool, int]]] = {
    0: ((True, 0), (False, 0)),
    1: (),
    2: ((True, 1),),
    3: ((True, 0),),
    4: ((False, 1),),
    5: ((False, 0),),
}
"""Signed comparisons of ``arith.cmpi``: True if the left side is the smaller one, and the least
difference.
"""
_NEGATED: Mapping[int, int] = {0: 1, 1: 0, 2: 5, 3: 4, 4: 3, 5: 2}


def is_given(buffer: SSAValue) -> bool:
    """True if ``buffer`` is a whole input of the function and is never written."""
    if stores_to(buffer) or len(loads_of(buffer)) != len(list(buffer.uses)):
        return False
    if isinstance(buffer, BlockArgument):
        return isinstance(buffer.block.parent_op(), FuncOp)
    return isinstance(buffer.owner, memref.GetGlobalOp)


def is_parameter(value: SSAValue) -> bool:
    """True if an integer is cast from an element of an input of the function."""
    op = value.owner
    if isinstance(op, Block):
        return False
    if isinstance(op, LoadOp):
        return is_given(op.buffer) and isinstance(op.parent_op(), BlockOp | ForOp | FuncOp)
    return isinstance(op, arith.ExtSIOp | arith.IndexCastOp) and is_parameter(op.operands[0])


def _only_writer(load: LoadOp) -> BlockOp | None:
    """The block that computes all elements of a local buffer, each in one instance, and that runs
    once; None if no block does.
    """
    buffer = load.buffer
    if not isinstance(buffer.owner, AllocOp):
        return None
    if any(not isinstance(use.operation, LoadOp | StoreOp) for use in buffer.uses):
        return None
    stores = stores_to(buffer)
    blocks = {store.parent_op() for store in stores}
    block = next(iter(blocks), None)
    # A reduction has a store in its init as well.
    if not isinstance(block, BlockOp) or len(blocks) > 1:
        return None
    if len(stores) != (1 + block.has_init if block.is_reduction else 1):
        return None
    used = {operand for expr in block.binding_exprs for operand in _operands_of(block, expr)}
    loops = [loop for loop in loop_tree.loops_around(block) if not _holds(loop, buffer.owner)]
    return block if all(loop.var in used for loop in loops) else None


def _holds(loop: ForOp, op: Operation) -> bool:
    return loop_tree.is_inside(op, loop)


def _operands_of(block: BlockOp, expr: AffineExpr) -> list[SSAValue]:
    """The operands of the binding ``expr`` of a variable."""
    return [block.binding_operands[dim] for dim in expr.used_dims()]


def _begins_with(block: BlockOp, number: float) -> bool:
    """True if the initial value of a reduction is ``number``."""
    if not block.has_init:
        return False
    stores = [op for op in block.init.walk() if isinstance(op, StoreOp)]
    return len(stores) == 1 and _number(stores[0].value) == number


def _is_complete(block: BlockOp, load: LoadOp) -> bool:
    """True if a reduction has combined all its terms before ``load`` runs."""
    if not is_before(block, load):
        return False
    loops = loop_tree.loops_around(block)
    around = loop_tree.loops_around(load.parent_op() or load)
    parents = [op for op in loop_tree.path_to(block) if op is not block]
    if not all(isinstance(op, ForOp) for op in parents[: len(loops)]):
        return False
    index = BoundIndexValues()
    arguments = list(zip(block.body.block.args, block.types, block.extents, strict=True))
    domains = {
        index.simplify(_size(index, size) - 1 - index.expr(arg)) for arg, _, size in arguments
    }
    conditions = index.conditions(block.predicate.data, block.predicate_operands)
    if conditions is None or not all(
        index.simplify(condition.lhs) in domains for condition in conditions
    ):
        return False
    for arg, kind, size in arguments:
        if kind is IterType.REDUCE:
            terms, constant = linear_terms(index.expr(arg))
            driving = [(_loop_of(index, atom, loops), factor) for atom, factor in terms.items()]
            if constant or any(loop is None or loop in around for loop, _ in driving):
                return False
            if not _counts(index, [(loop, factor) for loop, factor in driving if loop], size):
                return False
    return True


def _loop_of(index: BoundIndexValues, atom: AffineExpr, loops: Sequence[ForOp]) -> ForOp | None:
    root = index.roots[atom.position] if isinstance(atom, AffineDimExpr) else None
    return next((loop for loop in loops if loop.var is root), None)


def _size(index: BoundIndexValues, size: int | SSAValue) -> AffineExpr:
    return AffineExpr.constant(size) if isinstance(size, int) else index.expr(size)


def _counts(
    index: BoundIndexValues, driving: Sequence[tuple[ForOp, int]], size: int | SSAValue
) -> bool:
    """True if the sum of loop variables times factors enumerates the numbers below ``size``. The
    loops are digits; the extent of the most significant loop may be unknown.
    """
    count = 1
    *digits, first = sorted(driving, key=lambda item: item[1]) or [(None, 0)]
    for loop, factor in digits:
        if loop is None or factor != count or loop.static_extent is None:
            return False
        count *= loop.static_extent
    loop, factor = first
    if loop is None:
        return size == 1
    if factor != count:
        return False
    whole, part = _size(index, size), _size(index, loop.extent_value)
    if isinstance(part, AffineConstantExpr) and isinstance(whole, AffineConstantExpr):
        return part.value * factor >= whole.value
    rounded = (
        ((whole * -1) // factor) * -1,
        (whole + (factor - 1)) // factor,
        whole.ceil_div(factor),
    )
    return part in [index.simplify(expr) for expr in rounded]


def _extent_of(variable: SSAValue) -> int | SSAValue | None:
    owner = variable.owner
    block = owner.parent_op() if isinstance(owner, Block) else None
    if isinstance(block, BlockOp):
        return block.extent_of(variable.index)  # pyright: ignore[reportAttributeAccessIssue]
    return None


def _depends(value: SSAValue, variables: Mapping[SSAValue, object] | set[SSAValue]) -> bool:
    if value in variables:
        return True
    owner = value.owner
    return not isinstance(owner, Block) and any(
        _depends(operand, variables) for operand in owner.operands
    )


def _yields(op: scf.IfOp, value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The values of a result of ``op`` if its condition is true, and if it is false."""
    number = list(op.results).index(value)  # pyright: ignore[reportArgumentType]
    ends = [region.block.last_op if region.blocks else None for region in op.regions]
    then, otherwise = ends
    if not isinstance(then, scf.YieldOp) or not isinstance(otherwise, scf.YieldOp):
        return None
    return then.operands[number], otherwise.operands[number]


def _number(value: SSAValue) -> float | None:
    maker = value.owner
    number = maker.value if isinstance(maker, arith.ConstantOp) else None
    return number.value.data if isinstance(number, FloatAttr | IntegerAttr) else None


def _is_finite(number: float) -> bool:
    return numbers.isfinite(number)
