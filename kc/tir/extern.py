"""Tensors that statements write: ``te.extern``, and functions of loops as operations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kc.dialects.te.extern import written_buffers
from kc.dialects.tir import INDEX
from kc.expr.buffers import Buffer, require_dense
from kc.expr.constructors import BufferAccess, Expr, Var, walk
from kc.expr.dtypes import check_dtype, is_float
from kc.expr.indices import same_dim
from kc.expr.tags import tag_of
from kc.expr.tensor import (
    ExternCode,
    ExternOp,
    Tensor,
    check_name,
    check_shape,
    check_tensors,
    output_name,
    require_scalars,
    shape_text,
)
from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location, location_of
from kc.te.extern_function import function_parts
from kc.tir.calls import as_statement
from kc.tir.emit import build_function
from kc.tir.stmt import Seq

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Region


_USAGE = "te.extern(shape, [A, B], fcompute): the inputs are tensors"


def extern(
    shape: Any,
    inputs: Any,
    fcompute: Callable[[list[Buffer], list[Buffer]], Any],
    name: str = "extern",
    dtype: Any = None,
    in_buffers: Any = None,
    out_buffers: Any = None,
    tag: str = "",
    attrs: dict[str, Any] | None = None,
) -> Any:
    """Tensors that a statement computes.

    ``shape`` is the shape of the result, or a list of shapes. ``dtype`` is a type for all results
    or a list of types; the default is the inputs' common type. ``fcompute(ins, outs)`` receives
    buffers and returns the statement: a result of ``tir.ir_builder``, a call (``tir.call_packed``,
    ``tir.call_extern``), or a list of these in order. The statement reads ``ins`` and writes all
    elements of ``outs``. ``in_buffers`` and ``out_buffers`` are buffers (``tir.decl_buffer``) to
    use for them::

        C = te.extern(A.shape, [A], lambda ins, outs: tir.call_packed("my.sort", ins[0], outs[0]))

    The result is the tensor, or a list of tensors. The statement is not scheduled: an extern stage
    has no axes, except for the loops of a hybrid script. Raises TEError KC2160 to KC2166, and the
    errors of the statement.
    """
    location = caller_location()
    name = check_name(name, location)
    tensors = check_tensors(inputs, f"extern {name}", "KC2161", _USAGE, location)
    shapes = _shapes(shape)
    if isinstance(out_buffers, Sequence):
        outs = list(out_buffers)
    else:
        outs = [out_buffers] if out_buffers is not None else []
    dtypes_or_dtype = [tensor.dtype for tensor in outs] if dtype is None and outs else dtype
    dtypes = _dtypes(name, tensors, len(shapes), dtypes_or_dtype, location)
    ins = _in_buffers(name, tensors, in_buffers, location)
    outs = _out_buffers(name, shapes, dtypes, outs, location)
    statement = statement_of(f"extern {name}", fcompute(list(ins), list(outs)), location)
    return _extern_of(name, tensors, ins, outs, statement, tag, attrs, location)


def extern_primfunc(input_tensors: Any, primfunc: Any, **kwargs: Any) -> Any:
    """The function of a module as an operation of tensor expressions.

    ``primfunc`` is a module of one function: from ``te.create_prim_func``, ``kc.lower``,
    ``kc.IRModule.parse``, ``kc.script`` or ``tir.PrimFunc``. Its read-only arguments are the
    ``input_tensors``, in order; the arguments that it writes become the results. ``name``, ``tag``
    and ``attrs`` are accepted as for :func:`extern`. Raises TEError KC2160 to KC2168.
    """
    location = caller_location()
    unknown = sorted(set(kwargs) - {"name", "tag", "attrs"})
    if unknown:
        raise TEError(
            "KC2160",
            f"extern_primfunc has no argument '{unknown[0]}'",
            location=location,
            hints=["the arguments are name, tag and attrs"],
        )
    name = check_name(kwargs.get("name") or "extern", location)
    tensors = check_tensors(input_tensors, f"extern {name}", "KC2161", _USAGE, location)
    parts = function_parts(primfunc, tensors, location)
    op = ExternOp(
        name,
        parts.outs[0].shape,
        parts.outs[0].dtype,
        location,
        inputs=tensors,
        input_placeholders=tuple(parts.ins),
        output_placeholders=tuple(parts.outs),
        body=primfunc,
        code=_code_of(parts.function, len(parts.ins) + len(parts.outs), [], parts.sizes),
    )
    return _results(op, kwargs.get("tag", ""), kwargs.get("attrs"))


def _shapes(shape: Any) -> list[Any]:
    """A list of shapes. A single shape is a list of sizes, several shapes are a list of lists."""
    parts = shape if isinstance(shape, list | tuple) else ()
    several = any(isinstance(part, list | tuple) for part in parts)
    return list(shape) if several else [shape]


def _dtypes(
    name: str, tensors: Sequence[Tensor], count: int, dtype: Any, location: Location | None
) -> list[str]:
    if dtype is None:
        types = sorted({tensor.dtype for tensor in tensors})
        if len(types) != 1:
            what = "no inputs" if not types else f"inputs of the types {', '.join(types)}"
            raise TEError(
                "KC2162",
                f"extern {name} has {what} and no dtype",
                location=location,
                why="the default dtype is the common type of the inputs",
                hints=['dtype="float32"'],
            )
        return types * count
    listed = list(dtype) if isinstance(dtype, list | tuple) else [dtype] * count
    if len(listed) != count:
        raise TEError(
            "KC2162",
            f"extern {name} has {count} results and {len(listed)} dtypes",
            location=location,
            why="each result needs exactly one element type",
        )
    return [check_dtype(result_dtype) for result_dtype in listed]


def _in_buffers(
    name: str, tensors: Sequence[Tensor], buffers: Any, location: Location | None
) -> list[Buffer]:
    require_scalars(f"extern {name}", tensors)
    if buffers is None:
        listed = [Buffer(tensor.shape, tensor.dtype, tensor.name) for tensor in tensors]
    else:
        listed = list(buffers) if isinstance(buffers, list | tuple) else [buffers]
        shapes = [(tensor.shape, tensor.dtype, f"input {tensor.name}") for tensor in tensors]
        listed = _checked(name, "in_buffers", listed, shapes, location)
    for buffer in listed:
        buffer.is_input = True
    return listed


def _out_buffers(
    name: str,
    shapes: Sequence[Any],
    dtypes: Sequence[str],
    buffers: list[Any],
    location: Location | None,
) -> list[Buffer]:
    count = len(shapes)
    names = [output_name(name, n, count) for n in range(count)]
    checked = [
        check_shape(dims, f"extern {text}", location)
        for dims, text in zip(shapes, names, strict=True)
    ]
    if not buffers:
        triples = zip(checked, dtypes, names, strict=True)
        return [Buffer(shape, dtype, text) for shape, dtype, text in triples]
    expected = [
        (shape, dtype, f"result {n}")
        for n, (shape, dtype) in enumerate(zip(checked, dtypes, strict=True))
    ]
    return _checked(name, "out_buffers", buffers, expected, location)


def _checked(
    name: str,
    what: str,
    buffers: list[Any],
    expected: Sequence[tuple[Any, str, str]],
    location: Location | None,
) -> list[Buffer]:
    """The buffers from the user, after a check that each matches its tensor (KC2163)."""
    if len(buffers) != len(expected):
        raise TEError(
            "KC2163",
            f"extern {name}: {len(buffers)} {what} for {len(expected)} tensors",
            location=location,
            why="each tensor needs exactly one buffer",
        )
    for buffer, (shape, dtype, text) in zip(buffers, expected, strict=True):
        if not isinstance(buffer, Buffer):
            raise TEError(
                "KC2163",
                f"extern {name}: {type(buffer).__name__} {buffer!r} in {what}",
                location=location,
                hints=[f"tir.decl_buffer({shape_text(shape)}, {dtype!r})"],
            )
        require_dense(buffer, f"{what} of extern {name}")
        same = len(buffer.shape) == len(shape) and all(map(same_dim, buffer.shape, shape))
        if not same or buffer.dtype != dtype or buffer.scope() != "global":
            raise TEError(
                "KC2163",
                f"extern {name}: buffer {buffer.name} of {shape_text(buffer.shape)} {buffer.dtype} "
                f"in {buffer.scope()} memory for {text}",
                location=location,
                why=f"{text} is {shape_text(shape)} {dtype} in global memory",
                hints=[f"tir.decl_buffer({shape_text(shape)}, {dtype!r})"],
            )
    return buffers


def statement_of(what: str, returned: Any, location: Location | None) -> Any:
    """The statement that a function of ``what`` returned (KC2164): one, a call, or a list."""
    if isinstance(returned, list | tuple) and returned:
        return Seq(location, [statement_of(what, item, location) for item in returned])
    statement = as_statement(returned, location)
    if statement is None:
        raise TEError(
            "KC2164",
            f"{what}: the function returns {type(returned).__name__}, which is not a statement",
            location=location,
            why="it must return a statement that uses the buffers",
            hints=[
                "return ib.get() of a tir.ir_builder",
                'return tir.call_packed("function", ins[0], outs[0])',
            ],
        )
    return statement


def _extern_of(
    name: str,
    tensors: tuple[Tensor, ...],
    ins: Sequence[Buffer],
    outs: Sequence[Buffer],
    statement: Any,
    tag: str,
    attrs: dict[str, Any] | None,
    location: Location | None,
) -> Any:
    buffers = [*ins, *outs]
    sizes = {
        dim
        for buffer in buffers
        for dim in buffer.shape
        if isinstance(dim, Expr)
        for dim in walk(dim)
        if isinstance(dim, Var)
    }
    shape_variables = {dim for buffer in buffers for dim in buffer.shape if isinstance(dim, Var)}
    used = list(dict.fromkeys([*variables_of(statement), *sizes]))
    extra = [variable for variable in used if variable not in shape_variables]
    function = build_function([*buffers, *extra], statement, name, location)
    code = _code_of(
        function, len(buffers), [variable for variable in extra if is_float(variable.dtype)], used
    )
    _check_writes(
        name,
        code.region,
        [buffer.name for buffer in ins],
        [buffer.name for buffer in outs],
        location,
    )
    op = ExternOp(
        name,
        outs[0].shape,
        outs[0].dtype,
        location,
        inputs=tensors,
        input_placeholders=tuple(ins),
        output_placeholders=tuple(outs),
        body=statement,
        code=code,
        axis=list(getattr(statement, "loops", ())),
    )
    return _results(op, tag, attrs)


def _results(op: ExternOp, tag: str, attrs: dict[str, Any] | None) -> Any:
    """The tensor of an operation, or the list of its tensors."""
    tag_of(op, tag, attrs)
    return list(op.outputs) if op.num_outputs > 1 else op.output(0)


def _code_of(
    function: FuncOp, buffers: int, scalars: Sequence[Var], variables: Sequence[Var]
) -> ExternCode:
    """The body of ``function``; ``tir.symbol`` operations replace its size arguments."""
    region = function.detach_region(function.body)
    block = region.block
    end = block.last_op
    assert end is not None
    end.detach()
    for arg in list(block.args[buffers:]):
        if arg.type == INDEX:
            block.erase_arg(arg)
    sizes = tuple(variable for variable in variables if not is_float(variable.dtype))
    return ExternCode(region, tuple(scalars), sizes)


def variables_of(statement: Any) -> list[Var]:
    """The sizes and scalars that a statement uses."""
    variables: dict[Var, None] = {}
    seen: set[int] = set()
    stack = [statement]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Expr):
            variables.update((part, None) for part in walk(node) if isinstance(part, Var))
        elif isinstance(node, list | tuple):
            stack.extend(node)
        elif isinstance(node, Tensor):
            stack.extend(node.shape)
        elif isinstance(node, BufferAccess):
            stack += [node.buffer, node.starts]
        elif dataclasses.is_dataclass(node) and not isinstance(node, type):
            stack.extend(getattr(node, part.name) for part in dataclasses.fields(node))
    return list(variables)


def _check_writes(
    name: str,
    region: Region,
    ins: Sequence[str],
    outs: Sequence[str],
    location: Location | None,
) -> None:
    """Refuse a statement that writes an input (KC2165), or nothing of an output (KC2166)."""
    args = list(region.block.args)
    inputs, outputs = args[: len(ins)], args[len(ins) : len(ins) + len(outs)]
    written = {buffer: op for op in region.walk() for buffer in written_buffers(op)}
    for arg, text in zip(inputs, ins, strict=True):
        if arg in written:
            raise TEError(
                "KC2165",
                f"extern {name} writes its input {text}",
                location=location_of(written[arg]) or location,
                why="a tensor never changes, because other operations may read it",
                hints=["copy it to an output, or to a buffer from ib.allocate"],
            )
    for arg, text in zip(outputs, outs, strict=True):
        if arg not in written:
            raise TEError(
                "KC2166",
                f"extern {name} never writes its result {text}",
                location=location,
                why="the elements would be undefined",
                hints=[f'{text}.access_ptr("w") declares that a call writes the buffer'],
            )
