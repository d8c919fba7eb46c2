"""``relay.feature``: the features of Relay that an expression may use, by TVM's numbers."""

from __future__ import annotations

from enum import IntEnum


class Feature(IntEnum):
    """A form of expressions; ``fGraph`` are shared expressions, ``fLetRec`` recursive ``let``."""

    fVar = 0
    fGlobalVar = 1
    fConstant = 2
    fTuple = 3
    fTupleGetItem = 4
    fFunction = 5
    fOp = 6
    fCall = 7
    fLet = 8
    fIf = 9
    fRefCreate = 10
    fRefRead = 11
    fRefWrite = 12
    fConstructor = 13
    fMatch = 14
    fGraph = 15
    fLetRec = 16
