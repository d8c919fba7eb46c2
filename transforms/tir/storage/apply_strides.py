"""apply-strides: arguments get the layout of their declared strides.

Before::

    func.func @f(%A: memref<?x64xf32> {kc.strides = ["s0", 1]}) {
      %a = tir.load %A[%i, %j] : memref<?x64xf32>

After::

    func.func @f(%A: memref<?x64xf32, strided<[?, 1]>> {kc.strides = ["s0", 1]}) {
      %a = tir.load %A[%i, %j] : memref<?x64xf32, strided<[?, 1]>>

A stride is the distance in elements between neighbours along a dimension: a number, or a name for
the value that the call reads from the array. Schedules see a plain argument, so they do not depend
on strides. Vectors are loaded and stored as a whole if the innermost stride is 1. (TVM:
``tir.decl_buffer(shape, dtype, strides=...)`` in ``binds``.)

Requires: only loads, stores, prefetches and queries of its layout use the argument. Otherwise
KC4340, as a view or a called function assumes a dense layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.analysis.loop_tree import functions
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

STRIDES = "kc.strides"
"""The attribute of an argument that holds its strides: a number or a name for each dimension."""

_ACCESSES = (
    "tir.load",
    "tir.store",
    "tir.prefetch",
    "memref.dim",
    "memref.extract_strided_metadata",
)


@dataclass(frozen=True)
class ApplyStridesPass(ModulePass):
    """Give arguments the layout of their declared strides."""

    name = "apply-strides"

    def is_needed(self, module: ModuleOp) -> bool:
        """True if an argument has declared strides."""
        return any(
            STRIDES in attrs.data
            for function in functions(module)
            for attrs in function.arg_attrs or ()
        )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if function.arg_attrs is not None:
                _apply(function)


def strides_attr(strides: Sequence[int | str]) -> ArrayAttr:
    """Strides as the attribute of an argument."""
    return ArrayAttr(
        [
            StringAttr(stride) if isinstance(stride, str) else IntegerAttr(stride, i64)
            for stride in strides
        ]
    )


def strides_of_type(type_: Attribute, name: str) -> tuple[int | str, ...] | None:
    """The strides of a buffer ``name``: numbers, and names for strides that are read at the call;
    None if its type has no strides. (The offset is part of the address that the call passes.)
    """
    if not isinstance(type_, MemRefType) or not isinstance(type_.layout, StridedLayoutAttr):
        return None
    return tuple(
        stride.data if isinstance(stride, IntAttr) else f"{name}_stride{n}"
        for n, stride in enumerate(type_.layout.strides)
    )


def strides_of(
    attr: Attribute | None, function: func.FuncOp | None = None
) -> tuple[int | str, ...] | None:
    """The strides in the attribute of an argument; None without the attribute. Raises CodegenError
    KC4340 for an entry that is neither a number nor a name.
    """
    if attr is None:
        return None
    strides: list[int | str] = []
    for stride in attr.data if isinstance(attr, ArrayAttr) else (attr,):
        if not isinstance(stride, IntegerAttr | StringAttr):
            raise CodegenError(
                "KC4340",
                f"apply-strides: {STRIDES} = {attr}",
                location=location_of(function),
                why="a stride is a number of elements, or a name for a value read at the call",
                hints=[f'{STRIDES} = ["s0", 1]'],
            )
        strides.append(stride.value.data if isinstance(stride, IntegerAttr) else stride.data)
    return tuple(strides)


def _apply(function: func.FuncOp) -> None:
    assert function.arg_attrs is not None
    changed = False
    for argument, attrs in zip(function.args, function.arg_attrs.data, strict=True):
        strides = strides_of(attrs.data.get(STRIDES), function)
        type_ = argument.type
        if strides is None or not isinstance(type_, MemRefType):
            continue
        name = attrs.data.get("kc.name")
        label = name.data if isinstance(name, StringAttr) else argument.name_hint or "memory"
        if len(strides) != type_.get_num_dims():
            raise CodegenError(
                "KC4340",
                f"apply-strides: {label} has {type_.get_num_dims()} dimensions and "
                f"{len(strides)} strides",
                location=location_of(function),
            )
        for use in argument.uses:
            if use.operation.name not in _ACCESSES:
                raise _refuse(label, use.operation)
        layout = StridedLayoutAttr(
            [None if isinstance(stride, str) else stride for stride in strides]
        )
        new = MemRefType(type_.element_type, type_.shape, layout, type_.memory_space)
        Rewriter.replace_value_with_new_type(argument, new)
        changed = True
    if changed:
        outputs = list(function.function_type.outputs)
        types = [argument.type for argument in function.args]
        function.function_type = FunctionType.from_lists(types, outputs)


def _refuse(label: str, user: Operation) -> CodegenError:
    return CodegenError(
        "KC4340",
        f"apply-strides: {label} has declared strides, and {user.name} uses it",
        location=location_of(user),
        why="a view or a called function assumes that the memory is dense",
        hints=[f"use cache_read or cache_write to pass on a dense copy of {label}"],
    )
