"""Check that a raised function takes the arguments of its source, followed by the results. A
mismatch is a bug of kc, reported before a call passes the wrong arrays.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute

from kc.analysis.upstream import is_held_vector
from kc.conversion.raise_to_tir.values_in_memory import stored_type
from kc.support.diagnostics import InternalError


def check_interface(source: func.FuncOp, raised: func.FuncOp) -> None:
    """Compare the arguments and results of two functions: their number, order, elements and
    constant sizes. Results may have become arguments.

    Raises InternalError for the first difference.
    """
    name = source.sym_name.data
    expected = [*source.function_type.inputs, *source.function_type.outputs]
    taken, returned = raised.function_type.inputs.data, raised.function_type.outputs.data
    if returned:  # scalars returned to callers in the module
        outputs = source.function_type.outputs.data
        in_memory = [type_ for type_ in outputs if _is_in_memory(type_)]
        expected = [*source.function_type.inputs, *in_memory]
        expected += [type_ for type_ in outputs if not _is_in_memory(type_)]
    own = [*taken, *returned]
    first = len(source.function_type.inputs)
    if len(own) != len(expected):
        raise InternalError(
            f"raise-to-tir: @{name} takes and returns {len(expected)} values, and {len(own)} when "
            "it is raised"
        )
    for n, (before, after) in enumerate(zip(expected, own, strict=True)):
        is_argument = n < len(taken)
        same = before == after
        if is_argument and (n >= first or _is_in_memory(before)):
            same = _holds(after, before)
        if not same:
            what = f"argument {n}" if n < first else f"result {n - first}"
            raise InternalError(
                f"raise-to-tir: {what} of @{name} is of type {before}, and {after} when it is "
                "raised"
            )


def _is_in_memory(type_: Attribute) -> bool:
    return isinstance(type_, TensorType | MemRefType) or is_held_vector(type_)


def _holds(memory: Attribute, type_: Attribute) -> bool:
    """True if a memref can hold values of a type: scalars have rank 0."""
    if not isinstance(memory, MemRefType):
        return False
    shaped = isinstance(type_, TensorType | MemRefType | VectorType)
    sizes = list(type_.get_shape()) if shaped else []
    element = type_.element_type if shaped else type_
    if not shaped or isinstance(type_, VectorType):
        element = stored_type(element)
    own = list(memory.get_shape())
    return (
        memory.element_type == element
        and len(own) == len(sizes)
        and all(a == b or DYNAMIC_INDEX in (a, b) for a, b in zip(own, sizes, strict=True))
    )
