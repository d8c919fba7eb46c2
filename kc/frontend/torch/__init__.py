"""Graphs of ``torch.export``: an expression of te or topi for each operator.

``export`` walks a graph, ``operators`` has the rules, ``numerics`` the types in which torch
computes, and ``sizes`` reads the symbolic sizes. ``kc.from_torch`` is the entry point.
"""
