"""The call of a Python function by generated code: its arguments, and its symbol."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from kc.support.diagnostics import Location

UNKNOWN = -1
"""A dimension or stride that is unknown at compile time. Such values follow the pointer as int64
arguments: first the dimensions, then the strides.
"""


@dataclass(frozen=True)
class PackedArray:
    """A buffer: a pointer to its first element, then its dynamic dimensions and strides."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    """The strides in elements; None for a dense array."""
    writable: bool


@dataclass(frozen=True)
class PackedScalar:
    """A number, passed by value (bool as a byte)."""

    dtype: str


@dataclass(frozen=True)
class PackedText:
    """A text. It is part of the signature, so it is not passed."""

    text: str


PackedParameter = PackedArray | PackedScalar | PackedText


@dataclass(frozen=True)
class PackedSignature:
    """The arguments of a call of the function registered as ``name``, and its result type."""

    name: str
    parameters: tuple[PackedParameter, ...]
    result: str | None
    traced: bool = False
    """True if a call without a result returns the last argument instead of 0."""
    location: Location | None = field(default=None, compare=False)

    @property
    def symbol(self) -> str:
        """The linker's name of the called symbol. Signatures with different parameters have
        different symbols.
        """
        plain = re.sub(r"\W", "_", self.name, flags=re.ASCII)
        parts = repr((self.name, self.parameters, self.result, self.traced))
        return f"kc_packed_{plain}_{hashlib.sha256(parts.encode()).hexdigest()[:8]}"

    @property
    def prototype(self) -> str:
        """The C prototype of the symbol."""
        declarations: list[str] = []
        for n, parameter in enumerate(self.parameters):
            if isinstance(parameter, PackedArray):
                const = "" if parameter.writable else "const "
                declarations.append(f"{const}{c_type(parameter.dtype)} *a{n}")
                declarations += [
                    f"int64_t a{n}_d{k}" for k, d in enumerate(parameter.shape) if d == UNKNOWN
                ]
                strides = enumerate(parameter.strides or ())
                declarations += [f"int64_t a{n}_s{k}" for k, d in strides if d == UNKNOWN]
            elif isinstance(parameter, PackedScalar):
                declarations.append(
                    f"{'int8_t' if parameter.dtype == 'bool' else c_type(parameter.dtype)} a{n}"
                )
        result = "void" if self.result is None else c_type(self.result)
        return f"{result} {self.symbol}({', '.join(declarations) or 'void'});"

    def to_data(self) -> dict[str, Any]:
        """The signature as values of JSON, for :meth:`from_data`."""
        kinds = {PackedArray: "array", PackedScalar: "scalar", PackedText: "text"}
        parameters = [[kinds[type(parameter)], asdict(parameter)] for parameter in self.parameters]
        return {
            "name": self.name,
            "parameters": parameters,
            "result": self.result,
            "traced": self.traced,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> PackedSignature:
        """The inverse of :meth:`to_data`."""
        kinds = {"array": PackedArray, "scalar": PackedScalar, "text": PackedText}
        parameters = tuple(
            kinds[kind](**{key: _frozen(value) for key, value in fields.items()})
            for kind, fields in data["parameters"]
        )
        return cls(data["name"], parameters, data["result"], data["traced"])


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


_C_TYPES = {
    "bool": "int8_t",
    "float16": "uint16_t",
    "bfloat16": "uint16_t",
    "float32": "float",
    "float64": "double",
}


def c_type(dtype: str) -> str:
    """The C type of an element type."""
    return _C_TYPES.get(dtype, f"{dtype}_t")
