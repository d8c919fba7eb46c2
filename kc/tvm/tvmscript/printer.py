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

import keyword
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineDimExpr,
)

from kc.analysis.affine.index_reader import AFFINE_OPS
from kc.analysis.trust import UNSAFE_ATTRIBUTE
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
from kc.dialects.unscheduled import UNSCHEDULED, is_unscheduled
from kc.support.c_names import to_identifier
from kc.tir.prim_func import AS_WRITTEN, NAME
from kc.tir.size_requirements_text import requirements_text
from kc.tir.stmt import OF_THE_IR
from kc.tvm.tvmscript.affine_text import affine_text, text_over
from kc.tvm.tvmscript.expression_printer import ExpressionPrinter, is_quotient_in_remainder
from kc.tvm.tvmscript.literals import (
    ALWAYS,
    Code,
    constant_text,
    dtype_of,
    python_text,
    quoted,
    unsayable,
)

FUNCTION_HEADER = "# from kc.script import tir as T\n"
HEADER = "# from kc.script import ir as I\n" + FUNCTION_HEADER

_INDENT = "    "
_LETTERS = {IterType.SPATIAL: "S", IterType.REDUCE: "R"}
_AXES = {IterType.SPATIAL: "spatial", IterType.REDUCE: "reduce", IterType.OPAQUE: "opaque"}
_LOOPS = {
    ForKind.SERIAL: "serial",
    ForKind.PARALLEL: "parallel",
    ForKind.VECTORIZED: "vectorized",
    ForKind.UNROLLED: "unroll",
}


def script_text(module: ModuleOp) -> str:
    """The functions of a module. Raises CodegenError KC4331 for an operation that TVMScript
    lacks.
    """
    lines = ["@I.ir_module", "class Module:"]
    labels = _Names()
    for op in module.body.ops:
        if not isinstance(op, func.FuncOp):
            raise unsayable(op)
        if op.body.blocks:
            printer = FunctionPrinter(op, labels.fresh(op.sym_name.data))
            lines += [f"{_INDENT}{line}" if line else "" for line in printer.lines()] + [""]
    return HEADER + "\n" + "\n".join(lines).rstrip() + "\n"


def function_text(function: func.FuncOp) -> tuple[str, dict[str, str]]:
    """The text of a single function, and the names of its sizes in the text. Raises as
    :func:`script_text`.
    """
    printer = FunctionPrinter(function, _Names().fresh(function.sym_name.data))
    lines = [FUNCTION_HEADER, *printer.lines()]
    return "\n".join(lines).rstrip() + "\n", dict(printer.symbols)


class _Names:
    """Names of Python, each for one thing in the statements around."""

    def __init__(self) -> None:
        self.taken: list[set[str]] = [{"T", "I"}]

    def fresh(self, name: str) -> str:
        """``name``, with a numeric suffix if it is already in scope."""
        base = to_identifier(name)
        base = base if base.isidentifier() else f"v_{base}"
        chosen, n = base, 0
        while any(chosen in names for names in self.taken) or _is_word(chosen):
            n += 1
            chosen = f"{base}_{n}"
        self.taken[-1].add(chosen)
        return chosen


def _is_word(name: str) -> bool:
    """True if a name has a meaning in Python or TVMScript."""
    return keyword.iskeyword(name) or name in ("int", "float", "bool")


class FunctionPrinter(ExpressionPrinter):
    """Prints one function: its head, and its statements."""

    def __init__(self, function: func.FuncOp, label: str) -> None:
        """``label`` is the name of the function in Python."""
        super().__init__()
        self.function = function
        self.label = label
        self.names = _Names()
        self.times: dict[Operation, int] = {}
        self.late: dict[SSAValue, bool] = {}
        self.loops: dict[SSAValue, str] = {}
        """The variables of loops."""

    # The head ------------------------------------------------------------------------------

    def lines(self) -> list[str]:
        """The lines of the function in TVMScript."""
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
        attributes = [] if name == self.label else [f'"{NAME}": {quoted(name)}']
        if _has_bare_stores(self.function):
            attributes.append(f'"{AS_WRITTEN}": True')
        if is_unscheduled(self.function):
            attributes.append(f'"{UNSCHEDULED}": True')
        required = requirements_of(self.function)
        if required:
            sizes = [self.symbols[symbol] for symbol in symbols]
            attributes.append(requirements_text(required, sizes, text_over))
        if attributes:
            start.append(f"T.func_attr({{{', '.join(attributes)}}})")
        statements = [*start, *matches, *self._block(body)]
        head += [f"{_INDENT}{line}" for line in statements or ["T.evaluate(0)"]]
        return head

    def _attribute(self, value: SSAValue, key: str) -> str | None:
        attr = self._argument_attr(value, key)
        return attr.data if isinstance(attr, StringAttr) else None

    def _argument_attr(self, value: SSAValue, key: str) -> Attribute | None:
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
        """The names of the strides that the caller passes."""
        names: dict[str, str] = {}
        for value in self.function.body.block.args:
            strides_attr = self._argument_attr(value, "kc.strides")
            for stride in strides_attr.data if isinstance(strides_attr, ArrayAttr) else ():
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
            options.append(f"scope={quoted(scope.data)}")
        arguments = ", ".join([f"({', '.join(shape)}{',' * (len(shape) == 1)})", f'"{dtype}"'])
        if not options and all(size.isdecimal() for size in shape):
            return f"{name}: T.Buffer({arguments})"
        handle = self.names.fresh(f"var_{name}")
        matches.append(f"{name} = T.match_buffer({', '.join([handle, arguments, *options])})")
        return f"{handle}: T.handle"

    def _layout(self, value: SSAValue, strides: Mapping[str, str]) -> list[str]:
        kind = value.type
        assert isinstance(kind, MemRefType)
        named = self._argument_attr(value, "kc.strides")
        declared_strides = list(named.data) if isinstance(named, ArrayAttr) else []
        if kind.layout.name == "none" and not declared_strides:
            return []
        strides_listed = kind.get_strides() or ()
        if declared_strides:
            strides_listed = [
                step.value.data if isinstance(step, IntegerAttr) else None
                for step in declared_strides
            ]
        texts: list[str] = []
        for n, stride in enumerate(strides_listed):
            if stride is not None:
                texts.append(str(stride))
            elif n < len(declared_strides) and isinstance(declared_strides[n], StringAttr):
                text = declared_strides[n].data
                texts.append(strides.get(text) or self.symbols[text])
            else:
                raise unsayable(self.function)
        return [f"strides=[{', '.join(texts)}]"]

    def _shape(self, value: SSAValue) -> list[str]:
        kind = value.type
        assert isinstance(kind, MemRefType)
        shape = self._argument_attr(value, "kc.shape")
        sizes = [str(size) if size >= 0 else "" for size in kind.get_shape()]
        if not isinstance(shape, AffineMapAttr):
            if not all(sizes):
                raise unsayable(self.function)
            return sizes
        names = list(self.symbols.values())
        for n, expr in enumerate(shape.data.results):
            if not sizes[n]:
                sizes[n] = affine_text(expr, lambda atom, _: names[atom]).text
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
        """True if a value that reads memory is used after another statement."""
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
        """A statement that names a value, if the value has several uses or must be read before its
        use.
        """
        op = value.owner
        if isinstance(value.type, IndexType):
            if isinstance(op, AFFINE_OPS):
                expr = self.index.expr(value)
                if isinstance(expr, AffineDimExpr) and self.index.roots[expr.position] == value:
                    return self._index_statement(op)
            return []
        uses = sum(1 for use in value.uses if not is_quotient_in_remainder(use.operation))
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
        """Statements that name the non-affine indices."""
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
        return [f"{names[0]} = T.index_op({', '.join([quoted(op.name), *operands])})"]

    def _nest(self, op: ForOp) -> list[ForOp]:
        """The perfect nest of plain loops that starts at ``op``."""
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
        """``while CONDITION:``. Nothing but the condition uses the values that it needs."""
        repeated, condition_op = op.repeated, op.condition
        if repeated is None or condition_op is None:
            raise unsayable(op)
        condition = self.code(condition_op.condition).text
        return [f"while {condition}:", *self._inside(repeated.then.block)]

    def _notes(self, op: Operation, attributes: DictionaryAttr | None) -> str:
        pairs = [
            f"{quoted(key)}: {python_text(part, op)}"
            for key, part in (attributes.data.items() if attributes is not None else ())
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
        if where != ALWAYS:
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
        return [f"with T.block({quoted(op.label)}):", *body]

    def _is_loop(self, op: BlockOp, n: int) -> bool:
        """True if a block's variable is bound to a loop's variable over its whole range."""
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
        option = f", scope={quoted(scope.data)}" if isinstance(scope, StringAttr) else ""
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
        option = f", scope={quoted(space.data)}" if isinstance(space, StringAttr) else ""
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
        identity = ", ".join(constant_text(op, value) for value in op.identity)
        targets: list[str] = []
        for value, dtype in zip(op.combined, types, strict=False):
            targets.append(self.names.fresh(value.name_hint or "combined"))
            self.codes[value] = Code(targets[-1], dtype)
        arguments = [quoted(op.label), *groups, f"lambda {', '.join(names)}: ({body},)"]
        left = f"{', '.join(targets)}{',' * (len(targets) == 1)}"
        unsafe = ", unsafe=True" if UNSAFE_ATTRIBUTE in op.attributes else ""
        return f"{left} = T.combine({', '.join(arguments)}, identity=[{identity}]{unsafe})"

    def _call_statement(self, op: CallExternOp) -> list[str]:
        text = self._call(op)
        if op.results and op.results[0].first_use is not None:
            return [self._let(op.results[0], Code(text, self._result_type(op)))]
        return [f"T.evaluate({text})" if op.is_packed or not op.results else text]


def _has_bare_stores(function: func.FuncOp) -> bool:
    """True if some store is in no block. Reading the text would put such statements in a block."""
    return any(
        isinstance(op, StoreOp) and not any(isinstance(around, BlockOp) for around in _around(op))
        for op in function.walk()
    )


def _around(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()


def _is_plain(op: ForOp) -> bool:
    notes = op.attributes or (op.annotations is not None and op.annotations.data)
    return op.kind.data is ForKind.SERIAL and not notes


def _attributes(attributes: Mapping[str, Attribute]) -> list[str]:
    """The attributes of an operation, as annotations."""
    return [f"{quoted(OF_THE_IR + key)}: {quoted(str(value))}" for key, value in attributes.items()]


LONGEST = 200
"""The number of characters from which a vector expression gets a name, even if it needs no
parentheses. In networks of many steps, each of which uses the previous step twice, the text would
otherwise double with each step.
"""
