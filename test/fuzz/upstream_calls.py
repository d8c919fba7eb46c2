"""A function of MLIR's own dialects, called with random arguments in MLIR's lowering and in kc's.

MLIR's code is called through a wrapper, whose arguments are memrefs: scalars and vectors are read
from them, and results that are no tensors are written to them.
"""

from __future__ import annotations

import ctypes
import itertools
import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from upstream_lowering import all_lowered, compiled, descriptor, read_descriptor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

import kc
from kc.analysis.interpreter import run
from kc.analysis.interpreter.errors import ExecutionError, UninterpretableError
from kc.error import CallError
from kc.runtime.native import numpy_dtype
from kc.support.diagnostics import KCError, diagnostic_handler

PIPELINE = (
    "--pass-pipeline=builtin.module(func.func(tosa-optional-decompositions),canonicalize,"
    "func.func(tosa-infer-shapes,tosa-make-broadcastable,tosa-to-linalg-named),canonicalize,"
    "func.func(tosa-layerwise-constant-fold,tosa-make-broadcastable,tosa-to-linalg,"
    "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor,tosa-to-scf),"
    "func.func(lower-vector-mask,lower-vector-multi-reduction),convert-vector-to-scf,"
    "convert-elementwise-to-linalg,func.func(linalg-generalize-named-ops),"
    "one-shot-bufferize{bufferize-function-boundaries "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops},"
    "func.func(convert-linalg-to-loops),memref-expand,expand-realloc,"
    "func.func(llvm-request-c-wrappers),test-lower-to-llvm)",
)
"""The pipeline of mlir-opt."""

ATTEMPTS = 6
"""So many arguments are drawn for a function until they fit it."""

_MALLOC_PERTURB = -6
_LIBC = ctypes.CDLL(None)


class Unfit(Exception):
    """No arguments are drawn for a function like this: the reason."""


@dataclass(frozen=True)
class Value:
    """An argument or a result: its sizes (None where they are not known), and its elements."""

    kind: str
    """``scalar``, ``vector``, ``tensor`` or ``memref``."""
    type: str
    sizes: tuple[int | None, ...]
    element: str
    dtype: np.dtype[Any]


def value_of(type_: Attribute) -> Value:
    """The value that a call passes for a type. Raises :class:`Unfit`."""
    match type_:
        case VectorType() | TensorType() | MemRefType():
            kind = {VectorType: "vector", TensorType: "tensor", MemRefType: "memref"}[type(type_)]
            sizes = tuple(None if n == DYNAMIC_INDEX else n for n in type_.get_shape())
            if isinstance(type_, MemRefType) and not (
                isinstance(type_.layout, NoneAttr) and isinstance(type_.memory_space, NoneAttr)
            ):
                raise Unfit("a memref with a layout or a memory space")
            if isinstance(type_, TensorType) and not isinstance(type_.encoding, NoneAttr):
                raise Unfit("a tensor with an encoding")
            return Value(
                kind, str(type_), sizes, str(type_.element_type), _dtype(type_.element_type)
            )
        case _ if isinstance(type_, AnyFloat | IntegerType | IndexType):
            return Value("scalar", str(type_), (), str(type_), _dtype(type_))
        case _:
            raise Unfit(f"a value of type {type_.name}")


def _dtype(element: Attribute) -> np.dtype[Any]:
    names = {"index": "int64", "i1": "bool", "f16": "float16", "f32": "float32", "f64": "float64"}
    names |= {f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)} | {"bf16": "bfloat16"}
    dtype = numpy_dtype(names[str(element)]) if str(element) in names else None
    if dtype is None:
        raise Unfit(f"elements of type {element}")
    return dtype


@dataclass(frozen=True)
class Interface:
    """The arguments and results of a function."""

    name: str
    arguments: tuple[Value, ...]
    results: tuple[Value, ...]

    @classmethod
    def of(cls, function: FuncOp) -> Interface:
        """Raises :class:`Unfit`."""
        type_ = function.function_type
        return cls(
            function.sym_name.data,
            tuple(map(value_of, type_.inputs)),
            tuple(map(value_of, type_.outputs)),
        )


def wrapper(interface: Interface) -> str:
    """A function ``@kc_wrapper`` that calls it: memrefs in, those of results that are no tensors
    behind them, and tensors out."""
    taken: list[str] = []
    before: list[str] = []
    after: list[str] = []
    passed: list[str] = []
    for n, value in enumerate(interface.arguments):
        memory, own = _memory(value), f"%v{n}"
        if value.kind in ("tensor", "memref"):
            taken.append(f"%a{n}: {value.type}")
            passed.append(f"%a{n}")
            continue
        taken.append(f"%a{n}: {memory}")
        passed.append(own)
        if value.kind == "scalar":
            before.append(f"{own} = memref.load %a{n}[] : {memory}")
        else:
            before.append(f"%p{n} = arith.constant {_zero(value)} : {_stored(value)}")
            read = f"%b{n}" if value.element == "i1" else own
            before.append(
                f"{read} = vector.transfer_read %a{n}[{_zeros(value)}], %p{n} {_inside(value)} : "
                f"{memory}, {_bytes(value)}"
            )
            if value.element == "i1":
                before.append(f"{own} = arith.trunci {read} : {_bytes(value)} to {value.type}")
    returned: list[int] = []
    for n, value in enumerate(interface.results):
        if value.kind == "tensor":
            returned.append(n)
            continue
        memory = value.type if value.kind == "memref" else _memory(value)
        taken.append(f"%r{n}: {memory}")
        match value.kind:
            case "scalar":
                after.append(f"memref.store %y{n}, %r{n}[] : {memory}")
            case "vector":
                written = f"%y{n}"
                if value.element == "i1":
                    written = f"%b_y{n}"
                    after.append(f"{written} = arith.extui %y{n} : {value.type} to {_bytes(value)}")
                after.append(
                    f"vector.transfer_write {written}, %r{n}[{_zeros(value)}] {_inside(value)} : "
                    f"{_bytes(value)}, {memory}"
                )
            case _:
                after.append(f"memref.copy %y{n}, %r{n} : {memory} to {memory}")
    names = ", ".join(f"%y{n}" for n in range(len(interface.results)))
    call = (
        f"{names}{' = ' if names else ''}func.call @{_symbol(interface.name)}({', '.join(passed)})"
    )
    inputs = ", ".join(value.type for value in interface.arguments)
    outputs = ", ".join(value.type for value in interface.results)
    types = ", ".join(interface.results[n].type for n in returned)
    lines = [
        f"func.func @kc_wrapper({', '.join(taken)}) -> ({types}) {{",
        "  %zero = arith.constant 0 : index",
        *(f"  {line}" for line in before),
        f"  {call} : ({inputs}) -> ({outputs})",
        *(f"  {line}" for line in after),
        f"  return {', '.join(f'%y{n}' for n in returned)}{' : ' if types else ''}{types}",
        "}",
    ]
    return "\n".join(lines)


def _symbol(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][\w.$-]*", name) else f'"{name}"'


def _memory(value: Value) -> str:
    sizes = "".join(f"{'?' if size is None else size}x" for size in value.sizes)
    return f"memref<{sizes}{_stored(value)}>"


def _stored(value: Value) -> str:
    """The stored type of an element: vectors of i1 have bits, where arrays have bytes."""
    return "i8" if value.element == "i1" and value.kind == "vector" else value.element


def _bytes(value: Value) -> str:
    return re.sub("i1>$", "i8>", value.type)


def _zero(value: Value) -> str:
    is_float = value.dtype.kind not in "bi"
    return "0.0" if is_float else "0"


def _zeros(value: Value) -> str:
    return ", ".join(["%zero"] * len(value.sizes))


def _inside(value: Value) -> str:
    return f"{{in_bounds = [{', '.join(['true'] * len(value.sizes))}]}}"


def lowered(functions: Sequence[tuple[str, Interface]]) -> list[str | None]:
    """LLVM IR of each text with its wrapper, by MLIR; None where it does not lower it."""
    texts = [f"{text}\n{wrapper(interface)}\n" for text, interface in functions]
    return all_lowered([_with_fixed_sizes(text) for text in texts], PIPELINE)


def _with_fixed_sizes(text: str) -> str:
    """Vectors of scalable size with the size for vscale 1, which x86 has no code for otherwise."""
    fixed = re.sub(
        r"vector<[^<>]*>", lambda match: re.sub(r"\[(\d+)\]( ?x)", r"\1\2", match[0]), text
    )
    return fixed.replace("= vector.vscale", "= arith.constant 1 : index")


def drawn(interface: Interface, random: Random, attempt: int) -> list[np.ndarray]:
    """Arguments: small numbers, and sizes that are equal at first."""
    size = (4, 8, 1, 16)[attempt % 4]
    numbers = np.random.default_rng(random.getrandbits(32))
    arrays: list[np.ndarray] = []
    for value in interface.arguments:
        shape = [
            (size if attempt < 4 else random.randint(1, 6)) if own is None else own
            for own in value.sizes
        ]
        if value.dtype.kind == "b":
            array = numbers.random(shape) < 0.5
        elif value.element == "index":
            array = numbers.integers(0, (4, 2, 1, 5)[attempt % 4], shape)
        elif value.dtype.kind == "i":
            array = numbers.integers(-3 if attempt % 2 else 0, 8, shape)
        else:
            array = numbers.standard_normal(shape)
        arrays.append(np.asarray(array).astype(value.dtype))
    return arrays


def call_upstream(interface: Interface, ir: str, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The memrefs of the arguments, and the results, after a call of MLIR's code."""
    given = [array.copy() for array in arrays]
    rest = [value for value in interface.results if value.kind != "tensor"]
    written = [np.zeros([size or 0 for size in value.sizes], value.dtype) for value in rest]
    tensors = [value for value in interface.results if value.kind == "tensor"]
    words = (ctypes.c_int64 * sum(3 + 2 * len(value.sizes) for value in tensors))()
    kept = [descriptor(array) for array in (*given, *written)]
    pointers = [ctypes.c_void_p(ctypes.addressof(own)) for own in kept]
    if tensors:
        pointers.insert(0, ctypes.c_void_p(ctypes.addressof(words)))
    engine = compiled(ir)
    address = engine.get_function_address("_mlir_ciface_kc_wrapper")
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(pointers))(address)(*pointers)
    fields = iter(words)
    computed = iter(written)
    results: list[np.ndarray] = []
    for value in interface.results:
        if value.kind == "tensor":
            own = list(itertools.islice(fields, 3 + 2 * len(value.sizes)))
            results.append(read_descriptor(own, len(value.sizes), value.dtype))
        else:
            results.append(next(computed))
    return [*_memrefs(interface, given), *results]


def _memrefs(interface: Interface, arrays: Sequence[np.ndarray]) -> Iterator[np.ndarray]:
    for value, array in zip(interface.arguments, arrays, strict=True):
        if value.kind == "memref":
            yield array


def _call_own(interface: Interface, built: Any, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The same of kc's code."""
    given = [array.copy() for array in arrays]
    returned = built[interface.name](
        *(
            array.item() if value.kind == "scalar" and value.element != "bf16" else array
            for value, array in zip(interface.arguments, given, strict=True)
        )
    )
    results = list(returned) if isinstance(returned, tuple | list) else [returned]
    own = [np.asarray(result) for result in results if result is not None]
    if len(own) != len(interface.results):
        raise AssertionError(f"{len(own)} results, not {len(interface.results)}")
    return [*_memrefs(interface, given), *own]


def compared(module: kc.IRModule, interface: Interface, ir: str) -> tuple[str, str]:
    """The comparison of kc's results with MLIR's, and the place of a difference: ``equal``,
    ``differ``, or ``undefined`` if no arguments were drawn for which the function has results.
    """
    random = Random(interface.name)
    built = kc.build(module)
    with kc.transform.PassContext(config={"tir.instrument_bound_checkers": True}):
        checked = kc.build(module)
    why = ""
    for attempt in range(ATTEMPTS):
        arrays = drawn(interface, random, attempt)
        undefined = _undefined(module, interface, arrays)
        if undefined is not None:
            why = undefined
            continue
        try:
            _call_own(interface, checked, arrays)
            own = _call_own(interface, built, arrays)
        except (CallError, KCError) as error:
            why = str(error)
            continue
        theirs: list[list[np.ndarray]] = []
        for pattern in (0x55, 0xAA):
            _LIBC.mallopt(_MALLOC_PERTURB, pattern)
            theirs.append(call_upstream(interface, ir, arrays))
        _LIBC.mallopt(_MALLOC_PERTURB, 0)
        why = _difference(own, *theirs)
        return ("differ", f"{why}\nattempt {attempt}: {arrays}") if why else ("equal", "")
    return "undefined", why


class _TooSlow(Exception):
    """The interpreter is not done in :data:`SECONDS`."""


SECONDS = 2
"""So long is a function interpreted, to see whether it has results."""


def _undefined(
    module: kc.IRModule, interface: Interface, arrays: Sequence[np.ndarray]
) -> str | None:
    """The interpreter's message that the function has no defined result; None if the result is
    defined, if the run takes too long, or if the interpreter does not support the arguments.
    """

    def stop(*_: object) -> None:
        raise _TooSlow

    try:
        with diagnostic_handler(lambda _: None):
            raised = kc.tir.Schedule(module).mod
    except KCError:
        return None  # it is built, and not scheduled
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        inputs = raised.functions[interface.name].function_type.inputs
        given = [
            array.item() if value.kind == "scalar" else array.copy()
            for value, array in zip(interface.arguments, arrays, strict=True)
        ]
        given += [
            np.zeros([size or 0 for size in value.sizes], value.dtype)
            for value in interface.results[: len(inputs) - len(given)]
        ]
        with np.errstate(all="ignore"):
            run(raised.op, interface.name, given)
    except (UninterpretableError, _TooSlow):
        return None
    except ExecutionError as error:
        return None if isinstance(error.op, FuncOp) else str(error)  # of how it is called
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return None


def _difference(
    own: Sequence[np.ndarray], first: Sequence[np.ndarray], second: Sequence[np.ndarray]
) -> str:
    """Where kc's arrays are not MLIR's. What differs between two calls of MLIR's is not defined."""
    for n, (ours, theirs, again) in enumerate(zip(own, first, second, strict=True)):
        if ours.shape != theirs.shape:
            return f"array {n}: {ours.shape} and not {theirs.shape}"
        if ours.dtype != theirs.dtype:
            return f"array {n}: {ours.dtype} and not {theirs.dtype}"
        ours, theirs, again = (_wide(array) for array in (ours, theirs, again))
        defined = (theirs == again) | ((theirs != theirs) & (again != again))
        tolerance = _TOLERANCE.get(own[n].dtype.name, 0.0)
        close = np.isclose(ours, theirs, rtol=tolerance, atol=tolerance, equal_nan=True)
        wrong = defined & ~close
        if wrong.any():
            at = tuple(map(int, np.argwhere(wrong)[0]))
            return (
                f"array {n}, {int(wrong.sum())} of {wrong.size} elements, at {at}: {ours[at]} and "
                f"not {theirs[at]}"
            )
    return ""


_TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}
"""Functions like exp are of different libraries, and sums may be contracted."""


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype.kind not in "bi" else array.astype(np.int64)
