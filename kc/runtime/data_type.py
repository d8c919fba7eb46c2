"""``kc.DataType``: the parts of the name of an element type."""

from __future__ import annotations

import re
from enum import IntEnum

from kc.runtime.signature import DTYPES
from kc.support.diagnostics import InputError, suggest
from kc.support.locations import caller_location


class DataType(str):
    """A dtype such as ``"float32"`` or ``"int8x4"``, equal to its name. (TVM: ``DataType``.)

    ``bits`` and ``lanes`` are those of an element; ``itemsize`` are its bytes in memory. Raises
    InputError KC0085 for a name that is not a dtype.
    """

    lanes: int
    bits: int
    itemsize: int

    def __new__(cls, dtype: str) -> DataType:
        matched = re.fullmatch(r"(\w+)x(\d+)", dtype)
        scalar, lanes = (matched[1], int(matched[2])) if matched else (dtype, 1)
        if scalar not in DTYPES or lanes < 1:
            raise InputError(
                "KC0085",
                f"DataType: there is no dtype '{dtype}'",
                location=caller_location(),
                hints=suggest(dtype, DTYPES, "the dtypes are"),
            )
        instance = super().__new__(cls, dtype)
        instance.lanes = lanes
        instance.bits = 1 if scalar == "bool" else 8 * DTYPES[scalar].size
        instance.itemsize = DTYPES[scalar].size * lanes
        return instance


class DataTypeCode(IntEnum):
    """The kinds of dtypes, with the numbers of DLPack."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    BFLOAT = 4


class TypeCode(IntEnum):
    """The kinds of arguments of packed functions, with TVM's numbers."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    NULL = 4
    TVM_TYPE = 5
    DLDEVICE = 6
    DLTENSOR_HANDLE = 7
    OBJECT_HANDLE = 8
    MODULE_HANDLE = 9
    PACKED_FUNC_HANDLE = 10
    STR = 11
    BYTES = 12
    NDARRAY_HANDLE = 13
    OBJECT_RVALUE_REF_ARG = 14
    EXT_BEGIN = 15
