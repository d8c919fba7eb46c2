"""Graphs of ``torch.export`` as graphs of kc.

``graph_import`` walks a program that ``decomposition`` has taken apart. ``relay_operators`` has the
operators of ATen that Relay has, ``operators`` the rules of the rest, as expressions of te and
topi, ``numerics`` the types in which torch computes, and ``sizes`` reads the symbolic sizes.
``kc.from_torch`` is the entry point.
"""
