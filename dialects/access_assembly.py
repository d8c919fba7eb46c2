"""The assembly of operations that name an element of a buffer or a tensor: ``%A[%i * 2, %j]``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_assembly import print_exprs


def verify_access(op: Operation, accessed: Attribute, indices: AffineMapAttr, count: int) -> None:
    """Refuse indices that do not match the rank of type ``accessed``, or do not take ``count``
    operands.
    """
    if not isinstance(accessed, MemRefType | TensorType):
        raise VerifyException(f"{op.name}: expected a memref, got {accessed}")
    map_ = indices.data
    if len(map_.results) != accessed.get_num_dims():
        what = "tensor" if isinstance(accessed, TensorType) else "buffer"
        raise VerifyException(
            f"{op.name}: {len(map_.results)} indices for a {what} of rank "
            f"{accessed.get_num_dims()} ({accessed})"
        )
    if map_.num_symbols or map_.num_dims != count:
        raise VerifyException(
            f"{op.name}: the index map takes {map_.num_dims} dimensions and "
            f"{map_.num_symbols} symbols; {count} dimensions and no symbols are needed"
        )


def print_access(
    printer: Printer, accessed: SSAValue, indices: AffineMapAttr, operands: Sequence[SSAValue]
) -> None:
    """Print ``%A[...]``."""
    printer.print_ssa_value(accessed)
    printer.print_string("[")
    print_exprs(printer, indices.data.results, operands)
    printer.print_string("]")
