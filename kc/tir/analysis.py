"""``tvm.tir.analysis``. The analyses use passes, hence a higher layer defines them."""

from kc.tvm.tir_analysis import *  # noqa: F403
from kc.tvm.tir_analysis import __all__ as __all__
