"""xDSL's interpreter, made fast: each op is prepared once, and values live in numbered slots.

Implementations are xDSL's :class:`InterpreterFunctions`. A method marked with :func:`prepared`
returns a function that executes the op. The engine reuses this function in later iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    OpImplResult,
    PythonValues,
    ReturnedValues,
    impl,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, SymbolOpInterface

from kc.analysis.interpreter.errors import ExecutionError, UninterpretableError
from kc.support.locations import location_of

Run = Callable[..., Any]
"""Runs an op on its operands; returns None, the only result, or the tuple of all results."""

Runner = Callable[..., PythonValues]
"""Runs a region on its arguments and returns its results."""

Step = tuple[Any, Run, Callable[[list[Any]], tuple[Any, ...]], int, list[int]]
"""A prepared op: the op, the function that runs it, the getter of its operands from an environment,
the slot of its single result or -1, and the slots of several results.
"""

_PREPARE = "kc_prepare"


def prepared(op_type: type[Operation]) -> Callable[[Callable[..., Run]], Any]:
    """Mark ``method(self, interpreter, op)`` as the preparation of ops of a type.

    The body of the method runs once per op. The function that it returns runs at each execution.
    """

    def mark(prepare: Callable[..., Run]) -> Any:
        def run(
            functions: Any, interpreter: Interpreter, op: Operation, args: PythonValues
        ) -> PythonValues:
            return _as_tuple(op, prepare(functions, interpreter, op)(*args))

        registered = impl(op_type)(run)
        setattr(registered, _PREPARE, prepare)
        return registered

    return mark


def _as_tuple(op: Operation, value: Any) -> PythonValues:
    count = len(op.results)
    return () if count == 0 else (value,) if count == 1 else tuple(value)


class Plan:
    """A prepared block: the slots of its arguments, its steps and its terminator.

    The block is prepared (``ready``) when it first runs.
    """

    __slots__ = ("arguments", "block", "ready", "steps", "terminator")

    def __init__(self, block: Block) -> None:
        self.block = block
        self.ready = False
        self.arguments: list[int] = []
        self.steps: list[Step] = []
        self.terminator: tuple[Operation, Callable[..., OpImplResult], Callable] | None = None


class KernelInterpreter(Interpreter):
    """Runs functions of a module, each in an environment of its own.

    ``symbols`` are the symbolic sizes of the function that is running. With a ``launch_order``,
    kernels run as a GPU launches them: see :mod:`.launches`.
    """

    def __init__(self, module: ModuleOp, listeners: Sequence[Interpreter.Listener] = ()) -> None:
        super().__init__(module, index_bitwidth=64, listeners=tuple(listeners))
        self.symbols: dict[str, int] = {}
        self.launch_order: Random | None = None
        self._env: list[Any] = []
        self._slots: dict[SSAValue, int] = {}
        self._plans: dict[Block, Plan] = {}
        self._sizes: dict[Operation, int] = {}
        self._named: dict[str, Operation] | None = None
        self._memory: dict[Operation, Any] = {}
        self._apart: dict[Operation, Run] = {}

    # Functions -----------------------------------------------------------------------------

    def run_function(
        self, function: Operation, args: PythonValues, symbols: dict[str, int]
    ) -> PythonValues:
        """Run the only region of a function in a new environment."""
        region = function.regions[0]
        if function not in self._sizes:
            self._sizes[function] = self._number(region)
        saved = self._env, self.symbols
        self._env, self.symbols = [None] * self._sizes[function], symbols
        try:
            # Overflow and NaN are ordinary results.
            with np.errstate(all="ignore"):
                return self.run_ssacfg_region(region, args)
        finally:
            self._env, self.symbols = saved

    def _number(self, region: Region) -> int:
        """Number the values of a function with slots, from 0. Returns their count."""
        count = 0
        for block in _blocks(region):
            for value in block.args:
                self._slots[value] = count
                count += 1
            for op in block.ops:
                for value in op.results:
                    self._slots[value] = count
                    count += 1
        return count

    def symbol_op(self, name: str) -> Operation:
        """The op of the module with a symbol name.

        Raises :class:`ExecutionError` if the module has no such symbol.
        """
        if self._named is None:
            self._named = {}
            for op in self.module.body.ops:
                trait = op.get_trait(SymbolOpInterface)
                attr = trait.get_sym_attr_name(op) if trait is not None else None
                if attr is not None:
                    self._named[attr.data] = op
        named = self._named.get(name)
        if named is None:
            names_text = ", ".join(f"@{symbol}" for symbol in self._named) or "nothing"
            raise ExecutionError(None, f"there is no @{name} in the module, which has {names_text}")
        return named

    def global_value(self, op: Operation, make: Callable[[], Any]) -> Any:
        """The value of a global, created at its first use."""
        if op not in self._memory:
            self._memory[op] = make()
        return self._memory[op]

    # Regions -------------------------------------------------------------------------------

    def runner(self, region: Region) -> Runner:
        """A function that runs ``region`` on its arguments. An empty region returns nothing."""
        block = region.blocks.first
        if block is None:
            return lambda *_: ()
        return partial(self._execute, self._plan(block))

    def standalone(self, region: Region) -> Runner:
        """Like :meth:`runner`, but for a region outside of functions, which runs in a separate
        environment.
        """
        self._env = [None] * self._number(region)
        run = self.runner(region)

        def quietly(*args: Any) -> PythonValues:
            with np.errstate(all="ignore"):
                return run(*args)

        return quietly

    def plan(self, block: Block) -> Plan:
        """The prepared plan of ``block``, to run its ops one by one."""
        plan = self._plan(block)
        if not plan.ready:
            self._make_ready(plan)
        return plan

    @property
    def environment(self) -> list[Any]:
        """The values of the running function, by slot."""
        return self._env

    @environment.setter
    def environment(self, env: list[Any]) -> None:
        self._env = env

    def slot(self, value: SSAValue) -> int:
        """The slot of a value of the running function."""
        return self._slots[value]

    def value(self, value: SSAValue) -> Any:
        """The current value of an SSA value of the running function."""
        return self._env[self._slots[value]]

    def execute(self, ops: Iterable[Operation]) -> None:
        """Run ops of the running function, independently of their block."""
        for op in ops:
            if op not in self._apart:
                functions, registered = self._implementation(op)
                self._apart[op] = self._observed(op, self._runnable(op, functions, registered))
            value = self._apart[op](*self.get_values(op.operands))
            self.set_values(zip(op.results, _as_tuple(op, value), strict=True))

    def run_ssacfg_region(
        self, region: Region, args: PythonValues, name: str = "unknown"
    ) -> PythonValues:
        return self.runner(region)(*args)

    def _execute(self, plan: Plan, *args: Any) -> PythonValues:
        env = self._env
        while True:
            if not plan.ready:
                self._make_ready(plan)
            for slot, value in zip(plan.arguments, args, strict=True):
                env[slot] = value
            op: Operation | None = None
            try:
                for op, run, operands, result, results in plan.steps:  # noqa: B007 (see below)
                    value = run(*operands(env))
                    if result >= 0:
                        env[result] = value
                    elif results:
                        for slot, result_value in zip(results, value, strict=True):
                            env[slot] = result_value
                if plan.terminator is None:
                    return ()
                op, end, operands = plan.terminator
                outcome = end(op, operands(env)).terminator_value
            except ExecutionError:
                raise
            except ZeroDivisionError as error:
                # Ops check all other divisions themselves.
                raise ExecutionError(op, "division by zero in an affine expression") from error
            except Exception as error:
                if not hasattr(error, "__notes__") and op is not None:
                    error.add_note(f"while interpreting {op.name} at {location_of(op)}")
                raise
            if outcome is None:
                return ()
            if isinstance(outcome, ReturnedValues):
                return outcome.values
            plan, args = self._plan(outcome.block), outcome.args

    def _plan(self, block: Block) -> Plan:
        plan = self._plans.get(block)
        if plan is None:
            plan = self._plans[block] = Plan(block)
        return plan

    def _make_ready(self, plan: Plan) -> None:
        plan.arguments = [self._slots[arg] for arg in plan.block.args]
        for op in plan.block.ops:
            operands = _getter([self._slots[value] for value in op.operands])
            functions, registered = self._implementation(op)
            if op.has_trait(IsTerminator):
                plan.terminator = (op, self._terminator(functions, registered), operands)
                break
            results = [self._slots[value] for value in op.results]
            single = results[0] if len(results) == 1 else -1
            run = self._observed(op, self._runnable(op, functions, registered))
            plan.steps.append((op, run, operands, single, results if single < 0 else []))
        plan.ready = True

    def _implementation(self, op: Operation) -> tuple[InterpreterFunctions, Any]:
        implementations = self._impls._impl_dict  # pyright: ignore[reportPrivateUsage]
        implementation = implementations.get(type(op))
        if implementation is None:
            # An op of the same name in another class, which extends xDSL's definition.
            implementation = next(
                (
                    implementation
                    for kind, implementation in implementations.items()
                    if kind.name == op.name
                ),
                None,
            )
        if implementation is None:
            raise UninterpretableError(op, "the interpreter does not know this op")
        return implementation

    def _runnable(self, op: Operation, functions: InterpreterFunctions, registered: Any) -> Run:
        prepare = getattr(registered, _PREPARE, None)
        if prepare is not None:
            return prepare(functions, self, op)
        if len(op.results) == 1:
            return lambda *args: registered(functions, self, op, args).values[0]
        return lambda *args: registered(functions, self, op, args).values

    def _terminator(
        self, functions: InterpreterFunctions, registered: Any
    ) -> Callable[..., OpImplResult]:
        def run(op: Operation, args: PythonValues) -> OpImplResult:
            for listener in self.listeners:
                listener.will_interpret_op(op, args)
            outcome = registered(functions, self, op, args)
            for listener in self.listeners:
                listener.did_interpret_op(op, outcome.values)
            return outcome

        return run

    def _observed(self, op: Operation, run: Run) -> Run:
        if not self.listeners:
            return run

        def observed(*args: Any) -> Any:
            for listener in self.listeners:
                listener.will_interpret_op(op, args)
            value = run(*args)
            for listener in self.listeners:
                listener.did_interpret_op(op, _as_tuple(op, value))
            return value

        return observed

    # Interface used by xDSL's own implementations -------------------------------------------

    def get_values(self, values: Iterable[SSAValue]) -> PythonValues:
        return tuple(self._env[self._slots[value]] for value in values)

    def set_values(self, pairs: Iterable[tuple[SSAValue, Any]]) -> None:
        for value, result in pairs:
            self._env[self._slots[value]] = result


def _blocks(region: Region) -> Iterable[Block]:
    for block in region.blocks:
        yield block
        for op in block.ops:
            for nested in op.regions:
                yield from _blocks(nested)


def _getter(slots: Sequence[int]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """A function that reads the values of ``slots`` from an environment."""
    if not slots:
        return lambda env: ()
    if len(slots) == 1:
        (slot,) = slots
        return lambda env: (env[slot],)
    return itemgetter(*slots)
