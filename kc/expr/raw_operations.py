"""Scalar operations of the IR by name, for operations without a word in TVM.

``T.scalar_op("arith.divsi", a, b, dtype="int32")`` is the operation itself, without the check of
``T.truncdiv`` for a divisor of 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from kc.dialects.arith import EXACT, CmpfOp, CmpiOp, vector_class
from kc.support.diagnostics import Location, TEError

_TWO: tuple[type[Operation], ...] = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp,
    arith.RemUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp, arith.AndIOp,
    arith.OrIOp, arith.XOrIOp, arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp, arith.MinSIOp,
    arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp, arith.MaxnumfOp, arith.MinnumfOp, arith.AddfOp,
    arith.SubfOp, arith.MulfOp, arith.DivfOp,
)  # fmt: skip
_CASTS: tuple[type[Operation], ...] = (
    arith.IndexCastOp, arith.ExtUIOp, arith.ExtSIOp, arith.TruncIOp,
    arith.ExtFOp, arith.TruncFOp, arith.SIToFPOp, arith.UIToFPOp, arith.FPToSIOp, arith.FPToUIOp,
)  # fmt: skip
_ONE: tuple[type[Operation], ...] = (
    math.CtPopOp,
    math.CountLeadingZerosOp,
    math.CountTrailingZerosOp,
    math.AbsIOp,
)
_THREE: tuple[type[Operation], ...] = (math.FmaOp, arith.SelectOp)
_CLASSES = {cls.name: cls for cls in (*_TWO, *_CASTS, *_ONE, *_THREE)}
_LANE = re.compile(r"vector\.(insert|extract)\.(\d+)")
_COMPARISONS = {"arith.cmpi": 10, "arith.cmpf": 16}


def is_raw(name: str) -> bool:
    """True if ``T.scalar_op`` supports an operation with this name."""
    dialect, _, rest = name.removesuffix(".exact").partition(".")
    operation, _, predicate = rest.partition(".")
    count = _COMPARISONS.get(f"{dialect}.{operation}")
    if count is not None:
        return predicate.isdecimal() and int(predicate) < count
    return name in _CLASSES or bool(_LANE.fullmatch(name))


def raw_operation(
    name: str, operands: Sequence[SSAValue], type_: Attribute, location: Location | None
) -> Operation:
    """The operation ``name``, which must satisfy :func:`is_raw`. Raises KC2129 if the operation
    does not accept the operands.
    """
    try:
        op = _operation(name, operands, type_)
        op.verify_()
        if [result.type for result in op.results] != [type_]:
            raise VerifyException(f"its result is {op.results[0].type}")
    except (VerifyException, ValueError, TypeError, IndexError):
        types = ", ".join(str(operand.type) for operand in operands)
        raise TEError(
            "KC2129",
            f"scalar_op: {name} of ({types}) with the result {type_}",
            location=location,
            why="an operation of the IR takes the types that MLIR defines it for",
            hints=['T.Cast("int32", x) converts'],
        ) from None
    return op


def _operation(name: str, operands: Sequence[SSAValue], type_: Attribute) -> Operation:
    lane = _LANE.fullmatch(name)
    if lane is not None:
        from xdsl.dialects import vector

        if lane[1] == "insert":
            return vector.InsertOp(operands[0], operands[1], [int(lane[2])])
        return vector.ExtractOp(operands[0], [int(lane[2])], type_)
    short = name.removesuffix(".exact")
    parts = short.split(".")
    if len(parts) == 3:
        compare = CmpiOp if parts[1] == "cmpi" else CmpfOp
        op: Operation = compare(operands[0], operands[1], int(parts[2]))
        if short != name:
            op.attributes[EXACT] = UnitAttr()
        return op
    cls = vector_class(_CLASSES[name])
    if issubclass(cls, _CASTS):
        return cls(operands[0], type_)  # pyright: ignore[reportCallIssue]
    return cls(*operands)  # pyright: ignore[reportCallIssue]
