"""rfactor: a loop of a reduction becomes spatial; its partial results are then reduced.

Before, ``rfactor block=C loop=k_o``::

    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.for %k_i in 8 {
          tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 32 = %k_o * 8 + %k_i)
              init { %C[%v_i] = %x } do { %C[%v_i] += %A[%v_i, %v_k] }

After::

    %C_rf = tir.alloc "C_rf" : memref<4x16xf32>
    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.for %k_i in 8 {
          tir.block "C_rf" (spatial %v_k_o in 4 = %k_o, spatial %v_i in 16 = %i,
                            reduce %v_k_i in 8 = %k_i)
              init { %C_rf[%v_k_o, %v_i] = 0 }
              do { %C_rf[%v_k_o, %v_i] += %A[%v_i, %v_k_o * 8 + %v_k_i] }
    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.block "C" (reduce %v_k_o in 4 = %k_o, spatial %v_i in 16 = %i)
            init { %C[%v_i] = %x } do { %C[%v_i] += %C_rf[%v_k_o, %v_i] }

The partial results start from the neutral element of the combiner, so the init may be arbitrary.
``factor-axis`` is the dimension of the new buffer for the loop. The sum of floats is computed in
another order, which a reduction allows. A block that reduces to several buffers, with a
``tir.combine`` or a step for each, gets a new buffer for each. Terms that a ``tir.if`` leaves out
are also left out of the partial results.

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3330: the loop is around one block, and so are the loops of the block around it.
3. KC3200, KC3331: the block is a reduction with a commutative combiner, and its init. Each partial
   result has a term, or the identity can be combined with itself.
4. KC3332: the loop drives only reduce variables, and each other loop either spatial or reduce ones.
5. KC3333: all reduce loops are among those that hold only the block.
6. KC3334: the init runs exactly where all reduce loops are at 0.
7. KC3335: the factor axis is a dimension of the new buffer.
8. KC3336: a predicate on the reduction does not exclude the first iterations.
9. KC3337: sizes and the inputs of the init are available outside the loops.

TVM, Halide: ``rfactor``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space
from kc.analysis.affine.index_facts import forced_to_zero
from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.affine.terms import ZERO_TERM
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.combiner_laws import FINITE_START, why_no_empty_parts
from kc.analysis.reductions.reductions import reduction_of
from kc.analysis.trust import Undecided
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.support.diagnostics import ScheduleError
from kc.transforms.known_values import can_rebuild, is_available
from kc.transforms.schedule._blocks import Definition, describe, require_definition
from kc.transforms.schedule._buffers import fresh_name
from kc.transforms.schedule._sizes import sizes_of
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, require_serial
from kc.transforms.schedule.reduction._partial import Factoring, build_partial


@dataclass(frozen=True)
class Rfactor(Primitive):
    """Make a loop of a reduction spatial, and reduce the partial results."""

    name: ClassVar[str] = "rfactor"
    gives: ClassVar[Gives] = "block"

    loop: LoopRef = field(metadata={"help": "the loop of the reduction"})
    factor_axis: int = field(
        default=0,
        metadata={"help": "the dimension of the new buffer for the loop, -1 for the last"},
    )

    def check(self, site: Site) -> Factoring:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        block, chain = _own_nest(site, loop)
        definition = require_definition(site, block, updates=True)
        if not block.is_reduction:
            raise site.refuse(
                "KC3331",
                f"block {block.label} is not a reduction",
                at=block,
                mark={loop: "the loop", block: "the block"},
                why="it has no reduce variable, so there are no partial results",
            )
        nest = _Nest(site, loop, definition, chain)
        predicate = nest.check()
        _require_terms(site, block, nest.rest)
        ranks = {len(sizes_of(site, store.buffer)) for store in definition.stores}
        rank = min(ranks)
        if not -rank - 1 <= self.factor_axis <= rank:
            raise site.refuse(
                "KC3335",
                f"factor_axis {self.factor_axis} for block {block.label}",
                at=block,
                why=f"{buffer_name(definition.buffer)} has {rank} dimension{'s' * (rank != 1)}, "
                "the new buffer one more",
                hints=[f"factor-axis={n}" for n in range(rank + 1)],
            )
        return Factoring(
            loop=loop,
            definition=definition,
            chain=chain,
            rest=nest.rest,
            index=nest.index,
            predicate=predicate,
            axis=self.factor_axis % (rank + 1),
            block_name=fresh_name(site, f"{block.label}_rf"),
            buffer_names=tuple(
                fresh_name(site, f"{buffer_name(store.buffer)}_rf") for store in definition.stores
            ),
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for loop in loop_tree.loops_around(block):
                if IterType.REDUCE in loop_tree.iter_types(loop, block):
                    yield cls(LoopRef(loop))

    def rewrite(self, site: Site, plan: Factoring) -> Rewritten:
        return Rewritten(blocks=(build_partial(site, plan),))


def _require_terms(site: Site, block: BlockOp, rest: Sequence[ForOp]) -> None:
    """Refuse (KC3331) partial results that may have no term, if the combiner does not allow empty
    parts.

    The final reduction leaves out partial results whose first term the predicate excludes.
    """
    reduction = reduction_of(block)
    if reduction is None:
        return
    if reduction.guard is None and all(loop.static_extent for loop in rest):
        return
    for step in reduction.steps:
        why = why_no_empty_parts(step)
        if why is not None:
            raise site.refuse(
                "KC3331",
                f"partial results of {block.label} may have no term",
                at=block,
                why=why,
                hints=[FINITE_START],
            )


def _own_nest(site: Site, loop: ForOp) -> tuple[BlockOp, list[ForOp]]:
    """The only block in ``loop``, and the loops that contain only the block, outermost first."""
    inner = loop_tree.only_child(loop)
    while isinstance(inner, ForOp):
        inner = loop_tree.only_child(inner)
    if not isinstance(inner, BlockOp):
        held = [describe(op) for op in loop_tree.children(loop) if loop_tree.has_work(op)]
        raise site.refuse(
            "KC3330",
            f"loop {loop.label} must contain one block, and nothing else",
            at=loop,
            why=f"it contains {' and '.join(held)}",
        )
    chain: list[ForOp] = []
    parent = inner.parent_op()
    while isinstance(parent, ForOp) and loop_tree.only_child(parent) is not None:
        chain.append(parent)
        parent = parent.parent_op()
    return inner, chain[::-1]


class _Nest:
    """The nest of a reduction, relative to one of its loops."""

    def __init__(self, site: Site, loop: ForOp, definition: Definition, chain: list[ForOp]) -> None:
        self.site = site
        self.loop = loop
        self.definition = definition
        self.block = block = definition.block
        self.chain = chain
        self.index = IndexValues()
        self.exprs = [
            self.index.compose(expr, block.binding_operands) for expr in block.binding_exprs
        ]
        drives: dict[SSAValue, set[IterType]] = {}
        for expr, kind in zip(self.exprs, block.types, strict=True):
            for value in self._roots(expr):
                drives.setdefault(value, set()).add(kind)
        around = loop_tree.loops_around(block)
        self.drives = {loop: drives.get(loop.var, set()) for loop in around}
        self.reduce_loops = [loop for loop in around if IterType.REDUCE in self.drives[loop]]
        self.rest = [reduced for reduced in self.reduce_loops if reduced is not loop]

    def check(self) -> list[AffineConstraintExpr]:
        """The predicate of the final reduction. Refuses an illegal loop."""
        self._require_known()
        self._require_kinds()
        self._require_init_at_zero()
        return self._predicate()

    def _roots(self, expr: AffineExpr) -> list[SSAValue]:
        roots = (self.index.roots[dim] for dim in dimensions(expr))
        return [root for root in roots if root is not None]

    def _refuse(self, code: str, message: str, why: str | Undecided, *hints: str) -> ScheduleError:
        return self.site.refuse(
            code,
            f"{message}",
            at=self.loop,
            mark={self.loop: "the loop", self.block: "the block"},
            why=why,
            hints=hints,
        )

    def _require_known(self) -> None:
        """Require (KC3337) that the second nest has access to sizes, bindings, the predicate, and
        inputs of the init.
        """
        block, variables = self.block, {loop.var for loop in self.chain}
        sizes = [loop.dynamic_extent for loop in self.chain if loop.dynamic_extent is not None]
        sizes += [*block.dynamic_extents, *captured_values(block.init.block)]
        used: list[SSAValue] = []
        for store in self.definition.stores:
            used += [
                operand for operand in store.operands_of_map if not _is_argument(operand, block)
            ]
        exprs = [*self.exprs, *(self.index.expr(operand) for operand in block.predicate_operands)]
        used += [root for expr in exprs for root in self._roots(expr) if root not in variables]
        unknown = [size for size in sizes if not can_rebuild(size, self.chain[0])]
        unknown += [value for value in used if not is_available(value, self.chain[0])]
        for value in unknown:
            raise self._refuse(
                "KC3337",
                f"{value.name_hint or 'a value'} is not known outside of the loops of "
                f"{self.block.label}",
                "the reduction of the partial results has loops of its own, and needs it",
            )

    def _require_kinds(self) -> None:
        label = self.block.label
        alternatives = [f"loop={loop.label}" for loop in self.rest]
        if self.drives[self.loop] == {IterType.SPATIAL}:
            raise self._refuse(
                "KC3332",
                f"loop {self.loop.label} is not a loop of the reduction of {label}",
                "it drives spatial variables",
                *alternatives,
            )
        for loop in self.chain:
            if len(self.drives[loop]) > 1:
                raise self._refuse(
                    "KC3332",
                    f"loop {loop.label} drives spatial and reduce variables of {label}",
                    "its iterations are both elements and parts of a reduction",
                    "rfactor first, then fuse",
                )
            if not self.drives[loop] and loop.static_extent != 1:
                raise self._refuse(
                    "KC3332",
                    f"loop {loop.label} drives no variable of {label}",
                    "its iterations repeat the same work",
                    *(alternatives if loop is self.loop else []),
                )
        outside = [loop for loop in self.reduce_loops if loop not in self.chain]
        if outside:
            name = outside[0].label
            raise self._refuse(
                "KC3333",
                f"{label} is reduced over {name} too, which contains more than {label}",
                f"one iteration of {name} does not have all partial results",
            )

    def _require_init_at_zero(self) -> None:
        pairs = zip(self.exprs, self.block.types, strict=True)
        exprs = [expr for expr, kind in pairs if kind is IterType.REDUCE]
        forced = forced_to_zero(exprs, self.index)
        zeros = self._zeros(self.reduce_loops)
        at_zero = [self.index.simplify(substitute(expr, zeros)) for expr in exprs]
        if all(loop.var in forced for loop in self.reduce_loops) and all(
            expr == ZERO for expr in at_zero
        ):
            return
        raise self._refuse(
            "KC3334",
            f"the init of {self.block.label} may run elsewhere than at the start of its loops",
            "it runs where all reduce variables are 0, which is not exactly where "
            f"{_are(self.reduce_loops)} 0",
        )

    def _zeros(self, loops: Sequence[ForOp]) -> dict[int, AffineExpr]:
        """The dimensions of the variables of ``loops``, each mapped to 0."""
        variables = {loop.var for loop in loops}
        return {n: ZERO for n, value in enumerate(self.index.roots) if value in variables}

    def _predicate(self) -> list[AffineConstraintExpr]:
        block, index = self.block, self.index
        conditions = index.conditions(block.predicate.data, block.predicate_operands)
        variables = {loop.var for loop in self.reduce_loops}
        about: list[AffineConstraintExpr] = []
        spatial: list[AffineConstraintExpr] = []
        for constraint in conditions or []:
            is_about = any(value in variables for value in self._roots(constraint.lhs))
            (about if is_about else spatial).append(constraint)
        if conditions is None:
            raise self._refuse(
                "KC3336",
                f"the predicate of {block.label} never holds",
                "there is nothing to reduce",
            )
        if about:
            self._require_first(about)
            self._require_start(about, spatial)
        zeros = self._zeros(self.rest)
        first = [_with_lhs(constraint, substitute(constraint.lhs, zeros)) for constraint in about]
        constraints = simplify_constraints(first, index.ranges)
        assert constraints is not None, "the first iterations are in"
        return [
            *spatial,
            *(constraint for constraint in constraints if not self._always_holds(constraint)),
        ]

    def _final(self, space: Space) -> Instance:
        """An iteration of the final reduction, with the other reduction loops at their first
        iteration.
        """
        instance = space.place(self.chain[0])
        for loop in self.chain:
            if loop in self.rest:
                instance.values[loop.var] = ZERO_TERM
            else:
                space.enter_loop(loop, instance)
        return instance

    def _always_holds(self, condition: AffineConstraintExpr) -> bool:
        space = Space()
        final = self._final(space)
        holds = space.condition(*self.index.to_set([condition]), final)
        return space.find([final], [~holds]) is None

    def _require_first(self, about: Sequence[AffineConstraintExpr]) -> None:
        """Require that the first iteration of each nonempty partial result runs, with the init."""
        space = Space()
        any_one = space.instance(self.block)
        first = Instance(self.block, "first")
        first.values.update({loop.var: dim for loop, dim in any_one.loops.items()})
        first.values.update({loop.var: ZERO_TERM for loop in self.rest})
        holds = space.condition(*self.index.to_set(about), first)
        witness = space.find([any_one, first], [~holds])
        if witness is not None:
            raise self._refuse(
                "KC3336",
                f"the predicate of {self.block.label} may leave out the start of a partial result",
                witness.undecided
                or f"it holds{any_one.at(witness)}, and not where {_are(self.rest)} 0 instead",
            )

    def _require_start(
        self, about: Sequence[AffineConstraintExpr], spatial: Sequence[AffineConstraintExpr]
    ) -> None:
        """Require that the final reduction starts, with the init, for each element that had an
        init.
        """
        space = Space()
        start = self._final(space)
        runs = space.condition(*self.index.to_set(spatial), start)
        holds = space.condition(*self.index.to_set(about), start)
        witness = space.find([start], [start.loops[self.loop].equals(0), runs, ~holds])
        if witness is not None:
            sizes = ", ".join(f"{name} = {n}" for name, n in space.sizes(witness).items())
            raise self._refuse(
                "KC3336",
                f"the predicate of {self.block.label} may leave out its start",
                witness.undecided
                or f"the first iteration of {self.loop.label} is not run{start.at(witness)}"
                + (f" (for {sizes})" if sizes else ""),
                *[f"loop={loop.label}" for loop in self.rest if loop.dynamic_extent is not None],
            )


def _are(loops: Sequence[ForOp]) -> str:
    """The subject and verb of a sentence: ``k is``, or ``k_o and k_i are``."""
    return " and ".join(loop.label for loop in loops) + (" are" if len(loops) != 1 else " is")


def _is_argument(value: SSAValue, block: BlockOp) -> bool:
    return value.owner is block.body.block


def _with_lhs(constraint: AffineConstraintExpr, lhs: AffineExpr) -> AffineConstraintExpr:
    return AffineConstraintExpr(constraint.kind, lhs, constraint.rhs)
