"""Loops in the form of TVM's printer: ``print(tvm.lower(s, args, simple_mode=True))``.

::

    @main = primfn(A_1: handle, B_1: handle) -> ()
      attr = {"global_symbol": "main", "tir.noalias": True}
      buffers = {A: Buffer(A_2: Pointer(float32), float32, [1024], []),
                 B: Buffer(B_2: Pointer(float32), float32, [1024], [])}
      buffer_map = {A_1: A, B_1: B} {
      for (i_o: int32, 0, 32) "parallel" {
        B_2[ramp((i_o*32), 1, 32)] = ((float32x32*)A_2[ramp((i_o*32), 1, 32)] + broadcast(1f32, 32))
      }
    }

The text is a view and cannot be read back. As in TVM, blocks are lowered, reductions have separate
initialization loops, buffers are flat and have the size that is used, vectorized loops are vector
operations (except loops that need masks), and unrolled loops are copies of their bodies. A buffer
is allocated at the beginning of the outermost serial loop. Names are kc's: ``i_o``, ``C_global``
for TVM's ``i.outer``, ``C.global``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from xdsl.dialects import func, memref, scf, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass

from kc.analysis.module_copy import copy_module
from kc.dialects import te
from kc.dialects.tir import (
    AllocOp,
    CallOp,
    ConditionOp,
    ForKind,
    ForKindAttr,
    ForOp,
    IfOp,
    PrefetchOp,
    StoreOp,
    SymbolOp,
    ViewOp,
    symbol_names,
)
from kc.dialects.tir.calls import STARTS, CallExternOp
from kc.dialects.tir.views import strides_of
from kc.support.pass_context import pipeline_options
from kc.support.registry import context, get_pass
from kc.tvm.listing.buffers import Buffer, Buffers, lanes_of
from kc.tvm.listing.expressions import Expressions, Names, Text, dtype_text, product, unprintable
from kc.tvm.listing.te_text import te_text

_LOWERING = (
    "plan-software-pipeline",
    "lower-init-block",
    "compact-buffer-allocation",
    "lower-blocks",
    "inject-software-pipeline",
    "inject-double-buffer",
    "align-storage",
    "apply-strides",
    "vectorize-loop",
    "unroll-loop",
)


def listing_text(module: ModuleOp) -> str:
    """The functions of a module in TVM's text form, lowered with the options of the current
    PassContext.

    Raises CodegenError KC4330 for an operation outside ``te`` and ``tir``, and the passes' errors.
    """
    copy = copy_module(module)
    options = pipeline_options()
    added_passes = {added.name: added for passes in options.added.values() for added in passes}
    for pass_name in _LOWERING:
        name = options.replaced.get(pass_name, pass_name)
        if name is None:
            continue
        pass_ = added_passes.get(name) or get_pass(name)
        if pass_name == "vectorize-loop":
            _keep_masked_loops(copy, pass_)
        pass_.apply(context(), copy)
    texts: list[str] = []
    for op in copy.body.ops:
        if isinstance(op, te.FuncOp):
            texts.append(te_text(op))
        elif isinstance(op, func.FuncOp):
            if op.body.blocks:
                texts.append(_Function(op).text())
        else:
            raise unprintable(op)
    return "\n\n".join(texts) + "\n"


def _keep_masked_loops(module: ModuleOp, vectorize: ModulePass) -> None:
    """Make vectorized loops serial if their vectors need masks: TVM has no masks, and keeps such
    loops.
    """

    def vectorized(within: ModuleOp) -> list[ForOp]:
        loops = (op for op in within.walk() if isinstance(op, ForOp))
        return [loop for loop in loops if loop.kind.data is ForKind.VECTORIZED]

    def has_masks(only: int | None = None) -> bool:
        copy = copy_module(module)
        for n, loop in enumerate(vectorized(copy)):
            if only not in (None, n):
                loop.kind = ForKindAttr(ForKind.SERIAL)
        vectorize.apply(context(), copy)
        return any(isinstance(op, vector.MaskedLoadOp | vector.MaskedStoreOp) for op in copy.walk())

    loops = vectorized(module)
    if loops and has_masks():
        for masked in [loop for n, loop in enumerate(loops) if has_masks(n)]:
            masked.kind = ForKindAttr(ForKind.SERIAL)


Lines = list[str]


def _indented(lines: Lines) -> Lines:
    return [f"  {line}" for line in lines]


class _Function:
    """Prints one function."""

    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        self.names = Names()
        self.buffers = Buffers()
        self.code = self.buffers.code
        self.declared: set[str] = set()
        self.symbols: dict[str, str] = {}
        self.homes: dict[Operation | None, list[AllocOp]] = {}
        self.threads: dict[str, str] = {}
        self.done: set[Operation] = set()
        self.reading: dict[SSAValue, Text] = {}

    # The head ------------------------------------------------------------------------------

    def text(self) -> str:
        name = self.function.sym_name.data
        lines, sep = self._head(), ",\n" + " " * 13
        parameters, buffers, pairs = lines
        body = self._scope(self.function.body.block, None)
        return "\n".join(
            [
                f"@{name} = primfn({', '.join(parameters)}) -> ()",
                f'  attr = {{"global_symbol": {json.dumps(name)}, "tir.noalias": True}}',
                f"  buffers = {{{sep.join(buffers)}}}",
                f"  buffer_map = {{{', '.join(pairs)}}} {{",
                *_indented(body),
                "}",
            ]
        )

    def _head(self) -> tuple[Lines, Lines, Lines]:
        """Parameters, descriptions of buffers, and which parameter is which buffer."""
        arguments = list(self.function.body.block.args)
        self._place_allocations()
        named = [self.names.unique(self._argument_name(n)) for n in range(len(arguments))]
        parameters, buffers, pairs = [], [], []
        for value, name in zip(arguments, named, strict=True):
            if isinstance(value.type, MemRefType):
                handle = self.names.unique(name)
                parameters.append(f"{handle}: handle")
                pairs.append(f"{handle}: {name}")
                continue
            parameters.append(f"{name}: {dtype_text(value.type)}")
            self.code.texts[value] = Text(name)
            symbol = self._attribute(value, "kc.symbol")
            if isinstance(symbol, StringAttr):
                self.symbols[symbol.data] = name
                self.declared.add(name)
        for value, name in zip(arguments, named, strict=True):
            if isinstance(value.type, MemRefType):
                buffers.append(self._describe(value, name))
        return parameters, buffers, pairs

    def _attribute(self, value: SSAValue, key: str) -> object:
        attrs = self.function.arg_attrs
        index = value.index  # pyright: ignore[reportAttributeAccessIssue]
        return None if attrs is None else attrs.data[index].data.get(key)

    def _argument_name(self, n: int) -> str:
        value = self.function.body.block.args[n]
        name = self._attribute(value, "kc.name")
        return name.data if isinstance(name, StringAttr) else value.name_hint or f"arg{n}"

    def _describe(self, value: SSAValue, name: str) -> str:
        """``A: Buffer(A_2: Pointer(float32), float32, [n: int32, 4], [])``, and note the buffer."""
        kind = value.type
        assert isinstance(kind, MemRefType)
        own = self._attribute(value, "kc.dtype")
        dtype = own.data if isinstance(own, StringAttr) else dtype_text(kind.element_type)
        buffer = Buffer(self.names.unique(name), dtype, self._shape(value), strides_of(kind))
        plain = kind.layout.name == "none"
        named = self._attribute(value, "kc.strides")
        names = list(named.data) if isinstance(named, ArrayAttr) else [None] * len(buffer.strides)
        pairs = zip(buffer.strides, names, strict=True)
        steps = [] if plain else [self._step(stride, text) for stride, text in pairs]
        self.buffers.note(value, buffer, steps)
        shape = ", ".join(self._declaring(size) for size in buffer.shape)
        strides = ", ".join(self._declaring(step) for step in steps)
        return f"{name}: Buffer({buffer.data}: Pointer({dtype}), {dtype}, [{shape}], [{strides}])"

    def _step(self, stride: int | None, name: object) -> str:
        if stride is not None:
            return str(stride)
        return self._symbol(name.data if isinstance(name, StringAttr) else "stride")

    def _declaring(self, text: str) -> str:
        """A size, followed by its type at the first mention."""
        if not text.isidentifier() or text in self.declared:
            return text
        self.declared.add(text)
        return f"{text}: int32"

    def _symbol(self, name: str) -> str:
        if name not in self.symbols:
            self.symbols[name] = self.names.unique(name)
        return self.symbols[name]

    def _shape(self, value: SSAValue) -> list[str]:
        kind = value.type
        assert isinstance(kind, MemRefType)
        shape = self._attribute(value, "kc.shape")
        sizes = [str(size) if size >= 0 else "" for size in kind.get_shape()]
        if isinstance(shape, AffineMapAttr):
            symbols = symbol_names(self.function)
            local = Expressions(self.buffers.load)
            roots = [local.index.dimension(value, (0, None)) for _ in symbols]
            for n, expr in enumerate(shape.data.results):
                if not sizes[n]:
                    over = expr.replace_dims_and_symbols((), roots)
                    sizes[n] = _named(local, over, [self._symbol(symbol) for symbol in symbols])
        return [size or self.names.unique("dim") for size in sizes]

    # Statements ----------------------------------------------------------------------------

    def _place_allocations(self) -> None:
        """Choose the loop in which each buffer of constant size is allocated: outside the enclosing
        serial loops.
        """
        for op in self.function.walk():
            if isinstance(op, AllocOp) and not op.dynamic_sizes:
                home = op.parent_op()
                while isinstance(home, ForOp | IfOp) and not (
                    isinstance(home, ForOp) and home.kind.data in (ForKind.PARALLEL, ForKind.THREAD)
                ):
                    home = home.parent_op()
                self.homes.setdefault(home if isinstance(home, ForOp) else None, []).append(op)

    def _scope(self, block: Block, home: Operation | None) -> Lines:
        """The statements of a block; ``home`` is the loop whose body the block is."""
        items: list[tuple[bool, Lines]] = []
        if home is None or home in self.homes:
            items += [(True, [self._allocate(alloc)]) for alloc in self.homes.pop(home, [])]
        for op in block.ops:
            if isinstance(op, AllocOp):
                if op.dynamic_sizes:
                    items.append((True, [self._allocate(op)]))
            else:
                items += [(False, lines) for lines in self._statements(op)]
        body: list[Lines] = []
        for allocates, lines in reversed(items):
            if not allocates:
                body.insert(0, lines)
                continue
            inside = [line for part in body for line in part]
            if len(body) == 1:
                body = [[f"{lines[0]};", *inside]]
            else:
                body = [[f"{lines[0]} {{", *_indented(inside), "}"]]
        return [line for part in body for line in part]

    def _allocate(self, op: AllocOp) -> str:
        kind = op.buffer.type
        assert isinstance(kind, MemRefType)
        name = self.names.unique(op.label)
        sizes = iter([self.code.text(size) for size in op.dynamic_sizes])
        shape = [str(size) if size >= 0 else next(sizes) for size in kind.get_shape()]
        own = op.attributes.get("kc.dtype")
        dtype = own.data if isinstance(own, StringAttr) else dtype_text(kind.element_type)
        buffer = Buffer(name, dtype, shape, strides_of(kind))
        self.buffers.note(op.buffer, buffer)
        extent = product(shape) if op.dynamic_sizes else ""
        shown = dtype
        if not op.dynamic_sizes:
            elements = 1 + sum(
                (size - 1) * (stride or 0)
                for size, stride in zip(kind.get_shape(), buffer.strides, strict=True)
            )
            if kind.layout.name == "none":
                elements = math.prod(kind.get_shape())
            lanes = lanes_of(op)
            if lanes > 1 and elements % lanes == 0:
                elements, shown = elements // lanes, f"{dtype}x{lanes}"
            extent = str(elements)
        space = kind.memory_space
        scope = space.data if isinstance(space, StringAttr) else "global"
        pointer = f"{name}: Pointer({scope} {shown})"
        return f"allocate({pointer}, {shown}, [{extent}]), storage_scope = {scope}"

    def _statements(self, op: Operation) -> list[Lines]:
        """The statements of ``op``; none for a value that is printed at its use."""
        if isinstance(op, SymbolOp):
            self.code.texts[op.result] = Text(self._symbol(op.symbol.data))
            return []
        if isinstance(op, ViewOp):
            self.buffers.view(op)
            return []
        if isinstance(op, memref.DimOp):
            self.code.texts[op.result] = Text(self.buffers.size(op))
            return []
        if isinstance(op, func.ReturnOp | scf.YieldOp | ConditionOp):
            return []
        if isinstance(op, CallExternOp) and op.results:
            return self._called(op)
        if isinstance(op, ForOp | IfOp | StoreOp | PrefetchOp | CallOp | CallExternOp):
            return self._effect(op)
        if isinstance(op, scf.IfOp) and not op.results:
            return self._effect(op)
        if isinstance(op, scf.IfOp) or (op.results and not op.regions):
            return self._value(op)
        raise unprintable(op)

    def _value(self, op: Operation) -> list[Lines]:
        self.done.update(op.walk())
        statements: list[Lines] = []
        for result in op.results:
            text = self.code.expression(result)
            uses = sum(1 for _ in result.uses)
            if uses > 1 and not text.simple:
                statements.append([self._let(result, text)])
            elif text.reads and uses:
                self.reading[result] = text
        return statements

    def _called(self, op: CallExternOp) -> list[Lines]:
        """A call with a result: an expression if the call is pure, else a statement at its
        position.
        """
        self.code.texts[op.results[0]] = Text(self._head_of(op), simple=False)
        if op.is_pure:
            return self._value(op)
        *lets, (line,) = self._effect(op)
        used = op.results[0].first_use is not None
        return [*lets, [self._let(op.results[0], Text(line)) if used else line]]

    def _let(self, value: SSAValue, text: Text) -> str:
        name = self.names.unique(value.name_hint or "cse_var")
        self.code.texts[value] = Text(name)
        self.reading.pop(value, None)
        return f"let {name}: {dtype_text(value.type)} = {text.text}"

    def _effect(self, op: Operation) -> list[Lines]:
        self.done.add(op)
        head = self._head_of(op)
        lets: list[Lines] = []
        for value, text in list(self.reading.items()):
            if all(use.operation in self.done for use in value.uses):
                del self.reading[value]
            else:  # the value must be read before this statement
                lets.append([self._let(value, text)])
        lines = [head]
        if isinstance(op, ForOp):
            lines = self._loop(op, head)
        elif isinstance(op, IfOp):
            lines = [f"{head} {{", *_indented(self._scope(op.then.block, op))]
            if op.orelse.blocks:
                lines += ["} else {", *_indented(self._scope(op.orelse.block, op))]
            lines.append("}")
        elif isinstance(op, scf.IfOp):
            lines = [f"{head} {{", *_indented(self._scope(op.true_region.block, op))]
            otherwise = op.false_region.blocks
            if otherwise and not isinstance(otherwise[0].first_op, scf.YieldOp | None):
                lines += ["} else {", *_indented(self._scope(otherwise[0], op))]
            lines.append("}")
        return [*lets, lines]

    def _head_of(self, op: Operation) -> str:
        if isinstance(op, StoreOp):
            place = self.buffers.place(op.buffer, op.indices, op.operands_of_map, op.value)
            return f"{place} = {self.code.text(op.value)}"
        if isinstance(op, ForOp):
            return self._loop_head(op)
        if isinstance(op, IfOp):
            condition = self.code.condition(op.condition.data, op.operands_of_set)
            return f"if @tir.likely({condition}, dtype=bool)"
        if isinstance(op, PrefetchOp):
            place = self.buffers.place(op.buffer, op.indices, op.operands_of_map, None)
            address = f"@tir.address_of({place}, dtype=handle)"
            return f"@tir.prefetch({address}, 0, 3, 1, dtype=handle)"
        if isinstance(op, scf.IfOp):
            return f"if {self.code.text(op.cond)}"
        assert isinstance(op, CallOp | CallExternOp)
        texts = [
            self.buffers.pointer(arg) if arg in self.buffers.buffer_of else self.code.text(arg)
            for arg in op.arguments
        ]
        if isinstance(op, CallExternOp) and STARTS in op.attributes:
            texts = [
                texts[n].replace("[0]", f"[{', '.join(texts[start] for start in starts)}]")
                if starts
                else texts[n]
                for n, starts in op.passed
            ]
        values = iter(texts)
        if isinstance(op, CallOp):
            callee = _quoted(op.callee.string_value())
            return f"@tir.call_extern({', '.join([callee, *values])}, dtype=int32)"
        operands = [
            _quoted(text.data) if isinstance(text, StringAttr) else next(values)
            for text in (op.texts if op.is_packed else texts)
        ]
        name = "tvm_call_packed" if op.is_packed else "call_extern"
        name = "call_pure_extern" if op.is_pure else name
        dtype = dtype_text(op.results[0].type) if op.results else "int32"
        return f"@tir.{name}({', '.join([_quoted(op.label), *operands])}, dtype={dtype})"

    def _loop_head(self, op: ForOp) -> str:
        if op.kind.data is ForKind.WHILE:
            condition = op.condition
            if condition is None or op.repeated is None:
                raise unprintable(op)
            return f"while ({self.code.text(condition.condition)})"
        extent = op.extent_value
        size = str(extent) if isinstance(extent, int) else self.code.text(extent)
        axis = op.axis
        if axis is None:
            name = self.names.unique(op.label)
            self.code.texts[op.var] = Text(name)
            kind = "" if op.kind.data is ForKind.SERIAL else f' "{op.kind.data.value}"'
            return f"for ({name}: int32, 0, {size}){kind}"
        virtual = axis.startswith("vthread")
        declared = axis in self.threads and not virtual
        name = self.threads[axis] if declared else self.names.unique(axis)
        self.threads[axis] = name
        self.code.texts[op.var] = Text(name)
        shown = name if declared else f"{name}: int32"
        key = "virtual_thread" if virtual else "thread_extent"
        return f'attr [IterVar({shown}, (nullptr), "ThreadIndex", "{axis}")] "{key}" = {size}'

    def _loop(self, op: ForOp, head: str) -> Lines:
        repeated = op.repeated if op.kind.data is ForKind.WHILE else None
        if repeated is not None:
            for inner in op.body.block.ops:
                self.done.add(inner)
            return [f"{head} {{", *_indented(self._scope(repeated.then.block, op)), "}"]
        body = self._scope(op.body.block, op)
        if op.axis is None:
            return [f"{head} {{", *_indented(body), "}"]
        if sum(not line.startswith((" ", "}")) for line in body) == 1:
            return [f"{head};", *body]
        return [f"{head} {{", *_indented(body), "}"]


def _quoted(text: str) -> str:
    return json.dumps(text)


def _named(code: Expressions, expr: AffineExpr, names: Sequence[str]) -> str:
    """``expr`` over dimensions that have these names."""
    stand_ins = [te.SymbolOp(name) for name in names]
    for n, stand_in in enumerate(stand_ins):
        code.index.roots[n] = stand_in.result
        code.texts[stand_in.result] = Text(names[n])
    return code.affine(expr)
