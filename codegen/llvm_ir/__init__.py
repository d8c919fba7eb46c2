"""A module of the llvm dialect as LLVM IR text (LLVM 22).

Equal modules give equal texts. A construct that LLVM IR cannot express is refused with a diagnostic
that names the op: KC4101 an op without a translation, KC4102 a type, KC4103 a constant or an
attribute, KC4104 a symbol, KC4105 the structure of the module or of a function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from kc.codegen.llvm_ir.attributes import (
    KERNEL,
    function_attributes,
    parameter_text,
    string_attribute,
)
from kc.codegen.llvm_ir.calls import WRITERS
from kc.codegen.llvm_ir.debug import DebugInfo
from kc.codegen.llvm_ir.function import CONSTANTS, FunctionWriter, OpWriter
from kc.codegen.llvm_ir.globals import global_text
from kc.codegen.llvm_ir.module import ModuleState, collect_symbols, error
from kc.codegen.llvm_ir.types import Inexpressible, quoted, symbol
from kc.dialects.gpu import GPUModuleOp
from kc.dialects.llvm import FuncOp, GlobalOp
from kc.dialects.llvm.symbols import CALLING_CONVENTIONS, UNNAMED_ADDRESSES, VISIBILITIES
from kc.support.locations import op_name


def emit_llvm_ir(
    module: ModuleOp | GPUModuleOp,
    *,
    triple: str | None = None,
    data_layout: str | None = None,
    cpu: str | None = None,
    features: str | None = None,
    debug_info: bool = False,
    writers: Mapping[type[Operation], OpWriter] | None = None,
) -> str:
    """The LLVM IR text of ``module``, which contains only llvm.func and llvm.mlir.global.

    ``triple`` and ``data_layout`` default to the module's attributes llvm.target_triple and
    llvm.data_layout. Functions get ``cpu`` and ``features`` (``"+avx2,+fma"``) unless they name a
    CPU or features of their own. ``debug_info`` adds the user's line of each instruction for
    debuggers and profilers, and leaves the instructions unchanged. ``writers`` adds ops of other
    dialects, each as a function (writer, op) -> instruction. Raises CodegenError.
    """
    writers = {**WRITERS, **writers} if writers else WRITERS
    symbols = collect_symbols(module)
    _check_ops(symbols.values(), writers)
    target: list[str] = []
    if cpu:
        target.append(string_attribute("target-cpu", cpu))
    if features:
        target.append(string_attribute("target-features", features))
    header = ['source_filename = "kc"']
    targets: list[str] = []
    for keyword, setting, name in (
        ("datalayout", data_layout, "llvm.data_layout"),
        ("triple", triple, "llvm.target_triple"),
    ):
        attribute = module.attributes.get(name)
        text = attribute.data if setting is None and isinstance(attribute, StringAttr) else setting
        targets.append(text or "")
        if text:
            header.append(f"target {keyword} = {quoted(text.encode())}")
    state = ModuleState(symbols, target, is_little_endian=_is_little_endian(*targets))
    if debug_info:
        bodies = [
            symbol
            for symbol in symbols.values()
            if isinstance(symbol, FuncOp) and not symbol.is_declaration
        ]
        state.debug = DebugInfo(state.metadata, bodies)
    globals_: list[str] = []
    functions: list[str] = []
    for op in symbols.values():
        try:
            if isinstance(op, GlobalOp):
                globals_.append(global_text(state, op))
            else:
                functions.append(_function_text(state, op, writers))
        except Inexpressible as reason:
            name = f"of @{op.sym_name.data}"
            raise error(op, reason.code, f"LLVM IR cannot express {reason.what} {name}") from None
    groups = (
        "\n".join(header),
        "\n".join(state.types.definitions()),
        "\n".join(globals_),
        "\n\n".join(functions),
        "\n".join(state.intrinsics.values()),
        "\n".join(state.groups.lines()),
        "\n".join(state.debug.lines() if state.debug is not None else ()),
        "\n".join(state.metadata.lines()),
    )
    return "\n\n".join(group for group in groups if group) + "\n"


_LITTLE_ENDIAN = ("x86", "i386", "i486", "i586", "i686", "aarch64-", "arm64", "riscv", "wasm")


def _is_little_endian(data_layout: str, triple: str) -> bool:
    """True if the target is known to be little-endian."""
    if data_layout:
        return data_layout.startswith("e")
    return triple.startswith(_LITTLE_ENDIAN)


def _check_ops(
    symbols: Iterable[FuncOp | GlobalOp], writers: Mapping[type[Operation], OpWriter]
) -> None:
    """Refuse ops and attributes that have no translation, before anything is written."""
    unknown: dict[str, Operation] = {}
    for top in symbols:
        _check_attributes(top)
        if isinstance(top, FuncOp):
            for block in top.body.blocks:
                for op in block.ops:
                    if type(op) in writers or isinstance(op, CONSTANTS):
                        _check_attributes(op)
                    else:
                        unknown.setdefault(op_name(op), op)
    if unknown:
        name, *rest = unknown
        foreign = not name.startswith("llvm.")
        raise error(
            unknown[name],
            "KC4101",
            "has no translation to LLVM IR",
            facts=[f"also: {', '.join(rest)}"] if rest else (),
            hints=["convert it to the llvm dialect first"] if foreign else (),
        )


def _check_attributes(op: Operation) -> None:
    """Refuse an attribute without a dialect prefix: it was meant to be a property, and must not be
    lost.
    """
    for name in op.attributes:
        if "." not in name and op.name.startswith("llvm."):
            raise error(op, "KC4103", f"the attribute '{name}' has no translation to LLVM IR")


def _function_text(
    state: ModuleState, op: FuncOp, writers: Mapping[type[Operation], OpWriter]
) -> str:
    ty = op.function_type
    defined = not op.is_declaration
    debug = state.debug.function(op) if state.debug is not None and defined else None
    body = FunctionWriter(state, op, writers, debug).lines() if defined else []
    parameters = []
    for i, input_type in enumerate(ty.inputs):
        text = state.text(input_type) + parameter_text(op.arg_attr(i), state.types)
        parameters.append(f"{text} %{i}" if defined else text)
    if ty.is_variadic:
        parameters.append("...")
    linkage = op.linkage.linkage.data
    visibility = VISIBILITIES[op.visibility_.value.data]
    result = op.res_attrs.data[0].data if op.res_attrs is not None else {}
    words = (
        "define" if defined else "declare",
        "" if linkage == "external" else linkage,
        "dso_local" if op.dso_local is not None else "",
        "" if visibility == "default" else visibility,
        "ptx_kernel" if KERNEL in op.attributes else CALLING_CONVENTIONS[op.CConv.convention.data],
        parameter_text(result, state.types).strip(),
        state.text(ty.output),
        f"{symbol(op.sym_name.data)}({', '.join(parameters)})",
        UNNAMED_ADDRESSES[op.unnamed_addr.value.data],
    )
    text = " ".join(word for word in words if word)
    attributes = function_attributes(op)
    if defined and op.target_cpu is None and op.target_features is None:
        attributes += state.target_attributes
    text += state.groups.group(attributes)
    if op.section is not None:
        text += f" section {quoted(op.section.data.encode())}"
    if op.alignment is not None:
        text += f" align {op.alignment.value.data}"
    if debug is not None:
        text += f" !dbg {debug.node}"
    return "\n".join([f"{text} {{", *body, "}"]) if defined else text
