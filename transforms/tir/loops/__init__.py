"""Loops: iterations are copied, cut into parts, or freed of conditions.

``partition_loops`` cuts off the iterations in which conditions always hold, ``unroll_loop`` writes
iterations one after the other, and ``hoist_expression`` and ``hoist_if_then_else`` compute
loop-invariant values once. ``legal_directions`` prints the loop orders that the dependences allow.
"""

if (
    __name__ != "kc.transforms.tir.loops"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.loops'")
