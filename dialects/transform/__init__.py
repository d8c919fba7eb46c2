"""The ``transform`` dialect: the steps of MLIR's transform scripts that kc supports.

xDSL has the types, sequences and ``transform.structured.match``; the ops here are missing in xDSL
or lack a text there. :data:`REFUSED` are MLIR's other steps, with kc's alternatives: they are
refused when they are parsed (KC3723).
"""

from __future__ import annotations

from xdsl.dialects import transform
from xdsl.ir import Dialect, Operation

from kc.dialects.transform.control import (
    PATTERNS,
    ApplyCSEOp,
    ApplyDCEOp,
    ApplyLICMOp,
    ApplyPatternsOp,
    ForeachOp,
    IncludeOp,
    LoopUnrollOp,
    pattern_op,
)
from kc.dialects.transform.handles import (
    CastOp,
    GetConsumersOfResultOp,
    GetParentOp,
    GetProducerOfOperandOp,
    MergeHandlesOp,
    ParamConstantOp,
    SplitHandleOp,
)
from kc.dialects.transform.refused import REFUSED, refused_op
from kc.dialects.transform.structured import (
    FuseIntoContainingOp,
    GeneralizeOp,
    InterchangeOp,
    TileUsingForallOp,
    TileUsingForOp,
)

_OWN: tuple[type[Operation], ...] = (
    *(TileUsingForOp, TileUsingForallOp, FuseIntoContainingOp, GeneralizeOp, InterchangeOp),
    *(SplitHandleOp, MergeHandlesOp, GetParentOp, GetProducerOfOperandOp),
    *(GetConsumersOfResultOp, CastOp, ParamConstantOp, IncludeOp, ForeachOp, LoopUnrollOp),
    *(ApplyPatternsOp, ApplyCSEOp, ApplyDCEOp, ApplyLICMOp),
    *map(pattern_op, PATTERNS),
    *(refused_op(step, way) for step, way in REFUSED.items()),
)
_NAMES = {op.name for op in _OWN}

TRANSFORM = Dialect(
    "transform",
    [*(op for op in transform.Transform.operations if op.name not in _NAMES), *_OWN],
    list(transform.Transform.attributes),
)
"""xDSL's dialect with the ops of this package."""
