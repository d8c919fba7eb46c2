"""Loops: division, fusion and exchange of loops, and the kinds of loops.

Read ``split``, ``fuse`` and ``reorder`` first, with ``_guards`` (conditions on a body) and
``_imperfect`` (statements beside a loop). ``merge``, ``distribute``, ``shift``, ``reverse`` and
``skew`` change the order of statements; ``parallel``, ``vectorize`` and ``unroll`` set the kind of
a loop.
"""
