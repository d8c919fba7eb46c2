"""Entry points: calls of a function from Python, with numpy arrays and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    VectorType,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions
from xdsl.ir import Attribute, Operation

from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter.collectives import CollectiveFunctions
from kc.analysis.interpreter.control import (
    AffineFunctions,
    ControlFlowFunctions,
    FuncFunctions,
    ScfFunctions,
)
from kc.analysis.interpreter.engine import KernelInterpreter
from kc.analysis.interpreter.errors import ExecutionError, UninterpretableError
from kc.analysis.interpreter.foreign import ForeignFunctions
from kc.analysis.interpreter.llvm_intrinsics import LlvmIntrinsicFunctions
from kc.analysis.interpreter.memory import MemRefFunctions
from kc.analysis.interpreter.scalars import SCALAR_FUNCTIONS
from kc.analysis.interpreter.symbols import argument_attributes, argument_name, bind_symbols
from kc.analysis.interpreter.te import TeFunctions
from kc.analysis.interpreter.tir import TirFunctions
from kc.analysis.interpreter.values import Buffer, Poison, dtype_of, float_type, is_float, wrapper
from kc.analysis.interpreter.vector import VectorAccessFunctions, VectorFunctions
from kc.analysis.interpreter.vector_shapes import (
    VectorGatherFunctions,
    VectorReductionFunctions,
    VectorShapeFunctions,
)
from kc.analysis.interpreter.views import ViewFunctions
from kc.dialects import te

_FUNCTIONS = (
    AffineFunctions(),
    CollectiveFunctions(),
    *SCALAR_FUNCTIONS,
    ControlFlowFunctions(),
    ForeignFunctions(),
    FuncFunctions(),
    LlvmIntrinsicFunctions(),
    MemRefFunctions(),
    ScfFunctions(),
    TeFunctions(),
    TirFunctions(),
    VectorAccessFunctions(),
    VectorFunctions(),
    VectorGatherFunctions(),
    VectorReductionFunctions(),
    VectorShapeFunctions(),
    ViewFunctions(),
)


def make_interpreter(
    module: ModuleOp, listeners: Sequence[Interpreter.Listener] = ()
) -> KernelInterpreter:
    """An interpreter of ``module`` with all implementations; ``listeners`` see each op that runs.

    Further implementations can be registered on it, as on any interpreter of xDSL.
    """
    interpreter = KernelInterpreter(module, listeners)
    for functions in _FUNCTIONS:
        interpreter.register_implementations(functions)
    return interpreter


def run(
    module: ModuleOp,
    func_name: str,
    args: Sequence[np.ndarray | int | float],
    listeners: Sequence[Interpreter.Listener] = (),
    *,
    launch_order: Random | None = None,
    implementations: Sequence[InterpreterFunctions] = (),
) -> tuple[Any, ...]:
    """Run the ``te.func`` or ``func.func`` called ``func_name``.

    Tensors and memrefs are numpy arrays of the argument's shape and dtype (``kc.dtype`` if present;
    else intN or uintN for iN, bool for i1 and, as lowered code has it, for i8); memrefs
    are written in place. Vectors are arrays, too, and scalars are numbers. The results are numpy
    arrays and scalars.

    ``implementations`` run further ops. With ``launch_order``, kernels run as a GPU launches them,
    with blocks in a random order (:mod:`kc.analysis.interpreter.launches`), instead of in lockstep.

    Raises :class:`ExecutionError` if an argument does not fit, or if the program has no defined
    result: an access out of bounds, a block outside of its domain, a division by zero, a use of
    poison; :class:`~kc.support.diagnostics.ParseError` KC1201 if a use is not dominated by its
    definition.
    """
    check_dominance(module)
    interpreter = make_interpreter(module, listeners)
    interpreter.launch_order = launch_order
    for functions in implementations:
        interpreter.register_implementations(functions)
    return call(interpreter, func_name, args)


def call(
    interpreter: KernelInterpreter, func_name: str, args: Sequence[np.ndarray | int | float]
) -> tuple[Any, ...]:
    """Like :func:`run`, for a module whose dominance has been checked."""
    function = interpreter.symbol_op(func_name)
    if not isinstance(function, te.FuncOp | func.FuncOp) or not function.body.blocks:
        raise ExecutionError(function, f"@{func_name} is not a function with a body")
    types = list(function.function_type.inputs)
    if len(args) != len(types):
        raise ExecutionError(
            function, f"@{func_name} takes {len(types)} arguments, {len(args)} were given"
        )
    attrs = argument_attributes(function)
    values = tuple(
        _to_value(function, n, arg, type_, attrs[n])
        for n, (arg, type_) in enumerate(zip(args, types, strict=True))
    )
    results = interpreter.run_function(function, values, bind_symbols(function, values))
    return tuple(
        _from_value(function, value, type_, attr)
        for value, type_, attr in zip(
            results,
            function.function_type.outputs,
            argument_attributes(function, "res_attrs"),
            strict=True,
        )
    )


def user_dtype(function: Operation, type_: Attribute, attrs: dict[str, Attribute]) -> np.dtype:
    """The dtype of an argument or result in the user's program (``kc.dtype``)."""
    attr = attrs.get("kc.dtype")
    return np.dtype(attr.data) if isinstance(attr, StringAttr) else dtype_of(function, type_)


def _to_value(
    function: Operation, index: int, arg: Any, type_: Attribute, attrs: dict[str, Attribute]
) -> Any:
    name = argument_name(function, index)
    if isinstance(type_, MemRefType | TensorType):
        if not isinstance(arg, np.ndarray):
            raise ExecutionError(
                function, f"{name} is a {type(arg).__name__}, but {type_} takes a numpy array"
            )
        held = dtype_of(function, type_.element_type)
        accepted = {user_dtype(function, type_.element_type, attrs)}
        if "kc.dtype" not in attrs and held.kind == "i":
            accepted.add(np.dtype(f"uint{8 * held.itemsize}"))
            if held.itemsize == 1:
                accepted.add(np.dtype(np.bool_))
        if arg.dtype not in accepted:
            expected = " or ".join(sorted(map(str, accepted)))
            raise ExecutionError(function, f"{name} has the dtype {arg.dtype}, not {expected}")
        return Buffer(arg.view(held), name)
    if isinstance(type_, VectorType):
        shape = tuple(type_.get_shape())
        if not isinstance(arg, np.ndarray) or arg.shape != shape:
            raise ExecutionError(function, f"{name} is {type_}, and takes an array of its shape")
        vector = np.empty(shape, object)
        for lane, element in np.ndenumerate(arg):
            vector[lane] = _to_value(function, index, element, type_.element_type, {})
        return vector
    if is_float(type_):
        return float_type(function, type_)(arg)
    if isinstance(type_, IntegerType | IndexType):
        width = type_.width.data if isinstance(type_, IntegerType) else 64
        number = int(arg)
        if number != arg or not -(1 << (width - 1)) <= number < 1 << width:
            raise ExecutionError(function, f"{name} is {arg}, which is not a value of type {type_}")
        return wrapper(width)(number)
    raise UninterpretableError(function, f"an argument of type {type_} cannot be interpreted")


def _from_value(
    function: Operation, value: Any, type_: Attribute, attrs: dict[str, Attribute]
) -> Any:
    if isinstance(type_, MemRefType | TensorType):
        data = value.array(function)
        data = data.view(user_dtype(function, type_.element_type, attrs))
        return data.copy() if isinstance(type_, TensorType) else data
    if isinstance(type_, VectorType):
        lanes = [_from_value(function, lane, type_.element_type, {}) for lane in value.reshape(-1)]
        return np.array(lanes, dtype_of(function, type_.element_type)).reshape(value.shape)
    if isinstance(value, Poison):
        value.use()
    if is_float(type_):
        return float_type(function, type_)(value)
    return bool(value) if type_ == IntegerType(1) else int(value)
