"""``tvm.te.hybrid``. The script reader in a higher layer reads its functions."""

from kc.tvm.hybrid import *  # noqa: F403
from kc.tvm.hybrid import __all__ as __all__
from kc.tvm.hybrid import __dir__ as __dir__
from kc.tvm.hybrid import __doc__ as __doc__
