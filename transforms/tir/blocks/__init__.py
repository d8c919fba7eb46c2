"""Blocks: reductions get their initial values, and blocks dissolve into their bodies.

A block declares the elements that its iterations read and write. Schedules rely on these
declarations, generated code does not. Read ``lower_init_block``, which moves the initial value of a
reduction into a separate block, then ``lower_blocks``. ``_partial_results`` and
``_empty_reductions`` are used by all lowerings of reductions; ``lift_constant_blocks`` moves blocks
to build time.
"""

if (
    __name__ != "kc.transforms.tir.blocks"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.blocks'")
