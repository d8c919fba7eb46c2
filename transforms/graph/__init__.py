"""Passes on graphs of operators, by the names of Relay's, that neither lower nor evaluate.

Read :mod:`kc.transforms.graph.infer_type` first: other passes leave the types of values that they
make to it. Each pass is a file; its level is the least ``opt_level`` that it runs at.
"""
