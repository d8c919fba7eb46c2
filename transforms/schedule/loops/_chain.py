"""Perfect nests: a chain of loops, each with nothing of the loop tree in it but the next."""

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
    """The loops from the outermost to the innermost of ``loops``, which must nest perfectly.

    With ``guards`` there may be a ``tir.if`` without an else around what a loop holds. With
    ``stays`` a loop may hold more than the next one, unless that says why this must stay there; it
    is given the loops from that one on.
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
            why=f"{site.primitive} works on loops of one nest",
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
    """The one op of the loop tree in ``loop``, or in guards that are all it holds, if there is."""
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
    """A loop of the chain whose extent is computed inside an outer one, with that outer one."""
    for n, inner in enumerate(chain):
        if inner.dynamic_extent is not None:
            for outer in chain[:n]:
                if loop_tree.defined_inside(inner.dynamic_extent, outer):
                    return outer, inner
    return None


def size_point(site: Site, loop: ForOp, sizes: Iterable[object]) -> Operation:
    """The op before which sizes made of ``sizes`` are computed: as far out as they are known.

    Outside the whole nest the sizes do not hinder exchanging its loops.
    """
    path = [*loop_tree.loops_around(loop), loop]
    values = [size for size in sizes if isinstance(size, SSAValue)]
    for outer in path:
        if not any(loop_tree.defined_inside(value, outer) for value in values):
            return outer
    return loop


# Loops of one iteration -----------------------------------------------------------------------


def without_unit_variables(loops: Iterable[ForOp]) -> None:
    """Put 0 for the variables of those of ``loops`` that have one iteration.

    One stays if a condition on the terms of a reduction is about it: of a condition without
    variables nothing says that it is not about the results, whose init it would keep from running.
    """
    for loop in loops:
        if loop.static_extent == 1 and not any(
            loop.var in block.predicate_operands
            and IterType.REDUCE in loop_tree.iter_types(loop, block)
            for block in loop_tree.blocks(loop)
        ):
            replace_with_expr(loop.var, ZERO, [], InsertPoint.at_start(loop.body.block))
