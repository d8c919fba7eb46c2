"""Functions as TVMScript: ``mod.script(style="tvmscript")``, which ``kc.script.from_source`` reads.

::

    # from kc.script import ir as I
    # from kc.script import tir as T

    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
            for i in T.serial(64):
                with T.block("B"):
                    v_i = T.axis.spatial(64, i)
                    B[v_i] = A[v_i] + T.float32(1)

What is read back is the same program (:mod:`kc.analysis.structural_equality`). Operations that TVM
has no word for stand as ``T.scalar_op("arith.divsi", a, b, dtype="int32")``,
``T.delinearize(x, n, m)`` and ``T.index_op("arith.muli", n, m)``, which kc reads.
"""

from __future__ import annotations

import itertools
import keyword
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, func, scf, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)

from kc.analysis.index_reader import AFFINE_OPS
from kc.analysis.index_values import IndexValues
from kc.analysis.simplify_affine import UNBOUNDED, bounds
from kc.analysis.trust import UNSAFE_ATTRIBUTE
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.arith import EXACT
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.dialects.size_requirements import requirements_of
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    BlockOp,
    CallExternOp,
    CombineOp,
    ConditionOp,
    DelinearizeOp,
    ForKind,
    ForOp,
    IfOp,
    IterType,
    LinearizeOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    SymbolOp,
    ViewOp,
    symbol_names,
)
from kc.dialects.tir.calls import TRACED, UNSIGNED
from kc.dialects.unscheduled import UNSCHEDULED, is_unscheduled
from kc.support.c_names import to_identifier
from kc.support.diagnostics import CodegenError
from kc.support.float_formats import NARROW_IR_FLOATS
from kc.support.locations import location_of, op_name
from kc.te.raw_operations import is_raw
from kc.tir.prim_func import AS_WRITTEN, NAME
from kc.tir.size_requirements_text import requirements_text
from kc.tir.stmt import OF_THE_IR

FUNCTION_HEADER = "# from kc.script import tir as T\n"
HEADER = "# from kc.script import ir as I\n" + FUNCTION_HEADER

_ALWAYS = "T.bool(True)"
_INDENT = "    "
_LETTERS = {IterType.SPATIAL: "S", IterType.REDUCE: "R"}
_AXES = {IterType.SPATIAL: "spatial", IterType.REDUCE: "reduce", IterType.OPAQUE: "opaque"}
_LOOPS = {
    ForKind.SERIAL: "serial",
    ForKind.PARALLEL: "parallel",
    ForKind.VECTORIZED: "vectorized",
    ForKind.UNROLLED: "unroll",
}
_BINARY = {
    "arith.addf": "+", "arith.addi": "+", "arith.subf": "-", "arith.subi": "-", "arith.mulf": "*",
    "arith.muli": "*", "arith.divf": "/",
}  # fmt: skip
_DIVISIONS = {
    "arith.floordivsi": ("{} // {}", True),
    "arith.divsi": ("T.truncdiv({}, {})", True),
    "arith.remsi": ("T.truncmod({}, {})", True),
    "arith.divui": ("{} // {}", False),
    "arith.remui": ("{} % {}", False),
}
_EXTREMES = {
    "arith.minsi": ("min", True), "arith.maxsi": ("max", True), "arith.minui": ("min", False),
    "arith.maxui": ("max", False), "arith.minimumf": ("min", None), "arith.maximumf": ("max", None),
}  # fmt: skip
_LOGIC = {"arith.andi": ("And", "bitwise_and"), "arith.ori": ("Or", "bitwise_or")}
_FUNCTIONS = {
    "math.absf": "abs", "math.roundeven": "round", "math.powf": "pow", "math.ctpop": "popcount",
    "math.ctlz": "clz", "arith.remf": "fmod",
    **{
        f"math.{name}": name
        for name in (
            "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan tanh erf floor ceil trunc "
            "acos acosh asin asinh atan atanh cosh sinh atan2 copysign"
        ).split()
    },
}  # fmt: skip
_CASTS = {
    # source is signed, target is signed; None: a float
    "arith.extf": (None, None), "arith.truncf": (None, None), "arith.sitofp": (True, None),
    "arith.uitofp": (False, None),
    "arith.extsi": (True, True), "arith.extui": (False, None), "arith.trunci": (None, None),
}  # fmt: skip
_COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FLOAT_COMPARE = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}


def script_text(module: ModuleOp) -> str:
    """The functions of a module. Raises CodegenError KC4331 for what TVMScript cannot say."""
    lines = ["@I.ir_module", "class Module:"]
    labels = _Names()
    for op in module.body.ops:
        if not isinstance(op, func.FuncOp):
            raise unsayable(op)
        if op.body.blocks:
            printer = _Function(op, labels.fresh(op.sym_name.data))
            lines += [f"{_INDENT}{line}" if line else "" for line in printer.lines()] + [""]
    return HEADER + "\n" + "\n".join(lines).rstrip() + "\n"


def function_text(function: func.FuncOp) -> tuple[str, dict[str, str]]:
    """One function by itself, and the names of its sizes in it. Raises as
    :func:`script_text`."""
    printer = _Function(function, _Names().fresh(function.sym_name.data))
    lines = [FUNCTION_HEADER, *printer.lines()]
    return "\n".join(lines).rstrip() + "\n", dict(printer.symbols)


def unsayable(op: Operation) -> CodegenError:
    """That TVMScript has nothing for ``op``."""
    return CodegenError(
        "KC4331",
        f"script: {op_name(op)} has no form in TVMScript",
        location=location_of(op),
        why="it has loops, blocks, stores and scalar expressions (tir)",
        hints=["mod.script() prints the IR of every stage"],
    )


@dataclass(frozen=True)
class Code:
    """An expression, its type by TVM's name, and whether it may stand between operators."""

    text: str
    dtype: str
    atomic: bool = True
    constant: bool = False

    @property
    def operand(self) -> str:
        """The expression as an operand."""
        return self.text if self.atomic else f"({self.text})"


def dtype_of(kind: Attribute) -> str:
    """TVM's name of a type, of integers the signed one; "index" for indices."""
    if isinstance(kind, VectorType):
        return f"{dtype_of(kind.element_type)}x{math.prod(kind.get_shape())}"
    if isinstance(kind, IndexType):
        return "index"
    if isinstance(kind, IntegerType):
        return "bool" if kind.width.data == 1 else f"int{kind.width.data}"
    narrow = NARROW_IR_FLOATS.get(str(kind))
    return narrow.name if narrow is not None else str(kind).replace("f", "float", 1)


class _Names:
    """Names of Python, each for one thing in the statements around."""

    def __init__(self) -> None:
        self.taken: list[set[str]] = [{"T", "I"}]

    def fresh(self, name: str) -> str:
        """``name``, with a number if it stands for something here."""
        base = to_identifier(name)
        base = base if base.isidentifier() else f"v_{base}"
        chosen, n = base, 0
        while any(chosen in names for names in self.taken) or _is_word(chosen):
            n += 1
            chosen = f"{base}_{n}"
        self.taken[-1].add(chosen)
        return chosen


def _is_word(name: str) -> bool:
    """Whether a name means something in Python, or in TVMScript."""
    return keyword.iskeyword(name) or name in ("int", "float", "bool")


class _Function:
    """Prints one function."""

    def __init__(self, function: func.FuncOp, label: str) -> None:
        """``label`` is the name of the function in Python."""
        self.function = function
        self.label = label
        self.names = _Names()
        self.index = IndexValues()
        self.codes: dict[SSAValue, Code] = {}
        self.buffers: dict[SSAValue, tuple[str, str]] = {}
        """The name and the element type of each buffer."""
        self.shapes: dict[SSAValue, list[str]] = {}
        """The sizes of each buffer."""
        self.times: dict[Operation, int] = {}
        self.late: dict[SSAValue, bool] = {}
        self.loops: dict[SSAValue, str] = {}
        """The variables of loops."""

    # The head ------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """The function."""
        body = self.function.body.block
        self._count(body)
        name = self.function.sym_name.data
        private = self.function.sym_visibility is not None
        symbols = [symbol for symbol in symbol_names(self.function)]
        scalars = {self._attribute(value, "kc.symbol") for value in body.args}
        self.symbols = {symbol: "" for symbol in symbols}
        for value in body.args:
            if not isinstance(value.type, MemRefType | IntegerType | IndexType | AnyFloat):
                raise unsayable(self.function)
        parameters: list[str] = []
        matches: list[str] = []
        for value in body.args:
            if not isinstance(value.type, MemRefType):
                parameters.append(self._scalar(value))
        for symbol in symbols:
            if symbol not in scalars:
                self.symbols[symbol] = self.names.fresh(symbol)
        strides = self._strides()
        ordered: list[str] = []
        scalar = iter(parameters)
        for value in body.args:
            if isinstance(value.type, MemRefType):
                ordered.append(self._buffer(value, matches, strides))
            else:
                ordered.append(next(scalar))
        declared = [self.symbols[symbol] for symbol in symbols if symbol not in scalars]
        declared += strides.values()
        head = ["@T.prim_func(private=True)" if private else "@T.prim_func"]
        head.append(f"def {self.label}({', '.join(ordered)}):")
        start = [f"{symbol} = T.int32()" for symbol in declared]
        attributes = [] if name == self.label else [f'"{NAME}": {_quoted(name)}']
        if _has_bare_stores(self.function):
            attributes.append(f'"{AS_WRITTEN}": True')
        if is_unscheduled(self.function):
            attributes.append(f'"{UNSCHEDULED}": True')
        required = requirements_of(self.function)
        if required:
            sizes = [self.symbols[symbol] for symbol in symbols]
            attributes.append(requirements_text(required, sizes, _text_over))
        if attributes:
            start.append(f"T.func_attr({{{', '.join(attributes)}}})")
        statements = [*start, *matches, *self._block(body)]
        head += [f"{_INDENT}{line}" for line in statements or ["T.evaluate(0)"]]
        return head

    def _attribute(self, value: SSAValue, key: str) -> str | None:
        given = self._given(value, key)
        return given.data if isinstance(given, StringAttr) else None

    def _given(self, value: SSAValue, key: str) -> Attribute | None:
        attrs = self.function.arg_attrs
        position = value.index  # pyright: ignore[reportAttributeAccessIssue]
        return None if attrs is None else attrs.data[position].data.get(key)

    def _scalar(self, value: SSAValue) -> str:
        symbol = self._attribute(value, "kc.symbol")
        name = self.names.fresh(symbol or self._attribute(value, "kc.name") or "x")
        dtype = self._attribute(value, "kc.dtype") or dtype_of(value.type)
        if symbol is not None:
            self.symbols[symbol] = name
        self.codes[value] = Code(name, dtype)
        return f"{name}: T.{'int64' if dtype == 'index' else dtype}"  # sizes have 64 bits

    def _strides(self) -> dict[str, str]:
        """The names of the strides that the caller gives."""
        names: dict[str, str] = {}
        for value in self.function.body.block.args:
            given = self._given(value, "kc.strides")
            for stride in given.data if isinstance(given, ArrayAttr) else ():
                if isinstance(stride, StringAttr) and stride.data not in self.symbols:
                    names.setdefault(stride.data, self.names.fresh(stride.data))
        return names

    def _buffer(self, value: SSAValue, matches: list[str], strides: Mapping[str, str]) -> str:
        kind = value.type
        assert isinstance(kind, MemRefType)
        name = self.names.fresh(self._attribute(value, "kc.name") or value.name_hint or "buffer")
        dtype = self._attribute(value, "kc.dtype") or dtype_of(kind.element_type)
        self.buffers[value] = name, dtype
        shape = self.shapes[value] = self._shape(value)
        options = self._layout(value, strides)
        scope = kind.memory_space
        if isinstance(scope, StringAttr):
            options.append(f"scope={_quoted(scope.data)}")
        arguments = ", ".join([f"({', '.join(shape)}{',' * (len(shape) == 1)})", f'"{dtype}"'])
        if not options and all(size.isdecimal() for size in shape):
            return f"{name}: T.Buffer({arguments})"
        handle = self.names.fresh(f"var_{name}")
        matches.append(f"{name} = T.match_buffer({', '.join([handle, arguments, *options])})")
        return f"{handle}: T.handle"

    def _layout(self, value: SSAValue, strides: Mapping[str, str]) -> list[str]:
        kind = value.type
        assert isinstance(kind, MemRefType)
        named = self._given(value, "kc.strides")
        given = list(named.data) if isinstance(named, ArrayAttr) else []
        if kind.layout.name == "none" and not given:
            return []
        known = kind.get_strides() or ()
        if given:
            known = [step.value.data if isinstance(step, IntegerAttr) else None for step in given]
        texts: list[str] = []
        for n, stride in enumerate(known):
            if stride is not None:
                texts.append(str(stride))
            elif n < len(given) and isinstance(given[n], StringAttr):
                text = given[n].data
                texts.append(strides.get(text) or self.symbols[text])
            else:
                raise unsayable(self.function)
        return [f"strides=[{', '.join(texts)}]"]

    def _shape(self, value: SSAValue) -> list[str]:
        kind = value.type
        assert isinstance(kind, MemRefType)
        given = self._given(value, "kc.shape")
        sizes = [str(size) if size >= 0 else "" for size in kind.get_shape()]
        if not isinstance(given, AffineMapAttr):
            if not all(sizes):
                raise unsayable(self.function)
            return sizes
        names = list(self.symbols.values())
        for n, expr in enumerate(given.data.results):
            if not sizes[n]:
                sizes[n] = _affine(expr, lambda atom, _: names[atom]).text
        return sizes

    # When values are needed ----------------------------------------------------------------

    def _count(self, block: Block, time: int = 0) -> int:
        """Note how many statements begin before each operation."""
        for op in block.ops:
            if self._is_value(op):
                self.times.update({part: time for part in op.walk()})
                continue
            self.times[op] = time
            time += 1
            for region in op.regions:
                for inner in region.blocks:
                    time = self._count(inner, time)
        return time

    @staticmethod
    def _is_value(op: Operation) -> bool:
        if isinstance(op, AllocOp | StoreOp | ForOp | BlockOp | IfOp | ViewOp | ConditionOp):
            return False
        if isinstance(op, CallExternOp):
            return op.is_pure
        if isinstance(op, scf.IfOp):
            return bool(op.results)
        return bool(op.results) and not op.regions

    def _uses(self, value: SSAValue) -> Iterator[int]:
        """The times at which ``value`` is used, by statements."""
        seen: set[SSAValue] = set()
        waiting = [value]
        while waiting:
            current = waiting.pop()
            for use in current.uses:
                op: Operation | None = use.operation
                if isinstance(op, scf.YieldOp):
                    op = op.parent_op()
                assert op is not None
                if not self._is_value(op):
                    yield self.times[op]
                    continue
                for result in op.results:
                    if result not in seen:
                        seen.add(result)
                        waiting.append(result)

    def _is_late(self, value: SSAValue) -> bool:
        """Whether a value that reads memory is used behind another statement."""
        if value not in self.late:
            op = value.owner
            time = self.times[op] if isinstance(op, Operation) else 0
            self.late[value] = any(used != time for used in self._uses(value))
        return self.late[value]

    # Statements ----------------------------------------------------------------------------

    def _block(self, block: Block) -> list[str]:
        self.names.taken.append(set())
        lines: list[str] = []
        for op in block.ops:
            lines += self._statement(op)
        self.names.taken.pop()
        return lines

    def _statement(self, op: Operation) -> list[str]:
        match op:
            case func.ReturnOp():
                return []
            case ForOp():
                return self._loop(op)
            case BlockOp():
                return self._tir_block(op)
            case IfOp():
                lines = [f"if {self._condition(op.condition.data.constraints, op.operands)}:"]
                lines += self._inside(op.then.block)
                if op.orelse.blocks and op.orelse.block.first_op is not None:
                    lines += ["else:", *self._inside(op.orelse.block)]
                return lines
            case StoreOp():
                return [self._store(op)]
            case AllocOp():
                return [self._alloc(op)]
            case PrefetchOp():
                kind = op.buffer.type
                assert isinstance(kind, MemRefType)
                element = kind.element_type
                place = self._place(op.buffer, op.indices, op.operands_of_map, element)
                return [f"T.prefetch({place})"]
            case ViewOp():
                return [self._view(op)]
            case CallExternOp() if not op.is_pure:
                return self._call_statement(op)
            case SymbolOp():
                self.codes[op.result] = Code(self.symbols[op.symbol.data], "int32")
                return []
            case LinearizeOp() | DelinearizeOp():
                return self._index_statement(op)
            case CombineOp():
                return [self._combine(op)]
        if self._is_value(op):
            return [line for value in op.results for line in self._value(value)]
        raise unsayable(op)

    def _inside(self, block: Block) -> list[str]:
        return [f"{_INDENT}{line}" for line in self._block(block) or ["T.evaluate(0)"]]

    def _value(self, value: SSAValue) -> list[str]:
        """A value gets a name where it is used more than once, or too late to be read there."""
        op = value.owner
        if isinstance(value.type, IndexType):
            if isinstance(op, AFFINE_OPS):
                expr = self.index.expr(value)
                if isinstance(expr, AffineDimExpr) and self.index.roots[expr.position] == value:
                    return self._index_statement(op)
            return []
        uses = sum(1 for use in value.uses if not _is_quotient_in_remainder(use.operation))
        reads = isinstance(op, LoadOp | scf.IfOp)
        if not uses or isinstance(op, arith.ConstantOp):
            return []
        code = self.code(value)
        is_long = isinstance(value.type, VectorType) and len(code.text) > LONGEST
        if not (reads or is_long or uses > 1) or (code.atomic and not reads and not is_long):
            return []
        if uses == 1 and not is_long and not self._is_late(value):
            return []
        return [self._let(value, code)]

    def _let(self, value: SSAValue, code: Code) -> str:
        name = self.names.fresh(value.name_hint or "value")
        self.codes[value] = Code(name, code.dtype)
        return f"{name} = {code.text}"

    def _index_statement(self, op: Operation) -> list[str]:
        """Names for indices that are no affine expressions."""
        opaque = [
            value
            for value in op.results
            if isinstance(expr := self.index.expr(value), AffineDimExpr)
            and self.index.roots[expr.position] == value
            and value.first_use is not None
        ]
        if not opaque:
            return []
        operands = [self.code(value).text for value in op.operands]
        extreme = ""
        if isinstance(op, ApplyOp):
            exprs = [self.index.compose(expr, op.operands) for expr in op.map.data.results]
            extreme = op.text([self._affine(expr).text for expr in exprs], "T.index_{}".format)
        names: list[str] = []
        for value in op.results:
            names.append(self.names.fresh(value.name_hint or "index"))
            self.codes[value] = Code(names[-1], "int32")
        if extreme:
            return [f"{names[0]} = {extreme}"]
        if isinstance(op, DelinearizeOp):
            return [f"{', '.join(names)} = T.delinearize({', '.join(operands)})"]
        if isinstance(op, LinearizeOp):
            return [f"{names[0]} = T.linearize({', '.join(operands)})"]
        return [f"{names[0]} = T.index_op({', '.join([_quoted(op.name), *operands])})"]

    def _nest(self, op: ForOp) -> list[ForOp]:
        """Plain loops from ``op`` on, each the only statement of the one around it."""
        nest = [op]
        while _is_plain(nest[-1]):
            first = nest[-1].body.block.first_op
            if not isinstance(first, ForOp) or first.next_op is not None or not _is_plain(first):
                break
            nest.append(first)
        return nest

    def _grid(self, nest: Sequence[ForOp]) -> list[str]:
        sizes: list[str] = []
        for loop in nest:
            extent = loop.extent_value
            sizes.append(str(extent) if isinstance(extent, int) else self.code(extent).text)
        self.names.taken.append(set())
        names: list[str] = []
        for loop in nest:
            names.append(self.names.fresh(loop.label))
            self.codes[loop.var] = Code(names[-1], "int32")
            self.loops[loop.var] = names[-1]
        lines = [f"for {', '.join(names)} in T.grid({', '.join(sizes)}):"]
        lines += self._inside(nest[-1].body.block)
        self.names.taken.pop()
        return lines

    def _loop(self, op: ForOp) -> list[str]:
        if op.kind.data is ForKind.WHILE:
            return self._while(op)
        nest = self._nest(op)
        if len(nest) > 1:
            return self._grid(nest)
        extent = op.extent_value
        size = str(extent) if isinstance(extent, int) else self.code(extent).text
        notes = self._notes(op, op.annotations)
        options = [f"annotations={notes}"] if notes else []
        self.names.taken.append(set())
        name = self.names.fresh(op.label)
        self.codes[op.var] = Code(name, "int32")
        self.loops[op.var] = name
        if op.axis is not None:
            options.insert(0, f'thread="{op.axis}"')
            word = "thread_binding"
        else:
            word = _LOOPS[op.kind.data]
        lines = [f"for {name} in T.{word}({', '.join([size, *options])}):"]
        lines += self._inside(op.body.block)
        self.names.taken.pop()
        return lines

    def _while(self, op: ForOp) -> list[str]:
        """``while CONDITION:``, where what the condition needs is needed for nothing else."""
        repeated, asked = op.repeated, op.condition
        if repeated is None or asked is None:
            raise unsayable(op)
        condition = self.code(asked.condition).text
        return [f"while {condition}:", *self._inside(repeated.then.block)]

    def _notes(self, op: Operation, given: DictionaryAttr | None) -> str:
        pairs = [
            f"{_quoted(key)}: {_python(part, op)}"
            for key, part in (given.data.items() if given is not None else ())
        ]
        pairs += _attributes(op.attributes)
        return f"{{{', '.join(pairs)}}}" if pairs else ""

    def _tir_block(self, op: BlockOp) -> list[str]:
        bindings = [
            self._affine(self.index.compose(expr, op.binding_operands)) for expr in op.binding_exprs
        ]
        extents = [
            str(extent) if isinstance(extent, int) else self.code(extent).text
            for extent in op.extents
        ]
        constraints = op.predicate.data.constraints
        where = self._condition(constraints, op.predicate_operands)
        notes = self._notes(op, op.annotations)
        self.names.taken.append(set())
        lines: list[str] = []
        names = [self.names.fresh(name) for name in op.names]
        for name, value in zip(names, op.body.block.args, strict=True):
            self.codes[value] = Code(name, "int32")
        loops = [self._is_loop(op, n) for n in range(len(names))]
        if len(names) > 1 and all(loops) and all(kind in _LETTERS for kind in op.types):
            letters = "".join(_LETTERS[kind] for kind in op.types)
            texts = ", ".join(binding.text for binding in bindings)
            lines.append(f'{", ".join(names)} = T.axis.remap("{letters}", [{texts}])')
        else:
            for kind, name, extent, binding in zip(op.types, names, extents, bindings, strict=True):
                lines.append(f"{name} = T.axis.{_AXES[kind]}({extent}, {binding.text})")
        if where != _ALWAYS:
            lines.append(f"T.where({where})")
        if notes:
            lines.append(f"T.block_attr({notes})")
        if op.has_init:
            for own, value in zip(op.init.block.args, op.body.block.args, strict=True):
                self.codes[own] = self.codes[value]
            lines += ["with T.init():", *self._inside(op.init.block)]
        lines += self._block(op.body.block)
        self.names.taken.pop()
        body = [f"{_INDENT}{line}" for line in lines or ["T.evaluate(0)"]]
        return [f"with T.block({_quoted(op.label)}):", *body]

    def _is_loop(self, op: BlockOp, n: int) -> bool:
        """Whether a variable of a block is that of a loop, with all its values."""
        expr = self.index.compose(op.binding_exprs[n], op.binding_operands)
        value = self.index.roots[expr.position] if isinstance(expr, AffineDimExpr) else None
        if value not in self.loops or value is None:
            return False
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        if not isinstance(loop, ForOp):
            return False
        ours, theirs = op.extents[n], loop.extent_value
        if isinstance(ours, int) or isinstance(theirs, int):
            return ours == theirs if isinstance(ours, int) and isinstance(theirs, int) else False
        return self.index.expr(ours) == self.index.expr(theirs)

    def _store(self, op: StoreOp) -> str:
        if op.attributes:
            raise unsayable(op)
        dtype = self.buffers[op.buffer][1]
        place = self._place(op.buffer, op.indices, op.operands_of_map, op.value.type)
        return f"{place} = {self._as(self.code(op.value), dtype).text}"

    def _alloc(self, op: AllocOp) -> str:
        kind = op.buffer.type
        assert isinstance(kind, MemRefType)
        if kind.layout.name != "none":
            raise unsayable(op)
        own = op.attributes.get("kc.dtype")
        dtype = own.data if isinstance(own, StringAttr) else dtype_of(kind.element_type)
        sizes = iter([self.code(size).text for size in op.dynamic_sizes])
        shape = [str(size) if size >= 0 else next(sizes) for size in kind.get_shape()]
        name = self.names.fresh(op.label)
        self.buffers[op.buffer] = name, dtype
        self.shapes[op.buffer] = shape
        text = f"({', '.join(shape)}{',' * (len(shape) == 1)})"
        scope = kind.memory_space
        option = f", scope={_quoted(scope.data)}" if isinstance(scope, StringAttr) else ""
        if op.attributes:
            option += f", annotations={{{', '.join(_attributes(op.attributes))}}}"
        return f'{name} = T.alloc_buffer({text}, "{dtype}"{option})'

    def _view(self, op: ViewOp) -> str:
        kind, source = op.result.type, op.buffer
        assert isinstance(kind, MemRefType)
        base, dtype = self.buffers[source]
        starts = [
            self._affine(self.index.compose(expr, op.operands_of_map))
            for expr in op.indices.data.results
        ]
        shape = [int(size) for size in kind.get_shape()]
        sizes = dict(zip(op.positions, shape, strict=True))
        parts = [
            f"{start.text}:{start.operand} + {sizes[dim]}" if dim in sizes else start.text
            for dim, start in enumerate(starts)
        ]
        name = self.names.fresh(op.result.name_hint or f"{base}_part")
        self.buffers[op.result] = name, dtype
        self.shapes[op.result] = [*map(str, shape)]
        text = f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
        space = kind.memory_space
        option = f", scope={_quoted(space.data)}" if isinstance(space, StringAttr) else ""
        return f'{name} = T.match_buffer({base}[{", ".join(parts)}], {text}, "{dtype}"{option})'

    def _combine(self, op: CombineOp) -> str:
        """``i, v = T.combine("argmax", (i0, v0), (i1, v1), lambda ...: (...), identity=[...])``."""
        self.names.taken.append(set())
        names = [
            self.names.fresh(f"{'xy'[n >= len(op.lhs)]}{n % len(op.lhs)}")
            for n in range(2 * len(op.lhs))
        ]
        names += [self.names.fresh(f"z{n}") for n in range(len(op.captured))]
        self.names.taken.pop()
        groups: list[str] = []
        types: list[str] = []
        for group in (op.lhs, op.rhs, *([op.captured] if op.captured else [])):
            codes = [self._as(self.code(value), self.code(value).dtype) for value in group]
            types += [code.dtype for code in codes]
            groups.append(f"({', '.join(code.text for code in codes)},)")
        for value, name, dtype in zip(op.combiner.block.args, names, types, strict=True):
            self.codes[value] = Code(name, dtype)
        results = [self.code(value) for value in op.yield_op.values]
        body = ", ".join(
            self._as(code, dtype).text for code, dtype in zip(results, types, strict=False)
        )
        identity = ", ".join(_constant_text(op, value) for value in op.identity)
        targets: list[str] = []
        for value, dtype in zip(op.combined, types, strict=False):
            targets.append(self.names.fresh(value.name_hint or "combined"))
            self.codes[value] = Code(targets[-1], dtype)
        arguments = [_quoted(op.label), *groups, f"lambda {', '.join(names)}: ({body},)"]
        left = f"{', '.join(targets)}{',' * (len(targets) == 1)}"
        unsafe = ", unsafe=True" if UNSAFE_ATTRIBUTE in op.attributes else ""
        return f"{left} = T.combine({', '.join(arguments)}, identity=[{identity}]{unsafe})"

    def _call_statement(self, op: CallExternOp) -> list[str]:
        text = self._call(op)
        if op.results and op.results[0].first_use is not None:
            return [self._let(op.results[0], Code(text, self._result_type(op)))]
        return [f"T.evaluate({text})" if op.is_packed or not op.results else text]

    def _result_type(self, op: CallExternOp) -> str:
        if not op.results:
            return "int32" if op.is_packed else "void"
        unsigned = op.attributes.get(UNSIGNED)
        dtype = dtype_of(op.results[0].type)
        marks = unsigned.get_values() if isinstance(unsigned, DenseArrayBase) else ()
        return f"u{dtype}" if len(op.arguments) in marks else dtype

    def _call(self, op: CallExternOp) -> str:
        unsigned = op.attributes.get(UNSIGNED)
        marks = unsigned.get_values() if isinstance(unsigned, DenseArrayBase) else ()
        values: list[str] = []
        for n, starts in op.passed:
            value = op.arguments[n]
            if isinstance(value.type, MemRefType):
                mask = {"read": "r", "write": "w", "update": "rw"}[op.modes.data[n].data]
                codes = (self._as(self.code(op.arguments[start]), "int32") for start in starts)
                indices = ", ".join(code.text for code in codes)
                offset = f", offset=[{indices}]" if starts else ""
                values.append(f'{self.buffers[value][0]}.access_ptr("{mask}"{offset})')
                continue
            code = self.code(value)
            dtype = dtype_of(value.type)
            wanted = f"u{dtype}" if n in marks else dtype
            values.append(self._as(code, wanted if dtype != "index" else "int32").text)
        given = iter(values)
        texts = [_quoted(text.data) for text in op.texts if isinstance(text, StringAttr)]
        arguments = values
        if texts:
            arguments = [
                _quoted(text.data) if isinstance(text, StringAttr) else next(given)
                for text in op.texts
            ]
        dtype = self._result_type(op)
        if TRACED in op.attributes:
            return f"T.trace([{', '.join(arguments)}], {_quoted(op.label)})"
        if op.is_packed:
            option = [f'dtype="{dtype}"'] if op.results and dtype != "int32" else []
            return f"T.call_packed({', '.join([_quoted(op.label), *arguments, *option])})"
        word = "call_pure_extern" if op.is_pure else "call_extern"
        return f"T.{word}({', '.join([_quoted(dtype), _quoted(op.label), *arguments])})"

    # Conditions and indices ------------------------------------------------------------------

    def _condition(
        self, constraints: Sequence[AffineConstraintExpr], operands: Sequence[SSAValue]
    ) -> str:
        known = self.index.conditions(AffineSet(len(operands), 0, tuple(constraints)), operands)
        if not known:  # which Python would decide
            return "T.bool(False)" if known is None else _ALWAYS
        exprs = [self.index.simplify(part.lhs - part.rhs) for part in known]
        texts = [self._constraint(part.kind, expr) for part, expr in zip(known, exprs, strict=True)]
        text = texts[0]
        for conjunct in texts[1:]:
            text = f"T.And({text}, {conjunct})"
        return text

    def _constraint(self, kind: AffineConstraintKind, expr: AffineExpr) -> str:
        sign = -1 if kind is AffineConstraintKind.le else 1
        terms, constant = linear_terms(expr * sign)
        if kind is AffineConstraintKind.eq and constant == -1 and len(terms) == 1:
            ((atom, factor),) = terms.items()
            truth = self._truth(atom) if factor == 1 else None
            if truth is not None:
                return truth
        small = {atom: -factor for atom, factor in terms.items() if factor < 0}
        large = {atom: factor for atom, factor in terms.items() if factor > 0}
        if kind is AffineConstraintKind.eq:
            left, right = from_terms(large, max(constant, 0)), from_terms(small, max(-constant, 0))
            return f"{self._affine(left).text} == {self._affine(right).text}"
        left, right = from_terms(small, max(-constant, 0)), from_terms(large, max(constant, 0))
        return f"{self._affine(left).text} <= {self._affine(right).text}"

    def _truth(self, atom: AffineExpr) -> str | None:
        """The condition that is 1 as an index."""
        if not isinstance(atom, AffineDimExpr):
            return None
        value = self.index.roots[atom.position]
        while value is not None and isinstance(value.owner, arith.IndexCastOp | arith.ExtUIOp):
            value = value.owner.operands[0]
            if value.type == IntegerType(1):
                return f"T.value({self.code(value).text})"
        return None

    def _affine(self, expr: AffineExpr) -> Code:
        return _affine(expr, self._root)

    def _root(self, position: int, nested: bool) -> str:
        value = self.index.roots[position]
        assert value is not None
        code = self.code(value)
        return code.operand if nested else code.text

    def _place(
        self,
        buffer: SSAValue,
        indices: AffineMapAttr,
        operands: Sequence[SSAValue],
        kind: Attribute,
    ) -> str:
        texts = [
            self._affine(self.index.compose(expr, operands)).text for expr in indices.data.results
        ]
        assert isinstance(buffer.type, MemRefType)
        if isinstance(kind, VectorType) and kind != buffer.type.element_type:
            texts[-1] = f"T.Ramp({texts[-1]}, 1, {math.prod(kind.get_shape())})"
        return f"{self.buffers[buffer][0]}[{', '.join(texts) or '()'}]"

    # Values --------------------------------------------------------------------------------

    def code(self, value: SSAValue) -> Code:
        """The expression of a value."""
        stack = [value]
        while stack:
            current = stack[-1]
            if current in self.codes:
                stack.pop()
                continue
            waiting = [part for part in self._needs(current) if part not in self.codes]
            if waiting:
                stack += reversed(waiting)
                continue
            self.codes[current] = self._code(current)
            stack.pop()
        return self.codes[value]

    def _needs(self, value: SSAValue) -> list[SSAValue]:
        op = value.owner
        if not isinstance(op, Operation) or isinstance(value.type, IndexType):
            return []
        remainder = _remainder(op)
        needed = [] if isinstance(op, LoadOp) else list(remainder or op.operands)
        for region in op.regions:
            end = region.block.last_op
            assert end is not None
            needed += end.operands
        return [part for part in needed if not isinstance(part.type, MemRefType)]

    def _code(self, value: SSAValue) -> Code:
        assert isinstance(value, OpResult), value
        op = value.owner
        if isinstance(value.type, IndexType):
            return self._index_code(value)
        if isinstance(op, LoadOp):
            place = self._place(op.buffer, op.indices, op.operands_of_map, value.type)
            dtype = self.buffers[op.buffer][1]
            kind = dtype_of(value.type)
            lanes = kind.partition("x")[2]
            return Code(place, f"{dtype}x{lanes}" if lanes and "x" not in dtype else dtype)
        if isinstance(op, arith.ConstantOp):
            return _constant(op)
        if isinstance(op, scf.IfOp):
            return self._choice(op, value.index)
        if isinstance(op, CallExternOp):
            return Code(self._call(op), self._result_type(op))
        remainder = _remainder(op)
        if remainder is not None:
            a, b = (self.codes[part] for part in remainder)
            if not a.constant and not a.dtype.startswith("u"):
                return Code(f"{a.operand} % {b.operand}", a.dtype, atomic=False)
        given = [self.code(operand) for operand in op.operands]
        return self._typed(op, given) or self._raw(op, given)

    def _index_code(self, value: OpResult) -> Code:
        expr = self.index.expr(value)
        op = value.owner
        if not isinstance(expr, AffineDimExpr) or self.index.roots[expr.position] != value:
            code = self._affine(expr)
            return Code(code.text, "int32", code.atomic, code.constant)
        if isinstance(op, arith.IndexCastOp):
            code = self.code(op.input)
            if isinstance(op.input.owner, _SEEN_THROUGH):
                return Code(f"T.value({code.text})", code.dtype)
            return code
        raise unsayable(op)

    def _choice(self, op: scf.IfOp, position: int) -> Code:
        parts = [self.codes[op.cond]]
        for region in (op.true_region, op.false_region):
            end = region.block.last_op
            assert end is not None
            parts.append(self.codes[end.operands[position]])
        a, b = self._matched(parts[1], parts[2])
        return Code(f"T.if_then_else({parts[0].text}, {a.text}, {b.text})", a.dtype)

    def _matched(self, a: Code, b: Code) -> tuple[Code, Code]:
        """Two operands of one type, whose numbers are typed where both are numbers."""
        if a.dtype == b.dtype:
            return (self._as(a, a.dtype), b) if a.constant and b.constant else (a, b)
        if a.constant:
            return self._as(a, b.dtype), b
        if b.constant:
            return a, self._as(b, a.dtype)
        return a, self._as(b, a.dtype)

    def _as(self, code: Code, dtype: str) -> Code:
        """A value of the bits of ``code`` as ``dtype``: another sign is no operation."""
        if code.constant and not dtype.startswith(("float", "bfloat", "bool")):
            if "x" in dtype:
                return code
            bits = int(re.sub(r"\D", "", dtype) or 32)
            number = int(code.text.partition("(")[2].rstrip(")") or code.text)
            if dtype.startswith("u"):
                number %= 1 << bits
            elif number >= 1 << (bits - 1):
                number -= 1 << bits
            return Code(f"T.{dtype}({number})", dtype, constant=True)
        if code.dtype == dtype or "index" in (code.dtype, dtype):
            return code
        if {code.dtype.removeprefix("u"), dtype.removeprefix("u")} == {dtype.removeprefix("u")}:
            return Code(f'T.Cast("{dtype}", {code.text})', dtype)
        return code

    def _signed(self, code: Code, signed: bool | None) -> Code:
        """``code`` as a signed or unsigned integer."""
        if signed is None or code.dtype == "bool" or code.dtype.startswith("bool"):
            return code
        plain = code.dtype.removeprefix("u")
        if not plain.startswith("int"):
            return code
        return self._as(code, plain if signed else f"u{plain}")

    def _typed(self, op: Operation, given: list[Code]) -> Code | None:
        """An operation by the word that reads as it; None if there is none."""
        if op.attributes and set(op.attributes) != {EXACT}:
            return None
        name, kind = op.name, dtype_of(op.results[0].type)
        if _has_flags(op) or EXACT in op.attributes:
            return None
        if name in _BINARY:
            a, b = self._matched(*given)
            if a.constant and b.constant:
                return None
            return Code(f"{a.operand} {_BINARY[name]} {b.operand}", a.dtype, atomic=False)
        if name in _DIVISIONS:
            form, signed = _DIVISIONS[name]
            if not given[1].constant or _number(given[1]) in (0, -1) or "x" in kind:
                return None
            if given[0].constant:
                return None
            a = self._signed(given[0], signed)
            b = self._as(given[1], a.dtype)
            return Code(form.format(a.operand, b.operand), a.dtype, atomic="T." in form)
        if name in _EXTREMES:
            word, signed = _EXTREMES[name]
            a, b = self._matched(self._signed(given[0], signed), self._signed(given[1], signed))
            return Code(f"T.{word}({a.text}, {b.text})", a.dtype)
        if name in _LOGIC:
            a, b = self._matched(*given)
            word = _LOGIC[name][not kind.startswith("bool")]
            return Code(f"T.{word}({a.text}, {b.text})", a.dtype)
        if name == "arith.xori" and not kind.startswith("bool"):
            a, b = self._matched(*given)
            return Code(f"T.bitwise_xor({a.text}, {b.text})", a.dtype)
        if name == "arith.negf":
            return Code(f"-{given[0].operand}", kind, atomic=False)
        if name in _FUNCTIONS:
            return self._function(name, given, kind)
        if isinstance(op, CallIntrinsicOp):
            texts = [self._as(code, code.dtype).text for code in given]
            arguments = ", ".join([_quoted(kind), _quoted(op.intrin.data), "0", *texts])
            return Code(f"T.call_llvm_pure_intrin({arguments})", kind)
        if name == "math.absi" and not given[0].dtype.startswith("u"):
            return Code(f"T.abs({given[0].text})", given[0].dtype)
        if name == "arith.select":
            a, b = self._matched(given[1], given[2])
            if isinstance(op.results[0].type, VectorType) and given[0].dtype == "bool":
                return None  # one condition for all lanes
            if any(map(self._may_read_outside, op.operands[1:])):
                return None  # T.Select would compute the value that it chooses alone
            return Code(f"T.Select({given[0].text}, {a.text}, {b.text})", a.dtype)
        return self._conversion(op, given, kind)

    def _may_read_outside(self, value: SSAValue) -> bool:
        """Whether ``value`` is computed of an element whose index is not known to be inside by the
        extents of loops and of the variables of blocks."""
        waiting, seen = [value], {value}
        while waiting:
            op = waiting.pop().owner
            if not isinstance(op, Operation):
                continue
            if isinstance(op, LoadOp) and not self._is_inside(op):
                return True
            used = [*op.operands]
            for region in op.regions:
                end = region.block.last_op
                used += end.operands if end is not None else ()
            operands = [operand for operand in used if operand not in seen]
            seen.update(operands)
            waiting += operands
        return False

    def _is_inside(self, load: LoadOp) -> bool:
        assert isinstance(load.buffer.type, MemRefType)
        exprs = [
            self.index.compose(expr, load.operands_of_map) for expr in load.indices.data.results
        ]
        shape = zip(load.buffer.type.get_shape(), self.shapes[load.buffer], strict=True)
        extents = {dim: self._extent(dim) for expr in exprs for dim in expr.used_dims()}
        ranges = [
            (0, max(extent, 1) - 1) if isinstance(extent := extents.get(dim), int) else UNBOUNDED
            for dim in range(len(self.index.roots))
        ]
        for expr, (size, text) in zip(exprs, shape, strict=True):
            if size < 0:
                extent = extents[expr.position] if isinstance(expr, AffineDimExpr) else None
                if not isinstance(extent, SSAValue) or self.code(extent).text != text:
                    return False
                continue
            low, high = bounds(expr, ranges)
            if low is None or high is None or low < 0 or high >= size:
                return False
        return True

    def _extent(self, position: int) -> int | SSAValue | None:
        """How many values a loop or a variable of a block has."""
        root = self.index.roots[position]
        home = root.owner if isinstance(root, BlockArgument) else None
        parent = home.parent_op() if isinstance(home, Block) else None
        if isinstance(parent, ForOp) and root is parent.var:
            return parent.extent_value
        if isinstance(parent, BlockOp) and isinstance(root, BlockArgument):
            return parent.extents[root.index]
        return None

    def _function(self, name: str, given: list[Code], kind: str) -> Code | None:
        if given[0].constant and name in ("math.ctpop", "math.ctlz"):
            return None
        return Code(f"T.{_FUNCTIONS[name]}({', '.join(code.text for code in given)})", kind)

    def _conversion(self, op: Operation, given: list[Code], kind: str) -> Code | None:
        """Comparisons and conversions."""
        name = op.name
        if isinstance(op, arith.CmpiOp):
            return self._compare(op, given)
        if isinstance(op, arith.CmpfOp):
            sign = _FLOAT_COMPARE.get(op.predicate.value.data)
            if (
                sign is None
                or op.predicate.value.data == 13
                or (given[0].constant and given[1].constant)
            ):
                if op.predicate.value.data != 13:
                    return None
            return Code(f"{given[0].operand} {sign} {given[1].operand}", kind, atomic=False)
        if name in _CASTS and not given[0].constant:
            source, target = _CASTS[name]
            a = self._signed(given[0], source)
            if name == "arith.extui" and a.dtype == "bool":
                target = True
            dtype = kind if target is not False else f"u{kind}"
            if name == "arith.extui" and not a.dtype.startswith("bool"):
                dtype = f"u{kind}"
            if dtype.startswith("bool"):
                return None
            return Code(f'T.Cast("{dtype}", {a.text})', dtype)
        if name == "arith.index_cast" and kind == "int32":
            code = self.codes[op.operands[0]]
            # A sum of indices is no sum of their values as numbers.
            return code if code.dtype == "int32" and code.text.isidentifier() else None
        if isinstance(op, vector.BitcastOp):
            return Code(f'T.reinterpret("{kind}", {self._whole(op.source).text})', kind)
        if isinstance(op, vector.ExtractOp) and kind + "x1" == dtype_of(op.operands[0].type):
            source = self._whole(_bits(op.operands[0]))
            return Code(f'T.reinterpret("{kind}", {source.text})', kind)
        if isinstance(op, vector.ExtractOp) and isinstance(op.operands[0].type, VectorType):
            lane = list(op.static_position.get_values())
            if len(op.operands) == 1 and len(lane) == 1:
                return Code(f"T.Shuffle([{given[0].text}], [{lane[0]}])", kind)
        if isinstance(op, vector.ShuffleOp):
            lanes = [str(lane) for lane in op.mask.get_values()]
            texts = ", ".join(code.text for code in given)
            return Code(f"T.Shuffle([{texts}], [{', '.join(lanes)}])", kind)
        if name == "arith.bitcast":
            return Code(f'T.reinterpret("{kind}", {given[0].text})', kind)
        if (
            name == "vector.broadcast"
            and "x" in kind
            and not isinstance(op.operands[0].type, VectorType)
        ):
            lanes = kind.partition("x")[2]
            scalar = self._as(given[0], given[0].dtype)
            return Code(f"T.Broadcast({scalar.text}, {lanes})", f"{scalar.dtype}x{lanes}")
        return None

    def _whole(self, value: SSAValue) -> Code:
        """A vector of one lane as the scalar that it is of."""
        op = value.owner
        if isinstance(op, vector.BroadcastOp) and not isinstance(op.source.type, VectorType):
            if dtype_of(value.type).endswith("x1"):
                return self.code(op.source)
        return self.code(value)

    def _compare(self, op: arith.CmpiOp, given: list[Code]) -> Code | None:
        predicate = op.predicate.value.data
        sign = _COMPARE[predicate]
        if isinstance(op.lhs.type, IndexType):
            sides = [self.index.expr(side) for side in (op.lhs, op.rhs)]
            roots = [self.index.roots[dim] for side in sides for dim in side.used_dims()]
            if predicate >= 6 or not roots or any(_is_read(root) for root in roots):
                return None
            return Code(f"{given[0].operand} {sign} {given[1].operand}", "bool", atomic=False)
        if all(map(_is_affine, op.operands)) and any(map(_has_index, op.operands)):
            return None  # it would be a comparison of indices
        signed = None if predicate < 2 else predicate < 6
        a, b = self._matched(self._signed(given[0], signed), self._signed(given[1], signed))
        if (a.constant and b.constant) or a.dtype.startswith("bool") and predicate > 1:
            return None
        return Code(f"{a.operand} {sign} {b.operand}", dtype_of(op.result.type), atomic=False)

    def _raw(self, op: Operation, given: list[Code]) -> Code:
        """An operation by its name in the IR."""
        name = op.name
        if isinstance(op, arith.CmpiOp | arith.CmpfOp):
            predicate = str(op.predicate.value.data)
            name = f"{name}.{predicate}"
        if isinstance(op, vector.InsertOp | vector.ExtractOp):
            positions = list(op.static_position.get_values())
            if op.dynamic_position or len(positions) != 1:
                raise unsayable(op)
            name = f"{name}.{positions[0]}"
        if EXACT in op.attributes:
            name = f"{name}.exact"
        if not is_raw(name) or (op.attributes and set(op.attributes) != {EXACT}) or _has_flags(op):
            raise unsayable(op)
        operands = [
            self._as(code, code.dtype).text if code.constant else code.text for code in given
        ]
        option = f'dtype="{dtype_of(op.results[0].type)}"'
        if any(isinstance(operand.type, IndexType) for operand in op.operands):
            option += ', operands="index"'
        kind = dtype_of(op.results[0].type)
        return Code(f"T.scalar_op({', '.join([_quoted(name), *operands, option])})", kind)


_SEEN_THROUGH = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.FloorDivSIOp, arith.ExtSIOp, arith.ExtUIOp,
    arith.TruncIOp, arith.IndexCastOp, arith.ConstantOp,
)  # fmt: skip
"""What makes numbers of which an index would be an affine function, if it were written out."""


def _affine(expr: AffineExpr, root: object) -> Code:
    """An affine expression; ``root(n, nested)`` is the text of dimension n."""
    name = root  # a function of a position and whether it is an operand

    def atom(part: AffineExpr, nested: bool) -> str:
        if isinstance(part, AffineBinaryOpExpr):
            left, right = of(part.lhs), of(part.rhs)
            sign = {AffineBinaryOpKind.FloorDiv: "//", AffineBinaryOpKind.Mod: "%"}.get(part.kind)
            if part.kind is AffineBinaryOpKind.CeilDiv:
                left = of(part.lhs + part.rhs - 1)
                sign = "//"
            text = f"{left.operand} {sign or '*'} {right.operand}"
            return f"({text})" if nested else text
        return name(part.position, nested)  # pyright: ignore

    def of(whole: AffineExpr) -> Code:
        terms, constant = linear_terms(whole)
        kept = [(part, factor) for part, factor in terms.items() if factor]
        if not kept:
            return Code(_index(constant), "int32", atomic=constant >= 0, constant=True)
        # What is added comes first: a - b, not -b + a.
        kept.sort(key=lambda term: term[1] < 0)
        alone = len(kept) == 1 and not constant
        text = ""
        for part, factor in kept:
            size = abs(factor)
            if size == 1:
                word = atom(part, not (alone and factor == 1))
            else:
                word = f"{atom(part, True)} * {_index(size)}"
            if not text:
                text = word if factor > 0 else f"{atom(part, True)} * {_index(factor)}"
            else:
                text = f"{text} {'+' if factor > 0 else '-'} {word}"
        if constant:
            text = f"{text} {'+' if constant > 0 else '-'} {_index(abs(constant))}"
        simple = alone and kept[0][1] == 1 and not isinstance(kept[0][0], AffineBinaryOpExpr)
        return Code(text, "int32", atomic=simple)

    return of(expr)


def _index(value: int) -> str:
    return str(value) if -(2**31) <= value < 2**31 else f"T.int64({value})"


def _has_bare_stores(function: func.FuncOp) -> bool:
    """Whether statements stand in no block, which they would become one when they are read."""
    return any(
        isinstance(op, StoreOp) and not any(isinstance(around, BlockOp) for around in _around(op))
        for op in function.walk()
    )


def _around(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()


def _remainder(op: object) -> tuple[SSAValue, SSAValue] | None:
    """``a`` and ``b`` where ``op`` is ``a - (a // b) * b``, the remainder by a constant."""
    if not isinstance(op, arith.SubiOp) or not isinstance(op.rhs.owner, arith.MuliOp):
        return None
    product = op.rhs.owner
    quotient = product.lhs.owner
    if not isinstance(quotient, arith.FloorDivSIOp) or quotient.lhs != op.lhs:
        return None
    factors = [part.owner for part in (quotient.rhs, product.rhs)]
    if not all(isinstance(part, arith.ConstantOp) for part in factors):
        return None
    values = [part.value for part in factors if isinstance(part, arith.ConstantOp)]
    number = values[0]
    if values[0] != values[1] or not isinstance(number, IntegerAttr):
        return None
    return (op.lhs, quotient.rhs) if number.value.data not in (0, -1) else None


def _is_quotient_in_remainder(op: Operation) -> bool:
    """Whether ``op`` is the division in a remainder, which is written without it."""
    if not isinstance(op, arith.FloorDivSIOp):
        return False
    products = [use.operation for use in op.result.uses]
    return bool(products) and all(
        isinstance(product, arith.MuliOp)
        and all(_remainder(use.operation) is not None for use in product.result.uses)
        for product in products
    )


def _bits(value: SSAValue) -> SSAValue:
    """What a vector of one lane has the bits of."""
    op = value.owner
    return op.source if isinstance(op, vector.BitcastOp) else value


def _number(code: Code) -> int:
    return int(code.text.partition("(")[2].rstrip(")") or code.text)


def _quoted(text: str) -> str:
    """``text`` as a literal of Python, in ASCII."""

    def shown(char: str) -> str:
        if char in '"\\':
            return f"\\{char}"
        return char if char.isascii() and char.isprintable() else ascii(char)[1:-1]

    return f'"{"".join(map(shown, text))}"'


def _is_plain(op: ForOp) -> bool:
    notes = op.attributes or (op.annotations is not None and op.annotations.data)
    return op.kind.data is ForKind.SERIAL and not notes


def _attributes(attributes: Mapping[str, Attribute]) -> list[str]:
    """The attributes of an operation, as annotations."""
    return [
        f"{_quoted(OF_THE_IR + key)}: {_quoted(str(value))}" for key, value in attributes.items()
    ]


def _text_over(expr: AffineExpr, names: Sequence[str]) -> str:
    """An expression over dimensions with ``names``."""
    return _affine(expr, lambda n, _: names[n]).text


def _has_flags(op: Operation) -> bool:
    flags = op.properties.get("fastmath")
    if flags is not None and "none" not in str(flags):
        return True
    overflow = op.properties.get("overflowFlags")
    return overflow is not None and "none" not in str(overflow)


def _is_read(value: SSAValue | None) -> bool:
    """Whether an index is made of a number that is read or computed."""
    return value is not None and isinstance(value.owner, arith.IndexCastOp)


def _is_affine(value: SSAValue) -> bool:
    """Whether a number may be read as an affine function of axes and sizes, or a constant."""
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp | arith.ConstantOp):
        return True
    return isinstance(owner, _SEEN_THROUGH) and all(map(_is_affine, owner.operands))


def _has_index(value: SSAValue) -> bool:
    """Whether a number for which :func:`_is_affine` holds is made of an index."""
    owner = value.owner
    assert isinstance(owner, Operation)
    return isinstance(owner, arith.IndexCastOp) or any(map(_has_index, owner.operands))


LONGEST = 200
"""Characters of an expression of vectors from which on it gets a name, also if it needs no
parentheses: in networks of many steps, of which each uses the one before twice, texts would double
in each of them."""


def _ramp(op: arith.ConstantOp, values: Sequence[Any], dtype: str) -> Code:
    """Lanes that are numbers in equal steps."""
    kind, _, lanes = dtype.partition("x")
    steps = (
        {later - value for value, later in itertools.pairwise(values)}
        if kind.startswith("int")
        else ()
    )
    if len(steps) != 1:
        raise unsayable(op)
    (step,) = steps
    return Code(f"T.Ramp(T.{kind}({values[0]}), T.{kind}({step}), {lanes})", dtype)


def _constant(op: arith.ConstantOp) -> Code:
    value, dtype = op.value, dtype_of(op.result.type)
    if isinstance(value, DenseIntOrFPElementsAttr):
        values = list(value.get_values())
        if len(set(map(repr, values))) != 1:
            return _ramp(op, values, dtype)
        number = values[0]
    else:
        assert isinstance(value, IntegerAttr | FloatAttr)
        number = value.value.data
    if isinstance(number, float) and not math.isfinite(number):
        return Code(f'T.{dtype}("{number}")', dtype)
    if dtype.startswith("bool"):
        return Code(f"T.{dtype}({bool(number)})", dtype)
    if "float" in dtype:
        return Code(f"T.{dtype}({number!r})", dtype)
    if dtype == "int32":
        text = str(number)
        return Code(text, dtype, atomic=not text.startswith("-"), constant=True)
    return Code(f"T.{dtype}({number})", dtype, constant="x" not in dtype)


def _constant_text(op: Operation, value: Attribute) -> str:
    if not isinstance(value, IntegerAttr | FloatAttr):
        raise unsayable(op)
    code = _constant(arith.ConstantOp(value))
    return f"T.int32({code.text})" if code.text.lstrip("-").isdecimal() else code.text


def _python(attr: Attribute, op: Operation) -> str:
    """The value of an annotation as Python writes it."""
    match attr:
        case UnitAttr():
            return "None"
        case StringAttr():
            return _quoted(attr.data)
        case IntegerAttr():
            if attr.type == IntegerType(1):
                return str(bool(attr.value.data))
            if attr.type == IntegerType(64):
                return str(attr.value.data)
        case FloatAttr():
            if str(attr.type) == "f64":
                return repr(attr.value.data)
        case ArrayAttr():
            return f"[{', '.join(_python(part, op) for part in attr)}]"
        case DictionaryAttr():
            pairs = [f"{_quoted(key)}: {_python(part, op)}" for key, part in attr.data.items()]
            return f"{{{', '.join(pairs)}}}"
        case _:
            pass
    raise unsayable(op)
