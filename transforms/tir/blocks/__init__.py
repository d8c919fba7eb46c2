"""Blocks: reductions get their initial values, and blocks dissolve into their bodies.

A block states what its iterations read and write. Schedules rely on this, generated code does not.
Read ``lower_init_block``, which makes the initial value of a reduction a block of its own, then
``lower_blocks``; ``_partial_results`` and ``_empty_reductions`` serve reductions everywhere.
"""

if (
    __name__ != "kc.transforms.tir.blocks"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.blocks'")
