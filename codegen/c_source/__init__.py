"""scf, memref, arith and math as readable, standalone C99.

The code needs only the standard library. A function takes a pointer for each buffer, followed by
its dynamic dimensions, and scalars by value: the machine interface of every kernel of kc. Arrays
are dense, row by row, and do not overlap. Parallel loops use OpenMP if the compiler enables it.
"""

from __future__ import annotations

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp

from kc.codegen.c_source.expressions import Expressions
from kc.codegen.c_source.function import FunctionPrinter
from kc.codegen.c_source.helpers import Helpers
from kc.codegen.c_source.names import names_in_c
from kc.codegen.c_source.tables import define_tables
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def emit_c(module: ModuleOp) -> str:
    """The C source of a module's functions. Raises CodegenError: KC44xx for constructs that C
    lacks, KC4510 for two functions with one name in C.
    """
    helpers = Helpers()
    tables = define_tables(module.body.ops, Expressions(helpers))
    functions = _functions(module)
    names = names_in_c(functions)

    def printer(function: func.FuncOp) -> FunctionPrinter:
        return FunctionPrinter(function, Expressions(helpers), names)

    declared = [f"{printer(function).prototype()};\n" for function in functions]
    defined = [printer(function).define() for function in functions if function.body.blocks]
    return "\n".join([helpers.text(), *tables, "".join(declared), *defined])


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
