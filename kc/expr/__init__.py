"""The expressions that ``kc.te`` and ``kc.tir`` share: scalars, buffers, tensors and computes.

``kc.te`` describes tensors with them, ``kc.tir`` writes statements with them; this package imports
neither. An expression is a tree of nodes of few classes, each with the user's line. Read
``dtypes``, ``nodes`` and ``constructors`` first; then ``operators`` (Python's), ``intrinsics`` and
``definitions`` (functions by name), ``buffers`` and ``tensor`` (memory), ``reducers``, and
``scalar_ops`` for the operations of the IR that an expression becomes.
"""
