"""Shared by the interpreter's tests: reading programs, and running one op on arrays."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import affine, builtin, cf, func, math, memref, scf, test, ub, vector
from xdsl.dialects.builtin import ModuleOp

from kc.analysis.interpreter import run
from kc.dialects.arith import ARITH
from kc.dialects.te import TE
from kc.dialects.tir import TIR
from kc.support.locations import LocationParser

DIALECTS = (
    *(affine.Affine, ARITH, builtin.Builtin, cf.Cf, func.Func, math.Math, memref.MemRef),
    *(scf.Scf, test.Test, ub.UB, vector.Vector, TE, TIR),
)
DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
}


@cache
def _dialects() -> Context:
    context = Context()
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    return context


def parse(text: str, verify: bool = True) -> ModuleOp:
    """The module ``text``, located in a file called k.mlir."""
    module = LocationParser(_dialects(), text, "k.mlir").parse_module()
    if verify:
        module.verify()
    return module


def call(text: str, *args: Any, name: str = "f") -> tuple[Any, ...]:
    """The results of a function of the module ``text``."""
    return run(_parsed(text), name, args)


# The interpreter leaves a module as it is, and a property runs one on many numbers.
_parsed = lru_cache(maxsize=16)(parse)


def compute(op: str, operands: list[tuple[str, Any]], result: str) -> np.ndarray:
    """``op`` on each element of arrays: its text has %0, %1, ... for their elements.

    ``operands`` are IR types with arrays of one length; ``result`` is the IR type of the result.
    """
    arrays = [np.asarray(values, DTYPES[type_]) for type_, values in operands]
    count = len(arrays[0])
    out = np.zeros(count, DTYPES[result])
    types = [f"memref<{count}x{type_}>" for type_, _ in operands]
    arguments = ", ".join(f"%a{n}: {type_}" for n, type_ in enumerate(types))
    loads = "\n".join(f"%{n} = tir.load %a{n}[%i] : {type_}" for n, type_ in enumerate(types))
    text = f"""
    func.func @f({arguments}, %out: memref<{count}x{result}>) {{
      tir.for %i in {count} {{
        {loads}
        %r = {op}
        tir.store %r, %out[%i] : memref<{count}x{result}>
      }}
      func.return
    }}"""
    call(text, *arrays, out)
    return out


def pairs(first: Any, second: Any) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of elements, as two arrays of one length."""
    a, b = np.meshgrid(np.asarray(first), np.asarray(second))
    return a.reshape(-1), b.reshape(-1)
