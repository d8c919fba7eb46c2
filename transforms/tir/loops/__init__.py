"""Loops: iterations are copied, loops are split, and conditions are moved out of loops.

``partition_loops`` splits off the iterations in which conditions always hold, ``unroll_loop``
copies bodies, and ``hoist_expression`` and ``hoist_if_then_else`` compute loop-invariant values and
conditions once. ``legal_directions`` prints the loop orders that the dependences allow.
"""

if (
    __name__ != "kc.transforms.tir.loops"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.loops'")
