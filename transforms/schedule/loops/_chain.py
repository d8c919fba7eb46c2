"""Perfect nests: chains of loops in which each loop has the next one as its only child."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import ForOp, IfOp, IterType
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.schedule.base import Site


def require_chain(
    site: Site,
    loops: Sequence[ForOp],
    *,
    guards: bool = False,
    stays: Callable[[Sequence[ForOp]], str | None] | None = None,
) -> list[ForOp]:
    """The loops from the outermost to the innermost of ``loops``, which must form a perfect nest.

    With ``guards``, a ``tir.if`` without an else may surround the body of a loop. With ``stays``, a
    loop may have other children besides the next loop. The argument of ``stays`` is the chain from
    that loop on; its result is the reason why such a child cannot move, None if it can.

    Raises ScheduleError: KC3030 for a loop that is named twice, KC3031 for loops that are not
    nested, KC3032 for a nest that is not perfect.
    """
    if len(set(loops)) != len(loops):
        twice = next(loop for loop in loops if list(loops).count(loop) > 1)
        raise site.refuse("KC3030", f"loop {twice.label} is named twice", at=twice)
    inner = max(loops, key=lambda loop: len(loop_tree.loops_around(loop)))
    path = [*loop_tree.loops_around(inner), inner]
    missing = [loop for loop in loops if loop not in path]
    if missing:
        raise site.refuse(
            "KC3031",
            f"loops {missing[0].label} and {inner.label} are not nested",
            at=inner,
            mark={inner: "not inside " + missing[0].label},
            why=f"the loops of {site.primitive} must be in one nest",
            hints=_nest_hint(path),
        )
    first = min(path.index(loop) for loop in loops)
    chain = path[first:]
    for n, (outer, nested) in enumerate(zip(chain, chain[1:], strict=False)):
        held = child_behind_guards(outer) if guards else loop_tree.only_child(outer)
        if held is not nested:
            why = stays(chain[n:]) if stays is not None else None
            if stays is not None and why is None:
                continue
            siblings = [
                _name(child)
                for op in loop_tree.path_to(nested)
                if op is not nested and loop_tree.is_inside(op, outer)
                for child in loop_tree.children(op)
                if loop_tree.has_work(child) and not loop_tree.is_inside(nested, child)
            ]
            between = ", ".join(siblings) or "a guard"
            raise site.refuse(
                "KC3032",
                f"{nested.label} is not the only child of {outer.label}",
                at=nested,
                mark={outer: f"also holds {between}", nested: "here"},
                why=why or f"{site.primitive} would also move {between}",
                hints=_nest_hint([loop for loop in chain if loop is not outer]),
            )
    return chain


def child_behind_guards(loop: ForOp) -> Operation | None:
    """The only child of ``loop`` in the loop tree, with guards skipped; None if ``loop`` has
    several children.
    """
    child = loop_tree.only_child(loop)
    while isinstance(child, IfOp):
        work = [op for op in loop_tree.children(child) if loop_tree.has_work(op)]
        if len(work) != 1 or work[0].parent_region() is not child.then:
            return None
        child = work[0]
    return child


def guards_between(outer: ForOp, inner: ForOp) -> list[IfOp]:
    """The guards in ``outer`` around ``inner``, outermost first; see :func:`require_chain`."""
    around = [op for op in loop_tree.path_to(inner) if loop_tree.is_inside(op, outer)]
    return [op for op in around if isinstance(op, IfOp)][::-1]


def _name(op: Operation) -> str:
    if isinstance(op, ForOp):
        return f"loop {op.label}"
    label = getattr(op, "label", None)
    return f"{op.name.removeprefix('tir.')} {label}" if label else op.name


def _nest_hint(path: Sequence[ForOp]) -> list[str]:
    return ["one nest is " + ", ".join(loop.label for loop in path)] if len(path) > 1 else []


def extent_depends(chain: Sequence[ForOp]) -> tuple[ForOp, ForOp] | None:
    """An outer and an inner loop of the chain such that the outer loop contains the computation of
    the inner extent; None if the chain has no such loops.
    """
    for n, inner in enumerate(chain):
        if inner.dynamic_extent is not None:
            for outer in chain[:n]:
                if loop_tree.defined_inside(inner.dynamic_extent, outer):
                    return outer, inner
    return None


def size_point(site: Site, loop: ForOp, sizes: Iterable[object]) -> Operation:
    """The operation before which an expression of ``sizes`` is computed: the outermost legal place.

    A size that is computed outside the nest does not prevent an exchange of its loops.
    """
    path = [*loop_tree.loops_around(loop), loop]
    values = [size for size in sizes if isinstance(size, SSAValue)]
    for outer in path:
        if not any(loop_tree.defined_inside(value, outer) for value in values):
            return outer
    return loop


# Loops of one iteration -----------------------------------------------------------------------


def without_unit_variables(loops: Iterable[ForOp]) -> None:
    """Replace the variables of loops with one iteration by 0.

    A variable stays if it is an operand of a block's predicate and drives a reduction. Without the
    variable, the predicate would count as a condition on the results, and would suppress the init.
    """
    for loop in loops:
        if loop.static_extent == 1 and not any(
            loop.var in block.predicate_operands
            and IterType.REDUCE in loop_tree.iter_types(loop, block)
            for block in loop_tree.blocks(loop)
        ):
            replace_with_expr(loop.var, ZERO, [], InsertPoint.at_start(loop.body.block))
