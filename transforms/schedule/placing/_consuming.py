"""Shared by primitives that compute a block earlier, at its producers: inputs and other uses."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply
from kc.analysis.accesses.regions import loads_of, stores_to
from kc.analysis.affine.terms import Condition, equal
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, BlockOp, IterType, LoadOp
from kc.transforms.known_values import can_rebuild, rebuild
from kc.transforms.schedule._blocks import (
    Definition,
    describe,
    require_available,
    witness_text,
)
from kc.transforms.schedule._buffers import require_plain_uses
from kc.transforms.schedule.base import Site


def require_inputs(site: Site, definition: Definition, anchor: Operation, where: str) -> None:
    """Refuse (KC3208) unless all values that the block uses are available at ``anchor``.

    The written buffers may also be allocated earlier; see :func:`hoist_output`.
    """
    owners = [buffer.owner for buffer in definition.buffers]
    allocs = [owner for owner in owners if isinstance(owner, AllocOp)]
    own = [alloc.buffer for alloc in allocs]
    require_available(site, definition.block, anchor, where, leave=own)
    for alloc in allocs:
        top = _beside(alloc, anchor)
        if top is None or not all(can_rebuild(size, top) for size in alloc.dynamic_sizes):
            raise site.refuse(
                "KC3208",
                f"block {definition.block.label} cannot be computed {where}",
                at=definition.block,
                why=f"it writes buffer {alloc.label}, which is not available there",
            )


def hoist_output(definition: Definition, anchor: Operation) -> None:
    """Move the allocs of the block's outputs before ``anchor``, if they come later."""
    values: dict[SSAValue, SSAValue] = {}
    for buffer in definition.buffers:
        owner = buffer.owner
        if not isinstance(owner, AllocOp):
            continue
        top = _beside(owner, anchor)
        if top is None or owner.is_before_in_block(top):
            continue
        owner.operands = [rebuild(size, top, values) for size in owner.dynamic_sizes]
        owner.detach()
        home = top.parent
        assert home is not None
        home.insert_op_before(owner, top)


def _beside(alloc: AllocOp, anchor: Operation) -> Operation | None:
    """The operation around ``anchor`` in the block of ``alloc``; None if there is none."""
    op: Operation | None = anchor
    while op is not None and op.parent is not alloc.parent:
        op = op.parent_op()
    return op


def require_unused(
    site: Site,
    definition: Definition,
    places: Callable[[Space], tuple[Instance, Instance, list[Condition]]],
) -> None:
    """Refuse (KC3232) another load or store of the block's outputs that may run between the new and
    the old place of the block.

    ``places`` returns an instance at the new place, an instance at the old place, and the
    conditions under which the new instance replaces the old one.
    """
    for buffer in definition.buffers:
        require_plain_uses(site, definition.block, buffer)
    for op, written in [
        (op, written)
        for buffer in definition.buffers
        for op in (*loads_of(buffer), *stores_to(buffer))
        for written in definition.stores_of(buffer)
    ]:
        if loop_tree.is_inside(op, definition.block):
            continue
        space = Space()
        new, old, same = places(space)
        use = space.instance(op)
        write = space.inside(old, definition.block, written)
        witness = space.find(
            [new, write, use],
            [
                *same,
                *equal(space.element(op, use), space.element(written, write)),
                *space.same_buffer(op.buffer, old, use),
                space.may_precede(new, use),
                space.may_precede(use, old),
            ],
        )
        if witness is None:
            continue
        user = definition.unit(op)
        name = buffer_name(op.buffer)
        verb = "reads" if isinstance(op, LoadOp) else "writes"
        raise site.refuse(
            "KC3232",
            f"{describe(user)} {verb} {name} before block {definition.block.label} writes it",
            at=user,
            mark={user: f"{verb} {name}", definition.block: "here"},
            why=witness.undecided
            or f"{describe(user)}{use.at(witness)} comes between the new place and the old one",
        )


def assume_terms(space: Space, block: BlockOp, instance: Instance) -> None:
    """Add the fact that reductions have terms. The element of an empty reduction exists as well: it
    has the initial value.
    """
    for kind, _, extent in block.iters:
        if kind is IterType.REDUCE and not isinstance(extent, int):
            space.facts.append(space.size(extent, instance) >= 1)


def require_same_iteration(
    site: Site, consumer: Definition, producer: Definition, load: LoadOp
) -> None:
    """Refuse (KC3243) a consumer that reads elements of earlier iterations and has a separate
    output buffer in each iteration, which would lack their values.
    """
    space = Space()
    read, write = space.instance(load), space.instance(producer.block)
    apart = [same for buffer in consumer.buffers for same in space.same_buffer(buffer, read, write)]
    if not apart:
        return
    assume_terms(space, producer.block, write)
    together = [*space.same_buffer(producer.buffer, read, write), *apart]
    supply = Supply(write, space.element(producer.store, write), together)
    witness = space.uncovered(read, space.element(load, read), [supply])
    if witness is None:
        return
    name, output = buffer_name(producer.buffer), buffer_name(consumer.buffer)
    before, after = producer.block.label, consumer.block.label
    raise site.refuse(
        "KC3243",
        f"block {after} {'may read' if witness.undecided else 'reads'} elements of {name} from "
        "other iterations",
        at=consumer.block,
        mark={producer.block: f"writes {name}", consumer.block: f"reads {name}"},
        why=witness.undecided
        or f"block {before} does not write {name}{witness_text(space, witness)} in the iteration "
        f"that reads it, and each iteration has its own buffer {output}",
    )
