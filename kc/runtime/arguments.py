"""The complete check of a call's arguments, with diagnostics: every rule is stated here.

:mod:`kc.runtime.call_wrapper` generates code that accepts the common case. All other calls come
here, and are either accepted or refused with a diagnostic.
"""

from __future__ import annotations

import ctypes
import math
import struct
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kc.runtime.layouts import (
    dense_strides,
    on_itself,
    share_memory,
    span,
    strides_of,
    strides_to_declare,
)
from kc.runtime.operand import HOST, Operand, Place, Refused, kind_of
from kc.runtime.signature import AffineDim, ArgSpec, Signature, evaluate, symbols_of
from kc.support.diagnostics import CallError, counted
from kc.support.float_formats import NARROW_FLOATS

_WORD = 2**64 - 1

NOALIAS = (
    "kernels are compiled with noalias: an array that is written "
    "may share no byte with another argument"
)


@dataclass(slots=True)
class BoundArguments:
    """Checked arguments: one 8-byte slot for each machine-level parameter, and their owners."""

    slots: ctypes.Array[ctypes.c_uint64]
    keep_alive: tuple[Any, ...]


def bind(
    signature: Signature,
    args: Sequence[Any],
    keywords: Mapping[str, Any] | None = None,
    place: Place = HOST,
) -> BoundArguments:
    """Check a call's arguments, for a kernel that runs at ``place``.

    Raises CallError KC5101 to KC5119.
    """
    if keywords or len(args) != len(signature.args):
        raise _wrong_count(signature, len(args), keywords or {})
    operands: dict[int, Operand] = {}
    scalars: dict[int, int] = {}
    keep_alive: list[Any] = []
    for i, (spec, value) in enumerate(zip(signature.args, args, strict=True)):
        argument = _Argument(signature, i, place)
        if spec.is_array:
            operands[i] = argument.array(value)
            keep_alive.append(operands[i].owner)
        else:
            scalars[i] = argument.scalar(value)
    _check_sizes(signature, operands, scalars)
    _check_overlap(signature, operands, place)
    words: list[int] = []
    for i, spec in enumerate(signature.args):
        if spec.is_array:
            array = operands[i]
            words += [array.address, *(array.shape[d] for d in spec.dynamic)]
            words += [strides_of(array, spec)[d] & _WORD for d in spec.dynamic_strides]
        else:
            words.append(scalars[i])
    return BoundArguments((ctypes.c_uint64 * len(words))(*words), tuple(keep_alive))


def _wrong_count(signature: Signature, passed: int, keywords: Mapping[str, Any]) -> CallError:
    facts = [f"the kernel: {signature}"]
    if keywords:
        return CallError(
            "KC5102",
            f"{signature.name}: keyword arguments are not accepted: {', '.join(keywords)}",
            facts=facts,
            hints=[f"{signature.name}({', '.join(arg.name for arg in signature.args)})"],
        )
    count = len(signature.args)
    return CallError(
        "KC5101",
        f"{signature.name}: {passed} argument{'s' * (passed != 1)} given, {count} expected",
        facts=facts,
        why="outputs are passed by the caller as well" if passed < count else None,
    )


class _Argument:
    """One argument of a call: its checks and their diagnostics."""

    def __init__(self, signature: Signature, index: int, place: Place = HOST) -> None:
        self.signature = signature
        self.place = place
        self.spec: ArgSpec = signature.args[index]
        self.label = f"argument {index + 1} '{self.spec.name}'"
        self.library = ""

    def refuse(
        self,
        code: str,
        text: str,
        came: object = None,
        *,
        why: str | None = None,
        hints: Sequence[str] = (),
    ) -> CallError:
        facts = [] if came is None else [f"came: {came}"]
        return CallError(
            code,
            f"{self.signature.name}: {self.label} {text}",
            why=why,
            facts=[*facts, f"expected: {self.spec}"],
            hints=hints,
        )

    def array(self, value: Any) -> Operand:
        spec, name = self.spec, self.spec.name
        try:
            array = self.place.operand(value)
            self.library = array.library
        except Refused as error:
            hints = []
            if error.instead and (error.shares or not spec.written):
                hints = [f"pass {error.instead.format(name=name, dtype=_numpy_name(spec.dtype))}"]
            elif spec.written:
                new = self.place.new(name, spec.dtype) or f"a numpy array of {spec.dtype}"
                hints = [f"pass {new} and copy the result back"]
            # Not held in a variable: an error that its own traceback reaches keeps the arguments.
            raise self.refuse(
                error.code, error.text, why=error.why, hints=hints
            ) from error.__cause__
        if array.dtype == "object":
            raise self.refuse(
                "KC5104",
                "is an array of Python objects",
                array,
                why=f"a kernel needs the {spec.dtype} elements themselves in memory",
                hints=self._replacement(f"{name}.astype({_numpy_name(spec.dtype)})"),
            )
        if array.byte_order is not None:
            raise self.refuse(
                "KC5105",
                f"is {array.byte_order}, expected the byte order of this machine",
                array,
                hints=self._replacement(f"{name}.astype({_numpy_name(spec.dtype)})"),
            )
        # TVM's programs keep bfloat16 in arrays of uint16: the bits.
        if array.dtype != spec.dtype and (array.dtype, spec.dtype) != ("uint16", "bfloat16"):
            convert = f"{name}.astype({_numpy_name(spec.dtype)})"
            if spec.dtype in NARROW_FLOATS and array.dtype == f"uint{8 * spec.element.size}":
                convert = f'kc.nd.array({name}, dtype="{spec.dtype}"), which takes them as bits'
            if array.library == "torch":
                convert = f"{name}.to(torch.{spec.dtype})"
            raise self.refuse(
                "KC5106",
                f"has dtype {array.dtype}, expected {spec.dtype}",
                array,
                hints=self._replacement(convert),
            )
        if len(array.shape) != len(spec.shape):
            raise self.refuse(
                "KC5107",
                f"has rank {len(array.shape)}, expected {len(spec.shape)}",
                array,
                hints=self._reshaped(array),
            )
        for d, (size, dim) in enumerate(zip(array.shape, spec.shape, strict=True)):
            if isinstance(dim, int) and size != dim:
                raise self.refuse(
                    "KC5108", f"has size {size} in dimension {d}, expected {dim}", array
                )
        self._check_layout(array)
        if array.address % spec.alignment and 0 not in array.shape:
            raise self.refuse(
                "KC5112",
                f"lies at an address that is {array.address % spec.alignment} "
                f"modulo {spec.alignment}, expected a multiple of {spec.alignment}",
                array,
                why="kernels use aligned loads and stores",
                hints=self._replacement(
                    f"kc.nd.array({name})", f'kc.nd.empty({name}.shape, "{spec.dtype}")'
                ),
            )
        if spec.written and array.read_only:
            raise self.refuse(
                "KC5113",
                f"is written by the kernel, but {array.read_only}",
                array,
                hints=self._replacement(f"{name}.copy()"),
            )
        return array

    def _check_layout(self, array: Operand) -> None:
        """Check that the elements have the layout that the kernel expects."""
        spec, name = self.spec, self.spec.name
        dense = (
            f"{name}.contiguous()" if array.library == "torch" else f"np.ascontiguousarray({name})"
        )
        if spec.strides is None:
            if not array.dense:
                expected = list(dense_strides(array, spec))
                declare = f"tir.decl_buffer(..., strides=[{strides_to_declare(array, spec)}])"
                raise self.refuse(
                    "KC5111",
                    "is not C-contiguous",
                    array,
                    why=f"kernels address dense row-major memory: strides of {expected} bytes",
                    hints=[
                        *self._replacement(dense),
                        f"or build with binds={{{name}: {declare}}}",
                    ],
                )
            return
        size = spec.element.size
        for d, (extent, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
            if extent <= 1 or 0 in array.shape:
                continue  # no neighbours in this dimension
            if stride % size:
                raise self.refuse(
                    "KC5273",
                    f"has a stride of {counted(stride, 'byte')} in dimension {d}, "
                    f"expected a multiple of {size}",
                    array,
                    why=f"kernels count strides in elements of {size} bytes",
                    hints=self._replacement(dense),
                )
            declared = spec.strides[d]
            if isinstance(declared, int) and stride != declared * size:
                raise self.refuse(
                    "KC5274",
                    f"has a stride of {counted(stride // size, 'element')} in dimension {d}, "
                    f"expected {declared}",
                    array,
                    why="the kernel is compiled for the declared stride",
                    hints=[f"declare it as a variable: strides=[..., te.var('s{d}'), ...]"],
                )
        if spec.written and (dims := on_itself(array, size)):
            raise self.refuse(
                "KC5275",
                f"is written and overlaps itself in dimension{'s' * (len(dims) > 1)} "
                f"{', '.join(map(str, dims))}",
                array,
                why="an element that is stored twice has no definite value",
                hints=self._replacement(f"{name}.copy()"),
            )

    def _replacement(self, copy: str, new: str | None = None) -> list[str]:
        """A hint to pass ``copy`` in place of an input or inout, or a ``new`` array in place of an
        output.
        """
        spec = self.spec
        copy = self.place.instead(spec.name, copy, self.library)
        if spec.role == "out":
            new = self.place.new(spec.name, spec.dtype) or new
            copy = new or f"np.empty({spec.name}.shape, {_numpy_name(spec.dtype)})"
        return [f"pass {copy}" + (" and copy the result back" if spec.written else "")]

    def _reshaped(self, array: Operand) -> list[str]:
        """The hint to reshape, if the intended shape is unique."""
        if not array.dense or sum(not isinstance(dim, int) for dim in self.spec.shape) > 1:
            return []
        static_count = math.prod(dim for dim in self.spec.shape if isinstance(dim, int))
        total = math.prod(array.shape)
        if (
            (total != static_count)
            if not self.spec.dynamic
            else (not static_count or total % static_count)
        ):
            return []
        shape = ", ".join(str(dim if isinstance(dim, int) else -1) for dim in self.spec.shape)
        reshaped = f"{self.spec.name}.reshape({shape or '()'})"
        return [f"pass {self.place.instead(self.spec.name, reshaped, self.library)}"]

    def scalar(self, value: Any) -> int:
        """The 8 bytes of a scalar's slot."""
        spec = self.spec
        number = self._number(value)
        if spec.values is not None and not spec.bounds[0] <= number <= spec.bounds[1]:
            raise self._out_of_range(value)
        try:
            data = _pack(spec, number)
        except (OverflowError, struct.error):
            raise self._out_of_range(value) from None
        return int.from_bytes(data.ljust(8, b"\0"), sys.byteorder)

    def _out_of_range(self, value: Any) -> CallError:
        dtype, limits = self.spec.values or self.spec.dtype, "too large for"
        if not self.spec.element.is_float:
            limits = "not in {}..{}, the range of".format(*self.spec.bounds)
        return self.refuse("KC5119", f"is {_short(value)}, which is {limits} {dtype}")

    def _number(self, value: Any) -> Any:
        """A Python number converted to the scalar's kind without a change of value."""
        import numpy as np

        spec = self.spec
        takes_bools = "bool" in (spec.dtype, spec.values)
        if spec.dtype == "bool":
            kinds, convert, kind_name = (bool, np.bool_), bool, "a bool"
        elif takes_bools:  # a variable of the program, which is an index in the kernel
            kinds, convert, kind_name = (bool, np.bool_, int, np.integer), int, "a bool"
        elif spec.element.is_float:
            kinds, convert, kind_name = (int, float, np.integer, np.floating), float, "a number"
        else:
            kinds, convert, kind_name = (int, np.integer), int, "an integer"
        same = isinstance(value, np.generic) and value.dtype.name == spec.dtype
        if same or (isinstance(value, kinds) and (takes_bools or type(value) is not bool)):
            try:
                return convert(value)
            except OverflowError:
                raise self._out_of_range(value) from None
        hints = []
        if isinstance(value, np.ndarray) and value.size == 1:
            hints = [f"pass {spec.name}.item()"]
        elif isinstance(value, (int, float, np.number, np.bool_)) and _same(value, convert):
            hints = [f"pass {convert.__name__}({spec.name})"]
        raise self.refuse(
            "KC5118", f"is {_short(value)} ({kind_of(value)}), expected {kind_name}", hints=hints
        )


def _numpy_name(dtype: str) -> str:
    """The numpy expression for a dtype."""
    if dtype in NARROW_FLOATS and dtype != "float16":
        return f"ml_dtypes.{dtype}"
    return "np.bool_" if dtype == "bool" else f"np.{dtype}"


def _same(value: Any, convert: type) -> bool:
    """True if the conversion preserves the number's value."""
    try:
        return convert(value) == value
    except (OverflowError, ValueError, TypeError):
        return False


def _short(value: Any) -> str:
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an integer of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _pack(spec: ArgSpec, number: Any) -> bytes:
    """A number as the bytes of the scalar's type. Raises OverflowError or struct.error."""
    if spec.element.format is not None:
        return struct.pack(f"={spec.element.format}", number)
    form = NARROW_FLOATS[spec.dtype]
    code = form.encode(number)
    if code & form.sign - 1 == form.beyond and form.decode(code) != number == number:
        raise OverflowError
    return code.to_bytes(spec.element.size, sys.byteorder)


def _check_sizes(
    signature: Signature, operands: Mapping[int, Operand], scalars: Mapping[int, int]
) -> None:
    """Check symbolic sizes: all occurrences agree, and derived sizes have the required values."""

    def place(i: int, d: int | None) -> str:
        name = signature.args[i].name
        return name if d is None else f"{name}.shape[{d}]"

    def value(i: int, d: int | None) -> int:
        if d is not None:
            return operands[i].shape[d]
        size = signature.args[i].element.size
        return int.from_bytes(
            (scalars[i]).to_bytes(8, sys.byteorder)[:size], sys.byteorder, signed=True
        )

    symbols = {symbol: value(i, d) for symbol, (i, d) in signature.binders.items()}

    _check_strides(signature, operands, dict(symbols))

    def agree(i: int, d: int | None, symbol: str) -> None:
        if value(i, d) != symbols[symbol]:
            j, e = signature.binders[symbol]
            raise _Argument(signature, i).refuse(
                "KC5109",
                f"disagrees with {_Argument(signature, j).label} on {symbol}: "
                f"{place(i, d)} is {value(i, d)}, {place(j, e)} is {symbols[symbol]}",
                operands.get(i),
            )

    for i, spec in enumerate(signature.args):
        if spec.symbol is not None:
            agree(i, None, spec.symbol)
        for d, dim in enumerate(spec.shape):
            if isinstance(dim, str):
                agree(i, d, dim)
            elif isinstance(dim, AffineDim) and (
                (expected := evaluate(dim, symbols)) is None or expected != value(i, d)
            ):
                facts = [
                    f"{symbol} is {symbols[symbol]}, from {_Argument(signature, j).label}"
                    for symbol in dict.fromkeys(symbols_of(dim))
                    for j, _ in [signature.binders[symbol]]
                ]
                result = "undefined" if expected is None else expected
                raise _Argument(signature, i).refuse(
                    "KC5110",
                    f"has size {value(i, d)} in dimension {d}, expected {dim}, which is {result}",
                    operands[i],
                    why="; ".join(facts),
                )
    for condition in signature.requires:
        if not condition.holds(symbols):
            raise CallError(
                "KC5132",
                f"{signature.name}: the sizes of its arguments do not fit: "
                f"{condition} does not hold",
                facts=[
                    f"{symbol} is {symbols[symbol]}, from {_Argument(signature, i).label}"
                    for symbol in condition.symbols
                    for i, _ in [signature.binders[symbol]]
                ],
                why=condition.why,
            )


def _check_strides(
    signature: Signature, operands: Mapping[int, Operand], values: dict[str, int]
) -> None:
    """Check that strides with one symbol, and sizes with its name, are equal."""
    places = {
        symbol: f"{signature.args[i].name}" + ("" if d is None else f".shape[{d}]")
        for symbol, (i, d) in signature.binders.items()
    }
    for i, array in operands.items():
        spec = signature.args[i]
        steps = strides_of(array, spec)
        for d in spec.dynamic_strides:
            symbol = (spec.strides or ())[d]
            if array.shape[d] <= 1 or 0 in array.shape or not isinstance(symbol, str):
                continue
            place = f"the stride of {spec.name} in dimension {d}"
            if values.setdefault(symbol, steps[d]) != steps[d]:
                raise _Argument(signature, i).refuse(
                    "KC5276",
                    f"has a stride of {counted(steps[d], 'element')} in dimension {d}, "
                    f"and {symbol} is {values[symbol]}",
                    array,
                    why=f"{symbol} is {places[symbol]} too",
                )
            places.setdefault(symbol, place)


def _check_overlap(signature: Signature, operands: Mapping[int, Operand], place: Place) -> None:
    """No written array shares memory with another argument."""
    size = {i: signature.args[i].element.size for i in operands}
    spans = {i: span(array, size[i]) for i, array in operands.items()}
    for i in operands:
        if not signature.args[i].written:
            continue
        for j in operands:
            begin, end = max(spans[i][0], spans[j][0]), min(spans[i][1], spans[j][1])
            if i == j or begin >= end:
                continue
            first, second = operands[i], operands[j]
            shared: bool | None = True
            if not (first.dense and second.dense):
                shared = share_memory(first, second, (size[i], size[j]))
            if shared is False:
                continue
            raise _overlap(signature, operands, i, j, spans, end - begin if shared else None, place)


def _overlap(
    signature: Signature,
    operands: Mapping[int, Operand],
    i: int,
    j: int,
    spans: Mapping[int, tuple[int, int]],
    shared: int | None,
    place: Place,
) -> CallError:
    argument, partner = _Argument(signature, i), _Argument(signature, j)
    name, other_name = argument.spec.name, partner.spec.name
    separate = f"np.empty_like({name})" if argument.spec.role == "out" else f"{name}.copy()"
    separate = place.instead(name, separate, operands[i].library)
    if argument.spec.role == "out":
        separate = place.new(name, argument.spec.dtype) or separate
    begin = max(spans[i][0], spans[j][0])
    where = (
        f"from byte {begin - spans[i][0]} of {name} and byte {begin - spans[j][0]} of {other_name}"
    )
    relation = "is written and overlaps"
    fact = f"shared: {shared} bytes, {where}"
    if not (operands[i].dense and operands[j].dense):
        fact = f"their elements are mixed, {where}"
    if shared is None:
        relation = "is written and may overlap"
    return CallError(
        "KC5114",
        f"{signature.name}: {argument.label} {relation} {partner.label}",
        facts=[f"{name}: {operands[i]}", f"{other_name}: {operands[j]}", fact],
        why=NOALIAS,
        hints=[f"pass {separate} as {name}"],
    )
