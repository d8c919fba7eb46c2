"""The attributes of a stage's axes, in TVM's form: ``s[C].iter_var_attrs[axis]``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import IterVar

if TYPE_CHECKING:
    from kc.te.stage import Stage

ITER_TYPES = {"unroll": 5, "vectorize": 6, "parallel": 7, "tensorize": 8}
"""TVM's numbers for the execution kinds of an axis; 0 to 4 are the kinds of axes themselves."""


@dataclass
class IterVarAttr:
    """The attributes recorded for an axis."""

    iter_type: int = 0
    """See :data:`ITER_TYPES`."""
    bind_thread: str | None = None
    """The tag of the thread axis that the axis is bound to."""
    tensor_intrin: str | None = None
    """The intrinsic that replaces the contents of the axis."""
    prefetch_data: list[Any] = field(default_factory=list)
    prefetch_offset: list[Any] = field(default_factory=list)
    pragma_keys: list[str] = field(default_factory=list)
    pragma_values: list[Any] = field(default_factory=list)


def iter_var_attrs(stage: Stage) -> Mapping[IterVar, IterVarAttr]:
    """The recorded attributes of the axes of ``stage``; axes without attributes are omitted."""
    attrs: dict[IterVar, IterVarAttr] = {}
    for record in stage.records:
        primitive, arguments = record.primitive, record.arguments
        if primitive not in (*ITER_TYPES, "bind", "prefetch", "pragma"):
            continue
        attr = attrs.setdefault(record.axes[0], IterVarAttr())
        attr.iter_type = ITER_TYPES.get(primitive, attr.iter_type)
        if primitive == "bind":
            attr.bind_thread = arguments["thread_axis"]
        elif primitive == "tensorize":
            attr.tensor_intrin = arguments["tensor_intrin"]
        elif primitive == "prefetch":
            attr.prefetch_data.append(arguments["buffer"])
            attr.prefetch_offset.append(arguments["offset"])
        elif primitive == "pragma":
            attr.pragma_keys.append(arguments["pragma_type"])
            attr.pragma_values.append(arguments.get("value"))
    return attrs
