"""Tensor expressions: define each element of a tensor, then schedule its computation.

The names, arguments and meanings are TVM's (``tvm.te``, Chen et al., OSDI 2018).
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from kc.expr import arithmetic as _arithmetic  # noqa: F401 (the operators of expressions)
from kc.expr.calls import trace
from kc.expr.constructors import all_of as all  # noqa: A004
from kc.expr.constructors import any_of as any  # noqa: A004
from kc.expr.constructors import const, if_then_else
from kc.expr.constructors import select as Select
from kc.expr.functions import *  # noqa: F403
from kc.expr.functions import __all__ as _functions
from kc.expr.intrinsics import *  # noqa: F403
from kc.expr.intrinsics import __all__ as _intrinsics
from kc.expr.reducers import comm_reducer, max_value, min_value
from kc.expr.slices import TensorSlice
from kc.expr.tags import tag_scope
from kc.expr.tensor import (
    ComputeOp,
    ExternOp,
    Operation,
    PlaceholderOp,
    ScanOp,
    Tensor,
    placeholder,
    reduce_axis,
    size_var,
    var,
)
from kc.expr.threads import thread_axis
from kc.support.absent_names import no_attribute as _no_attribute
from kc.support.diagnostics import TEError
from kc.support.second_names import second_names as _second_names
from kc.te import elementwise as _elementwise  # noqa: F401 (the operators of tensors)
from kc.te import schedule
from kc.te.computes import compute
from kc.te.gradient import gradient
from kc.te.intrin_calls import DeclaredIntrin as TensorIntrin
from kc.te.scan import scan
from kc.te.schedule import Schedule, Stage, create_schedule

if _TYPE_CHECKING:
    from kc.te import hybrid as hybrid
    from kc.te import tensor_intrin as tensor_intrin
    from kc.te.specialized_condition import SpecializedCondition
    from kc.tir.create_prim_func import create_prim_func
    from kc.tir.declared_intrin import decl_tensor_intrin
    from kc.tir.extern import extern, extern_primfunc
    from kc.transforms.schedule._index_map import AXIS_SEPARATOR
    from kc.tvm.nodes.operation_classes import BaseComputeOp, HybridOp, TensorComputeOp

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    *_functions,
    *_intrinsics,
    "AXIS_SEPARATOR",
    "BaseComputeOp",
    "ComputeOp",
    "ExternOp",
    "HybridOp",
    "Operation",
    "PlaceholderOp",
    "ScanOp",
    "Schedule",
    "Select",
    "SpecializedCondition",
    "Stage",
    "TEError",
    "Tensor",
    "TensorComputeOp",
    "TensorIntrin",
    "TensorSlice",
    "all",
    "any",
    "comm_reducer",
    "compute",
    "const",
    "create_prim_func",
    "create_schedule",
    "decl_tensor_intrin",
    "extern",
    "extern_primfunc",
    "gradient",
    "hybrid",
    "if_then_else",
    "max_value",
    "min_value",
    "placeholder",
    "reduce_axis",
    "scan",
    "schedule",
    "size_var",
    "tag_scope",
    "thread_axis",
    "trace",
    "var",
]


# Name -> the module above that has it: loaded when it is asked for. (With that of the first one
# come all primitives.)
_LATE = {
    "AXIS_SEPARATOR": "kc.transforms.schedule._index_map",
    "BaseComputeOp": "kc.tvm.nodes.operation_classes",
    "HybridOp": "kc.tvm.nodes.operation_classes",
    "SpecializedCondition": "kc.te.specialized_condition",
    "TensorComputeOp": "kc.tvm.nodes.operation_classes",
    "create_prim_func": "kc.tir.create_prim_func",
    "decl_tensor_intrin": "kc.tir.declared_intrin",
    "extern": "kc.tir.extern",
    "extern_primfunc": "kc.tir.extern",
}
_MODULES = ("hybrid", "tensor_intrin")
_second_names(__name__, "operation", "tag")


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _import_module(f"kc.te.{name}")
    if name not in _LATE:
        raise _no_attribute("te", name)
    value = getattr(_import_module(_LATE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
