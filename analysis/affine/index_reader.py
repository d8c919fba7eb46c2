"""The reader of index values: it folds the operations that compute an index into one form.

:class:`IndexReader` knows the operations. Its two subclasses choose the form: affine expressions to
build IR with (:class:`~kc.analysis.affine.index_values.IndexValues`), and terms to reason with
(:class:`~kc.analysis.affine.term_reader.TermReader`), which can also express minima and maxima.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import OpResult, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis.affine.terms import Term
from kc.dialects.tir import INDEX, ApplyOp, DelinearizeOp, ExtremeKind, LinearizeOp

AFFINE_OPS = (
    ApplyOp,
    LinearizeOp,
    DelinearizeOp,
    arith.ConstantOp,
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.DivSIOp,
    arith.RemSIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
)
"""Operations on indices that the reader folds."""

_DIVISIONS = (arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp)

Form = TypeVar("Form", AffineExpr, Term)


def extreme_of(op: arith.MinSIOp | arith.MaxSIOp) -> ExtremeKind:
    """The kind of extreme that ``op`` computes."""
    return "min" if isinstance(op, arith.MinSIOp) else "max"


class IndexReader(ABC, Generic[Form]):
    """Reads index values as ``Form``, with one rule for each operation."""

    @abstractmethod
    def read(self, value: SSAValue) -> Form:
        """The form of an index value."""

    @abstractmethod
    def _number(self, value: int) -> Form:
        """The form of a constant."""

    @abstractmethod
    def _known(self, form: Form) -> int | None:
        """The number if ``form`` is constant, else None."""

    @abstractmethod
    def _applied(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> Form:
        """The form of an affine expression over ``operands``."""

    @abstractmethod
    def _towards_zero(self, value: SSAValue, divisor: int) -> Form | None:
        """The form of ``value / divisor`` (``divisor`` not 0), rounded towards zero; None if the
        quotient has no form.
        """

    def _extreme(self, kind: ExtremeKind, lhs: Form, rhs: Form) -> Form | None:
        """The form of a minimum or maximum; None if the extreme has no form."""
        del kind, lhs, rhs
        return None

    def _cast(self, op: arith.IndexCastOp) -> Form | None:
        """The form of an integer cast to an index; None if the cast has no form."""
        del op
        return None

    def computed(self, value: SSAValue) -> Form | None:
        """The form of ``value`` from its defining operation; None if the form cannot express
        ``value``, or if ``value`` is a block argument.
        """
        if not isinstance(value, OpResult) or value.type != INDEX:
            return None
        op = value.op
        if isinstance(op, ApplyOp):
            return self._apply(op)
        if isinstance(op, arith.ConstantOp):
            return self._number(op.value.value.data) if isinstance(op.value, IntegerAttr) else None
        if isinstance(op, LinearizeOp):
            return self._linearized(op)
        if isinstance(op, DelinearizeOp):
            return self._delinearized(op, value.index)
        if isinstance(op, arith.AddiOp):
            return self.read(op.lhs) + self.read(op.rhs)
        if isinstance(op, arith.SubiOp):
            return self.read(op.lhs) - self.read(op.rhs)
        if isinstance(op, arith.MuliOp):
            return self._product(op)
        if isinstance(op, _DIVISIONS):
            return self._divided(op)
        if isinstance(op, arith.MinSIOp | arith.MaxSIOp):
            return self._extreme(extreme_of(op), self.read(op.lhs), self.read(op.rhs))
        return self._cast(op) if isinstance(op, arith.IndexCastOp) else None

    def _apply(self, op: ApplyOp) -> Form | None:
        def extreme(kind: ExtremeKind, lhs: Form | None, rhs: Form | None) -> Form | None:
            return None if lhs is None or rhs is None else self._extreme(kind, lhs, rhs)

        exprs = op.map.data.results
        return op.combined([self._applied(expr, op.operands_of_map) for expr in exprs], extreme)

    def _product(self, op: arith.MuliOp) -> Form | None:
        lhs, rhs = self.read(op.lhs), self.read(op.rhs)
        factor = self._known(rhs)
        if factor is not None:
            return lhs * factor
        factor = self._known(lhs)
        return None if factor is None else rhs * factor

    def _divided(
        self, op: arith.DivSIOp | arith.RemSIOp | arith.FloorDivSIOp | arith.CeilDivSIOp
    ) -> Form | None:
        divisor = self._known(self.read(op.rhs))
        if not divisor:
            return None
        if isinstance(op, arith.DivSIOp | arith.RemSIOp):
            quotient = self._towards_zero(op.lhs, divisor)
            if quotient is None or isinstance(op, arith.DivSIOp):
                return quotient
            return self.read(op.lhs) - quotient * divisor
        dividend = self.read(op.lhs)
        if divisor < 0:
            dividend, divisor = dividend * -1, -divisor
        if isinstance(op, arith.FloorDivSIOp):
            return dividend // divisor
        return (dividend * -1 // divisor) * -1

    def _linearized(self, op: LinearizeOp) -> Form | None:
        total = self.read(op.indices[0])
        for index, size in zip(op.indices[1:], op.sizes[1:], strict=True):
            size_value = self._known(self.read(size))
            if size_value is None:
                return None
            total = total * size_value + self.read(index)
        return total

    def _delinearized(self, op: DelinearizeOp, result: int) -> Form | None:
        inner = 1
        for size in reversed(op.sizes[result + 1 :]):
            size_value = self._known(self.read(size))
            if size_value is None or size_value <= 0:
                return None
            inner *= size_value
        quotient = self.read(op.index) // inner
        if result == 0:
            return quotient
        size = self._known(self.read(op.sizes[result]))
        return None if size is None or size <= 0 else quotient % size
