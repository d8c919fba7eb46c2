"""``tvm.tir.transform``: the passes, which a higher layer defines."""

from kc.tvm.tir_transform import *  # noqa: F403
from kc.tvm.tir_transform import __all__ as __all__
from kc.tvm.tir_transform import __dir__ as __dir__
from kc.tvm.tir_transform import __getattr__ as __getattr__
