"""The build of graphs: groups become kernels, their values places in memory, and one native function
calls them. Read :mod:`kc.building.graphs.compiled_graph` first.
"""
