"""The places of blocks: primitives that move a block to another loop nest, or inline it.

Read ``compute_at`` with ``_placing``, which computes the needed part of a block and checks its new
place; then ``reverse_compute_at`` with ``_consuming``, and ``compute_inline`` with ``_inlining``.
``_ragged`` handles reductions whose extents differ between elements.
"""
