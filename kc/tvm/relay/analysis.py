"""``relay.analysis``: facts about expressions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import FuncOp
from kc.support.diagnostics import GraphError, counted
from kc.support.locations import caller_location
from kc.tvm.nodes.node_objects import TupleType, Type, TypeKind
from kc.tvm.relay.adt import Constructor, Match
from kc.tvm.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Let,
    Op,
    Tuple,
    Var,
)
from kc.tvm.relay.feature import Feature
from kc.tvm.relay.to_graph import order_of, parts_of, scopes_of
from kc.tvm.relay.traversal import (
    all_vars,
    bound_vars,
    free_vars,
    infer_type_of,
    number_of_fields,
    post_order,
    post_order_visit,
)
from kc.tvm.relay.types import TensorType, TypeVar

__all__ = [
    "all_dtypes",
    "all_type_vars",
    "all_vars",
    "bound_type_vars",
    "bound_vars",
    "check_basic_block_normal_form",
    "check_constant",
    "check_kind",
    "context_analysis",
    "count_layers",
    "detect_feature",
    "extract_fused_functions",
    "extract_intermdeiate_expr",
    "free_type_vars",
    "free_vars",
    "get_total_mac_number",
    "infer_type_of",
    "list_op_freqs",
    "number_of_fields",
    "post_order",
    "post_order_visit",
    "search_fc_transpose",
    "well_formed",
]


def all_dtypes(expr: Expr) -> set[str]:
    """The dtypes of the values in an expression."""
    from kc.tvm.relay.expression_types import annotate_types

    annotate_types(expr)
    dtypes: set[str] = set()

    def enter(kind: Any) -> None:
        if isinstance(kind, TupleType):
            for part in kind.fields:
                enter(part)
        elif isinstance(kind, TensorType):
            dtypes.add(kind.dtype)

    for each in [*post_order(expr), *all_vars(expr)]:
        enter(each._checked_type)
    return dtypes


def _type_vars_of(kind: Any) -> list[TypeVar]:
    """The type parameters in a type, in order."""
    if isinstance(kind, TypeVar):
        return [kind]
    parts = [
        *getattr(kind, "fields", ()),
        *getattr(kind, "arg_types", ()),
        *getattr(kind, "args", ()),
        getattr(kind, "ret_type", None),
        getattr(kind, "value", None),
    ]
    return [name for part in parts if part is not None for name in _type_vars_of(part)]


def all_type_vars(expr: Expr | Type, mod: Any = None) -> list[TypeVar]:
    """The type parameters in the types that an expression declares, or in a type."""
    del mod
    if not isinstance(expr, Expr):
        return list(dict.fromkeys(_type_vars_of(expr)))
    names: dict[TypeVar, None] = {}
    for each in post_order(expr)[::-1]:
        if isinstance(each, Function):
            names |= dict.fromkeys(each.type_params)
            names |= dict.fromkeys(_type_vars_of(each.ret_type))
    for variable in all_vars(expr):
        names |= dict.fromkeys(_type_vars_of(variable.type_annotation))
    return list(names)


def bound_type_vars(expr: Expr | Type, mod: Any = None) -> list[TypeVar]:
    """The type parameters of functions in an expression."""
    if not isinstance(expr, Expr):
        return []
    bound = {
        name for each in post_order(expr) if isinstance(each, Function) for name in each.type_params
    }
    return [name for name in all_type_vars(expr, mod) if name in bound]


def free_type_vars(expr: Expr | Type, mod: Any = None) -> list[TypeVar]:
    """The type parameters that no function in an expression declares."""
    bound = set(bound_type_vars(expr, mod))
    return [name for name in all_type_vars(expr, mod) if name not in bound]


def well_formed(expr: Expr) -> bool:
    """True if each variable is bound once, and is used only where it is bound.

    What the expression leaves free is taken for bound around it.
    """
    bound: set[int] = set()
    for each in post_order(expr):
        own = each.params if isinstance(each, Function) else ()
        own = (each.var,) if isinstance(each, Let) else own
        if isinstance(each, Match):
            own = [variable for clause in each.clauses for variable in clause.lhs.variables()]
        for variable in own:
            if id(variable) in bound:
                return False
            bound.add(id(variable))
    return all(id(variable) not in bound for variable in _out_of_scope(expr))


def _out_of_scope(root: Expr) -> list[Var]:
    """The variables that are used where nothing around the use binds them.

    The way down a chain of bindings is a loop. A part that is shared is looked at once for each
    set of variables around it that matters to it: those that are free in it.
    """
    free: dict[int, frozenset[Var]] = {}
    for each in post_order(root):
        match each:
            case Var():
                free[id(each)] = frozenset([each])
            case Let():
                own = free[id(each.body)] - {each.var}
                value = free[id(each.value)]
                recursive = isinstance(each.value, Function)
                free[id(each)] = own | (value - {each.var} if recursive else value)
            case Function():
                free[id(each)] = free[id(each.body)] - set(each.params)
            case Match():
                rest = [free[id(each.data)]]
                rest += [free[id(c.rhs)] - set(c.lhs.variables()) for c in each.clauses]
                free[id(each)] = frozenset().union(*rest)
            case _:
                parts = [free[id(part)] for part, _ in parts_of(each)]
                free[id(each)] = frozenset().union(*parts)
    return list(free[id(root)])


def check_basic_block_normal_form(expr: Expr) -> bool:
    """True if each value that several uses share is bound by ``let``, or has one block for all of
    its uses: ``to-basic-block-normal-form`` leaves such an expression as it is."""
    function = expr if isinstance(expr, Function) else Function(free_vars(expr), expr)
    depths = scopes_of(function)
    depth_of: dict[int, int] = {id(function.body): 0}
    for each in order_of(function.body):
        for part, has_block in parts_of(each):
            depth = depth_of[id(each)] + has_block
            is_value = isinstance(part, Var | Constant | Op | GlobalVar)
            if not is_value and depth != depths[id(part)]:
                return False
            depth_of[id(part)] = depth
    return True


def check_kind(t: Type, mod: Any = None) -> TypeKind:
    """The kind of a type: ``TypeKind.Type`` for those of values."""
    del mod
    return getattr(t, "kind", None) or TypeKind.Type


def list_op_freqs(mod: Any) -> dict[str, int]:
    """The number of calls of each operator in all functions of a module, by its name."""
    counts: Counter[str] = Counter()
    for op in mod.op.walk():
        if isinstance(op, OperatorOp):
            counts[op.OPERATOR.name] += 1
    return dict(counts)


def count_layers(expr: Expr, valid_ops: Sequence[str]) -> int:
    """The most calls of some operators on a way from an argument to the result."""
    function = expr if isinstance(expr, Function) else Function(free_vars(expr), expr)
    depths: dict[int, int] = {}
    for each in post_order(function.body):
        own = isinstance(each, Call) and isinstance(each.op, Op) and each.op.name in valid_ops
        depths[id(each)] = own + max((depths[id(part)] for part, _ in parts_of(each)), default=0)
    return depths[id(function.body)]


def extract_fused_functions(mod: Any) -> dict[str, Function]:
    """The groups that FuseOps makes of a module's ``main``, by the names of their functions."""
    from kc.tvm.relay import transform
    from kc.tvm.relay.from_graph import function_of, is_literal

    fused = transform.FuseOps(fuse_opt_level=2)(transform.InferType()(mod))
    return {
        op.sym_name.data: function_of(op)
        for op in fused.op.body.ops
        if isinstance(op, FuncOp) and is_literal(op)
    }


def extract_intermdeiate_expr(mod: Any, expr_id: int) -> Any:
    """The module whose ``main`` computes one value of another's, by its number in post order.

    The name is spelt as TVM spells it. Raises GraphError KC2403 for a number that there is not.
    """
    from kc.tir.module import IRModule

    main = mod["main"]
    calls = [each for each in post_order(main.body) if isinstance(each, Call | Tuple)]
    if not 0 <= expr_id < len(calls):
        raise GraphError(
            "KC2403",
            f"extract_intermdeiate_expr: there is no expression {expr_id}",
            location=caller_location(),
            why=f"the function computes {counted(len(calls), 'expression')}",
        )
    chosen = calls[expr_id]
    return IRModule.from_expr(Function(free_vars(chosen), chosen))


def get_total_mac_number(expr: Expr) -> int:
    """The multiplications that convolutions, dense layers and batch_matmul accumulate, together."""
    from kc.tvm.relay.expression_types import annotate_types

    annotate_types(expr)
    return sum(_macs(each) for each in post_order(expr) if isinstance(each, Call))


def _macs(call: Call) -> int:
    name = call.op.name if isinstance(call.op, Op) else ""
    if not name.startswith(("nn.conv", "nn.dense", "nn.matmul", "nn.batch_matmul")):
        return 0
    shapes: list[tuple[Any, ...]] = [
        getattr(each._checked_type, "shape", ()) for each in (call, *call.args[:2])
    ]
    result, data, weight = shapes
    sizes = [size for size in (*result, *data, *weight) if not isinstance(size, int)]
    if sizes:
        raise GraphError(
            "KC2401",
            f"get_total_mac_number: {name} has a size that is not known",
            location=call.span,
            why=f"it is {sizes[0]}",
        )
    if not name.startswith("nn.conv"):
        # Each element of the result is a sum over the dimension that the operands share.
        transposed = getattr(call.attrs, "transpose_a", False)
        return math.prod(result) * data[-2 if transposed else -1]
    if "transpose" in name:  # each element of the data meets the kernel once
        layout = str(call.attrs.data_layout)
        return math.prod(data) * math.prod(weight) // data[layout.index("C")]
    if not name.startswith(("nn.conv1d", "nn.conv2d", "nn.conv3d")) or "backward" in name:
        return 0
    outputs = weight[str(call.attrs.kernel_layout).index("O")]
    layout = str(call.attrs.kernel_layout)
    if layout.startswith("HWOI"):  # each channel by itself: O and I are channels and multiplier
        outputs *= weight[layout.index("I")]
        return math.prod(result) * weight[0] * weight[1]
    return math.prod(result) * math.prod(weight) // outputs


def detect_feature(expr: Any, mod: Any = None) -> set[Feature]:
    """The features of Relay that an expression, or the functions of a module, use."""
    module = expr if hasattr(expr, "functions") else mod
    features: set[Feature] = set()
    roots: list[Expr] = [] if hasattr(expr, "functions") else [expr]
    if module is not None:
        roots += [module[name] for name in module.functions]
    for root in roots:
        features |= _features(root)
    return features


def _features(root: Expr) -> set[Feature]:
    features: set[Feature] = set()
    uses: Counter[int] = Counter()
    leaves = Var | Constant | Op | GlobalVar
    for each in post_order(root):
        feature = getattr(Feature, f"f{type(each).__name__}", None)
        if feature is not None:
            features.add(feature)
        if isinstance(each, Call) and isinstance(each.op, Op):
            features.add(Feature.fOp)
        if isinstance(each, Call) and isinstance(each.op, GlobalVar):
            features.add(Feature.fGlobalVar)
        if isinstance(each, Call) and isinstance(each.op, Constructor):
            features.add(Feature.fConstructor)
        if isinstance(each, Let) and isinstance(each.value, Function):
            if each.var in free_vars(each.value):
                features.add(Feature.fLetRec)
        uses.update(id(part) for part, _ in parts_of(each) if not isinstance(part, leaves))
    if any(count > 1 for count in uses.values()):
        features.add(Feature.fGraph)
    if any(isinstance(each, Function) and each.params for each in post_order(root)):
        features.add(Feature.fVar)
    return features


def search_fc_transpose(expr: Expr) -> list[str]:
    """The names of the weights w in ``nn.dense(x, transpose(w, axes=[1, 0]))``."""
    from kc.tvm.relay.dataflow_pattern import is_op, is_var, wildcard

    weight = is_var()
    pattern = is_op("nn.dense")(wildcard(), is_op("transpose")(weight))
    names: dict[str, None] = {}
    for each in post_order(expr):
        if isinstance(each, Call) and pattern.match(each):
            transposed: Any = each.args[1]
            if transposed.attrs.axes in (None, (1, 0)):
                names[transposed.args[0].name_hint] = None
    return list(names)


def context_analysis(mod: Any, default_device: Any) -> dict[Expr, list[int]]:
    """The device of each expression of ``main``, as its type and its number: that of the
    ``on_device`` around it, else ``default_device``."""
    default = [int(default_device.device_type), int(default_device.device_id)]
    devices: dict[Expr, list[int]] = {}
    for each in post_order(mod["main"].body)[::-1]:
        own = devices.setdefault(each, default)
        is_border = isinstance(each, Call) and each.op == Op("on_device")
        number = getattr(each.attrs, "device_type", None) if isinstance(each, Call) else None
        below = [int(number), 0] if is_border and isinstance(number, int) else own
        for part, _ in parts_of(each):
            devices.setdefault(part, below)
    return devices


def check_constant(expr: Expr) -> bool:
    """True if an expression is a constant."""
    return isinstance(expr, Constant)
