"""Runs the arithmetic that functions become, and records the operands and results of each operation
that calls the microcode on many processors where one is a subnormal number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, IndexType, IntegerAttr, ModuleOp, VectorType
from xdsl.dialects.vector import StoreOp
from xdsl.ir import Operation, SSAValue

import kc
from kc.analysis.loop_tree import preorder
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.support import registry
from kc.support.ir_text import parse_module, print_module
from kc.transforms.expand_math import ExpandMathPass

LANES = 16

_CALCULATIONS = (
    arith.AddfOp,
    arith.SubfOp,
    arith.MulfOp,
    arith.DivfOp,
    arith.ExtFOp,
    arith.TruncFOp,
    math.FmaOp,
    math.SqrtOp,
    math.FloorOp,
    CallIntrinsicOp,
)

_KERNEL = """
func.func @main(
    %A: {m}, %B: {m}, %O: {m}, %R: memref<{count}x{n}xf32>, %D: memref<{count}x{n}xf64>) {{
  %zero = arith.constant 0 : index
  %lanes = arith.constant 16 : index
  %n = arith.constant {n} : index
  scf.for %i = %zero to %n step %lanes {{
    %x = vector.load %A[%i] : {m}, {v}
    %y = vector.load %B[%i] : {m}, {v}
{body}
    vector.store %z, %O[%i] : {m}, {v}
  }}
  func.return
}}
"""


@dataclass(frozen=True)
class Recorded:
    """The results, and of each recorded value its operation and numbers."""

    result: np.ndarray
    values: list[tuple[str, np.ndarray]]
    """The name of an operation and one of its operands, or its result, which comes last."""

    def subnormal(self) -> np.ndarray:
        """True, for each argument, if a calculation had a subnormal number, or a product or
        quotient too small even for one.
        """
        there_is = np.zeros(len(self.result), bool)
        for _, numbers in self.values:
            least = np.finfo(numbers.dtype).tiny
            there_is |= (np.abs(numbers) < least) & (numbers != 0)
        for place, (name, numbers) in enumerate(self.values):
            if name == "arith.mulf" and self._is_last(place):
                (_, a), (_, b) = self.values[place - 2 : place]
                there_is |= (numbers == 0) & (a != 0) & (b != 0)
            if name == "arith.divf" and self._is_last(place):
                (_, a), (_, b) = self.values[place - 2 : place]
                there_is |= (numbers == 0) & (a != 0) & np.isfinite(b)
            if name == "math.fma" and self._is_last(place):
                (_, a), (_, b), (_, c) = self.values[place - 3 : place]
                there_is |= (numbers == 0) & (a != 0) & (b != 0) & (c == 0)
        return there_is

    def _is_last(self, place: int) -> bool:
        """True if a value is the result of its operation: operands and result are recorded one by
        one.
        """
        first = place
        while first and self.values[first - 1][0] == self.values[place][0]:
            first -= 1
        size = 4 if self.values[place][0] == "math.fma" else 3
        return (place - first) % size == size - 1


def record(body: str, dtype: str, target: str, *columns: np.ndarray) -> Recorded:
    """Record the values of a body with arguments %x and %y and the result %z, for a multiple of 16
    numbers in each column.
    """
    n, element = len(columns[0]), {"float32": "f32", "float64": "f64"}[dtype]
    names = {"n": n, "m": f"memref<{n}x{element}>", "v": f"vector<{LANES}x{element}>"}
    module = _expanded(_KERNEL.format(body=body, count=1, **names), target)
    recorded = list(_recorded(module))
    # Of the same module, with room for all of them.
    module = _expanded(_KERNEL.format(body=body, count=len(recorded), **names), target)
    recorded = list(_recorded(module))
    _instrument(module, [value for _, value in recorded])
    with kc.transform.PassContext(opt_level=0):  # what is recorded is that of the module
        kernel = kc.build(kc.IRModule.parse(print_module(module)), target=target)
    single = np.ones((len(recorded), n), "float32")
    double = np.ones((len(recorded), n), "float64")
    out = np.empty(n, dtype)
    kernel(columns[0], columns[-1], out, single, double)
    values = [
        (op.name, (single if _is_single(value) else double)[row])
        for row, (op, value) in enumerate(recorded)
    ]
    return Recorded(out, values)


def _expanded(text: str, target: str) -> ModuleOp:
    module = parse_module(text, "f.mlir", registry.context())
    with kc.target.Target(target):
        ExpandMathPass().apply(registry.context(), module)
    return module


def _recorded(module: ModuleOp) -> Sequence[tuple[Operation, SSAValue]]:
    values: list[tuple[Operation, SSAValue]] = []
    for op in preorder(module):
        if isinstance(op, _CALCULATIONS):
            for value in (*op.operands, *op.results):
                type_ = value.type
                if isinstance(type_, VectorType) and str(type_.element_type) in ("f32", "f64"):
                    if type_.get_shape() == (LANES,):
                        values.append((op, value))
    return values


def _is_single(value: SSAValue) -> bool:
    assert isinstance(value.type, VectorType)
    return isinstance(value.type.element_type, Float32Type)


def _instrument(module: ModuleOp, values: Sequence[SSAValue]) -> None:
    (function,) = [op for op in module.body.ops if op.name == "func.func"]
    *_, single, double = function.regions[0].block.args
    (loop,) = [op for op in preorder(function) if op.name == "scf.for"]
    place = loop.regions[0].block.args[0]
    users = list(_recorded(module))
    for row, (op, value) in enumerate(users):
        assert value is values[row]
        at = arith.ConstantOp(IntegerAttr(row, IndexType()))
        store = StoreOp.build(
            operands=[value, single if _is_single(value) else double, [at.result, place]]
        )
        assert op.parent is not None
        op.parent.insert_ops_after([at, store], op)
