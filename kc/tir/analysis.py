"""``tvm.tir.analysis``: what asks passes stands above this package."""

from kc.tvm.tir_analysis import *  # noqa: F403
from kc.tvm.tir_analysis import __all__ as __all__
