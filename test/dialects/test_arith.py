"""The arith dialect on vectors: text that MLIR takes too, and what is refused."""

from __future__ import annotations

import io
import shutil
import subprocess

import optional_tools
import pytest
from xdsl.context import Context
from xdsl.dialects import arith, builtin, func
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.arith import ARITH, CmpiOp, vector_class

OPS = """
  %0 = arith.cmpi slt, %a, %b : vector<4xi32>
  %1 = arith.cmpf olt, %x, %x fastmath<nnan> : vector<4xf32>
  %2 = arith.select %0, %a, %b : vector<4xi1>, vector<4xi32>
  %3 = arith.select %c, %a, %b : vector<4xi32>
  %4 = arith.index_cast %i : vector<4xindex> to vector<4xi32>
  %5 = arith.fptosi %x : vector<4xf32> to vector<4xi32>
  %6 = arith.fptoui %x : vector<4xf32> to vector<4xi32>
  %7 = arith.sitofp %a : vector<4xi32> to vector<4xf32>
  %8 = arith.uitofp %a : vector<4xi32> to vector<4xf32>
  %9 = arith.trunci %a : vector<4xi32> to vector<4xi8>
  %10 = arith.extsi %9 : vector<4xi8> to vector<4xi16>
  %11 = arith.extui %9 : vector<4xi8> to vector<4xi16>
  %12 = arith.cmpi ne, %q, %q : i8
  %13 = arith.select %12, %q, %q : i8
  %14 = arith.extui %13 : i8 to i32
  %15 = arith.cmpi ult, %i, %i : vector<4xindex>
"""
ARGS = (
    "%a: vector<4xi32>, %b: vector<4xi32>, %x: vector<4xf32>, %i: vector<4xindex>, %c: i1, "
    "%q: i8, %v: vector<8xi32>, %f: f32"
)


def parse(body: str) -> builtin.ModuleOp:
    from xdsl.parser import Parser

    context = Context()
    for dialect in (ARITH, builtin.Builtin, func.Func):
        context.load_dialect(dialect)
    text = f"func.func @f({ARGS}) {{\n{body}\nfunc.return\n}}"
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def text_of(module: builtin.ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def test_text_round_trips():
    text = text_of(parse(OPS))
    for line in OPS.strip().splitlines():
        assert line.strip() in text


@pytest.mark.skipif(not optional_tools.find("mlir-opt"), reason="mlir-opt is not installed")
def test_mlir_reads_it():
    tool = optional_tools.find("mlir-opt")
    assert tool is not None
    assert shutil.which(tool)
    text = text_of(parse(OPS))
    subprocess.run([tool, "--verify-each"], input=text, text=True, check=True, capture_output=True)


def test_the_classes_are_xdsl_classes():
    assert vector_class(arith.CmpiOp) is CmpiOp
    assert vector_class(arith.AddiOp) is arith.AddiOp
    for op in parse(OPS).walk():
        if isinstance(op, arith.CmpiOp | arith.SelectOp):
            assert type(op) in list(ARITH.operations)


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (
            '"arith.cmpi"(%a, %v) <{predicate = 0 : i64}> : (vector<4xi32>, vector<8xi32>) -> i1',
            "compares",
        ),
        (
            '"arith.cmpi"(%a, %a) <{predicate = 0 : i64}> : (vector<4xi32>, vector<4xi32>) -> i1',
            "gives i1",
        ),
        (
            '"arith.select"(%c, %a, %v) : (i1, vector<4xi32>, vector<8xi32>) -> vector<4xi32>',
            "selects between",
        ),
        ("arith.extsi %a : vector<4xi32> to vector<4xi8>", "not narrower"),
        ("arith.trunci %q : i8 to i32", "not narrower"),
        ("arith.sitofp %a : vector<4xi32> to vector<8xf32>", "same shape"),
        ("arith.index_cast %a : vector<4xi32> to vector<4xi64>", "must be index"),
    ],
)
def test_refusals(op, message):
    with pytest.raises(VerifyException, match=message):
        parse(f"%0 = {op}")
