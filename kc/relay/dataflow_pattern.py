"""``tvm.relay.dataflow_pattern``: :mod:`kc.tvm.relay.dataflow_pattern`, by TVM's path."""

from kc.tvm.relay.dataflow_pattern import *  # noqa: F403
from kc.tvm.relay.dataflow_pattern import __all__ as __all__
