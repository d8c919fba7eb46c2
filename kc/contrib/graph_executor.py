"""``tvm.contrib.graph_executor``: :mod:`kc.tvm.contrib.graph_executor`, by TVM's path."""

from kc.tvm.contrib.graph_executor import GraphModule, create

__all__ = ["GraphModule", "create"]
