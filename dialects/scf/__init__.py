"""The ``scf`` dialect with ``scf.forall``, which xDSL lacks, and with MLIR's text."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Dialect, Operation

from kc.dialects.scf.execute_region import ExecuteRegionOp
from kc.dialects.scf.for_loop import ForOp
from kc.dialects.scf.forall import ForallOp, InParallelOp
from kc.dialects.scf.parallel import ParallelOp, ReduceOp
from kc.dialects.scf.while_loop import WhileOp

_CLASSES: dict[str, type[Operation]] = {
    op.name: op for op in (ExecuteRegionOp, ForOp, ParallelOp, ReduceOp, WhileOp)
}

SCF = Dialect(
    "scf",
    [
        *(_CLASSES.get(op.name, op) for op in scf.Scf.operations),
        ForallOp,
        InParallelOp,
    ],
    list(scf.Scf.attributes),
)
"""xDSL's dialect with the ops of this package."""

__all__ = [
    "SCF",
    "ExecuteRegionOp",
    "ForOp",
    "ForallOp",
    "InParallelOp",
    "ParallelOp",
    "ReduceOp",
    "WhileOp",
]
