"""``PrimFunc.specialize``: a function with values for some of its parameters and sizes.

A buffer fixes the sizes of a buffer parameter. A number or an expression replaces a scalar, which
is then no parameter. The function is printed as TVMScript and read back with the values, so that
the extents, shapes and indices follow from them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Expr, Var, as_expr, walk
from kc.expr.dtypes import is_float
from kc.expr.indices import difference
from kc.expr.rewrite import Substitution
from kc.expr.sizes import scaled_size
from kc.expr.tensor import shape_text
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.tvm.tvmscript.from_text import from_source
from kc.tvm.tvmscript.printer import function_text

if TYPE_CHECKING:
    from kc.tir.prim_func import PrimFunc


def specialized(primfunc: PrimFunc, param_map: Mapping[Var, Any]) -> PrimFunc:
    """See :meth:`kc.tir.PrimFunc.specialize`."""
    values = _values(primfunc, param_map)
    text, names = function_text(primfunc.function)
    tree = ast.parse(text)
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    symbols = {variable: names.get(variable.name, "") for variable in values}
    for param, argument in zip(primfunc.params, list(function.args.args), strict=True):
        if param in values and param not in primfunc.buffer_map:
            symbols[param] = argument.arg
            function.args.args.remove(argument)
    declared = {name for name in symbols.values() if name}
    undeclared = [statement for statement in function.body if _declares(statement) not in declared]
    taken = set(names.values())
    lines: list[str] = []
    for variable, value in values.items():
        for part in walk(as_expr(value)):
            if isinstance(part, Var) and part.name not in taken:
                taken.add(part.name)
                lines.append(f"{part.name} = T.{part.dtype}()")
        lines.append(f"{symbols[variable]} = {_text(value, variable)}")
    function.body = [*ast.parse("\n".join(lines)).body, *undeclared]
    result = from_source(ast.unparse(ast.fix_missing_locations(tree)))
    copy = type(primfunc).of(result.function)
    copy.function.sym_name = primfunc.function.sym_name
    for key, attribute in primfunc.function.attributes.items():
        if not key.startswith("kc."):
            copy.function.attributes[key] = attribute
    return copy


def _declares(statement: ast.stmt) -> str | None:
    """The name that ``n = T.int32()`` declares."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[], keywords=[])):
            return name
        case _:
            return None


def _text(value: Any, variable: Var) -> str:
    if isinstance(value, Const):
        value = value.value
    if isinstance(value, Expr):
        return str(value)
    return str(value) if variable.dtype == "int32" else f"T.{variable.dtype}({value!r})"


def _values(primfunc: PrimFunc, param_map: Mapping[Var, Any]) -> dict[Var, Any]:
    """The values of sizes and scalars in ``param_map``."""
    own = primfunc.buffer_map
    values: dict[Var, Any] = {}
    for param, value in param_map.items():
        if param not in primfunc.params:
            listed = ", ".join(param.name for param in primfunc.params) or "none"
            raise _refused(
                primfunc,
                f"{getattr(param, 'name', param)} is not one of its parameters",
                f"the parameters are {listed}",
                "each key must be one of f.params",
            )
        if param in own:
            _match(primfunc, own[param], value, values)
            continue
        expr = as_expr(value)
        if is_float(expr.dtype) != is_float(param.dtype) or isinstance(value, Buffer):
            raise _refused(
                primfunc,
                f"{param.name}, {param.dtype}, is given {value}",
                "the value of a scalar must be a number",
            )
        _set(primfunc, values, param, value)
    return values


def _match(primfunc: PrimFunc, buffer: Buffer, argument: Any, values: dict[Var, Any]) -> None:
    if not isinstance(argument, Buffer) or (argument.ndim, argument.dtype) != (
        buffer.ndim,
        buffer.dtype,
    ):
        what = (
            f"{shape_text(argument.shape)} {argument.dtype}"
            if isinstance(argument, Buffer)
            else argument
        )
        raise _refused(
            primfunc,
            f"{buffer.name}, {shape_text(buffer.shape)} {buffer.dtype}, is given {what}",
            "the value must be a buffer of the same rank and type",
            f'tir.decl_buffer((128, 128), "{buffer.dtype}")',
        )
    for mine, size in zip(buffer.shape, argument.shape, strict=True):
        if isinstance(mine, Var):
            _set(primfunc, values, mine, size)
            continue
        scaled = scaled_size(mine)
        if scaled is not None and isinstance(size, int) and (size - scaled[2]) % scaled[1] == 0:
            _set(primfunc, values, scaled[0], (size - scaled[2]) // scaled[1])
    replacements = {variable: as_expr(value) for variable, value in values.items()}
    for mine, size in zip(buffer.shape, argument.shape, strict=True):
        if difference(Substitution(replacements)(as_expr(mine)), as_expr(size)) != 0:
            raise _refused(
                primfunc,
                f"{buffer.name}, {shape_text(buffer.shape)}, is given {shape_text(argument.shape)}",
                "constant sizes cannot change, and a symbolic size has one value",
            )


def _set(primfunc: PrimFunc, values: dict[Var, Any], variable: Var, value: Any) -> None:
    before = values.setdefault(variable, value)
    if before is not value and difference(as_expr(before), as_expr(value)) != 0:
        raise _refused(
            primfunc, f"{variable.name} is given {before} and {value}", "a size has one value"
        )


def _refused(primfunc: PrimFunc, what: str, why: str, *hints: str) -> TEError:
    return TEError(
        "KC2134",
        f"specialize: {primfunc.name}: {what}",
        location=caller_location(),
        why=why,
        hints=hints,
    )
