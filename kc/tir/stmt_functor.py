"""``tvm.tir.stmt_functor``: visitors, which a higher layer defines."""

from kc.tvm.nodes.stmt_functor import *  # noqa: F403
from kc.tvm.nodes.stmt_functor import __all__ as __all__
from kc.tvm.nodes.stmt_functor import __dir__ as __dir__
from kc.tvm.nodes.stmt_functor import __doc__ as __doc__
