"""scf, memref, arith and math as readable, standalone C99.

Needs nothing but the standard library. A function takes a pointer for each buffer, followed by its
dynamic dimensions, and scalars by value: the machine interface of every kernel of kc. Arrays are
dense, row by row, and do not overlap. Parallel loops are OpenMP's where it is on.
"""

from __future__ import annotations

import re

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp

from kc.codegen.c_source.expressions import Expressions
from kc.codegen.c_source.function import FunctionPrinter
from kc.codegen.c_source.helpers import Helpers
from kc.codegen.c_source.tables import define_tables
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def emit_c(module: ModuleOp) -> str:
    """The C source of a module's functions. Raises CodegenError (KC44xx) for what C lacks."""
    helpers = Helpers()
    tables = define_tables(module.body.ops, Expressions(helpers))
    printers = [FunctionPrinter(function, Expressions(helpers)) for function in _functions(module)]
    declared = [
        f"{FunctionPrinter(printer.function, printer.expressions).prototype()};\n"
        for printer in printers
    ]
    defined = [printer.define() for printer in printers if printer.function.body.blocks]
    return "\n".join([helpers.text(), *tables, "".join(declared), *defined])


def emit_header(module: ModuleOp, name: str) -> str:
    """The header ``name`` that declares a module's functions, for C and C++."""
    guard = re.sub(r"\W", "_", name).upper()
    lines = [
        f"{FunctionPrinter(function, Expressions(Helpers())).prototype()};\n"
        for function in _functions(module)
        if function.body.blocks
    ]
    text = "".join(lines)
    return (
        f"#ifndef {guard}\n#define {guard}\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\n#define restrict __restrict\n"
        f'extern "C" {{\n#endif\n\n{text}\n'
        f"#ifdef __cplusplus\n#undef restrict\n}}\n#endif\n\n#endif\n"
    )


def _functions(module: ModuleOp) -> list[func.FuncOp]:
    functions: list[func.FuncOp] = []
    for op in module.body.ops:
        if isinstance(op, memref.GlobalOp):
            continue
        if not isinstance(op, func.FuncOp):
            raise CodegenError(
                "KC4403",
                f"c: {op.name} cannot be expressed in C",
                location=location_of(op),
                why="the C target takes functions",
            )
        functions.append(op)
    return functions
