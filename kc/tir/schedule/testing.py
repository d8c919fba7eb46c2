"""``tvm.tir.schedule.testing``, which a higher layer defines."""

from kc.tvm.tir_schedule_testing import *  # noqa: F403
from kc.tvm.tir_schedule_testing import __all__ as __all__
