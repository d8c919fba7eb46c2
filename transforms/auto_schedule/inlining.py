"""inline: a block is computed at its reader if that takes less work than storing its result in a
buffer and loading it again.

Copies, casts and biases are inlined. An exponential that two blocks read is not, nor is a padding,
which the taps of a convolution would compute several times.
"""

from __future__ import annotations

import math

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import loads_of
from kc.dialects.affine_assembly import linear_terms
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.threads import KINDS as GPUS
from kc.transforms.auto_schedule.nests import (
    Nest,
    is_own,
    is_untouched,
    iterations,
    operations_of,
    readers,
)
from kc.transforms.auto_schedule.rule import Rule

MEMORY = 2
"""The work of storing an element and loading it again, in additions."""

GPU_MEMORY = 40
"""The same work on a GPU, whose arithmetic is faster in comparison with its memory."""

LARGEST = 200
"""The number of operations of a block above which no more producers are inlined into the block, to
limit the size of the code.
"""


class Inline(Rule):
    """Inline blocks that cost less than the buffer that they write."""

    name = "inline"
    kinds = ("llvm", *GPUS)
    downward = True
    single = True

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if nest.block.is_reduction or not nest.is_plain or not is_untouched(nest.block):
            return False
        if len(nest.stores) != 1 or not is_own(nest.stores[0].buffer):
            return False
        buffer = nest.stores[0].buffer
        consumers = readers(buffer)
        if not consumers or not all(map(is_untouched, consumers)):
            return False
        instances = sum(iterations(loop_tree.all_loops_around(load)) for load in loads_of(buffer))
        again = instances / iterations(nest.loops) - 1
        is_for_gpu = draft.session.target.kind in GPUS
        memory = GPU_MEMORY if is_for_gpu else MEMORY
        if again * nest.operations > memory:
            return False
        if again and is_for_gpu and _is_for_tensor_cores(draft, nest):
            return False
        is_reduced = any(consumer.is_reduction for consumer in consumers)
        if again and is_reduced and not is_for_gpu and _sorts(nest):
            return False
        own = len(nest.body_ops)
        if any(own + len(operations_of(consumer)) > LARGEST for consumer in consumers):
            return False
        draft.compute_inline(draft.block(block))
        draft.settled.add(block)
        return True


def _sorts(nest: Nest) -> bool:
    """True if a block copies each element once, from an index that is a sum or a quotient of loops,
    such as the taps of a phase of a transposed convolution. In the copy each loop is a dimension,
    so that a product of the copy has tiles and can be packed.
    """
    if nest.operations or len(nest.loads) != 1:
        return False
    (load,) = nest.loads
    shape = load.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    if min(shape, default=0) < 1 or iterations(nest.loops) > math.prod(shape):
        return False
    sums = [linear_terms(expr)[0] for expr in nest.indices(load)]
    return any(
        len(terms) > 1
        or any(factor != 1 or nest.loop_of(atom) is None for atom, factor in terms.items())
        for terms in sums
    )


def _is_for_tensor_cores(draft: Draft, nest: Nest) -> bool:
    """True if rules for tensor cores compute the block once, where its result is needed."""
    # Imported for GPUs alone, as the dialects behind them take a part of a first build.
    from kc.transforms.auto_schedule.gpu.online_attention import is_power_for_tensor_cores
    from kc.transforms.auto_schedule.gpu.tensor_cores import (
        is_gathered_for_tensor_cores,
        is_operand_for_tensor_cores,
    )

    return (
        is_gathered_for_tensor_cores(draft, nest)
        or is_power_for_tensor_cores(draft, nest)
        or is_operand_for_tensor_cores(draft, nest)
    )
