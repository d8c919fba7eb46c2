"""The build of graphs: groups become kernels, and one native function calls them in one arena.

Read :mod:`kc.building.graphs.compiled_graph` first.
"""
