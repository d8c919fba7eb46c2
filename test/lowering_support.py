"""Shared by the tests of the lowering passes: reading programs, lowering and running them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import builtin, func, math, memref, scf, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from kc.analysis.interpreter import run
from kc.conversion.convert_tir_to_scf import ConvertTirToScfPass
from kc.dialects.arith import ARITH
from kc.dialects.llvm import LLVM
from kc.dialects.tir import TIR
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.support.locations import LocationParser
from kc.transforms.tir.blocks.lower_blocks import LowerBlocksPass
from kc.transforms.tir.blocks.lower_init_block import LowerInitBlockPass
from kc.transforms.tir.vectorize.vectorize_loop import VectorizeLoopPass

DIALECTS = (
    *(ARITH, builtin.Builtin, func.Func, math.Math, memref.MemRef, scf.Scf, vector.Vector),
    *(LLVM, TIR),
)


def context() -> Context:
    ctx = Context()
    for dialect in DIALECTS:
        ctx.load_dialect(dialect)
    return ctx


def parse(text: str) -> ModuleOp:
    """The verified module ``text``, located in a file called k.mlir."""
    module = LocationParser(context(), text, "k.mlir").parse_module()
    module.verify()
    return module


def text_of(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def stages(vector_bits: int = 256) -> list[Any]:
    """The passes, in order."""
    return [
        LowerInitBlockPass(),
        LowerBlocksPass(),
        VectorizeLoopPass(vector_bits),
        ConvertTirToScfPass(),
    ]


def lower(module: ModuleOp, passes: list[Any]) -> list[Diagnostic]:
    """Apply ``passes``, verifying after each; the warnings and remarks that they gave."""
    said: list[Diagnostic] = []
    with diagnostic_handler(said.append):
        for pass_ in passes:
            pass_.apply(context(), module)
            module.verify()
    return said


def lowered(text: str, *passes: Any) -> str:
    """``text`` after ``passes``."""
    module = parse(text)
    lower(module, list(passes))
    return text_of(module)


def outputs(module: ModuleOp, args: list[Any], name: str = "f") -> list[np.ndarray]:
    """The arrays among ``args`` after running ``name`` on copies of them.

    Arrays of bools are passed as the bytes that they are where the function takes bytes.
    """
    copies = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
    run(module, name, copies)
    return [arg for arg in copies if isinstance(arg, np.ndarray)]


def check_all_stages(text: str, args: list[Any], vector_bits: int = 256) -> None:
    """Every pass keeps what the program computes."""
    module = parse(text)
    expected = outputs(module, args)
    for stage in stages(vector_bits):
        before = text_of(module)
        lower(module, [stage])
        for n, (got, want) in enumerate(zip(outputs(module, args), expected, strict=True)):
            np.testing.assert_array_equal(
                got, want, err_msg=f"array {n}\n{before}\n{stage.name}:\n{text_of(module)}"
            )
