"""The signature of a compiled kernel: its arguments as plain data, without any IR.

A :class:`Signature` lists arrays and scalars in call order. An array dimension is an ``int``, a
symbol (a ``str``, bound by the call) or an :class:`AffineDim` over symbols, such as ``n + 2``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

from kc.support.diagnostics import CallError, InternalError

MAX_ALIGNMENT = 64
"""The alignment of :mod:`kc.nd` arrays in bytes, and the most that a kernel may require."""


@dataclass(frozen=True)
class DType:
    """An element type as the machine sees it.

    ``llvm`` is the type in memory and in registers at the call (a bool is a whole byte),
    ``size`` its bytes, ``code`` the DLPack type code, ``format`` the letter of :mod:`struct`
    that packs one scalar (None: there is none).
    """

    name: str
    llvm: str
    size: int
    code: int
    format: str | None

    @property
    def is_float(self) -> bool:
        return self.code in (2, 4, 10, 12)

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and greatest value of an integer type."""
        if self.name == "bool":
            return 0, 1
        bits = 8 * self.size
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.code == 0 else (0, (1 << bits) - 1)


DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        DType("bool", "i8", 1, 6, "?"),
        DType("int8", "i8", 1, 0, "b"),
        DType("int16", "i16", 2, 0, "h"),
        DType("int32", "i32", 4, 0, "i"),
        DType("int64", "i64", 8, 0, "q"),
        DType("uint8", "i8", 1, 1, "B"),
        DType("uint16", "i16", 2, 1, "H"),
        DType("uint32", "i32", 4, 1, "I"),
        DType("uint64", "i64", 8, 1, "Q"),
        DType("float8_e4m3fn", "i8", 1, 10, None),
        DType("float8_e5m2", "i8", 1, 12, None),
        DType("float16", "half", 2, 2, "e"),
        DType("bfloat16", "bfloat", 2, 4, None),
        DType("float32", "float", 4, 2, "f"),
        DType("float64", "double", 8, 2, "d"),
    )
}

Dim: TypeAlias = "int | str | AffineDim"
DimOp = Literal["add", "mul", "floordiv", "ceildiv", "mod"]

_SPELLING = {"add": "+", "mul": "*", "floordiv": "floordiv", "ceildiv": "ceildiv", "mod": "mod"}


@dataclass(frozen=True)
class AffineDim:
    """A size derived from symbols; build it with :meth:`add`, :meth:`mul`, ... from dims.

    Division and remainder are MLIR's: rounding towards minus (``floordiv``) or plus infinity
    (``ceildiv``), defined for a positive divisor only.
    """

    op: DimOp
    lhs: Dim
    rhs: Dim

    def __post_init__(self) -> None:
        if self.op not in _SPELLING:
            raise InternalError(f"no such operation on sizes: {self.op}")
        if self.is_division and isinstance(self.rhs, int) and self.rhs <= 0:
            raise InternalError(f"the divisor of a size must be positive: {self}")

    @property
    def is_division(self) -> bool:
        return self.op in ("floordiv", "ceildiv", "mod")

    @classmethod
    def add(cls, lhs: Dim, rhs: Dim) -> AffineDim:
        return cls("add", lhs, rhs)

    @classmethod
    def mul(cls, lhs: Dim, rhs: Dim) -> AffineDim:
        return cls("mul", lhs, rhs)

    @classmethod
    def floordiv(cls, lhs: Dim, rhs: Dim) -> AffineDim:
        return cls("floordiv", lhs, rhs)

    @classmethod
    def ceildiv(cls, lhs: Dim, rhs: Dim) -> AffineDim:
        return cls("ceildiv", lhs, rhs)

    @classmethod
    def mod(cls, lhs: Dim, rhs: Dim) -> AffineDim:
        return cls("mod", lhs, rhs)

    def __str__(self) -> str:
        def operand(dim: Dim) -> str:
            return f"({dim})" if isinstance(dim, AffineDim) else str(dim)

        if self.op == "add":
            if isinstance(self.rhs, int) and self.rhs < 0:
                return f"{operand(self.lhs)} - {-self.rhs}"
            if isinstance(self.rhs, AffineDim) and (self.rhs.op, self.rhs.rhs) == ("mul", -1):
                return f"{operand(self.lhs)} - {operand(self.rhs.lhs)}"
        return f"{operand(self.lhs)} {_SPELLING[self.op]} {operand(self.rhs)}"


def evaluate(dim: Dim, symbols: Mapping[str, int]) -> int | None:
    """The value of a size; None if a divisor is not positive."""
    if isinstance(dim, int):
        return dim
    if isinstance(dim, str):
        return symbols[dim]
    lhs, rhs = evaluate(dim.lhs, symbols), evaluate(dim.rhs, symbols)
    if lhs is None or rhs is None or (dim.is_division and rhs <= 0):
        return None
    match dim.op:
        case "add":
            return lhs + rhs
        case "mul":
            return lhs * rhs
        case "floordiv":
            return lhs // rhs
        case "ceildiv":
            return -(-lhs // rhs)
        case "mod":
            return lhs % rhs


def symbols_of(dim: Dim) -> Iterator[str]:
    """The symbols in a size, in reading order, with repetitions."""
    if isinstance(dim, str):
        yield dim
    elif isinstance(dim, AffineDim):
        yield from symbols_of(dim.lhs)
        yield from symbols_of(dim.rhs)


@dataclass(frozen=True)
class SizeCondition:
    """``lhs == rhs`` or ``lhs >= rhs``, which the sizes at a call must fulfil.

    It need not hold where one of the sizes ``unless_empty`` is 0.
    """

    lhs: Dim
    relation: Literal["==", ">="]
    rhs: Dim
    why: str
    unless_empty: tuple[Dim, ...] = ()

    def __str__(self) -> str:
        return f"{self.lhs} {self.relation} {self.rhs}"

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols in the condition, in reading order."""
        parts = (self.lhs, self.rhs, *self.unless_empty)
        return tuple(dict.fromkeys(symbol for part in parts for symbol in symbols_of(part)))

    def holds(self, symbols: Mapping[str, int]) -> bool:
        """True if the condition holds for these values of the symbols."""
        lhs, rhs = evaluate(self.lhs, symbols), evaluate(self.rhs, symbols)
        if lhs is not None and rhs is not None:
            if lhs == rhs if self.relation == "==" else lhs >= rhs:
                return True
        counts = [evaluate(size, symbols) for size in self.unless_empty]
        return any(count is not None and count <= 0 for count in counts)


def _dim_to_json(dim: Dim) -> Any:
    if isinstance(dim, AffineDim):
        return [dim.op, _dim_to_json(dim.lhs), _dim_to_json(dim.rhs)]
    return dim


def _dim_from_json(data: Any) -> Dim:
    if isinstance(data, list):
        op, lhs, rhs = data
        return AffineDim(op, _dim_from_json(lhs), _dim_from_json(rhs))
    return data


@dataclass(frozen=True)
class ArgSpec:
    """One argument of a kernel.

    An array has a ``shape``, a ``role`` and an ``alignment`` in bytes (0: that of an element). It
    is dense and row-major, unless it has ``strides``: for each dimension the distance of neighbours
    in elements, or a symbol for what is found at the array; equal symbols are equal distances. A
    scalar may be the value of a ``symbol``; an index is an ``int64``, of which only the numbers of
    the type ``values`` are taken.
    """

    name: str
    kind: Literal["array", "scalar"]
    dtype: str
    shape: tuple[Dim, ...] = ()
    role: Literal["in", "out", "inout"] = "in"
    alignment: int = 0
    symbol: str | None = None
    strides: tuple[int | str, ...] | None = None
    values: str | None = None

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise InternalError(f"argument {self.name}: no such dtype: {self.dtype}")
        if not self.alignment:
            object.__setattr__(self, "alignment", self.element.size)
        if self.alignment > MAX_ALIGNMENT or self.alignment & (self.alignment - 1):
            raise InternalError(
                f"argument {self.name}: alignment {self.alignment} is not a power of two "
                f"of at most {MAX_ALIGNMENT}"
            )
        if self.symbol is not None and (self.is_array or self.dtype not in ("int32", "int64")):
            raise InternalError(f"argument {self.name}: only an int32 or int64 can be a size")

    @cached_property
    def element(self) -> DType:
        return DTYPES[self.dtype]

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """The minimum and maximum of an integer scalar."""
        low, high = self.element.bounds
        if self.values is None:
            return low, high
        least, greatest = DTYPES[self.values].bounds
        return max(low, least), min(high, greatest)

    @cached_property
    def is_array(self) -> bool:
        return self.kind == "array"

    @property
    def written(self) -> bool:
        """True if the kernel writes to the array."""
        return self.role != "in"

    @cached_property
    def dynamic(self) -> tuple[int, ...]:
        """The dimensions whose sizes are parameters of the machine-level function, in order."""
        return tuple(i for i, dim in enumerate(self.shape) if not isinstance(dim, int))

    @cached_property
    def dynamic_strides(self) -> tuple[int, ...]:
        """The dimensions whose strides are parameters of the machine-level function, after the
        sizes.
        """
        return tuple(i for i, stride in enumerate(self.strides or ()) if isinstance(stride, str))

    @cached_property
    def words(self) -> int:
        """The number of parameters of the machine-level function for this argument."""
        return 1 + len(self.dynamic) + len(self.dynamic_strides)

    def __str__(self) -> str:
        role = "" if self.role == "in" else f"{self.role} "
        text = f"{self.name}: {role}{self.values or self.dtype}"
        if not self.is_array:
            return text
        text = f"{text}[{', '.join(map(str, self.shape))}]"
        if self.strides is None:
            return text
        return f"{text} with strides [{', '.join(map(str, self.strides))}]"


@dataclass(frozen=True)
class Signature:
    """A kernel's name and arguments. ``symbols`` are the names that sizes are given in.

    Every symbol must be bound by a call: it is the plain size of some array, or the value of a
    scalar; otherwise KC5122. ``requires`` are the conditions on sizes that the kernel relies on,
    beside those that the shapes of its arguments state.
    """

    name: str
    args: tuple[ArgSpec, ...]
    symbols: tuple[str, ...] = field(default=())
    requires: tuple[SizeCondition, ...] = field(default=())

    def __post_init__(self) -> None:
        used = {s for arg in self.args for dim in arg.shape for s in symbols_of(dim)}
        used |= {arg.symbol for arg in self.args if arg.symbol is not None}
        used |= {symbol for condition in self.requires for symbol in condition.symbols}
        if missing := sorted(used - set(self.symbols)):
            raise InternalError(f"{self.name}: symbols not declared: {', '.join(missing)}")
        for symbol in self.symbols:
            if symbol not in self.binders:
                raise CallError(
                    "KC5122",
                    f"{self.name}: no argument determines the size {symbol}",
                    facts=[str(self)],
                    why="a size must be a dimension of an array argument, or a scalar argument",
                    hints=[f"make {symbol} an argument of {self.name}"],
                )

    @cached_property
    def binders(self) -> dict[str, tuple[int, int | None]]:
        """Symbol -> (argument, dimension) that determines it; the dimension of a scalar is None."""
        binders: dict[str, tuple[int, int | None]] = {}
        for i, arg in enumerate(self.args):
            if arg.symbol is not None:
                binders.setdefault(arg.symbol, (i, None))
            for d, dim in enumerate(arg.shape):
                if isinstance(dim, str):
                    binders.setdefault(dim, (i, d))
        return binders

    @cached_property
    def machine_types(self) -> tuple[str, ...]:
        """The LLVM types of the machine-level parameters: ``ptr`` and its ``i64`` sizes, scalars.

        An array gives a pointer and one ``i64`` for each dynamic dimension, then one for each
        stride that is a symbol; a scalar itself.
        """
        types: list[str] = []
        for arg in self.args:
            types += ["ptr", *["i64"] * (arg.words - 1)] if arg.is_array else [arg.element.llvm]
        return tuple(types)

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """The arguments that a call may omit, all of them together: arrays that are only
        written.
        """
        return tuple(i for i, arg in enumerate(self.args) if arg.role == "out")

    @cached_property
    def input_symbols(self) -> frozenset[str]:
        """The symbols determined by arguments other than outputs."""
        args = [arg for arg in self.args if arg.role != "out"]
        plain = {dim for arg in args for dim in arg.shape if isinstance(dim, str)}
        return frozenset(plain | {arg.symbol for arg in args if arg.symbol is not None})

    @cached_property
    def inputs(self) -> Signature:
        """The signature without its outputs, over the symbols that its inputs determine."""
        args = tuple(arg for arg in self.args if arg.role != "out")
        input_symbols = self.input_symbols
        symbols = tuple(symbol for symbol in self.symbols if symbol in input_symbols)
        requires = tuple(
            condition for condition in self.requires if input_symbols.issuperset(condition.symbols)
        )
        return Signature(self.name, args, symbols, requires)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"

    def to_json(self) -> str:
        """The signature as JSON text, the inverse of :meth:`from_json`."""
        args = [
            {
                "name": arg.name,
                "kind": arg.kind,
                "dtype": arg.dtype,
                "shape": [_dim_to_json(dim) for dim in arg.shape],
                "role": arg.role,
                "alignment": arg.alignment,
                "symbol": arg.symbol,
                **({} if arg.strides is None else {"strides": arg.strides}),
                **({} if arg.values is None else {"values": arg.values}),
            }
            for arg in self.args
        ]
        requires = [
            {
                "lhs": _dim_to_json(condition.lhs),
                "relation": condition.relation,
                "rhs": _dim_to_json(condition.rhs),
                "why": condition.why,
                "unless_empty": list(map(_dim_to_json, condition.unless_empty)),
            }
            for condition in self.requires
        ]
        data = {"name": self.name, "args": args, "symbols": self.symbols}
        return json.dumps({**data, "requires": requires} if requires else data)

    @classmethod
    def from_json(cls, text: str) -> Signature:
        """The signature that :meth:`to_json` wrote."""
        data = json.loads(text)
        args = [
            ArgSpec(
                **{
                    **arg,
                    "shape": tuple(map(_dim_from_json, arg["shape"])),
                    "strides": tuple(arg["strides"]) if "strides" in arg else None,
                }
            )
            for arg in data["args"]
        ]
        requires = [
            SizeCondition(
                _dim_from_json(condition["lhs"]),
                condition["relation"],
                _dim_from_json(condition["rhs"]),
                condition["why"],
                tuple(map(_dim_from_json, condition["unless_empty"])),
            )
            for condition in data.get("requires", ())
        ]
        return cls(data["name"], tuple(args), tuple(data["symbols"]), tuple(requires))
