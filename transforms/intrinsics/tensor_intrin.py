"""Declaration of tensor intrinsics by functions of tir, in text or from Python.

An intrinsic is up to four functions on the same small buffers::

    module @dot_f32_4 attributes {kc.features = ["fma"]} {
      func.func @description(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<1xf32>) { ... }
      func.func @implementation(...) { ... }
      func.func @init(...) { ... }
      func.func @update(...) { ... }
    }

``description`` defines the computation: loops of constant extents around one block.
``implementation`` computes the same with vectors, intrinsics of LLVM or calls. If the description
is a reduction with an init, ``init`` computes the initial values and ``update`` the rest, for
reductions that continue outside the tile; the implementation does both (TE's body, reset and
update). Without ``init``, loops initialise such a reduction.

The types of the arguments of the other functions determine the required layout of a buffer with
uses other than accesses to its elements: ``memref<4x4xf32>`` is dense, ``memref<4x4xf32,
strided<[?, 1], offset: ?>>`` has contiguous rows, and ``strided<[?, ?], offset: ?>`` allows all
strides. A buffer without a layout also allows all strides if its elements are accessed one by one;
vectors of it lie along its last dimension. The layouts of the arguments of scripts have their
declared strides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    StringAttr,
    VectorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import DYNAMIC, BlockOp, ForOp, LoadOp, StoreOp
from kc.dialects.tir.views import strides_of
from kc.support import registry
from kc.support.diagnostics import ScheduleError, source_text, suggest
from kc.support.ir_text import parse_module, verify_module
from kc.support.locations import location_of
from kc.transforms.tir.storage.apply_strides import STRIDES

ROLES = ("description", "implementation", "init", "update")


@dataclass(frozen=True)
class TensorIntrin:
    """A tensor intrinsic. Only reductions have ``update`` and ``init``."""

    name: str
    description: FuncOp
    implementation: FuncOp
    init: FuncOp | None = None
    update: FuncOp | None = None
    features: tuple[str, ...] = ()
    """The features that the CPU must have."""
    externals: tuple[FuncOp, ...] = ()
    """The functions that the implementation calls, and their descriptions for the interpreter."""

    def __repr__(self) -> str:
        return f"TensorIntrin({self.name})"

    @property
    def block(self) -> BlockOp:
        """The block of the description."""
        return loop_tree.blocks(self.description)[0]

    @property
    def functions(self) -> list[FuncOp]:
        """The description, and the functions that may replace it."""
        functions = (self.description, self.implementation, self.init, self.update)
        return [function for function in functions if function is not None]

    @staticmethod
    def parse(name: str, text: str, file: str | None = None) -> TensorIntrin:
        """The intrinsic ``name`` from textual IR: functions, or named modules of functions.

        Raises KC3570 if the text does not define an intrinsic, and the errors of parsing.
        """
        file = file or f"<intrinsic {name}>"
        with source_text(file, text):
            module = _parsed(_part_with(name, text), file)
            home = next(
                (op for op in module.body.ops if isinstance(op, ModuleOp) and _name(op) == name),
                module,
            )
            own = [op for op in home.body.ops if isinstance(op, FuncOp)]
            externals = tuple(op for op in own if _is_private(op))
            by_role = {_name(op): op for op in own if op not in externals}
            unknown = [role for role in by_role if role not in ROLES]
            if unknown or not {"description", "implementation"} <= by_role.keys():
                raise _invalid(
                    name,
                    home,
                    f"it has the functions {', '.join(map(str, by_role)) or 'none'}",
                    ["description and implementation, and init and update for a reduction"],
                )
            return _checked(name, by_role, _features(home), externals)

    @staticmethod
    def register(
        name: str,
        desc: Any,
        impl: Any,
        init: Any = None,
        update: Any = None,
        features: Sequence[str] = (),
        override: bool = False,
    ) -> TensorIntrin:
        """Declare an intrinsic; each function is textual IR, a ``kc.IRModule`` or a ``func.func``.

        A text may also have private functions, which the others call. Raises KC3570 if the
        functions do not define an intrinsic, and KC3571 if the name is taken and ``override`` is
        False.
        """
        functions: dict[str, FuncOp] = {}
        externals: dict[str, FuncOp] = {}
        for role, function_or_text in zip(ROLES, (desc, impl, init, update), strict=True):
            if function_or_text is not None:
                function, more = _function(name, function_or_text)
                functions[role] = _laid_out(function)
                externals.update((op.sym_name.data, op) for op in more)
        intrin = _checked(name, functions, tuple(features), tuple(externals.values()))
        if not override and (name in _REGISTERED or name in registry.current().intrinsics):
            raise ScheduleError(
                "KC3571",
                f"there is already a tensor intrinsic '{name}'",
                location=location_of(intrin.description),
                hints=["register(..., override=True) replaces it"],
            )
        _REGISTERED[name] = intrin
        return intrin

    @staticmethod
    def get(name: str) -> TensorIntrin:
        """The intrinsic with a name: registered, of a plugin, or built in. Raises KC3560 if none
        has the name.
        """
        if name not in _REGISTERED:
            name = TVM_NAMES.get(name, name)
        if name in _REGISTERED:
            return _REGISTERED[name]
        entry = registry.current().intrinsics.get(name)
        if entry is None:
            raise ScheduleError(
                "KC3560",
                f"unknown tensor intrinsic '{name}'",
                hints=suggest(name, names(), "the intrinsics are"),
            )
        loaded = entry.load()
        return loaded if isinstance(loaded, TensorIntrin) else _loaded(name, loaded, entry.path)


TVM_NAMES = {
    "dot_16x4_vnni": "avx512_vnni_dot_16x4",
    "dot_4x4_i8i8s32_sdot": "neon_sdot_4x4",
    "dot_4x4_u8u8u32_udot": "neon_udot_4x4",
}
"""The intrinsics for CPUs with a different name in TVM."""

_REGISTERED: dict[str, TensorIntrin] = {}


def names() -> list[str]:
    """The names of all intrinsics."""
    return sorted({*_REGISTERED, *registry.current().intrinsics})


@lru_cache(maxsize=1024)
def _loaded(name: str, text: str, path: str) -> TensorIntrin:
    # The attribute that holds the text is named after the file.
    return TensorIntrin.parse(name, text, f"{path.partition(':')[2].lower()}.mlir")


_MODULE = re.compile(r"^module @([\w.]+)(?:.*\n)+?^\}$", re.MULTILINE)
"""The pattern of a module in a text with several modules, as kc writes them: the first line ``}``
ends it.
"""


def _part_with(name: str, text: str) -> str:
    """``text`` without the other intrinsics, which are parsed on demand. The remaining lines keep
    their numbers. Returns the whole text if its modules are not written in the form of
    :data:`_MODULE`.
    """
    modules = list(_MODULE.finditer(text))
    are_whole = all(part[0].count("{") == part[0].count("}") for part in modules)
    if not are_whole or name not in {part[1] for part in modules}:
        return text
    return _MODULE.sub(
        lambda part: part[0] if part[1] == name else "\n" * part[0].count("\n"), text
    )


@lru_cache(maxsize=64)
def _parsed(text: str, file: str) -> ModuleOp:
    module = parse_module(text, file, registry.context())
    verify_module(module)
    check_dominance(module)
    return module


def _name(op: Operation) -> str | None:
    symbol = op.get_attr_or_prop("sym_name")
    return symbol.data if isinstance(symbol, StringAttr) else None


def _features(module: ModuleOp) -> tuple[str, ...]:
    attr = module.attributes.get("kc.features")
    if not isinstance(attr, ArrayAttr):
        return ()
    return tuple(feature.data for feature in attr if isinstance(feature, StringAttr))


def _is_private(op: FuncOp) -> bool:
    return op.sym_visibility is not None and op.sym_visibility.data == "private"


def _function(name: str, source: Any) -> tuple[FuncOp, list[FuncOp]]:
    """The function that ``source`` is or contains, and the private functions in the same module."""
    if isinstance(source, str):
        file = f"<intrinsic {name}>"
        with source_text(file, source):
            source = _parsed(source, file)
    module = getattr(source, "op", source)
    if isinstance(module, FuncOp):
        return module, []
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    public = [op for op in functions if not _is_private(op)]
    if len(public) != 1:
        raise _invalid(name, module, f"a text must have one public function, not {len(public)}")
    return public[0], [op for op in functions if op is not public[0]]


def _laid_out(function: FuncOp) -> FuncOp:
    """``function`` with the declared strides of its arguments as their layouts, if the arguments
    have uses other than accesses to elements.
    """
    noted = function.arg_attrs or ()
    if not any(STRIDES in attributes.data for attributes in noted):
        return function
    copy = function.clone()
    for op, twin in zip(function.walk(), copy.walk(), strict=True):
        twin.location = op.location
    for argument, attributes in zip(copy.body.block.args, noted, strict=True):
        strides = attributes.data.get(STRIDES)
        type_ = argument.type
        is_passed = any(not isinstance(use.operation, LoadOp | StoreOp) for use in argument.uses)
        if is_passed and isinstance(strides, ArrayAttr) and isinstance(type_, MemRefType):
            steps = [step.value.data if isinstance(step, IntegerAttr) else None for step in strides]
            layout = StridedLayoutAttr(steps, None)
            new = MemRefType(type_.element_type, type_.shape, layout, type_.memory_space)
            Rewriter.replace_value_with_new_type(argument, new)
    copy.arg_attrs = ArrayAttr(
        [
            DictionaryAttr({key: value for key, value in attrs.data.items() if key != STRIDES})
            for attrs in noted
        ]
    )
    copy.function_type = FunctionType.from_lists([arg.type for arg in copy.body.block.args], [])
    return copy


def _invalid(name: str, op: Operation, why: str, hints: Sequence[str] = ()) -> ScheduleError:
    return ScheduleError(
        "KC3570",
        f"'{name}' is not a tensor intrinsic",
        location=location_of(op),
        why=why,
        hints=hints,
    )


def _checked(
    name: str,
    functions: Mapping[Any, FuncOp],
    features: tuple[str, ...],
    externals: tuple[FuncOp, ...],
) -> TensorIntrin:
    """The intrinsic that ``functions`` define. Raises KC3570 if they define none."""
    intrin = TensorIntrin(
        name,
        functions["description"],
        functions["implementation"],
        functions.get("init"),
        functions.get("update"),
        features,
        externals,
    )
    _check_description(name, intrin.description)
    own = intrin.description.function_type.inputs.data
    for function in intrin.functions:
        types = function.function_type.inputs.data
        role = function.sym_name.data
        if [_element(type_) for type_ in types] != [_element(type_) for type_ in own]:
            raise _invalid(
                name,
                function,
                f"@{role} takes {_listed(types)}, the description {_listed(own)}",
                ["layouts may differ, but shapes and element types may not"],
            )
        if function.function_type.outputs.data:
            raise _invalid(name, function, f"@{role} returns a value")
        blocks = list(function.body.blocks)
        if len(blocks) != 1 or not isinstance(blocks[0].last_op, ReturnOp):
            raise _invalid(name, function, f"the body of @{role} must be one block")
        _check_vectors(name, function)
    if intrin.init is not None and intrin.update is None:
        raise _invalid(
            name, intrin.init, "it has an init but no update, and a reduction needs both"
        )
    for role in ("init", "update"):
        if role in functions and not intrin.block.has_init:
            raise _invalid(
                name,
                functions[role],
                f"it has an {role}, but the block of its description has no init",
            )
    return intrin


def _element(type_: Any) -> Any:
    if not isinstance(type_, MemRefType):
        return type_
    return type_.get_shape(), type_.element_type


def _listed(types: Sequence[Any]) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _check_description(name: str, function: FuncOp) -> None:
    for type_ in function.function_type.inputs:
        if not isinstance(type_, MemRefType) or DYNAMIC in type_.get_shape():
            raise _invalid(
                name, function, f"an argument is {type_}, not a buffer of constant shape"
            )
    op: Operation = function
    work = [op for op in function.body.block.ops if loop_tree.has_work(op)]
    work = [op for op in work if not isinstance(op, ReturnOp)]
    while len(work) == 1 and isinstance(work[0], ForOp):
        op = work[0]
        if work[0].static_extent is None:
            raise _invalid(name, op, f"the extent of loop {work[0].label} is not a constant")
        work = [op for op in work[0].body.block.ops if loop_tree.has_work(op)]
    if len(work) != 1 or not isinstance(work[0], BlockOp):
        raise _invalid(
            name,
            op,
            "the description must be loops around one block, without other operations",
        )
    block = work[0]
    if block.predicate.data.constraints or any(op.regions for op in block.body.block.ops):
        raise _invalid(name, block, f"block {block.label} has a predicate, or regions in its body")
    for op in block.walk():
        if loop_tree.has_effects(op) and not isinstance(op, BlockOp | LoadOp | StoreOp):
            raise _invalid(name, op, f"block {block.label} of the description holds {op.name}")


def _check_vectors(name: str, function: FuncOp) -> None:
    """Check that vectors are consecutive elements: the last dimension of their buffer has
    stride 1.
    """
    for op in function.walk():
        if not isinstance(op, LoadOp | StoreOp):
            continue
        value = op.result if isinstance(op, LoadOp) else op.value
        type_ = op.buffer.type
        assert isinstance(type_, MemRefType)
        if isinstance(value.type, VectorType) and strides_of(type_)[-1:] != [1]:
            raise _invalid(
                name,
                op,
                f"{op.name} has a vector of {type_}, whose elements may not be consecutive",
                [f"{MemRefType(type_.element_type, type_.shape, _rows(type_))}"],
            )


def _rows(type_: MemRefType) -> StridedLayoutAttr:
    return StridedLayoutAttr([*[None] * (type_.get_num_dims() - 1), 1], None)
