"""Passes on graphs that evaluate or lower operators, by the names of Relay's.

Passes that only rewrite are in :mod:`kc.transforms.graph`.
"""
