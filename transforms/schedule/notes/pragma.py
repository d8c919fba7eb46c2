"""pragma: a loop gets a pragma of TVM.

Before, ``pragma loop=i pragma-type=auto_unroll_max_step value=16``::

    tir.for %i in 64 { ... }

After::

    tir.for %i in 64 annotations {pragma_auto_unroll_max_step = 16 : i64} { ... }

``unroll``, ``vectorize`` and ``parallel`` are the primitives of these names. Any other pragma is
the annotation ``pragma_`` with its name. A pragma that neither TVM nor kc has gets a warning
(KC3344). kc's own pragmas are ``nvvm.minctasm`` and ``nvvm.maxnreg``, which affect the compilation
of kernels for NVIDIA GPUs.

*Legal when*

1. for the three primitives: the primitive is legal;
2. KC3340: the loop does not have the pragma yet, or has it with the same value;
3. KC3343: the value is None, a bool, an integer, a number, a string, or a list or dict of these.

TVM (TE): ``pragma``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from xdsl.ir import Attribute

from kc.dialects.tir import ForOp
from kc.support.diagnostics import suggest, warn
from kc.support.locations import location_of
from kc.support.registry import pass_class
from kc.transforms.schedule.base import CALL_SITE, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.notes._annotations import (
    Value,
    annotations_of,
    joined,
    require_new,
    set_annotations,
)

_PRIMITIVES = ("unroll", "vectorize", "parallel")

_KNOWN = (
    "auto_unroll_max_step",
    "unroll_explicit",
    "parallel_launch_point",
    "parallel_stride_pattern",
    "parallel_barrier_when_finish",
    "debug_skip_region",
    "import_c",
    "import_llvm",
    "tensor_core",
    "loop_partition_hint",
    "copy_intrin",
    "software_pipeline_stage",
    "software_pipeline_order",
    "software_pipeline_async_stages",
    "software_pipeline_warp_specialize",
    "nvvm.minctasm",
    "nvvm.maxnreg",
)


@dataclass(frozen=True)
class Plan:
    """The annotation, or the primitive of the pragma's name with its plan."""

    loop: ForOp
    key: str
    value: Attribute
    step: tuple[Primitive, Any] | None = None


@dataclass(frozen=True)
class Pragma(Primitive):
    """Give a loop a pragma."""

    name: ClassVar[str] = "pragma"
    within_nest: ClassVar[bool] = True

    loop: LoopRef = field(metadata={"help": "the loop"})
    pragma_type: str = field(
        metadata={
            "help": "the name of the pragma",
            "also": {"pragma": "*", "key": "*", "type": "*"},
        }
    )
    value: tuple[Value, ...] = field(
        default=(),
        metadata={"help": "the value: a list if there are several", "python": "pragma_value"},
    )

    def check(self, site: Site) -> Plan:
        loop = site.resolve_loop(self.loop)
        value = joined(self.value)
        key = f"pragma_{self.pragma_type}"
        if self.pragma_type in _PRIMITIVES:
            step: Primitive = pass_class(self.pragma_type)(LoopRef(loop))
            return Plan(loop, key, value, (step, step.plan(site)))
        require_new(site, loop, key, value)
        return Plan(loop, key, value)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        if plan.step is not None:
            step, its_plan = plan.step
            return step.rewrite(site, its_plan)
        if self.pragma_type not in _KNOWN:
            warn(
                "KC3344",
                f"pragma: '{self.pragma_type}' is not a pragma of TVM",
                location=CALL_SITE.get() or location_of(plan.loop),
                why="nothing in kc reads it; only your own tools can use it",
                hints=suggest(self.pragma_type, [*_PRIMITIVES, *_KNOWN], "the pragmas are"),
            )
        set_annotations(plan.loop, {**annotations_of(plan.loop), plan.key: plan.value})
        return Rewritten((plan.loop,))
