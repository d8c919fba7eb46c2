"""The expressions that both languages speak: scalars, buffers, tensors and their computes.

``kc.te`` describes tensors with them, ``kc.tir`` writes statements with them; neither is imported
here. An expression is a tree of few classes that remember the user's line. Read ``dtypes``,
``nodes`` and ``constructors`` first; then ``operators`` (Python's), ``intrinsics`` and
``definitions`` (functions by name), ``buffers`` and ``tensor`` (memory), ``reducers``, and
``scalar_ops`` for the operations of the IR that an expression becomes.
"""
