"""The structure of a row-wise softmax and of its weighted sums, derived from the blocks.

::

    M[i] = max over j of x(i, j)
    E[i, j] = exp(x(i, j) - M[i])
    T[i] = sum over j of E[i, j]
    P[i, j] = E[i, j] / T[i]          # or E * (1 / T); may be missing; casts may follow
    O[i, d] = sum over j of P[i, j] * V[j, d]     # none, one or more; E in place of P
    R[i, d] = O[i, d] / T[i]                      # if O is a sum of E

``i`` may be several variables, and so may ``d``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, MemRefType, f32, f64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.reductions import Update, reduction_of
from kc.dialects.tir import BlockOp, IterType, LoadOp, StoreOp
from kc.transforms.schedule._blocks import (
    Definition,
    describe,
    require_definition,
    require_private,
)
from kc.transforms.schedule.base import Site

LOWEST: Mapping[Attribute, float] = {
    f32: -(2.0 - 2.0**-23) * 2.0**127,
    f64: -(2.0 - 2.0**-52) * 2.0**1023,
}
"""The lowest finite numbers."""

Casts = arith.ExtFOp | arith.TruncFOp
Names = Mapping[SSAValue, SSAValue]
"""Variables of a block, each with the variable of the maximum's block that has the same value."""


@dataclass(frozen=True)
class Quotient:
    """A division, or a product with a reciprocal."""

    numerator: SSAValue
    denominator: SSAValue
    ops: tuple[Operation, ...]
    """The operations that compute the quotient, the result first."""

    @property
    def result(self) -> SSAValue:
        """The value of the quotient."""
        return self.ops[0].results[0]


def quotient_of(value: SSAValue, total: Member | None) -> Quotient | None:
    """``value`` as a quotient ``a / b``, or ``a * (1 / b)`` or ``(1 / b) * a`` with the ``total``
    of a row as ``b``; None otherwise.
    """
    op = value.owner
    if isinstance(op, arith.DivfOp):
        return Quotient(op.lhs, op.rhs, (op,))
    if isinstance(op, arith.MulfOp):
        for factor, inverse in ((op.lhs, op.rhs.owner), (op.rhs, op.lhs.owner)):
            if isinstance(inverse, arith.DivfOp) and _is_one(inverse.lhs):
                by = inverse.rhs.owner
                if isinstance(by, LoadOp) and total and by.buffer is total.definition.buffer:
                    return Quotient(factor, inverse.rhs, (op, inverse))
    return None


def _is_one(value: SSAValue) -> bool:
    maker = value.owner
    number = maker.value if isinstance(maker, arith.ConstantOp) else None
    return isinstance(number, FloatAttr) and number.value.data == 1


@dataclass(frozen=True)
class Member:
    """A block that is computed with the maximum. Its variables are those of the maximum, or
    additional ones.
    """

    definition: Definition
    names: Names
    division: Quotient | None = None
    """The division by the sum of the row, which is deferred."""

    @property
    def block(self) -> BlockOp:
        """The block."""
        return self.definition.block

    @property
    def is_sum(self) -> bool:
        """True if the block sums terms of a row."""
        return self.block.is_reduction


@dataclass
class SoftmaxRows:
    """The blocks of a softmax."""

    maximum: Definition
    powers: Member
    function: type[math.ExpOp | math.Exp2Op] = math.ExpOp
    total: Member | None = None
    weights: list[Member] = field(default_factory=list)
    """The powers divided by their sum."""
    sums: list[Member] = field(default_factory=list)
    """The weighted sums."""

    @property
    def members(self) -> list[Member]:
        """All blocks except the maximum, producers first."""
        total = [] if self.total is None else [self.total]
        return [self.powers, *total, *self.weights, *self.sums]

    def is_divided(self, member: Member) -> bool:
        """True if the terms of a sum are divided by the sum of the row."""
        if member.division is not None:
            return True
        divided = {weight.definition.buffer for weight in self.weights}
        return any(
            isinstance(op, LoadOp) and op.buffer in divided for op in member.block.body.walk()
        )


class _NoSoftmax(Exception):
    """The reason why a block does not have the required form, and the block that is the cause."""

    def __init__(self, why: str, block: Operation | None = None) -> None:
        super().__init__(why)
        self.block = block


def softmax_rows(site: Site, block: BlockOp) -> SoftmaxRows:
    """The softmax that starts with the maximum that ``block`` computes.

    Raises ScheduleError KC3620 if the block is not part of a softmax; KC3621 if other operations
    read values that are only valid for a complete row; KC3200, KC3202 and KC3205 for blocks and
    buffers of another kind.
    """
    maximum = require_definition(site, block)
    require_private(site, maximum)
    try:
        rows = _rows(site, maximum)
    except _NoSoftmax as reason:
        raise site.refuse(
            "KC3620",
            f"block {block.label} is not the maximum of a softmax",
            at=reason.block or block,
            mark={block: "the maximum", **({reason.block: "here"} if reason.block else {})},
            why=str(reason),
            hints=["the form is M = max(x), E = exp(x - M), T = sum(E), P = E / T, O = sum(P * V)"],
        ) from None
    for member in (rows.powers, *rows.weights, *([rows.total] if rows.total else [])):
        require_private(site, member.definition)
    _require_readers(site, rows)
    return rows


def _rows(site: Site, maximum: Definition) -> SoftmaxRows:
    update = _update(maximum, arith.MaximumfOp, "a maximum of floats")
    _require_lowest(maximum)
    if maximum.block.types.count(IterType.REDUCE) != 1:
        raise _NoSoftmax("it reduces over several variables, must be one")
    if _variables(maximum.store) is None:
        raise _NoSoftmax(f"it does not store to an element of {_name(maximum)} for each row")
    users = maximum.users
    if len(users) != 1 or not isinstance(users[0], BlockOp):
        readers = " and ".join(describe(user) for user in users) or "nothing"
        raise _NoSoftmax(
            f"{_name(maximum)} is read by {readers}, not by one block that computes exp(x - M)"
        )
    rows = SoftmaxRows(maximum, *_powers(site, maximum, update, users[0]))
    readers = [user for user in rows.powers.definition.users if isinstance(user, BlockOp)]
    sums = [_definition(site, user) for user in readers]
    for definition in sums:
        if _is_total(definition, rows.powers):
            names = _names_of(definition.block, _loads(definition, rows.powers)[0], rows.powers)
            rows.total = Member(definition, names)
            break
    for definition in sums:
        if rows.total is not None and definition is rows.total.definition:
            continue
        if definition.block.is_reduction:
            rows.sums.append(_weighted(definition, rows))
        else:
            rows.weights.append(_weights(definition, rows))
            for user in rows.weights[-1].definition.users:
                if not isinstance(user, BlockOp) or not user.is_reduction:
                    raise _NoSoftmax(
                        f"{describe(user)} reads {_name(definition)}, but only sums may read it: "
                        "compute the powers again",
                        user,
                    )
                rows.sums.append(_weighted(_definition(site, user), rows))
    if rows.total is None and not rows.sums:
        raise _NoSoftmax(f"no sum reads {_name(rows.powers.definition)}", rows.powers.block)
    return rows


def _definition(site: Site, block: BlockOp) -> Definition:
    return require_definition(site, block)


def _name(definition: Definition) -> str:
    return buffer_name(definition.buffer)


def _update(definition: Definition, step: type[Operation], what: str) -> Update:
    reduction = reduction_of(definition.block)
    update = reduction.updates[0] if reduction is not None else None
    if update is None or not isinstance(update.step, step):
        raise _NoSoftmax(f"{_name(definition)} is not {what}", definition.block)
    if _element(definition.buffer) not in (f32, f64):
        raise _NoSoftmax(
            f"{_name(definition)} has elements of {_element(definition.buffer)}; the parts of a "
            "row are combined in f32 or f64",
            definition.block,
        )
    return update


def _element(buffer: SSAValue) -> Attribute:
    assert isinstance(buffer.type, MemRefType)
    return buffer.type.element_type


def _initial(definition: Definition) -> float | None:
    """The initial value of a reduction if it is a constant; None otherwise."""
    stores = [op for op in definition.block.init.walk() if isinstance(op, StoreOp)]
    maker = stores[0].value.owner if len(stores) == 1 else None
    value = maker.value if isinstance(maker, arith.ConstantOp) else None
    return value.value.data if isinstance(value, FloatAttr) else None


def _require_lowest(definition: Definition) -> None:
    initial = _initial(definition)
    if initial is None or initial > LOWEST[_element(definition.buffer)]:
        raise _NoSoftmax("it does not begin with the lowest number", definition.block)


def _require_zero(definition: Definition) -> None:
    if _initial(definition) != 0:
        raise _NoSoftmax(f"{_name(definition)} does not begin with 0", definition.block)


def _variables(access: LoadOp | StoreOp) -> list[SSAValue] | None:
    """The variables of a block that are the indices of an access; None if an index is not a
    variable.
    """
    index = IndexValues()
    values: list[SSAValue] = []
    for expr in access.indices.data.results:
        composed = index.compose(expr, access.operands_of_map)
        root = index.roots[composed.position] if isinstance(composed, AffineDimExpr) else None
        if not isinstance(root, BlockArgument) or root in values:
            return None
        values.append(root)
    return values


def _stored_variables(definition: Definition) -> list[SSAValue]:
    values = _variables(definition.store)
    if values is None:
        raise _NoSoftmax(
            f"block {definition.block.label} stores to {_name(definition)} at indices that are "
            "not its variables",
            definition.block,
        )
    return values


def _loads(definition: Definition, of: Member | Definition) -> list[LoadOp]:
    buffer = of.buffer if isinstance(of, Definition) else of.definition.buffer
    return [
        op for op in definition.block.body.walk() if isinstance(op, LoadOp) and op.buffer is buffer
    ]


def _names_of(block: BlockOp, load: LoadOp, member: Member) -> dict[SSAValue, SSAValue]:
    """The variable of the maximum for each variable of ``block`` that indexes the read."""
    values = _variables(load)
    if values is None:
        raise _NoSoftmax(
            f"block {block.label} reads {buffer_name(load.buffer)} at indices that are not its "
            "variables",
            block,
        )
    stored = _stored_variables(member.definition)
    pairs = zip(values, stored, strict=True)
    return {mine: member.names[its] for mine, its in pairs if its in member.names}


def _require_same(block: BlockOp, names: Names, more: Names) -> None:
    if any(names.get(mine) is not its for mine, its in more.items()):
        raise _NoSoftmax(f"block {block.label} divides by the sum of another row", block)


def _powers(
    site: Site, maximum: Definition, update: Update, user: BlockOp
) -> tuple[Member, type[math.ExpOp | math.Exp2Op]]:
    """The block of ``E[i, j] = exp(x(i, j) - M[i])``, and the class of its power function."""
    definition = _definition(site, user)
    power = definition.store.value.owner
    difference = power.operands[0].owner if isinstance(power, math.ExpOp | math.Exp2Op) else None
    load = difference.rhs.owner if isinstance(difference, arith.SubfOp) else None
    if (
        definition.block.is_reduction
        or not isinstance(difference, arith.SubfOp)
        or not isinstance(load, LoadOp)
        or load.buffer is not maximum.buffer
        or len(_loads(definition, maximum)) != 1
    ):
        raise _NoSoftmax(
            f"block {user.label} reads {_name(maximum)} and does not compute exp(x - M)", user
        )
    if _element(definition.buffer) != _element(maximum.buffer):
        raise _NoSoftmax(f"{_name(definition)} and {_name(maximum)} have different element types")
    values = _variables(load)
    stored = _stored_variables(definition)
    rows = _stored_variables(maximum)
    if values is None:
        raise _NoSoftmax(f"block {user.label} reads {_name(maximum)} at other indices", user)
    names: dict[SSAValue, SSAValue] = dict(zip(values, rows, strict=True))
    (reduced,) = (
        arg
        for arg, kind in zip(maximum.block.body.block.args, maximum.block.types, strict=True)
        if kind is IterType.REDUCE
    )
    rest = [arg for arg in user.body.block.args if arg not in names]
    if len(rest) != 1 or set(stored) != set(user.body.block.args):
        raise _NoSoftmax(f"block {user.label} does not compute one power for each term", user)
    names[rest[0]] = reduced
    if not _is_same(difference.lhs, update.term, names):
        raise _NoSoftmax(
            f"block {user.label} subtracts {_name(maximum)} from values that are not the terms of "
            "the maximum",
            user,
        )
    assert isinstance(power, math.ExpOp | math.Exp2Op)
    return Member(definition, names), type(power)


def _is_same(first: SSAValue, second: SSAValue, names: Names) -> bool:
    """True if values of two blocks are equal under the map ``names`` of the first block's
    variables.
    """
    if names.get(first, first) is second:
        return True
    left, right = first.owner, second.owner
    if not isinstance(left, Operation) or not isinstance(right, Operation) or left.regions:
        return False
    if type(left) is not type(right) or left.attributes != right.attributes:
        return False
    if first.type != second.type or len(left.operands) != len(right.operands):
        return False
    if isinstance(left, LoadOp) and isinstance(right, LoadOp):
        return left.buffer is right.buffer and _indices(left, names) == _indices(right, {})
    properties = [
        {key: value for key, value in op.properties.items() if key != "fastmath"}
        for op in (left, right)
    ]
    return properties[0] == properties[1] and all(
        _is_same(*pair, names) for pair in zip(left.operands, right.operands, strict=True)
    )


def _indices(load: LoadOp, names: Names) -> list[tuple[str, list[SSAValue | None]]]:
    """The indices of a load, with the variables in them."""
    index = IndexValues()
    texts: list[tuple[str, list[SSAValue | None]]] = []
    for expr in load.indices.data.results:
        composed = index.simplify(index.compose(expr, load.operands_of_map))
        dims = sorted(composed.used_dims())
        fresh = {old: AffineDimExpr(new) for new, old in enumerate(dims)}
        most = max(dims, default=-1) + 1
        text = composed.replace_dims_and_symbols(
            [fresh.get(dim, AffineDimExpr(dim)) for dim in range(most)], []
        )
        roots = [index.roots[dim] for dim in dims]
        texts.append(
            (str(text), [None if root is None else names.get(root, root) for root in roots])
        )
    return texts


def _is_total(definition: Definition, powers: Member) -> bool:
    """True if a block is ``T[i] = sum of E[i, j]``."""
    reduction = reduction_of(definition.block)
    if reduction is None or not isinstance(reduction.updates[0].step, arith.AddfOp):
        return False
    maker = reduction.updates[0].term.owner
    loads = _loads(definition, powers)
    is_total = loads == [maker] and len(definition.block.body.block.args) == len(
        powers.block.body.block.args
    )
    if is_total:
        _update(definition, arith.AddfOp, "a sum of floats")
        _require_zero(definition)
        _require_sum(definition, _names_of(definition.block, loads[0], powers), powers)
    return is_total


def _require_sum(definition: Definition, names: Names, powers: Member) -> None:
    """Require a sum over the terms of a row."""
    block = definition.block
    reduced = [
        arg
        for arg, kind in zip(block.body.block.args, block.types, strict=True)
        if kind is IterType.REDUCE
    ]
    if len(reduced) != 1 or not _is_reduced(names.get(reduced[0])):
        raise _NoSoftmax(f"block {block.label} is not a sum over the terms of a row", block)
    stored = set(_stored_variables(definition))
    if stored != {arg for arg in block.body.block.args if arg not in reduced}:
        raise _NoSoftmax(f"block {block.label} has no element for each row", block)


def _is_reduced(variable: SSAValue | None) -> bool:
    """True if a variable is a reduce variable of its block."""
    block = variable.block.parent_op() if isinstance(variable, BlockArgument) else None
    return isinstance(block, BlockOp) and block.types[variable.index] is IterType.REDUCE  # pyright: ignore


def _weights(definition: Definition, rows: SoftmaxRows) -> Member:
    """The block of ``P[i, j] = E[i, j] / T[i]``, with optional casts."""
    block = definition.block
    value = definition.store.value
    while isinstance(value.owner, Casts):
        value = value.owner.operands[0]
    names, division = _divided(block, value, rows)
    if division is None:
        raise _NoSoftmax(
            f"block {block.label} reads {_name(rows.powers.definition)} and does not divide it by "
            "the sum of the row",
            block,
        )
    if set(_stored_variables(definition)) != set(block.body.block.args):
        raise _NoSoftmax(f"block {block.label} has no element for each term", block)
    if len(_loads(definition, rows.powers)) != 1:
        raise _NoSoftmax(f"block {block.label} reads several powers", block)
    return Member(definition, names, division)


def _divided(
    block: BlockOp, value: SSAValue, rows: SoftmaxRows
) -> tuple[dict[SSAValue, SSAValue], Quotient | None]:
    """The names under which ``value`` is a power, and its division by the sum; None without a
    division.
    """
    division = quotient_of(value, rows.total)
    power = value.owner if division is None else division.numerator.owner
    if not isinstance(power, LoadOp) or power.buffer is not rows.powers.definition.buffer:
        raise _NoSoftmax(
            f"block {block.label} uses {_name(rows.powers.definition)} for more than a division "
            "by the sum of the row and a multiplication",
            block,
        )
    names = _names_of(block, power, rows.powers)
    if division is not None:
        by = division.denominator.owner
        total = rows.total
        if total is None or not isinstance(by, LoadOp) or by.buffer is not total.definition.buffer:
            raise _NoSoftmax(f"block {block.label} divides by a value other than the sum", block)
        _require_same(block, names, _names_of(block, by, total))
    return names, division


def _weighted(definition: Definition, rows: SoftmaxRows) -> Member:
    """The block of ``O[i, d] = sum of P[i, j] * V[j, d]``."""
    block = definition.block
    update = _update(definition, arith.AddfOp, "a sum of floats")
    _require_zero(definition)
    own = [rows.powers, *rows.weights, *([rows.total] if rows.total else [])]
    buffers = {weight.definition.buffer for weight in own}

    def holds(value: SSAValue) -> bool:
        maker = value.owner
        if not isinstance(maker, Operation):
            return False
        is_own = isinstance(maker, LoadOp) and maker.buffer in buffers
        return is_own or any(holds(operand) for operand in maker.operands)

    value, is_rounded = update.term, False
    while True:
        maker = value.owner
        if isinstance(maker, Casts):
            is_rounded |= isinstance(maker, arith.TruncFOp)
            value = maker.operands[0]
        elif isinstance(maker, arith.MulfOp) and quotient_of(value, rows.total) is None:
            if is_rounded:  # powers relative to a smaller maximum are larger, up to 1
                raise _NoSoftmax(
                    f"block {block.label} rounds weighted products to a narrower type, which may "
                    "overflow while the maximum covers only a part of the row",
                    block,
                )
            held = [operand for operand in maker.operands if holds(operand)]
            if len(held) != 1:
                raise _NoSoftmax(f"block {block.label} is not linear in the weights", block)
            (value,) = held
        else:
            break
    weights = next(
        (
            weight
            for weight in rows.weights
            if isinstance(value.owner, LoadOp) and value.owner.buffer is weight.definition.buffer
        ),
        None,
    )
    if weights is not None:
        assert isinstance(value.owner, LoadOp)
        names, division = _names_of(block, value.owner, weights), None
    else:
        names, division = _divided(block, value, rows)
    _require_sum(definition, names, rows.powers)
    return Member(definition, names, division)


def _require_readers(site: Site, rows: SoftmaxRows) -> None:
    """Refuse (KC3621) other readers of values that the rewrite changes.

    These are powers and weights of a part of the row, and sums that are 0 instead of NaN in a row
    without a finite term.
    """
    inside = {member.block for member in rows.members}
    for member in (rows.powers, *rows.weights):
        _require_among(site, member, inside)
    if rows.total is not None:
        _require_among(site, rows.total, {*inside, *_quotients(rows)})
    for member in rows.sums:
        if not rows.is_divided(member):
            require_private(site, member.definition)
            _require_among(site, member, set(_quotients(rows)))


def _require_among(site: Site, member: Member, members: set[BlockOp]) -> None:
    for user in member.definition.users:
        if user in members:
            continue
        name = _name(member.definition)
        raise site.refuse(
            "KC3621",
            f"{describe(user)} reads {name}, which differs in an online softmax",
            at=user,
            mark={member.block: f"writes {name}", user: f"reads {name}"},
            why=f"{name} is relative to the maximum of a part of the row"
            if not member.is_sum
            else f"if no term of a row is finite, {name} is 0 instead of NaN until it is divided "
            "by the sum of the powers",
            hints=[f"compute_inline of block {member.block.label} recomputes it there"]
            if not member.is_sum
            else [],
        )


def _quotients(rows: SoftmaxRows) -> Sequence[BlockOp]:
    """The blocks that only divide a weighted sum by the sum of the row."""
    total = rows.total
    if total is None:
        return []
    quotients: list[BlockOp] = []
    for member in rows.sums:
        for user in member.definition.users:
            if not isinstance(user, BlockOp) or user.is_reduction:
                continue
            stores = [op for op in user.body.walk() if isinstance(op, StoreOp)]
            value = stores[0].value if len(stores) == 1 else None
            while value is not None and isinstance(value.owner, Casts):
                value = value.owner.operands[0]
            quotient = quotient_of(value, total) if value is not None else None
            if quotient is None:
                continue
            top, by = quotient.numerator.owner, quotient.denominator.owner
            loads = [op for op in user.body.walk() if isinstance(op, LoadOp)]
            if loads and set(loads) == {top, by} and isinstance(top, LoadOp):
                is_whole = top.buffer is member.definition.buffer
                if isinstance(by, LoadOp) and by.buffer is total.definition.buffer and is_whole:
                    quotients += [user] if _is_of_one_row(user, (top, member), (by, total)) else []
    return quotients


def _is_of_one_row(
    block: BlockOp, sum_: tuple[LoadOp, Member], total: tuple[LoadOp, Member]
) -> bool:
    try:
        _require_same(block, _names_of(block, *sum_), _names_of(block, *total))
    except _NoSoftmax:
        return False
    return True
