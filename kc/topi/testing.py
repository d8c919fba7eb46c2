"""``tvm.topi.testing``: references in numpy, which a higher layer defines."""

from kc.tvm.topi_testing import *  # noqa: F403
from kc.tvm.topi_testing import __all__ as __all__
from kc.tvm.topi_testing import __doc__ as __doc__
