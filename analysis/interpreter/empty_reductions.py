"""Empty reductions: their blocks never run, but their elements get the initial value.

The initial value is stored where the outermost loop of the reduction begins, for the elements that
the spatial loops inside enumerate. Loops that do not run leave their variables undefined: a
condition on such a variable counts as met, and an index that depends on it takes its whole domain.
If no loop belongs to the reduction, as when its loop of one iteration has no variable, all elements
are initialised where the outermost loop begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import captured_values, makers_inside
from kc.analysis.interpreter.affine_code import map_function, set_function
from kc.dialects.tir import BlockOp, ForOp, IfOp, IterType

Lookup = Callable[[SSAValue], int]
"""Looks up a value that is available where a loop begins."""


def possibly_empty(loop: ForOp) -> list[EmptyReduction]:
    """The reductions whose outermost loop is ``loop`` and that may be empty."""
    return [
        EmptyReduction(block, loop)
        for block in loop_tree.blocks(loop)
        if block.has_init and _may_be_empty(block) and _start(block) is loop
    ]


def _may_be_empty(block: BlockOp) -> bool:
    return any(
        kind is IterType.REDUCE and (not isinstance(extent, int) or extent == 0)
        for kind, _, extent in block.iters
    )


def _start(block: BlockOp) -> ForOp | None:
    """The outermost loop of the reduction at whose beginning all operands of the initial value are
    available; None if no loop qualifies. If no loop belongs to the reduction, all loops around
    ``block`` are considered.
    """
    loops = loop_tree.loops_around(block)
    first = next((n for n, loop in enumerate(loops) if _carries(loop, block)), 0)
    for loop in loops[first:]:
        if all(makers_inside(value, loop) is not None for value in _needed(block)):
            return loop
    return None


def _carries(loop: ForOp, block: BlockOp) -> bool:
    return IterType.REDUCE in loop_tree.iter_types(loop, block)


def _needed(block: BlockOp) -> list[SSAValue]:
    return [*captured_values(block.init.block), *block.dynamic_extents]


class EmptyReduction:
    """Stores of the initial value at the start of ``loop`` if the reduction of ``block`` is
    empty.
    """

    def __init__(self, block: BlockOp, loop: ForOp) -> None:
        self.block = block
        self._loop = loop
        around = loop_tree.loops_around(block)
        inner = around[around.index(loop) + 1 :]
        sizes = [
            inner_loop.dynamic_extent
            for inner_loop in inner
            if inner_loop.dynamic_extent is not None
        ]
        needed = [
            op for value in (*_needed(block), *sizes) for op in makers_inside(value, loop) or ()
        ]
        self.makers = list(dict.fromkeys(needed))
        """The ops in the loop that compute the sizes and the operands of the init."""
        self._index = IndexValues()
        self._open = {
            value
            for reduced in around[around.index(loop) :]
            if _carries(reduced, block)
            for value in loop_tree.derived_values(reduced.var)
        }
        """The values that depend on the loops of the reduction, even if they are the same in all
        iterations.
        """
        self._counted = [
            inner_loop
            for inner_loop in inner
            if not _carries(inner_loop, block)
            and (inner_loop.dynamic_extent is None or self._is_known(inner_loop.dynamic_extent))
        ]
        self._used: set[SSAValue] = set()
        """The operands of the available bindings and conditions."""
        self._bindings = [self._binding(expr) for expr in block.binding_exprs]
        self._conditions = [*self._predicate(), *self._path()]
        # A loop that enumerates elements only together with a loop of the reduction enumerates
        # none.
        self._counted = [counted for counted in self._counted if counted.var in self._used]
        if not any(_carries(around_loop, block) for around_loop in around):
            # A condition that no iteration evaluates does not restrict the elements.
            self._counted, self._conditions = [], []
            self._bindings = [None] * len(self._bindings)

    def _is_known(self, value: SSAValue) -> bool:
        return not loop_tree.defined_inside(value, self._loop) or value.owner in self.makers

    def _binding(
        self, expr: AffineExpr
    ) -> tuple[list[SSAValue], Callable[..., tuple[int, ...]]] | None:
        """A binding as a function of available values and enumerated loop variables; None if the
        binding depends on further values.
        """
        if any(self.block.binding_operands[dim] in self._open for dim in expr.used_dims()):
            return None
        composed = self._index.compose(expr, self.block.binding_operands)
        map_, roots = self._index.to_map([composed])
        if not self._are_known(roots, set(range(len(roots)))):
            return None
        self._used.update(roots)
        return roots, map_function(map_)

    def _are_known(self, operands: Sequence[SSAValue], dims: set[int]) -> bool:
        counters = {counted.var for counted in self._counted}
        return all(operands[n] in counters or self._is_known(operands[n]) for n in dims)

    def _predicate(self) -> Iterator[tuple[Sequence[SSAValue], Callable[..., bool], bool]]:
        """The parts of the predicate on available values: the operands, a condition on the
        operands, and the required truth value.
        """
        operands = self.block.predicate_operands
        constraints = [
            constraint
            for constraint in self.block.predicate.data.constraints
            if self._are_known(operands, constraint.lhs.used_dims())
        ]
        for constraint in constraints:
            self._used.update(operands[dim] for dim in constraint.lhs.used_dims())
        # Combined: a condition on a poison value counts only if all others hold.
        yield operands, set_function(AffineSet(len(operands), 0, tuple(constraints))), True

    def _path(self) -> Iterator[tuple[Sequence[SSAValue], Callable[..., bool], bool]]:
        """The conditions on available values on the path to the block."""
        op: Operation = self.block
        while op is not self._loop:
            parent = op.parent_op()
            assert parent is not None
            if isinstance(parent, IfOp):
                space, operands = parent.condition.data, parent.operands_of_set
                if self._are_known(operands, set(range(len(operands)))):
                    self._used.update(operands)
                    yield operands, set_function(space), op.parent_region() is parent.then
            op = parent

    def instances(self, lookup: Lookup) -> Iterator[tuple[int, ...]]:
        """The block's variables for each element; empty if the reduction has iterations."""
        extents = [
            extent if isinstance(extent, int) else lookup(extent)
            for _, _, extent in self.block.iters
        ]
        is_reduced = [kind is IterType.REDUCE for kind in self.block.types]
        if all(extent > 0 for extent, reduced in zip(extents, is_reduced, strict=True) if reduced):
            return
        counts = [
            extent if isinstance(extent := counted.extent_value, int) else lookup(extent)
            for counted in self._counted
        ]
        for point in product(*map(range, counts)):
            at: dict[SSAValue, int] = {
                counted.var: n for counted, n in zip(self._counted, point, strict=True)
            }
            if any(
                holds(*self._values(operands, at, lookup)) is not expected
                for operands, holds, expected in self._conditions
            ):
                continue
            domains: list[Sequence[int]] = [
                range(1) if reduced else range(extent)
                for extent, reduced in zip(extents, is_reduced, strict=True)
            ]
            for n, binding in enumerate(self._bindings):
                if binding is not None and not is_reduced[n]:
                    roots, function = binding
                    values = function(*self._values(roots, at, lookup))
                    domains[n] = [value for value in values if value in domains[n]]
            yield from product(*domains)

    def _values(
        self, operands: Sequence[SSAValue], at: Mapping[SSAValue, int], lookup: Lookup
    ) -> list[int]:
        """The values of ``operands``, with 0 for unavailable ones."""
        return [
            at[operand] if operand in at else lookup(operand) if self._is_known(operand) else 0
            for operand in operands
        ]
