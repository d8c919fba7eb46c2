"""Finds the step that changes a program's results: ``--check-each`` and ``kc.check_each``.

Before and after each schedule primitive and each pass, the functions of the module run on the same
small random inputs, in the interpreter and as native code; symbolic sizes are random, too. The
first step that changes a result is reported as an :class:`InternalError` that names the step. ::

    with kc.transform.PassContext(config={"kc.check_each": True}):
        kc.build(s, [A, B, C])

Native code is compiled and run in a separate process, so that a crash counts as a difference. Sizes
and numbers are redrawn if the original function accesses memory out of bounds or violates its
requirements, because its behaviour is then undefined. A remark, KC4520, reports limits of the
comparison: a function that takes more than :data:`LIMIT` operations in the interpreter is compared
only as native code and on one input; if a step changes the arguments of a function, the comparison
restarts from there. Floats are chosen so that sums of products are exact, and are compared within
the tolerance of kc-run's ``--check``.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, NoReturn, TypeGuard

import numpy as np
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.interpreter import ExecutionError, UninterpretableError, run
from kc.analysis.module_copy import copy_module
from kc.analysis.upstream import upstream_functions
from kc.dialects.tir import ForKind
from kc.runtime.native import numpy_dtype
from kc.runtime.signature import ArgSpec, Signature, evaluate
from kc.support.diagnostics import InternalError, KCError, diagnostic_handler, remark
from kc.support.ir_text import print_module
from kc.support.locations import location_of
from kc.support.reproducer import internal_error
from kc.transforms.tir.storage.instrument_bound_checkers import SITES
from kc.transforms.to_tir import to_tir

HEAD = "check-each: "
SAMPLES = 2
"""The number of random inputs on which each function runs."""
LIMIT = 200_000
"""The number of operations that the interpreter runs for a function. A longer function is checked
as native code only.
"""
SECONDS = 60
"""The time limit of native code, in seconds."""
TRIES = 100
"""The number of attempts to draw an input that the function accepts."""
LARGEST = 1 << 24
"""The largest number of elements of an argument."""


@dataclass
class _Inputs:
    """A function and the arguments of its runs."""

    shape: Any
    """The types of its arguments: the inputs fit as long as these stay the same."""
    values: list[Any]
    sizes: Mapping[str, int]
    names: list[str]
    interpreted: bool = True
    """True if the interpreter needs at most :data:`LIMIT` operations for the function."""


@dataclass
class _Results:
    """The arguments of each call after the call, or the reason why they are missing."""

    interpreted: list[Any] | str | None = None
    native: list[Any] | str | None = None


@dataclass
class StepCheck:
    """Compares the results of a module after each step; ``seed`` is the seed of the inputs."""

    seed: int = 0
    reproduce: bool = True
    """True if a difference writes a file that reproduces it."""
    native: bool = True
    """True if native code is compiled and run as well."""
    only: str | None = None
    """The name of the only step to check; None means all steps."""
    compared: int = 0
    """The number of compared pairs of results."""
    _module: ModuleOp | None = None
    _copy: ModuleOp = field(default_factory=lambda: ModuleOp([]))
    _text: str = ""
    _inputs: dict[str, list[_Inputs]] = field(default_factory=dict)
    _results: dict[str, list[_Results]] = field(default_factory=dict)
    _busy: bool = False
    _reasons: set[str] = field(default_factory=set)
    """The reported reasons why functions are not interpreted."""

    def before(self, module: ModuleOp) -> None:
        """Before a step on ``module``: run it, unless it is as the last step left it."""
        if module is self._module or self._busy:
            return
        if self.only is not None:
            self._copy = copy_module(module)
            return
        self._inputs, self._results = {}, {}
        self._take(module)

    def after(self, step: str, module: ModuleOp) -> None:
        """Compare the results after a step. Raises InternalError if the step changed a result."""
        if self.only is not None and step == self.only and not self._busy:
            self._inputs, self._results = {}, {}
            self._take(self._copy)
            self._module = module
        if self._busy or module is not self._module:
            return
        self._compare_with(step, module)

    def difference(self, step: str, module: ModuleOp) -> str | None:
        """The difference between the results of a module and those of the module passed to
        ``before``. None if they agree. The reference for later comparisons is unchanged.
        """
        previous = self._module, self._text, self._inputs, self._results
        try:
            self._compare_with(step, module)
        except InternalError as error:
            return str(error).removeprefix(HEAD)
        finally:
            self._module, self._text, self._inputs, self._results = previous
        return None

    def _compare_with(self, step: str, module: ModuleOp) -> None:
        inputs, results, text = self._inputs, self._results, self._text
        if print_module(module) == text:
            return  # the step found nothing to do
        self._take(module)
        for name, before in results.items():
            if name not in self._inputs or self._inputs[name] is not inputs[name]:
                _say(f"the step {step} changes what @{name} takes", module)
                continue
            for inputs_of_call, old, new in zip(
                inputs[name], before, self._results[name], strict=True
            ):
                for way in ("interpreted", "native"):
                    self._compare(
                        step, name, inputs_of_call, way, getattr(old, way), getattr(new, way), text
                    )

    def _take(self, module: ModuleOp) -> None:
        """Run all functions of the module. Earlier inputs are used again if they still fit."""
        self._busy = True  # compiling has steps of its own
        try:
            self._module, self._text = module, print_module(module)
            self._results = {}
            self._inputs = dict(_inputs_of(module, self.seed, self._inputs))
            calls = [(name, sample) for name, inputs in self._inputs.items() for sample in inputs]
            natively = _run_natively(module, calls) if self.native else [None] * len(calls)
            for (name, sample), native in zip(calls, natively, strict=True):
                result = _Results(_interpret(module, name, sample), native)
                of_function = self._results.setdefault(name, [])
                reason = result.interpreted
                if isinstance(reason, str) and not of_function and reason not in self._reasons:
                    self._reasons.add(reason)
                    _say(f"@{name} is not interpreted: {reason}", module)
                of_function.append(result)
        finally:
            self._busy = False

    def _compare(
        self,
        step: str,
        name: str,
        inputs: _Inputs,
        way: str,
        before: list[Any] | str | None,
        after: list[Any] | str | None,
        text: str,
    ) -> None:
        if before is None or after is None or isinstance(before, str):
            return
        if isinstance(after, _Unknown):
            return  # reported when the program was run
        self.compared += 1
        sizes = "".join(f", {size} = {value}" for size, value in inputs.sizes.items())
        head = f"{HEAD}{step} changed the result of @{name} ({way}{sizes})"
        if isinstance(after, str):
            self._fail(f"{head}: {after}", step, text)
        for argument, old, new in zip(inputs.names, before, after, strict=True):
            place = _difference(old, new)
            if place is not None:
                index = ", ".join(map(str, place))
                self._fail(
                    f"{head}: {argument}[{index}] is {new[place]}, it was {old[place]}", step, text
                )

    def _fail(self, message: str, step: str, text: str) -> NoReturn:
        if not self.reproduce:
            raise InternalError(message)
        source = f"// the module before {step}\n{text}"
        diagnostic = internal_error("check-each", InternalError(message), source=source)
        place = diagnostic.message.rpartition("; reproducer: ")[2]
        raise InternalError(f"{message}; reproducer: {place}", reproduced=True)


def _say(reason: str, module: Operation, hints: Sequence[str] = ()) -> None:
    remark("KC4520", f"check-each: {reason}", location=location_of(module), hints=hints)


def _difference(old: Any, new: Any) -> tuple[int, ...] | None:
    """The first place where two arrays differ."""
    from kc.tools._run_arguments import TOLERANCE

    if not isinstance(old, np.ndarray):
        return None
    relative, absolute = TOLERANCE.get(str(old.dtype), (0.0, 0.0))
    if relative:
        with np.errstate(all="ignore"):
            pair = (new.astype(np.float64), old.astype(np.float64))
            close = np.isclose(*pair, rtol=relative, atol=absolute, equal_nan=True)
    else:
        close = (old == new) | ((old != old) & (new != new))
    return None if close.all() else tuple(int(n) for n in np.argwhere(~close)[0])


# Inputs ------------------------------------------------------------------------------------


def _inputs_of(
    module: ModuleOp, seed: int, earlier: Mapping[str, list[_Inputs]]
) -> Iterator[tuple[str, list[_Inputs]]]:
    """The public functions with their inputs; the inputs in ``earlier`` are reused if they still
    fit.
    """
    for function, signature in _functions(module):
        shape = _shape_of(function)
        had = earlier.get(signature.name)
        if had is not None and had[0].shape == shape:
            yield signature.name, had
            continue
        samples: list[_Inputs] = []
        for n in range(SAMPLES):
            inputs = _sample(module, signature, shape, Random(f"{seed} {n} {signature.name}"))
            if inputs is not None:
                samples.append(inputs)
            if inputs is not None and not inputs.interpreted:
                _say(
                    f"@{signature.name} is compared as native code alone: the interpreter would "
                    f"run more than {LIMIT} operations",
                    module,
                    ["smaller sizes are checked in less time"],
                )
                break
        if samples:
            yield signature.name, samples
        else:
            _say(f"no inputs of @{signature.name} were found", module)


def _functions(module: ModuleOp) -> list[tuple[Any, Signature]]:
    """The runnable functions, with their signatures."""
    from kc.building.signatures import signature_of

    if any(op.name == "te.func" for op in module.body.ops) or upstream_functions(
        module, loops=False
    ):
        return []  # these compute values at build time, and are compared as loops
    functions: list[tuple[Any, Signature]] = []
    for function in loop_tree.kernels(module):
        if SITES in function.attributes:
            continue  # such a function has an additional argument, the record of the call
        try:
            functions.append((function, signature_of(function)))
        except KCError as refused:
            _say(f"@{function.sym_name.data} is not run: {refused.message}", module)
    return functions


def _shape_of(function: Any) -> Any:
    """The types of the arguments, without their memory layout."""
    return tuple(
        (kind.element_type, kind.get_shape()) if isinstance(kind, MemRefType) else kind
        for kind in function.function_type.inputs
    )


def _sample(module: ModuleOp, signature: Signature, shape: Any, random: Random) -> _Inputs | None:
    """Inputs that the function accepts, as far as the interpreter can tell. None if no attempt
    succeeds.
    """
    names = [spec.name for spec in signature.args]
    for _ in range(TRIES):
        drawn = _draw(signature, random)
        if drawn is None:
            return None
        values, sizes = drawn
        inputs = _Inputs(shape, values, sizes, names)
        try:
            _interpreted(module, signature.name, inputs)
        except UninterpretableError:
            return inputs
        except _TooLong:
            inputs.interpreted = False
            return inputs
        except ExecutionError:
            continue
        return inputs
    return None


def _draw(signature: Signature, random: Random) -> tuple[list[Any], dict[str, int]] | None:
    """Random arguments, and the values of the symbolic sizes. None if no sizes fit."""
    for _ in range(50):
        sizes = {name: random.randint(1, 9) for name in signature.symbols}
        shapes = [tuple(evaluate(dim, sizes) for dim in spec.shape) for spec in signature.args]
        fitting = [shape for shape in shapes if _fits(shape)]
        if len(fitting) == len(shapes):
            pairs = zip(signature.args, fitting, strict=True)
            return [_value(spec, shape, sizes, random) for spec, shape in pairs], sizes
    return None


def _fits(shape: Sequence[int | None]) -> TypeGuard[tuple[int, ...]]:
    static = [size for size in shape if size is not None and size >= 0]
    return len(static) == len(shape) and math.prod(static) <= LARGEST


def _value(spec: ArgSpec, shape: Any, sizes: Mapping[str, int], random: Random) -> Any:
    """Random numbers whose sums and products are exact as long as they stay small."""
    if not spec.is_array and spec.symbol is not None:
        return sizes[spec.symbol]
    dtype = numpy_dtype(spec.dtype)
    numbers = np.random.default_rng(random.randrange(2**32))
    low = 0 if spec.dtype.startswith("u") or spec.dtype == "bool" else -4
    values = numbers.integers(low, 2 if spec.dtype == "bool" else 5, shape)
    array = np.asarray(values).astype(dtype)
    if spec.role == "out":
        array.reshape(-1).view(np.uint8)[:] = 1 if spec.dtype == "bool" else 0x5A
    return array if spec.is_array else array.item()


# Running -----------------------------------------------------------------------------------


class _TooLong(Exception):
    """The interpreter has reached its limit of operations."""


class _Limit(Interpreter.Listener):
    def __init__(self) -> None:
        self.left = LIMIT

    def will_interpret_op(self, op: Operation, args: tuple[Any, ...]) -> None:
        """Count an operation."""
        self.left -= 1
        if self.left < 0:
            raise _TooLong


def _copies(values: Sequence[Any]) -> list[Any]:
    return [value.copy() if isinstance(value, np.ndarray) else value for value in values]


class _Unknown(str):
    """The reason for a missing result: the interpreter does not know an operation."""


def _interpret(module: ModuleOp, name: str, inputs: _Inputs) -> list[Any] | str | None:
    if not inputs.interpreted:
        return None
    try:
        return _interpreted(module, name, inputs)
    except _TooLong:
        return None
    except UninterpretableError as error:
        return _Unknown(str(error))
    except ExecutionError as error:
        return str(error)


def _interpreted(module: ModuleOp, name: str, inputs: _Inputs) -> list[Any]:
    """The arguments after a run in the interpreter. Raises ExecutionError or _TooLong."""
    values = _copies(inputs.values)
    with np.errstate(all="ignore"):
        run(module, name, values, [_Limit()])
    return values


def _run_natively(
    module: ModuleOp, calls: Sequence[tuple[str, _Inputs]]
) -> list[list[Any] | str | None]:
    """The results of native code, which is compiled once and called in a forked process. None if
    this machine cannot run the code.
    """
    threads = any(
        loop.kind.data is ForKind.THREAD
        for function in loop_tree.kernels(module)
        for loop in loop_tree.loops(function)
    )
    if threads or not calls or not hasattr(os, "fork"):
        return [None] * len(calls)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            signal.alarm(SECONDS)
            with os.fdopen(write, "wb") as pipe:
                for result in _compiled_and_called(module, calls):
                    pickle.dump(result, pipe)
                    pipe.flush()
                    signal.alarm(SECONDS)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    results: list[list[Any] | str | None] = []
    with os.fdopen(read, "rb") as pipe, suppress(EOFError, pickle.UnpicklingError):
        while len(results) < len(calls):
            results.append(pickle.load(pipe))
    _, ended = os.waitpid(child, 0)
    missing = "native code could not be run"
    if os.WIFSIGNALED(ended):
        missing = f"native code ended the process with {signal.Signals(os.WTERMSIG(ended)).name}"
    return results + [missing] * (len(calls) - len(results))


def _compiled_and_called(
    module: ModuleOp, calls: Sequence[tuple[str, _Inputs]]
) -> Iterator[list[Any] | str | None]:
    """The arguments after each call, or the reason why the call was refused."""
    from kc.driver import build
    from kc.tir.module import IRModule
    from kc.transform import PassContext

    with PassContext(opt_level=PassContext.current().opt_level), diagnostic_handler(lambda _: None):
        try:
            copy = copy_module(module)
            to_tir(copy, loops=False)
            built = build(IRModule(copy))
        except KCError as refused:
            yield from [f"{refused.code}: {refused.message}"] * len(calls)
            return
        for name, inputs in calls:
            values = _copies(inputs.values)
            try:
                kernel = built[name]
                # Lowered code does not know which integers have no sign.
                pairs = zip(kernel.signature.args, values, strict=True)
                kernel(*[_seen_as(spec, value) for spec, value in pairs])
            except KCError as refused:
                yield f"{refused.code}: {refused.message}"
            else:
                yield values


def _seen_as(spec: ArgSpec, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    dtype = np.dtype(numpy_dtype(spec.dtype))
    return value.view(dtype) if dtype.itemsize == value.dtype.itemsize else value
