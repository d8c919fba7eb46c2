"""``tvm.relay.build_module``: :mod:`kc.tvm.relay.build_module`, by TVM's path."""

from kc.tvm.relay.build_module import *  # noqa: F403
from kc.tvm.relay.build_module import __all__ as __all__
