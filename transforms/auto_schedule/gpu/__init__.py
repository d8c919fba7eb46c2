"""Rules of default schedules for GPUs: blocks and threads instead of cores and vectors.

``rule`` is their base class. ``warpgroups``, ``tensor_cores`` and ``contraction`` schedule
products, and ``implicit_gemm`` turns convolutions into products; ``attention``,
``online_attention`` and ``warpgroup_attention`` fuse two products with a softmax; ``reduction``,
``rows`` and ``pointwise`` schedule the other blocks. ``loops`` binds the loops that no other rule
accepts, and ``threads`` has their common steps.
"""
