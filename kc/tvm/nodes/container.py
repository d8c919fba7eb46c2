"""``tvm.ir.container``: the classes of lists and dicts, which are Python's."""

from kc.tvm.nodes.node_objects import Array, Map

__all__ = ["Array", "Map"]
