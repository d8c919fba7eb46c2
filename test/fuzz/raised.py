"""Programs in text of upstream's dialects, raised to tir: loops, and ops on tensors.

What is expected is computed by Python and numpy beside the text (:mod:`raised_loops`,
:mod:`raised_tensors`). The text as it was given is one of the ways to run it. Loops that cannot be
raised must compute the same as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import numpy as np
from families import Fixed
from guarded_arrays import ENDS, all_guarded
from raised_loops import Loops, draw_loops
from raised_tensors import draw_tensors
from worlds import Unsuitable
from xdsl.dialects.builtin import AffineMapAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir.affine import AffineSymExpr

import kc
from kc.analysis.interpreter import run
from kc.dialects.tir import symbol_names
from kc.support.diagnostics import KCError, diagnostic_handler

REFUSALS = ("KC4550", "KC4551", "KC4552", "KC4553", "KC4554", "KC4555")
"""The refusals of raising that a correct program may get."""


@dataclass
class Raised(Fixed):
    """A program with the text that it was raised from."""

    unraised: kc.IRModule | None = None


def draw(random: Random, keep: int | None) -> Raised:
    """A program that can be raised."""
    while True:
        try:
            draw_text = draw_tensors if random.random() < 0.4 else draw_loops
            program = draw_text(random, keep)
        except Unsuitable:
            continue
        try:
            raised = from_text(program)
        except Exception as error:
            error.add_note(f"{program.text}\n{program.python}")
            raise
        if raised is not None:
            return raised


def from_text(program: Loops) -> Raised | None:
    """The program of a text, raised; None where that is refused and it was checked as it is."""
    unraised = kc.IRModule.parse(program.text)
    source = f"{program.text}\n{program.python}"
    with diagnostic_handler(lambda _: None):
        try:
            module = kc.tir.Schedule(unraised).mod
        except KCError as refusal:
            assert refusal.code in REFUSALS, refusal
            _check_as_it_is(Fixed(unraised, program.given, program.expected, source=source))
            return None
    symbols = _symbols(module.functions["main"], program.given)
    return Raised(
        module, program.given, program.expected, symbols, source=source, unraised=unraised
    )


def _check_as_it_is(program: Fixed) -> None:
    """Loops that are not raised, natively and in the interpreter; those of affine must be."""
    try:
        kernel = kc.build(program.module)
    except KCError as refusal:
        assert refusal.code in REFUSALS, refusal
        return
    for end in ENDS:
        arrays = all_guarded(program.arrays(), end)
        kernel(*arrays)
        program.check(arrays)
    arrays = program.arrays()
    with np.errstate(all="ignore"):
        run(program.module.op, "main", arrays)
    program.check(arrays)


def _symbols(function: FuncOp, given: list[object]) -> Mapping[str, int]:
    """The values of the symbols of a function, by the shapes of its arguments."""
    names = symbol_names(function)
    values: dict[str, int] = {}
    attrs = function.arg_attrs.data if function.arg_attrs is not None else ()
    for attr, value in zip(attrs, given, strict=False):
        symbol = attr.data.get("kc.symbol")
        if isinstance(symbol, StringAttr) and isinstance(value, int):
            values[symbol.data] = value
        shape = attr.data.get("kc.shape")
        if isinstance(shape, AffineMapAttr) and isinstance(value, np.ndarray):
            for expr, size in zip(shape.data.results, value.shape, strict=True):
                if isinstance(expr, AffineSymExpr):
                    values[names[expr.position]] = size
    return values
