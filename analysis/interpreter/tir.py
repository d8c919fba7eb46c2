"""The ops of ``tir``: serial loops run in increasing order, thread loops in lockstep.

Besides computing results, this checks that each iteration variable of a block lies in its domain
wherever the predicate holds.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.interpreter import (
    InterpreterFunctions,
    register_impls,
)
from xdsl.ir import Operation

from kc.analysis.interpreter.affine_code import map_function, set_function
from kc.analysis.interpreter.control import affine_value
from kc.analysis.interpreter.empty_reductions import possibly_empty
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import DomainError, ExecutionError
from kc.analysis.interpreter.launches import Launch
from kc.analysis.interpreter.memory import allocation, reader, writer
from kc.analysis.interpreter.te import extents_from, symbol_value
from kc.analysis.interpreter.threads import Kernel
from kc.analysis.interpreter.values import Poison
from kc.dialects import tir
from kc.dialects.tir import IterType


@register_impls
class TirFunctions(InterpreterFunctions):
    """Loops, blocks, buffers and their accesses."""

    @prepared(tir.ForOp)
    def for_(self, interpreter: KernelInterpreter, op: tir.ForOp) -> Run:
        body, label, static = interpreter.runner(op.body), op.label, op.extent_attr.value.data
        empty = [
            (reduction, interpreter.runner(reduction.block.init))
            for reduction in possibly_empty(op)
        ]
        functions: dict[Operation, Any] = {}
        condition = op.condition

        def run(*dynamic: int) -> None:
            for reduction, init in empty:
                interpreter.execute(reduction.makers)
                for values in reduction.instances(interpreter.value):
                    init(*values)
            if op.axis is not None:
                order = interpreter.launch_order
                kernel = (
                    Kernel(interpreter, functions)
                    if order is None
                    else Launch(interpreter, functions, random=order)
                )
                kernel.run(op, *dynamic or (static,))
                return
            i = 0
            try:
                for i in range(dynamic[0] if dynamic else static):
                    body(i)
                    if condition is not None and not interpreter.value(condition.condition):
                        break
            except ExecutionError as error:
                error.within(f"{label} = {i}")
                raise

        return run

    @prepared(tir.BlockOp)
    def block(self, interpreter: KernelInterpreter, op: tir.BlockOp) -> Run:
        bindings, holds = map_function(op.bindings.data), set_function(op.predicate.data)
        complete, names = extents_from(op.extents), op.names
        body = interpreter.runner(op.body)
        init = interpreter.runner(op.init) if op.has_init else None
        reduced = [n for n, kind in enumerate(op.types) if kind is IterType.REDUCE]
        first = len(op.dynamic_extents)
        second = first + len(op.binding_operands)

        def run(*args: int) -> None:
            if not holds(*args[second:]):
                return
            values = bindings(*args[first:second])
            for n, extent in enumerate(complete(args[:first])):
                if not 0 <= values[n] < extent:
                    raise DomainError(op, op.label, names[n], values[n], extent)
            try:
                if init is not None and all(values[n] == 0 for n in reduced):
                    init(*values)
                body(*values)
            except ExecutionError as error:
                bound = ", ".join(f"{name} = {i}" for name, i in zip(names, values, strict=True))
                error.within(f'block "{op.label}" ({bound})')
                raise

        return run

    @prepared(tir.CombineOp)
    def combine(self, interpreter: KernelInterpreter, op: tir.CombineOp) -> Run:
        run = interpreter.runner(op.combiner)
        return run if len(op.combined) != 1 else lambda *args: run(*args)[0]

    @prepared(tir.ConditionOp)
    def condition(self, interpreter: KernelInterpreter, op: tir.ConditionOp) -> Run:
        return lambda _: None  # the loop reads the value itself

    @prepared(tir.IfOp)
    def if_(self, interpreter: KernelInterpreter, op: tir.IfOp) -> Run:
        holds = set_function(op.condition.data)
        then, orelse = interpreter.runner(op.then), interpreter.runner(op.orelse)

        def run(*operands: int) -> None:
            if holds(*operands):
                then()
            else:
                orelse()

        return run

    @prepared(tir.LoadOp)
    def load(self, interpreter: KernelInterpreter, op: tir.LoadOp) -> Run:
        read, index = reader(op, op.result.type), map_function(op.indices.data)
        return lambda buffer, *operands: read(buffer, index(*operands))

    @prepared(tir.StoreOp)
    def store(self, interpreter: KernelInterpreter, op: tir.StoreOp) -> Run:
        write, index = writer(op, op.value.type), map_function(op.indices.data)
        return lambda value, buffer, *operands: write(value, buffer, index(*operands))

    @prepared(tir.AllocOp)
    def alloc(self, interpreter: KernelInterpreter, op: tir.AllocOp) -> Run:
        assert isinstance(type_ := op.buffer.type, MemRefType)
        allocate = allocation(op, type_, op.label)
        # A negative size belongs to loops that do not run: there are no elements.
        return lambda *sizes: allocate(*(max(size, 0) for size in sizes))

    @prepared(tir.ApplyOp)
    def apply(self, interpreter: KernelInterpreter, op: tir.ApplyOp) -> Run:
        function = map_function(op.map.data)
        if op.extreme is None:
            return affine_value(function)
        return affine_value(lambda *operands: (op.evaluated(function(*operands)),))

    @prepared(tir.LinearizeOp)
    def linearize(self, interpreter: KernelInterpreter, op: tir.LinearizeOp) -> Run:
        count = len(op.indices)

        def run(*args: Any) -> Any:
            total = 0
            for i, size in zip(args[:count], args[count:], strict=True):
                if type(i) is Poison:
                    return i
                if not 0 <= i < size:
                    return Poison(op, f"{i} is not less than its size {size}")
                total = total * size + i
            return total

        return run

    @prepared(tir.DelinearizeOp)
    def delinearize(self, interpreter: KernelInterpreter, op: tir.DelinearizeOp) -> Run:
        count = len(op.indices)

        def run(index: Any, *sizes: int) -> Any:
            if type(index) is Poison:
                return index if count == 1 else (index,) * count
            parts: list[int] = []
            for size in reversed(sizes[1:]):
                if size <= 0:
                    raise ExecutionError(op, f"a size is {size}; sizes are positive")
                index, part = divmod(index, size)
                parts.append(part)
            # The outermost index is unbounded, like `f floordiv n`.
            parts.append(index)
            return tuple(reversed(parts)) if count > 1 else index

        return run

    @prepared(tir.PrefetchOp)
    def prefetch(self, interpreter: KernelInterpreter, op: tir.PrefetchOp) -> Run:
        return lambda *_: ()

    @prepared(tir.NumThreadsOp)
    def num_threads(self, interpreter: KernelInterpreter, op: tir.NumThreadsOp) -> Run:
        return lambda: 1

    @prepared(tir.ThreadNumberOp)
    def thread_number(self, interpreter: KernelInterpreter, op: tir.ThreadNumberOp) -> Run:
        return lambda threads: 0

    @prepared(tir.SymbolOp)
    def symbol(self, interpreter: KernelInterpreter, op: tir.SymbolOp) -> Run:
        return symbol_value(interpreter, op, op.symbol.data)
