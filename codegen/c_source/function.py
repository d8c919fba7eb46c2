"""Functions of scf, memref and scalar arith and math as C functions.

A value with one use is written at its use, unless an operation in between may change the memory
that it reads. Other values get a variable.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from kc.codegen.c_source.expressions import (
    LESS,
    OR,
    PLUS,
    PRIMARY,
    TERNARY,
    TIMES,
    UNARY,
    Code,
    Expressions,
    is_decided,
)
from kc.codegen.c_source.tables import table_name
from kc.conversion._foreign_calls import POINTERS
from kc.conversion.convert_to_llvm.types import CPU_SCOPES
from kc.dialects.memref import PrefetchOp
from kc.dialects.tir.workers import NumThreadsOp, ThreadNumberOp
from kc.support.c_names import to_identifier
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of

STACK = 1 << 14
"""The maximum size in bytes of an array on the stack; larger arrays are allocated on the heap."""


_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class FunctionPrinter:
    """Prints one function. ``functions`` are the names in C of all functions of the module."""

    def __init__(
        self, function: func.FuncOp, expressions: Expressions, functions: Mapping[str, str]
    ) -> None:
        self.function = function
        self.expressions = expressions
        self.lines: list[str] = []
        self._variables: dict[int, str] = {}  # by the line numbers of their definitions
        self.indent = 1
        self._functions = functions
        self._names: set[str] = {*expressions.language.words, *functions.values()}
        self._code: dict[SSAValue, Code] = {}
        self._waiting: dict[SSAValue, Operation] = {}
        self._shapes: dict[SSAValue, list[Code]] = {}
        self._live: dict[Operation, bool] = {}
        self._heap: set[SSAValue] = set()
        self._parameters: list[str] = []
        self._writes: set[SSAValue] | None = None

    # Names ---------------------------------------------------------------------------------

    def fresh(self, hint: str | None, default: str = "v") -> str:
        """An unused name in the function."""
        base = to_identifier(hint or default)
        if not base or base[0].isdigit():
            base = f"{default}{base}"
        base = re.sub(r"^(_+|(?=kc_))", "v_", base)
        return fresh_name(base, self._names)

    def type_of(self, value: SSAValue, owner: Operation) -> str:
        """The C type of a scalar value."""
        name = self.expressions.language.register_type(value.type)
        if name is None:
            raise self.expressions.no_type(owner, f"{owner.name} on {value.type}")
        return name

    # The function --------------------------------------------------------------------------

    def prototype(self) -> str:
        """The declaration, without its semicolon; names the arguments."""
        function = self.function
        results = list(function.function_type.outputs)
        if len(results) > 1:
            raise CodegenError(
                "KC4402",
                f"c: @{function.sym_name.data} has {len(results)} results",
                location=location_of(function),
                why="a C function has one",
                hints=["pass buffers for the results"],
            )
        kind = "void"
        if results:
            kind = self.expressions.language.register_type(results[0]) or ""
        written = self._written()
        parameters: list[str] = []
        if len(function.body.blocks) > 1:
            raise CodegenError(
                "KC4403",
                f"c: the branches of @{function.sym_name.data} cannot be expressed in C",
                location=location_of(function.body.blocks[0].last_op),
                why="the C target supports structured control flow: scf.for, scf.while and scf.if",
                hints=["mlir-opt -lift-cf-to-scf turns branches into loops and conditions"],
            )
        arguments: Sequence[SSAValue] = function.body.block.args if function.body.blocks else ()
        if not function.body.blocks:
            parameters = [self._bare(kind) for kind in function.function_type.inputs]
        for value in arguments:
            name = self.fresh(self._argument_name(value), "arg")
            self._code[value] = Code(name)
            self._parameters.append(name)
            if not isinstance(value.type, MemRefType):
                parameters.append(f"{self.type_of(value, function)} {name}")
                continue
            element = self.require_array(value, function)
            const = "" if value in written else "const "
            parameters.append(f"{const}{element} *restrict {name}")
            shape: list[Code] = []
            for n, size in enumerate(value.type.get_shape()):
                if size >= 0:
                    shape.append(Code(str(size)))
                    continue
                dim = self.fresh(f"{name}_dim{n}")
                self._parameters.append(dim)
                parameters.append(f"int64_t {dim}")
                shape.append(Code(dim))
            self._shapes[value] = shape
        return (
            f"{kind} {self._functions[function.sym_name.data]}({', '.join(parameters) or 'void'})"
        )

    def _bare(self, kind: Attribute) -> str:
        if isinstance(kind, MemRefType):
            element = self.expressions.language.memory_type(kind.element_type)
            if POINTERS in self.function.attributes:
                return f"{element} *"
            dims = ", int64_t" * sum(size < 0 for size in kind.get_shape())
            return f"{element} *restrict{dims}"
        return self.expressions.language.register_type(kind) or "void"

    def _argument_name(self, value: SSAValue) -> str | None:
        attrs = self.function.arg_attrs
        if attrs is not None:
            index = value.index  # pyright: ignore[reportAttributeAccessIssue]
            name = attrs.data[index].data.get("kc.name")
            if isinstance(name, StringAttr):
                return name.data
        return value.name_hint

    def _written(self) -> set[SSAValue]:
        if self._writes is None:
            self._writes = written_memory(self.function)
        return self._writes

    def require_array(self, buffer: SSAValue, op: Operation) -> str:
        """The element type of an array. Raises CodegenError KC4401 if C has none."""
        assert isinstance(buffer.type, MemRefType)
        element = self.expressions.language.memory_type(buffer.type.element_type)
        if element is None or not self.has_places(buffer):
            raise CodegenError(
                "KC4401",
                f"{self.expressions.language.name}: {self.expressions.language.title} has no "
                f"array for {buffer.type}",
                location=location_of(op),
                why=self.expressions.language.elements,
            )
        return element

    def has_places(self, buffer: SSAValue) -> bool:
        """True if the addresses of an array's elements are known: here, if the array is dense."""
        assert isinstance(buffer.type, MemRefType)
        return buffer.type.layout.name == "none"

    def define(self) -> str:
        """The definition."""
        return self.finish(self.prototype())

    def finish(self, head: str) -> str:
        """The definition that begins with ``head``."""
        self.block(self.function.body.block)
        words = self._drop_unread()
        ignored = [f"  (void){name};" for name in self._parameters if not words[name]]
        return "\n".join([f"{head} {{", *ignored, *self.lines, "}", ""])

    def _drop_unread(self) -> Counter[str]:
        """Remove unused variables, and count the words of the remaining text.

        A comparison of two elements with equal text has a constant result, and reads neither.
        """
        words = Counter(word for line in self.lines for word in _WORD.findall(line))
        for number, name in reversed(self._variables.items()):
            if words[name] == 1:
                words.subtract(_WORD.findall(self.lines.pop(number)))
        return words

    # Statements ----------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """A line at the current depth."""
        self.lines.append("  " * self.indent + text if text else "")

    def value(self, value: SSAValue) -> Code:
        """The expression of a value, which may be used for the last time."""
        self._waiting.pop(value, None)
        return self._code[value]

    def block(self, block: Block) -> None:
        """The statements of a block."""
        for op in block.ops:
            if op is block.last_op:
                self._free_of_block(block)
            if self._is_live(op):
                self.operation(op)
        # The yielded values of the block are used after it.
        yielded = block.last_op.operands if block.last_op is not None else ()
        waiting = [value for value in self._waiting if value.owner.parent is block]
        assert not [value for value in waiting if value not in yielded], "unused value"

    def operation(self, op: Operation) -> None:
        if isinstance(op, arith.ConstantOp):
            self._code[op.result] = self.expressions.make(op, [])
        elif isinstance(op, memref.LoadOp):
            self.keep(op, self._loaded(op))
        elif isinstance(op, memref.DimOp):
            self.keep(op, self._dimension(op))
        elif self.expressions.supports(op):
            # Nobody reads the operands of a comparison that is decided; they may have no code.
            unread = is_decided(op)
            operands = [Code("0") if unread else self.value(operand) for operand in op.operands]
            self.keep(op, self.expressions.make(op, operands))
        elif isinstance(op, scf.YieldOp | scf.ReduceOp | scf.ConditionOp):
            return
        else:
            handlers = (_STATEMENTS.get(op_class) for op_class in type(op).__mro__)
            handler = next((handler for handler in handlers if handler is not None), None)
            if handler is None:
                raise CodegenError(
                    "KC4403",
                    f"{self.expressions.language.name}: {op.name} cannot be expressed in "
                    f"{self.expressions.language.title}",
                    location=location_of(op),
                    why=self.expressions.language.code,
                )
            handler(self, op)

    def keep(self, op: Operation, code: Code) -> None:
        """Keep ``code`` for the only use of the result of ``op``, or assign it to a variable."""
        result = op.results[0]
        uses = [use for use in result.uses if self._takes_part(use.operation)]
        if not uses:
            return
        self._code[result] = code
        user = uses[0].operation
        once = isinstance(user, scf.IfOp) or not user.regions
        if len(uses) == 1 and user.parent is op.parent and once:
            self._waiting[result] = op
        elif code.binds != PRIMARY or code.reads or "(" in code.text:
            self.name(result, op)

    def is_pure(self, op: Operation) -> bool:
        """True if ``op`` has no effect besides its results."""
        # A prefetch is advice, which C has no word for.
        is_read = isinstance(op, memref.LoadOp | memref.DimOp | memref.ViewOp | PrefetchOp)
        return is_read or self.expressions.supports(op)

    def _is_live(self, op: Operation) -> bool:
        """True if ``op`` has an effect, directly or through uses of its results."""
        if op not in self._live:
            self._live[op] = not self.is_pure(op) or any(
                self._takes_part(use.operation) for result in op.results for use in result.uses
            )
        return self._live[op]

    def _takes_part(self, op: Operation) -> bool:
        """True if ``op`` has an effect that depends on its operands."""
        return not is_decided(op) and self._is_live(op)

    def name(self, value: SSAValue, op: Operation) -> None:
        """Give a value a variable."""
        name = self.fresh(value.name_hint)
        self._variables[len(self.lines)] = name
        self.write(f"const {self.type_of(value, op)} {name} = {self._code[value].text};")
        self._code[value] = Code(name)
        self._waiting.pop(value, None)

    def settle(self) -> None:
        """Assign pending reads to variables, before a statement that changes memory."""
        for value, op in list(self._waiting.items()):
            if self._code[value].reads:
                self.name(value, op)

    # Memory --------------------------------------------------------------------------------

    def place(self, buffer: SSAValue, indices: Sequence[SSAValue]) -> str:
        """An element of an array."""
        name = self.value(buffer).text
        codes = [self.value(index) for index in indices]
        return f"{name}[{self.linear_index(buffer, codes).text}]"

    def linear_index(self, buffer: SSAValue, codes: Sequence[Code]) -> Code:
        """The number of an element of an array, row by row."""
        if not codes:
            return Code("0")
        place = codes[0]
        for size, index in zip(self._shapes[buffer][1:], codes[1:], strict=True):
            if size.text == "1":
                scaled = place
            elif place.text == "0":
                scaled = Code("0")
            else:
                scaled = Code(f"{place.within(TIMES)} * {size.within(UNARY)}", TIMES)
            if scaled.text == "0":
                place = index
            elif index.text == "0":
                place = scaled
            else:
                place = Code(f"{scaled.within(PLUS)} + {index.within(PLUS + 1)}", PLUS)
        return place

    def _loaded(self, op: memref.LoadOp) -> Code:
        self.require_array(op.memref, op)
        text = self.place(op.memref, op.indices)
        short = self.expressions.language.short_float(op.res.type)
        if short is not None:
            text = f"{self.expressions.helpers.use(f'kc_from_{short}')}({text})"
        return Code(text, PRIMARY, reads=True)

    def store(self, op: memref.StoreOp) -> None:
        self.require_array(op.memref, op)
        value = self.value(op.value)
        place = self.place(op.memref, op.indices)
        self.settle()
        text = value.text
        short = self.expressions.language.short_float(op.value.type)
        if short is not None:
            text = f"{self.expressions.helpers.use(f'kc_to_{short}')}({text})"
        self.write(f"{place} = {text};")

    def _dimension(self, op: memref.DimOp) -> Code:
        index, shape = op.index.owner, self._shapes[op.source]
        if not isinstance(index, arith.ConstantOp) or not isinstance(index.value, IntegerAttr):
            number = self.value(op.index).within(LESS)
            chosen = shape[0] if shape else Code("0")
            for n, size in enumerate(shape[1:], 1):
                parts = (f"{number} == {n}", size.within(OR), chosen.within(OR))
                chosen = Code("{} ? {} : {}".format(*parts), TERNARY)
            return chosen
        dimension = index.value.value.data
        if not 0 <= dimension < len(shape):
            raise CodegenError(
                "KC4403",
                f"c: a memref.dim of dimension {dimension} of {op.source.type} cannot be expressed "
                "in C",
                location=location_of(op),
            )
        return shape[dimension]

    def alloc(self, op: Operation) -> None:
        assert isinstance(op, memref.AllocOp | memref.AllocaOp)
        buffer = op.memref
        assert isinstance(buffer.type, MemRefType)
        element = self.require_array(buffer, op)
        space = buffer.type.memory_space
        if isinstance(space, StringAttr) and space.data not in ("", *CPU_SCOPES):
            raise CodegenError(
                "KC4303",
                f"c: the type {buffer.type} is not supported",
                location=location_of(op),
                why=f"the memory space {space} does not exist in C",
            )
        sizes = iter([self.value(size) for size in op.dynamic_sizes])
        shape = [Code(str(size)) if size >= 0 else next(sizes) for size in buffer.type.get_shape()]
        named: list[Code] = []
        name = self.fresh(buffer.name_hint, "buffer")
        for n, size in enumerate(shape):
            if size.binds != PRIMARY:
                dim = self.fresh(f"{name}_dim{n}")
                self.write(f"const int64_t {dim} = {size.text};")
                size = Code(dim)
            named.append(size)
        self._shapes[buffer] = named
        self._code[buffer] = Code(name)
        static_sizes = [size for size in buffer.type.get_shape() if size >= 0]
        # An array of bytes need not be aligned for what a view of it holds; memory of malloc is.
        has_views = any(isinstance(use.operation, memref.ViewOp) for use in buffer.uses)
        if (
            not has_views
            and len(static_sizes) == len(shape)
            and math.prod(static_sizes) * _ELEMENT[element] <= STACK
        ):
            self.write(f"{element} {name}[{max(math.prod(static_sizes), 1)}];")
            loads = [use.operation for use in buffer.uses if type(use.operation) is memref.LoadOp]
            if not any(map(self._is_live, loads)):
                self.write(f"(void){name};")
            return
        count = " * ".join([*(size.text for size in named), f"(int64_t)sizeof({element})"])
        alloc = self.expressions.helpers.use("kc_alloc")
        self.write(f"{element} *{name} = {alloc}({count});")
        self._heap.add(buffer)

    def table(self, op: memref.GetGlobalOp) -> None:
        """A constant beside the function."""
        assert isinstance(op.memref.type, MemRefType)
        self._code[op.memref] = Code(table_name(op.name_.string_value()))
        self._shapes[op.memref] = [Code(str(size)) for size in op.memref.type.get_shape()]

    def view(self, op: Operation) -> None:
        """The same memory as an array of something else, or from another place on."""
        assert isinstance(op, memref.ViewOp | memref.ReinterpretCastOp | memref.CastOp)
        source, result = op.operands[0], op.results[0]
        assert isinstance(result.type, MemRefType)
        element = self.expressions.language.memory_type(result.type.element_type)
        if element is None:
            raise self.expressions.no_type(op, f"{op.name} to {result.type}")
        if isinstance(op, memref.ViewOp):
            start = self.value(op.byte_shift)
            rest = iter([self.value(size) for size in op.sizes])
        elif isinstance(op, memref.ReinterpretCastOp):
            offsets = [self.value(offset) for offset in op.offsets]
            (static,) = op.static_offsets.iter_values()
            start = offsets[0] if offsets else Code(str(static))
            rest = iter([self.value(size) for size in op.sizes])
        else:
            start, rest = Code("0"), iter(self._shapes[source])
        sizes = [Code(str(size)) if size >= 0 else next(rest) for size in result.type.get_shape()]
        if isinstance(op, memref.CastOp):
            sizes = list(self._shapes[source])
        named: list[Code] = []
        name = self.fresh(result.name_hint, "view")
        for n, size in enumerate(sizes):
            if n == 0 and not size.reads:  # places in memory do not depend on it
                size = Code(size.within(PRIMARY))
            elif size.binds != PRIMARY:
                dim = self.fresh(f"{name}_dim{n}")
                self.write(f"const int64_t {dim} = {size.text};")
                size = Code(dim)
            named.append(size)
        const = "" if memory_root(source) in self._written() else "const "
        address = self.value(source).text
        if start.text != "0":
            address = f"({address} + {start.within(PLUS + 1)})"
        self._code[result] = Code(name)
        self._shapes[result] = named
        self.write(f"{const}{element} *{name} = ({const}{element} *){address};")

    def copy(self, op: memref.CopyOp) -> None:
        """All elements of an array."""
        self.settle()
        assert isinstance(op.source.type, MemRefType)
        element = self.require_array(op.destination, op)
        sizes = [size.text for size in self._shapes[op.destination]]
        count = " * ".join([*sizes, f"(int64_t)sizeof({element})"])
        copy = self.expressions.helpers.use("kc_copy")
        target, source = self.value(op.destination).text, self.value(op.source).text
        self.write(f"{copy}({target}, {source}, {count});")

    def _free_of_block(self, block: Block) -> None:
        """Free the memory of allocas that are too large for the stack, at the end of their
        block."""
        heap = [
            op.memref
            for op in block.ops
            if isinstance(op, memref.AllocaOp) and op.memref in self._heap
        ]
        if heap:
            self.settle()
        for buffer in heap:
            self.write(f"free({self.value(buffer).text});")

    def dealloc(self, op: memref.DeallocOp) -> None:
        self.settle()
        if op.memref in self._heap:
            self.write(f"free({self.value(op.memref).text});")

    # Control -------------------------------------------------------------------------------

    def loop(self, op: scf.ForOp) -> None:
        carried = list(op.body.block.args[1:])
        lower, upper, step = (self.value(bound) for bound in (op.lb, op.ub, op.step))
        starts = [self.value(value) for value in op.iter_args]
        self.settle()
        for result, argument, start in zip(op.results, carried, starts, strict=True):
            name = self.fresh(result.name_hint or argument.name_hint, "sum")
            self.write(f"{self.type_of(result, op)} {name} = {start.text};")
            self._code[result] = self._code[argument] = Code(name)
        self._open_loop(op.body.block.args[0], lower, upper, step)
        self.block(op.body.block)
        self._assign(op.results, op.body.block.last_op)
        self._close()
        self._ignore_unread(op)

    def repeat(self, op: scf.WhileOp) -> None:
        before, after = op.before_region.block, op.after_region.block
        starts = [self.value(value) for value in op.arguments]
        self.settle()
        for argument, start in zip(before.args, starts, strict=True):
            name = self.fresh(argument.name_hint, "state")
            self.write(f"{self.type_of(argument, op)} {name} = {start.text};")
            self._code[argument] = Code(name)
        for result, argument in zip(op.results, after.args, strict=True):
            name = self.fresh(result.name_hint or argument.name_hint, "last")
            self.write(f"{self.type_of(result, op)} {name};")
            self._code[result] = self._code[argument] = Code(name)
        end = before.last_op
        assert isinstance(end, scf.ConditionOp)
        if before.first_op is end and not op.results:
            self.write(f"while ({self.value(end.condition).text}) {{")
            self.indent += 1
        else:
            self.write("while (1) {")
            self.indent += 1
            self.block(before)
            self._assign(op.results, end, end.args)
            self.write(f"if (!{self.value(end.condition).within(UNARY)}) break;")
        self.block(after)
        self._assign(before.args, after.last_op)
        self._close()
        self._ignore_unread(op)

    def parallel(self, op: scf.ParallelOp) -> None:
        if op.initVals:
            raise CodegenError(
                "KC4403",
                "c: a reduction of scf.parallel cannot be expressed in C",
                location=location_of(op),
                why="OpenMP's reductions differ from MLIR's",
            )
        bounds = [
            tuple(self.value(value) for value in three)
            for three in zip(op.lowerBound, op.upperBound, op.step, strict=True)
        ]
        numbered = [inner for inner in op.body.block.ops if isinstance(inner, ThreadNumberOp)]
        limits = [self.value(number_op.threads).within(UNARY) for number_op in numbered[:1]]
        self.settle()
        self.lines += ["#ifdef _OPENMP", "#pragma omp parallel for"]
        for limit in limits:
            self.lines[-1] += f" num_threads((int){limit})"
            self.lines.append("#else")
            self.write(f"(void){limit};")
        self.lines.append("#endif")
        for variable, (lower, upper, step) in zip(op.body.block.args, bounds, strict=True):
            self._open_loop(variable, lower, upper, step)
        self.block(op.body.block)
        for _ in bounds:
            self._close()

    def number(self, op: Operation) -> None:
        """The number of threads, or that of this one."""
        assert isinstance(op, NumThreadsOp | ThreadNumberOp)
        function = "kc_num_threads" if isinstance(op, NumThreadsOp) else "kc_thread_number"
        self._code[op.result] = Code(f"{self.expressions.helpers.use(function)}()")
        self.name(op.result, op)

    def _open_loop(self, variable: SSAValue, lower: Code, upper: Code, step: Code) -> None:
        name = self.fresh(variable.name_hint, "i")
        self._code[variable] = Code(name)
        advance = f"{name}++" if step.text == "1" else f"{name} += {step.text}"
        if not step.text.isdecimal():  # of any size: no step leads beyond the largest number
            by = step.within(TIMES)
            advance = f"{name} = {name} > INT64_MAX - {by} ? INT64_MAX : {name} + {by}"
        bound = upper.within(PLUS)
        self.write(f"for (int64_t {name} = {lower.text}; {name} < {bound}; {advance}) {{")
        self.indent += 1

    def _close(self) -> None:
        self.indent -= 1
        self.write("}")

    def branch(self, op: scf.IfOp) -> None:
        test = self.value(op.cond)
        self.settle()
        for result in op.results:
            name = self.fresh(result.name_hint, "chosen")
            self.write(f"{self.type_of(result, op)} {name};")
            self._code[result] = Code(name)
        self.write(f"if ({test.text}) {{")
        self.indent += 1
        self.block(op.true_region.block)
        self._assign(op.results, op.true_region.block.last_op)
        self.indent -= 1
        if op.false_region.blocks and (op.results or len(list(op.false_region.block.ops)) > 1):
            self.write("} else {")
            self.indent += 1
            self.block(op.false_region.block)
            self._assign(op.results, op.false_region.block.last_op)
            self.indent -= 1
        self.write("}")
        self._ignore_unread(op)

    def _ignore_unread(self, op: Operation) -> None:
        """Mark unused results as such, as C compilers warn of variables that are only set."""
        for result in op.results:
            if not any(self._takes_part(use.operation) for use in result.uses):
                self.write(f"(void){self._code[result].text};")

    def _assign(
        self,
        results: Sequence[SSAValue],
        yielded: Operation | None,
        values: Sequence[SSAValue] | None = None,
    ) -> None:
        """Assign the yielded values of a block to the variables of the results, simultaneously."""
        if not results:
            return
        assert yielded is not None
        codes = [self.value(value) for value in (yielded.operands if values is None else values)]
        targets = [self._code[result].text for result in results]
        pairs = [(a, b) for a, b in zip(targets, codes, strict=True) if a != b.text]
        if len(pairs) > 1:
            temporaries: list[tuple[str, Code]] = []
            for result, code in zip(results, codes, strict=True):
                target = self._code[result].text
                if code.text == target:
                    continue
                name = self.fresh(f"{target}_next")
                self.write(f"const {self.type_of(result, yielded)} {name} = {code.text};")
                temporaries.append((target, Code(name)))
            pairs = temporaries
        for target, code in pairs:
            self.write(f"{target} = {code.text};")

    def call(self, op: func.CallOp) -> None:
        arguments: list[str] = []
        callee = SymbolTable.lookup_symbol(op, op.callee)
        pointers = callee is not None and POINTERS in callee.attributes
        for operand in op.arguments:
            arguments.append(self.value(operand).text)
            if isinstance(operand.type, MemRefType) and not pointers:
                shape = zip(operand.type.get_shape(), self._shapes[operand], strict=True)
                arguments += [size.text for static_size, size in shape if static_size < 0]
        self.settle()
        text = f"{self._functions[op.callee.string_value()]}({', '.join(arguments)})"
        if not op.results or op.results[0].first_use is None:
            self.write(f"{text};")
            return
        self._code[op.results[0]] = Code(text)
        self.name(op.results[0], op)

    def give(self, op: func.ReturnOp) -> None:
        if op.arguments:
            self.write(f"return {self.value(op.arguments[0]).text};")


def memory_root(value: SSAValue) -> SSAValue:
    """The memory that a value is a view of."""
    while isinstance(value.owner, memref.ViewOp | memref.ReinterpretCastOp | memref.CastOp):
        value = value.owner.operands[0]
    return value


def written_memory(function: func.FuncOp, callers: frozenset[str] = frozenset()) -> set[SSAValue]:
    """The arguments and buffers of a function that it writes, or that a function that it calls
    writes. ``callers`` are the functions around, which may call each other."""
    written: set[SSAValue] = set()
    writes_of: dict[str, list[bool]] = {}
    for op in function.walk():
        if isinstance(op, memref.StoreOp):
            written.add(memory_root(op.memref))
        elif isinstance(op, memref.CopyOp):
            written.add(memory_root(op.destination))
        elif isinstance(op, func.CallOp):
            name = op.callee.string_value()
            if name not in writes_of:
                writes_of[name] = _written_arguments(op, callers | {function.sym_name.data})
            writes = writes_of[name] or [True] * len(op.operands)
            for operand, is_written in zip(op.operands, writes, strict=True):
                if is_written:
                    written.add(memory_root(operand))
    return written


def _written_arguments(call: func.CallOp, callers: frozenset[str]) -> list[bool]:
    """For each argument of the called function, whether it is written; empty if that is not
    known."""
    name = call.callee.string_value()
    callee = SymbolTable.lookup_symbol(call, call.callee)
    if name in callers or not isinstance(callee, func.FuncOp) or not callee.body.blocks:
        return []
    written = written_memory(callee, callers)
    return [argument in written for argument in callee.body.block.args]


_ELEMENT = {
    "bool": 1, "int8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4, "int64_t": 8, "float": 4,
    "double": 8,
}  # fmt: skip

_STATEMENTS = {
    memref.StoreOp: FunctionPrinter.store,
    memref.AllocOp: FunctionPrinter.alloc,
    memref.AllocaOp: FunctionPrinter.alloc,
    memref.GetGlobalOp: FunctionPrinter.table,
    memref.DeallocOp: FunctionPrinter.dealloc,
    memref.ViewOp: FunctionPrinter.view,
    memref.ReinterpretCastOp: FunctionPrinter.view,
    memref.CastOp: FunctionPrinter.view,
    memref.CopyOp: FunctionPrinter.copy,
    scf.ForOp: FunctionPrinter.loop,
    scf.WhileOp: FunctionPrinter.repeat,
    scf.ParallelOp: FunctionPrinter.parallel,
    NumThreadsOp: FunctionPrinter.number,
    ThreadNumberOp: FunctionPrinter.number,
    scf.IfOp: FunctionPrinter.branch,
    func.CallOp: FunctionPrinter.call,
    func.ReturnOp: FunctionPrinter.give,
}
