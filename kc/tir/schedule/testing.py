"""``tvm.tir.schedule.testing``: it stands above this package."""

from kc.tvm.tir_schedule_testing import *  # noqa: F403
from kc.tvm.tir_schedule_testing import __all__ as __all__
