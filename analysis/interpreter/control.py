"""Functions and control flow: ``func``, ``scf``, ``cf`` and the loops of ``affine``.

Parallel loops run serially, in increasing order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from xdsl.dialects import affine, cf, func, scf
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    Successor,
    TerminatorValue,
    impl_callable,
    impl_terminator,
    register_impls,
)
from xdsl.interpreters.cf import CfFunctions
from xdsl.ir import Operation, SSAValue

from kc.analysis.interpreter.affine_code import map_function, set_function
from kc.analysis.interpreter.engine import KernelInterpreter, Run, Runner, prepared
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.symbols import bind_symbols
from kc.analysis.interpreter.values import Poison
from kc.analysis.interpreter.views import called_function


def loop_name(value: SSAValue) -> str:
    """The name of a loop variable in an error."""
    return value.name_hint or "i"


def _packed(op: Operation) -> Callable[[PythonValues], Any]:
    """The function that converts a tuple of results to the form that an op returns to the
    interpreter: a single result without its tuple.
    """
    if len(op.results) == 1:
        return lambda values: values[0]
    return lambda values: values


def _iterate(name: str, steps: range, body: Runner, carried: PythonValues) -> PythonValues:
    i = 0
    try:
        for i in steps:
            carried = body(i, *carried)
    except ExecutionError as error:
        error.within(f"{name} = {i}")
        raise
    return carried


def _steps(op: Operation, low: int, high: int, step: int) -> range:
    if step <= 0:
        raise ExecutionError(op, f"the step is {step}; it must be positive")
    return range(low, high, step)


@register_impls
class FuncFunctions(InterpreterFunctions):
    """``func.call`` and ``func.return``."""

    @prepared(func.CallOp)
    def call(self, interpreter: KernelInterpreter, op: func.CallOp) -> Run:
        callee = called_function(interpreter, op, op.callee.string_value())
        pack = _packed(op)
        return lambda *args: pack(interpreter.call_op(callee, args))

    @impl_callable(func.FuncOp)
    def call_function(
        self, interpreter: Interpreter, op: func.FuncOp, args: PythonValues
    ) -> PythonValues:
        assert isinstance(interpreter, KernelInterpreter)
        return interpreter.run_function(op, args, bind_symbols(op, args))

    @impl_terminator(func.ReturnOp)
    def return_(
        self, interpreter: Interpreter, op: func.ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


@register_impls
class ScfFunctions(InterpreterFunctions):
    """Structured control flow."""

    @prepared(scf.ForOp)
    def for_(self, interpreter: KernelInterpreter, op: scf.ForOp) -> Run:
        body, name, pack = (
            interpreter.runner(op.body),
            loop_name(op.body.block.args[0]),
            _packed(op),
        )
        return lambda low, high, step, *carried: pack(
            _iterate(name, _steps(op, low, high, step), body, carried)
        )

    @prepared(scf.IfOp)
    def if_(self, interpreter: KernelInterpreter, op: scf.IfOp) -> Run:
        then, orelse = interpreter.runner(op.true_region), interpreter.runner(op.false_region)
        pack = _packed(op)
        return lambda condition: pack(then() if condition else orelse())

    @prepared(scf.WhileOp)
    def while_(self, interpreter: KernelInterpreter, op: scf.WhileOp) -> Run:
        before, after = interpreter.runner(op.before_region), interpreter.runner(op.after_region)
        pack = _packed(op)

        def run(*carried: Any) -> Any:
            while True:
                condition, *forwarded = before(*carried)
                if not condition:
                    return pack(tuple(forwarded))
                carried = after(*forwarded)

        return run

    @prepared(scf.ParallelOp)
    def parallel(self, interpreter: KernelInterpreter, op: scf.ParallelOp) -> Run:
        body, pack, rank = interpreter.runner(op.body), _packed(op), len(op.lowerBound)
        reduce = op.body.block.last_op
        assert isinstance(reduce, scf.ReduceOp)
        combiners = [interpreter.runner(region) for region in reduce.reductions]
        names = [loop_name(arg) for arg in op.body.block.args]

        def run(*args: Any) -> Any:
            bounds = zip(args[:rank], args[rank : 2 * rank], args[2 * rank : 3 * rank], strict=True)
            ranges = [_steps(op, *bound) for bound in bounds]
            carried = args[3 * rank :]
            point: tuple[int, ...] = ()
            try:
                for point in itertools.product(*ranges):
                    values = body(*point)
                    carried = tuple(
                        combine(old, value)[0]
                        for combine, old, value in zip(combiners, carried, values, strict=True)
                    )
            except ExecutionError as error:
                for name, i in reversed(list(zip(names, point, strict=True))):
                    error.within(f"{name} = {i}")
                raise
            return pack(carried)

        return run

    @prepared(scf.ExecuteRegionOp)
    def execute_region(self, interpreter: KernelInterpreter, op: scf.ExecuteRegionOp) -> Run:
        body, pack = interpreter.runner(op.region), _packed(op)
        return lambda: pack(body())

    @prepared(scf.IndexSwitchOp)
    def index_switch(self, interpreter: KernelInterpreter, op: scf.IndexSwitchOp) -> Run:
        cases = {
            int(value): interpreter.runner(region)
            for value, region in zip(op.cases.iter_values(), op.case_regions, strict=True)
        }
        default, pack = interpreter.runner(op.default_region), _packed(op)
        # The addition makes a poison value raise.
        return lambda value: pack(cases.get(value + 0, default)())

    @impl_terminator(scf.YieldOp)
    def yield_(
        self, interpreter: Interpreter, op: scf.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(scf.ConditionOp)
    def condition(
        self, interpreter: Interpreter, op: scf.ConditionOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(scf.ReduceOp)
    def reduce(
        self, interpreter: Interpreter, op: scf.ReduceOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()

    @impl_terminator(scf.ReduceReturnOp)
    def reduce_return(
        self, interpreter: Interpreter, op: scf.ReduceReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()


@register_impls
class ControlFlowFunctions(CfFunctions):
    """``cf``: xDSL's branches, ``cf.switch`` and ``cf.assert``."""

    @impl_terminator(cf.SwitchOp)
    def switch(
        self, interpreter: Interpreter, op: cf.SwitchOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        values = op.case_values.get_values() if op.case_values is not None else ()
        for value, block, operands in zip(values, op.case_blocks, op.case_operand, strict=True):
            if args[0] == value:
                return Successor(block, interpreter.get_values(operands)), ()
        return Successor(op.default_block, interpreter.get_values(op.default_operands)), ()

    @prepared(cf.AssertOp)
    def assert_(self, interpreter: KernelInterpreter, op: cf.AssertOp) -> Run:
        def run(condition: bool) -> None:
            if not condition:
                raise ExecutionError(op, f"the assertion failed: {op.msg.data}")

        return run


def affine_value(function: Callable[..., tuple[int, ...]]) -> Run:
    """The only result of an affine map; poison if an operand is poison."""

    def run(*operands: Any) -> Any:
        for operand in operands:
            if type(operand) is Poison:
                return operand
        return function(*operands)[0]

    return run


@register_impls
class AffineFunctions(InterpreterFunctions):
    """``affine``: loops, conditions and index arithmetic (accesses are in ``memory``)."""

    @prepared(affine.ApplyOp)
    def apply(self, interpreter: KernelInterpreter, op: affine.ApplyOp) -> Run:
        return affine_value(map_function(op.map.data))

    @prepared(affine.MinOp)
    def minimum(self, interpreter: KernelInterpreter, op: affine.MinOp) -> Run:
        function = map_function(op.map.data)
        return affine_value(lambda *operands: (min(function(*operands)),))

    @prepared(affine.ForOp)
    def for_(self, interpreter: KernelInterpreter, op: affine.ForOp) -> Run:
        low, high = map_function(op.lowerBoundMap.data), map_function(op.upperBoundMap.data)
        first = len(op.lowerBoundOperands)
        second = first + len(op.upperBoundOperands)
        step = op.step.value.data
        body, pack = interpreter.runner(op.body), _packed(op)
        name = loop_name(op.body.block.args[0])

        def run(*args: Any) -> Any:
            bounds = max(low(*args[:first])), min(high(*args[first:second]))
            return pack(_iterate(name, _steps(op, *bounds, step), body, args[second:]))

        return run

    @prepared(affine.IfOp)
    def if_(self, interpreter: KernelInterpreter, op: affine.IfOp) -> Run:
        holds = set_function(op.condition.data)
        then, orelse = interpreter.runner(op.then_region), interpreter.runner(op.else_region)
        pack = _packed(op)
        return lambda *operands: pack(then() if holds(*operands) else orelse())

    @impl_terminator(affine.YieldOp)
    def yield_(
        self, interpreter: Interpreter, op: affine.YieldOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
