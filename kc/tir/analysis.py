"""``tvm.tir.analysis``: the analyses use passes, hence they are defined in a layer above this
one.
"""

from kc.tvm.tir_analysis import *  # noqa: F403
from kc.tvm.tir_analysis import __all__ as __all__
