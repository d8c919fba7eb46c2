"""Whole models: graphs of operators, built, run, optimised and compiled.

Read :mod:`kc.dialects.graph` (the IR), then :mod:`kc.graph.lowering` (an operator as tensor
expressions), :mod:`kc.graph.interpreter`, and the passes in ``kc/transforms/graph`` and
:mod:`kc.graph.passes`.
"""
