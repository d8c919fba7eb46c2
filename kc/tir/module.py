"""``kc.IRModule``: a module of functions, as text and as a value."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from kc import tir
from kc.analysis.module_copy import take_contents
from kc.analysis.verify_changes import verify_all
from kc.dialects.graph.data_types import DataOp
from kc.dialects.graph.functions import FuncOp as GraphFuncOp
from kc.expr.tensor import Tensor
from kc.support import registry
from kc.support.diagnostics import (
    CodegenError,
    GraphError,
    InputError,
    ParseError,
    TEError,
    source_text,
    suggest,
)
from kc.support.display import Shown, show_text, to_html, to_terminal
from kc.support.ir_text import parse_module, print_module
from kc.support.locations import caller_location
from kc.support.paused_collection import paused_collection
from kc.support.registry import context
from kc.te.schedule import Schedule
from kc.transforms.graph.infer_type import infer_types

if TYPE_CHECKING:
    from kc.support.pass_context import PipelineOptions

_LANGUAGES = {"mlir": "mlir", "tvm": "kc-loops", "tvmscript": "python", "relay": "mlir"}
STYLES = tuple(_LANGUAGES)
"""The styles of :meth:`IRModule.script`."""

_COLOUR_STYLES = ("light", "dark", "ansi")


def how_to_get_module(value: object) -> str:
    """The hint for a call that requires a module and received another object."""
    if isinstance(value, str | os.PathLike) and str(value).endswith(".mlir"):
        return f"kc.IRModule.parse(open({str(value)!r}).read()) reads the file"
    if isinstance(value, str):
        return "kc.IRModule.parse(text) reads the text of a module"
    if isinstance(value, Tensor):
        return "te.create_prim_func([A, B, C]) makes one of tensors, the arguments"
    if isinstance(value, Schedule):
        return "kc.lower(s, [A, B, C]) makes one of a schedule of te"
    return "kc.lower(...) or kc.IRModule.parse(text) give one"


def kind_of(value: object) -> str:
    """The type of an argument as the user writes it: "a te.Schedule", "an int"."""
    module = "te." if isinstance(value, Tensor | Schedule) else ""
    name = f"{module}{type(value).__name__}"
    return f"{'an' if name[0] in 'aeiouI' else 'a'} {name}"


class GlobalVar(str):
    """The name of a function of a module; programs for TVM ask for its ``name_hint``."""

    @property
    def name_hint(self) -> str:
        """The name."""
        return str(self)


class IRModule:
    """A module of IR: ``str(mod)`` is its text, and :meth:`parse` reads the text."""

    prints_loops = False
    """True if the module is displayed as loops in TVM's form: after ``lower(...,
    simple_mode=True)``.
    """
    scheduled: frozenset[str] = frozenset()
    """The functions whose loops come from a schedule with at least one call; no remark mentions
    them.
    """
    added_passes_of: PipelineOptions | None = None
    """The options whose added passes ``lower`` has run; ``build`` does not run them again."""

    def __init__(self, functions: ModuleOp | Mapping[str, Any] | None = None) -> None:
        """A module of ``functions``: each name maps to a function op, or to a module of one
        function as from ``te.create_prim_func``. A ``builtin.module`` is used without a copy.
        """
        if isinstance(functions, ModuleOp):
            self.op = functions
        else:
            parts = {} if functions is None else functions
            if not isinstance(parts, Mapping):
                raise TEError(
                    "KC2027",
                    f"IRModule: {type(parts).__name__} is no module and no function",
                    location=caller_location(),
                    why="a module is made of functions by their names",
                    hints=['kc.IRModule({"main": f})', "kc.IRModule.from_expr(f)"],
                )
            self.op = ModuleOp(
                _each_type_once(
                    op
                    for name, function in parts.items()
                    for op in _functions_of(str(name), function)
                )
            )
            if any(isinstance(op, GraphFuncOp) for op in self.op.body.ops):
                infer_types(self.op)
            self.scheduled = frozenset(
                name
                for name, function in parts.items()
                if isinstance(function, IRModule) and function.scheduled
            )

    @classmethod
    def parse(cls, text: str, name: str = "<string>") -> IRModule:
        """Read textual IR; ``name`` is the file name in diagnostics. Raises ParseError."""
        if text.endswith(".mlir") and "\n" not in text:
            raise ParseError(
                "KC1001",
                f"{text!r} is the name of a file, not IR",
                location=caller_location(),
                hints=[how_to_get_module(text)],
            )
        with paused_collection(), source_text(name, text):
            module = parse_module(text, name, context())
            verify_all(module)
        return cls(module)

    def script(self, style: str = "mlir") -> str:
        """The module as text: ``"mlir"`` is the IR, ``"tvmscript"`` Python functions, ``"tvm"``
        loops in TVM's form.

        ``kc.script.from_source`` reads the text of ``"tvmscript"`` back as a structurally equal
        module (:mod:`kc.tvm.tvmscript.printer`). The text of ``"tvm"`` is what ``print(tvm.lower(s,
        args, simple_mode=True))`` prints in TVM's tutorials, and formulas for tensor expressions;
        it cannot be read back (:mod:`kc.tvm.listing.loops_text`). ``"relay"`` is the text of graphs
        that ``relay.fromtext`` reads (:mod:`kc.tvm.relay.text_printer`). Raises InputError KC0080
        for another style, CodegenError KC4330 and KC4331 for stages without such a text, GraphError
        KC2408 for a module without a graph.
        """
        if style == "mlir":
            return print_module(self.op)
        if style == "tvm":
            return tir.listing_text(self.op)
        if style == "tvmscript":
            return tir.script_text(self.op)
        if style == "relay":
            return tir.relay_text(self.op)
        raise InputError(
            "KC0080",
            f"script: unknown style '{style}'",
            location=caller_location(),
            why="'mlir' is the IR, 'tvm' and 'tvmscript' are the loops as TVM prints them, and "
            "'relay' is a graph as Relay's text",
            hints=suggest(str(style), STYLES, "the styles are"),
        )

    def astext(self, show_meta_data: bool = True) -> str:
        """A module of graphs as Relay's text (TVM: ``mod.astext()``). Raises as :meth:`script`."""
        text = self.script("relay")
        return text if show_meta_data else text.partition("#[metadata]")[0].rstrip("\n") + "\n"

    def show(self, style: str | None = None) -> Shown:
        """Print :meth:`script` in one of its styles, in colour on a terminal, and return the text.

        The default style is the IR, or loops for a module of ``lower(..., simple_mode=True)``. A
        notebook displays the text highlighted, once. TVM's colour styles ("light", "dark", "ansi")
        are accepted; kc's colours are used.
        """
        if style is None or style in _COLOUR_STYLES:
            text, language = self._shown()
        else:
            text, language = self.script(style), _LANGUAGES[style]
        return show_text(
            text, lambda: to_terminal(text, language), lambda: to_html((text, language))
        )

    def __str__(self) -> str:
        """The IR, which :meth:`parse` reads back, preceded by the loops as comments if
        ``lower(..., simple_mode=True)`` returned the module.
        """
        text, language = self._shown()
        if language == "mlir":
            return self.script()
        comments = (f"// {line}".rstrip() for line in text.splitlines())
        return "\n".join([*comments, "", self.script()])

    def __repr__(self) -> str:
        return self._shown()[0]

    def _repr_html_(self) -> str:
        return to_html(self._shown())

    def _shown(self) -> tuple[str, str]:
        """The displayed text, without the elements of large constants, and its language."""
        if self.prints_loops:
            # Some stages have no such text: kernels, and functions that are no loop tree.
            with contextlib.suppress(CodegenError):
                return self.script("tvm"), _LANGUAGES["tvm"]
        return print_module(self.op, elides=True), "mlir"

    @classmethod
    def from_expr(cls, functions: Any, global_vars: Any = None) -> IRModule:
        """The module of one function, or of functions by name (TVM: ``from_expr``)."""
        del global_vars
        if hasattr(functions, "graph_function"):
            return cls({"main": functions})
        if isinstance(functions, IRModule):
            return cls({name: op for name, op in functions.functions.items()})
        return cls(functions)

    def get_global_vars(self) -> list[GlobalVar]:
        """The names of the functions."""
        return list(map(GlobalVar, self.functions))

    def get_global_var(self, name: str) -> GlobalVar:
        """A reference to an existing function. Raises KC1011 for an unknown name."""
        self[name]
        return GlobalVar(name)

    @property
    def functions(self) -> dict[str, Any]:
        """The function ops by name."""
        functions: dict[str, Any] = {}
        for op in self.op.body.ops:
            name = op.get_attr_or_prop("sym_name")
            if name is not None:
                functions[getattr(name, "data", str(name))] = op
        return functions

    def get_type(self, name: str) -> list[Any]:
        """The name of a data type of graphs, and its constructors (TVM: ``mod.get_type``). Raises
        KC1011 for an unknown name."""
        data = self[name]
        return [data.header, *data.constructors]

    def get_global_type_var(self, name: str) -> Any:
        """The name of a data type of graphs, which makes types of type arguments. Raises KC1011."""
        return self.get_type(name)[0]

    def update(self, other: IRModule) -> None:
        """Add copies of the functions of ``other``; they replace functions of the same name."""
        here = self.functions
        for name, function in other.functions.items():
            if name in here:
                here[name].detach()
            self.op.body.block.add_op(function.clone())

    def __setitem__(self, name: str, function: Any) -> None:
        """Add a function under a name, in place of another one of this name.

        Types of graphs are inferred. A function that is refused leaves the module as it was, as
        one does whose data types are others than those of the module (KC2484).
        """
        name = str(getattr(name, "name_hint", name))
        rest = [op.clone() for key, op in self.functions.items() if key != name]
        changed = ModuleOp(_each_type_once([*rest, *_functions_of(name, function)]))
        if any(isinstance(op, GraphFuncOp) for op in changed.body.ops):
            infer_types(changed)
        take_contents(self.op, changed)

    def update_func(self, var: str, func: Any) -> None:
        """Replace a function, or add it (TVM: ``update_func``)."""
        self[var] = func

    def __contains__(self, name: object) -> bool:
        return str(getattr(name, "name_hint", name)) in self.functions

    def __getitem__(self, name: str) -> Any:
        """The function ``name``, as a module of this function alone; a function of a graph as
        Relay's. Raises KC1011 for an unknown name. "main" is also an alias for the only function
        of a module.
        """
        from kc.tir.prim_func import PrimFunc  # derives from this class

        name = str(getattr(name, "name_hint", name))
        functions = self.functions
        if name == "main" and name not in functions and len(functions) == 1:
            (name,) = functions
        if name not in functions:
            raise ParseError(
                "KC1011",
                f"the module has no function '{name}'",
                hints=suggest(name, functions, "the functions are"),
            )
        function = functions[name]
        if isinstance(function, GraphFuncOp | DataOp):
            return registry.current().views[function.name].load()(function)
        if not isinstance(function, FuncOp):  # of tensors, or a gpu.module
            return IRModule(ModuleOp([function.clone()]))
        alone = PrimFunc.of(function)
        alone.scheduled = self.scheduled & {name}
        return alone


def _each_type_once(ops: Iterable[Operation]) -> list[Operation]:
    """The operations without data types that are there before: several functions bring one.

    Raises GraphError KC2484 for two types of one name.
    """
    types: dict[str, DataOp] = {}
    rest: list[Operation] = []
    for op in ops:
        if isinstance(op, DataOp):
            before = types.setdefault(op.sym_name.data, op)
            if before is not op:
                if not before.is_structurally_equivalent(op):
                    raise GraphError(
                        "KC2484",
                        f"IRModule: two data types are named {op.sym_name.data}",
                        location=caller_location(),
                        facts=[f"one has {before.tags}, the other {op.tags}"],
                    )
                continue
        rest.append(op)
    return rest


def _functions_of(name: str, function: Any) -> list[Operation]:
    """The operations of a function under a name: several for a graph with groups."""
    of_graph = getattr(function, "graph_function", None)
    return [_named(name, function)] if of_graph is None else of_graph(name)


def _named(name: str, function: Any) -> Operation:
    """A copy of a function, under a name. Raises TEError KC2027 for anything but a function."""
    functions = list(function.functions.values()) if isinstance(function, IRModule) else [function]
    if (
        len(functions) == 1
        and isinstance(functions[0], Operation)
        and "sym_name" in functions[0].properties
    ):
        copied = functions[0].clone()
        copied.properties["sym_name"] = StringAttr(name)
        return copied
    what = type(function).__name__
    if isinstance(function, IRModule):
        what = f"a module of {len(functions)} functions"
    raise TEError(
        "KC2027",
        f"IRModule: {name!r} is {what}",
        location=caller_location(),
        why="the value must be a function, or a module of one function",
        hints=[f"kc.IRModule({{{name!r}: te.create_prim_func([A, B])}})"],
    )
