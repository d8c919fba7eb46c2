"""The declarations of operators, a module for each family; ``kc.graph.lowering`` has a module of
the same name with their computations. ``kc/areas/graph.py`` lists the families.
"""
