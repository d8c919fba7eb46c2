"""The signatures of the functions of a module, as the runtime checks them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from kc.analysis import loop_tree
from kc.analysis.gpu.launch_limits import (
    has_symbolic_size,
    launch_requirements,
    shared_allocs,
    shared_requirements,
)
from kc.analysis.module_copy import copy_operation
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.float_types import float_dtype
from kc.dialects.size_requirements import SizeRequirement, requirements_of
from kc.dialects.tir import DYNAMIC, symbol_names
from kc.support import registry
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.registry import pass_class
from kc.support.target import Target
from kc.transforms.tir.storage.apply_strides import STRIDES, strides_of, strides_of_type
from kc.transforms.tir.storage.instrument_bound_checkers import SITES


def signatures_of(module: ModuleOp, target: Target | None = None) -> list[Any]:
    """The signatures of the public functions, in their order; CodegenError KC4003: none.

    The sizes of the arguments must be such that launches are within the limits of ``target``.
    """
    signatures = [
        signature_of(function, target)
        for function in loop_tree.functions(module)
        if function.sym_visibility is None or function.sym_visibility.data != "private"
    ]
    if not signatures:
        raise CodegenError(
            "KC4003",
            "the module has no function to compile",
            location=location_of(module),
            why="a kernel is a public func.func or te.func with a body",
        )
    return signatures


def signature_of(function: func.FuncOp, target: Target | None = None) -> Any:
    """The signature of the function, as the runtime checks it for a target."""
    from kc.runtime.signature import ArgSpec, Signature, symbols_of

    if function.function_type.outputs.data:
        raise CodegenError(
            "KC4004",
            f"@{function.sym_name.data} returns a value",
            location=location_of(function),
            why="a kernel writes its results into arguments",
        )
    symbols = symbol_names(function)
    attrs = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    attrs += [DictionaryAttr({})] * (len(function.args) - len(attrs))
    specs = []
    constants: list[Any] = []
    for n, (arg, arg_attrs) in enumerate(zip(function.args, attrs, strict=True)):
        name = _text(arg_attrs.data.get("kc.name")) or arg.name_hint or f"arg{n}"
        dtype, declared = _dtype(arg.type, function), _text(arg_attrs.data.get("kc.dtype"))
        if declared is not None:
            _require_dtype(declared, dtype, n, arg.type, function)
            dtype = declared
        if isinstance(arg.type, MemRefType):
            constants += _constant_sizes(arg.type, arg_attrs.data.get("kc.shape"), symbols, name)
            specs.append(
                ArgSpec(
                    name,
                    "array",
                    dtype,
                    _shape(arg.type, arg_attrs.data.get("kc.shape"), symbols, name),
                    _text(arg_attrs.data.get("kc.role")) or ("inout" if _is_written(arg) else "in"),  # pyright: ignore
                    strides=strides_of(arg_attrs.data.get(STRIDES), function)
                    or strides_of_type(arg.type, name),
                )
            )
        else:
            symbol = _text(arg_attrs.data.get("kc.symbol"))
            is_index = isinstance(arg.type, IndexType)
            if symbol is not None and not is_index and dtype not in ("int32", "int64"):
                raise CodegenError(
                    "KC4005",
                    f"@{function.sym_name.data} has the size {symbol} in an argument of type "
                    f"{arg.type}",
                    location=location_of(function),
                    why="a size must have type index, i32 or i64",
                )
            if is_index:
                specs.append(ArgSpec(name, "scalar", "int64", symbol=symbol, values=declared))
            else:
                specs.append(ArgSpec(name, "scalar", dtype, symbol=symbol))
    used = [name for spec in specs for dim in spec.shape for name in symbols_of(dim)]
    used += [spec.symbol for spec in specs if spec.symbol is not None]
    requirements = requirements_of(function)
    # The driver checks launches itself, against the limits of the device.
    if target is not None and "gpu" in target.keys and target.kind != "cuda":
        requirements += launch_requirements(function, target.limits, target.model_name)
        requirements += _shared_requirements(function, target)
    requires = (*(_condition(requirement, symbols) for requirement in requirements), *constants)
    specs, requires = _with_known_outputs(specs, requires)
    used = [name for spec in specs for dim in spec.shape for name in symbols_of(dim)]
    used += [spec.symbol for spec in specs if spec.symbol is not None]
    used += [name for condition in requires for name in condition.symbols]
    return Signature(function.sym_name.data, tuple(specs), tuple(dict.fromkeys(used)), requires)


def _shared_requirements(function: func.FuncOp, target: Target) -> list[SizeRequirement]:
    """The limits on shared memory whose size is known only at the call, computed after
    compact-buffer-allocation has shrunk the buffers.
    """
    if not any(map(has_symbolic_size, shared_allocs(function))):
        return []
    copy = copy_operation(function)
    assert isinstance(copy, func.FuncOp)
    pass_class("compact-buffer-allocation")().apply(registry.context(), ModuleOp([copy]))
    return shared_requirements(copy, target.limits, target.model_name)


def bound_checks_of(module: ModuleOp) -> Any:
    """The checked accesses of a module that ``instrument-bound-checkers`` has run on."""
    from kc.runtime.bound_checks import HEADER, BoundChecks, Site
    from kc.support.diagnostics import Location

    sites: dict[int, Site] = {}
    for function in loop_tree.functions(module):
        for site in getattr(function.attributes.get(SITES), "data", ()):
            facts = {key: _plain(value) for key, value in site.data.items()}
            place = None
            if "file" in facts:
                place = Location(facts["file"], facts["line"], facts["column"])
            options = {key: facts[key] for key in ("access", "buffer", "rank", "lanes")}
            sites[facts["number"]] = Site(function.sym_name.data, location=place, **options)
    rank = max((site.rank for site in sites.values()), default=0)
    return BoundChecks(sites, HEADER + 2 * rank)


def _plain(attr: Attribute) -> Any:
    if isinstance(attr, ArrayAttr):
        return tuple(map(_plain, attr))
    return attr.value.data if isinstance(attr, IntegerAttr) else _text(attr)


def _with_known_outputs(specs: list[Any], requires: tuple[Any, ...]) -> tuple[list[Any], Any]:
    """The arguments, with sizes that occur only in outputs replaced by the sizes of inputs that
    they must equal, so that a call can omit the outputs.
    """
    inputs = [spec for spec in specs if spec.role != "out"]
    input_symbols = {dim for spec in inputs for dim in spec.shape if isinstance(dim, str)}
    input_symbols |= {spec.symbol for spec in inputs if spec.symbol is not None}
    sizes: dict[str, Any] = {}
    unresolved = []
    for condition in requires:
        size, value = condition.lhs, condition.rhs
        if not isinstance(size, str):
            size, value = value, size
        rest = input_symbols.issuperset(name for name in condition.symbols if name != size)
        if (
            condition.relation == "=="
            and isinstance(size, str)
            and size not in input_symbols
            and rest
        ):
            sizes.setdefault(size, value)
        else:
            unresolved.append(condition)
    named = [
        dataclasses.replace(
            spec,
            shape=tuple(sizes.get(dim, dim) if isinstance(dim, str) else dim for dim in spec.shape),
        )
        if spec.role == "out"
        else spec
        for spec in specs
    ]
    return named, tuple(unresolved)


def _text(attr: Attribute | None) -> str | None:
    return attr.data if isinstance(attr, StringAttr) else None


def _require_dtype(
    declared: str, dtype: str, number: int, type_: Attribute, function: func.FuncOp
) -> None:
    """Refuse (KC4005) a ``kc.dtype`` that is not the machine's type of the elements; for an index,
    whose values it limits, one that is not an integer type.
    """
    from kc.runtime.signature import DTYPES

    dtype_entry = DTYPES.get(declared)
    if dtype_entry is not None and isinstance(type_, IndexType):
        if dtype_entry.llvm.startswith("i"):
            return
    elif dtype_entry is not None and dtype_entry.llvm == DTYPES[dtype].llvm:
        return
    raise CodegenError(
        "KC4005",
        f'@{function.sym_name.data} has kc.dtype = "{declared}" for argument {number}, of type '
        f"{type_}",
        location=location_of(function),
        why="the caller's array has elements of this type, which the kernel takes as its own",
        hints=[f'kc.dtype = "{dtype}"'],
    )


def _dtype(type_: Attribute, function: func.FuncOp) -> str:
    element = type_.element_type if isinstance(type_, MemRefType) else type_
    if isinstance(element, IndexType):
        return "int64"
    if isinstance(element, IntegerType):
        if element.width.data in (8, 16, 32, 64):
            return f"int{element.width.data}"
        if element.width.data == 1:
            return "bool"
    name = float_dtype(element)
    if name is not None:
        return name
    raise CodegenError(
        "KC4005",
        f"@{function.sym_name.data} has an argument of type {type_}",
        location=location_of(function),
        why="elements must have type f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, i8, i16, i32, "
        "i64 or index",
    )


def _is_written(buffer: SSAValue) -> bool:
    """True if any operation except loads uses ``buffer``."""
    return any(
        use.operation.name not in ("memref.load", "tir.load", "vector.load", "memref.dim")
        for use in buffer.uses
    )


def _shape(
    type_: MemRefType, attr: Attribute | None, symbols: Sequence[str], name: str
) -> tuple[Any, ...]:
    if isinstance(attr, AffineMapAttr):
        return tuple(
            _taken_dim(dim, symbols) if size == DYNAMIC else size
            for size, dim in zip(type_.get_shape(), attr.data.results, strict=True)
        )
    return tuple(
        f"{name}_{n}" if size == DYNAMIC else size for n, size in enumerate(type_.get_shape())
    )


def _taken_dim(expr: AffineExpr, symbols: Sequence[str]) -> Any:
    """A size that the type leaves dynamic. The machine-level function takes it as a parameter, even
    if ``kc.shape`` makes it constant.
    """
    from kc.runtime.signature import AffineDim

    dim = _dim(expr, symbols)
    return AffineDim.add(dim, 0) if isinstance(dim, int) else dim


def _constant_sizes(
    type_: MemRefType, attr: Attribute | None, symbols: Sequence[str], name: str
) -> list[Any]:
    """The conditions that constant sizes of the type equal those in ``kc.shape``."""
    from kc.runtime.signature import SizeCondition

    if not isinstance(attr, AffineMapAttr):
        return []
    return [
        SizeCondition(
            _dim(dim, symbols), "==", size, f"dimension {n} of {name} has {size} elements"
        )
        for n, (size, dim) in enumerate(zip(type_.get_shape(), attr.data.results, strict=True))
        if size != DYNAMIC and not isinstance(dim, AffineConstantExpr)
    ]


def _condition(requirement: SizeRequirement, symbols: Sequence[str]) -> Any:
    """The condition, with the negative terms moved to the other side."""
    from kc.runtime.signature import AffineDim, SizeCondition

    products = [
        functools.reduce(AffineDim.mul, [_dim(factor, symbols) for factor in factors])
        for factors in requirement.factors
    ]
    condition = requirement.condition
    terms, constant = linear_terms(condition.lhs - condition.rhs)
    sides: tuple[list[Any], list[Any]] = ([], [])
    for atom, factor in terms.items():
        dim = _dim(atom, symbols, products)
        sides[factor < 0].append(dim if abs(factor) == 1 else AffineDim.mul(abs(factor), dim))
    if constant:
        sides[constant < 0].append(abs(constant))
    lhs, rhs = (functools.reduce(AffineDim.add, addends) if addends else 0 for addends in sides)
    relation = "==" if condition.kind is AffineConstraintKind.eq else ">="
    if condition.kind is AffineConstraintKind.le:
        lhs, rhs = rhs, lhs
    unless = tuple(_dim(size, symbols) for size in requirement.unless_empty)
    return SizeCondition(lhs, relation, rhs, requirement.why, unless)


def _dim(expr: AffineExpr, symbols: Sequence[str], products: Sequence[Any] = ()) -> Any:
    from kc.runtime.signature import AffineDim

    if isinstance(expr, AffineConstantExpr):
        return expr.value
    if isinstance(expr, AffineSymExpr):
        return symbols[expr.position]
    if isinstance(expr, AffineDimExpr):
        return products[expr.position]
    assert isinstance(expr, AffineBinaryOpExpr)
    make = {
        AffineBinaryOpKind.Add: AffineDim.add,
        AffineBinaryOpKind.Mul: AffineDim.mul,
        AffineBinaryOpKind.FloorDiv: AffineDim.floordiv,
        AffineBinaryOpKind.CeilDiv: AffineDim.ceildiv,
        AffineBinaryOpKind.Mod: AffineDim.mod,
    }[expr.kind]
    return make(_dim(expr.lhs, symbols, products), _dim(expr.rhs, symbols, products))
