"""Constants whose elements are in the resources of their file: ``dense_resource<weights>``.

Before::

    %w = arith.constant dense_resource<w> : tensor<2xf32>
    {-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}

After::

    %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>

xDSL keeps the resources of all files in one table by name, where those of a second file replace
those of the first. Here each file has its own table.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerType,
    ShapedType,
)
from xdsl.ir import Attribute, Operation

from kc.support.diagnostics import ParseError
from kc.support.locations import location_of, op_name

LARGEST_INLINE = 256
"""The most bytes of a constant of a graph that stand in the text where it is used."""
_ALIGNMENT = 64
_HEADER = 4
"""The size of the header of a resource in bytes. The header states the alignment."""


def resolve_resources(module: Operation, resources: dict[str, str]) -> None:
    """Replace resources by their elements in constants; a constant whose resource is missing stays
    as it is.

    Operations share the bytes of a resource. Raises ParseError KC1005 for a resource that is not a
    text of bytes, or whose size does not match its type.
    """
    elements: dict[DenseResourceAttr, DenseIntOrFPElementsAttr] = {}
    for op in module.walk():
        for values in (op.properties, op.attributes):
            for name, attr in values.items():
                if isinstance(attr, DenseResourceAttr) and attr.resource_handle.data in resources:
                    if attr not in elements:
                        elements[attr] = _elements(op, attr, resources)
                    values[name] = elements[attr]


def resource_name(data: bytes) -> str:
    """The name of the elements of a constant: a digest of them, and their number of bytes."""
    return f"c{hashlib.sha256(data).hexdigest()[:16]}_{len(data)}B"


def resource_section(constants: Mapping[str, DenseIntOrFPElementsAttr]) -> str:
    """The section of a file that holds the elements of constants, by name."""
    header = _ALIGNMENT.to_bytes(_HEADER, "little").hex()
    lines = [
        f'      {name}: "0x{header}{value.data.data.hex().upper()}"'
        for name, value in constants.items()
    ]
    table = ",\n".join(lines)
    return f"\n{{-#\n  dialect_resources: {{\n    builtin: {{\n{table}\n    }}\n  }}\n#-}}\n"


_SECTION = re.compile(r"\{-#.*#-\}", re.DOTALL)
_ENTRY = re.compile(r'([\w.$-]+)\s*:\s*"(0x[0-9A-Fa-f]*)"')


def resources_in(text: str) -> dict[str, str]:
    """The resources of the text of a module, by name."""
    section = _SECTION.search(text)
    return {} if section is None else dict(_ENTRY.findall(section[0]))


def _elements(
    op: Operation, attr: DenseResourceAttr, resources: dict[str, str]
) -> DenseIntOrFPElementsAttr:
    key, type_ = attr.resource_handle.data, attr.type
    assert isinstance(type_, ShapedType)
    try:
        data = bytes.fromhex(resources[key].removeprefix("0x"))[_HEADER:]
    except ValueError as error:
        raise _refused(op, f"the resource {key} is not a text of bytes", str(error)) from error
    element: Attribute = type_.get_element_type()  # pyright: ignore
    shape = type_.get_shape()
    if DYNAMIC_INDEX in shape:
        raise _refused(op, f"{type_} has no number of elements", f"the resource {key} has bytes")
    count = prod(shape)
    width = 1 if element == IntegerType(1) else getattr(element, "compile_time_size", 0)
    if len(data) != count * width:
        raise _refused(
            op,
            f"the resource {key} has {len(data)} bytes",
            f"{type_} has {count} elements of {width} bytes: {count * width}",
        )
    return DenseIntOrFPElementsAttr(type_, BytesAttr(data))  # pyright: ignore


def _refused(op: Operation, message: str, why: str) -> ParseError:
    return ParseError("KC1005", f"{op_name(op)}: {message}", location=location_of(op), why=why)
