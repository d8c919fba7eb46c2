"""``tvm.tir.tensor_intrin``: one module under the names of the modules for each kind of target."""

from kc.support.second_names import second_names as _second_names
from kc.tvm.tir_tensor_intrin import *  # noqa: F403
from kc.tvm.tir_tensor_intrin import __all__ as __all__
from kc.tvm.tir_tensor_intrin import __getattr__ as __getattr__

_second_names(__name__, "arm_cpu", "cuda", "x86")
