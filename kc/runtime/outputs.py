"""Calls that leave the outputs out: they are allocated, and returned."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from kc.runtime.arguments import BoundArguments, bind
from kc.runtime.operand import HOST, Place
from kc.runtime.signature import ArgSpec, Dim, Signature, evaluate, symbols_of
from kc.support.diagnostics import CallError


def bind_inputs(
    signature: Signature, args: Sequence[Any], place: Place = HOST
) -> tuple[BoundArguments, tuple[Any, ...]]:
    """Check a call's inputs and allocate its outputs in the kernel's place: on the CPU, as kc.nd
    arrays if an input is one.

    Raises the errors of :func:`kc.runtime.arguments.bind`, and CallError KC5101 for an output whose
    size no input determines.
    """
    _check_known(signature)
    inputs = signature.inputs
    bound = bind(inputs, args, None, place)
    words = list(bound.slots)
    symbols = _symbols(inputs, words)
    outputs: list[Any] = []
    full: list[int] = []
    rest = iter(words)
    for spec in signature.args:
        if spec.role != "out":
            full += [next(rest) for _ in range(spec.words)]
            continue
        shape = tuple(_size(signature, spec, dim, symbols) for dim in spec.shape)
        array, address = place.empty(shape, spec.dtype, args)
        outputs.append(array)
        full += [address, *(shape[d] for d in spec.dynamic)]
    slots = (ctypes.c_uint64 * len(full))(*full)
    return BoundArguments(slots, (*bound.keep_alive, *outputs)), tuple(outputs)


def _check_known(signature: Signature) -> None:
    for spec in signature.args:
        if spec.role == "out" and spec.strides is not None:
            why = f"they are dense, and {spec.name} has declared strides"
            raise _must_be_given(signature, why)
        for dim in spec.shape:
            unknown = [
                symbol for symbol in symbols_of(dim) if symbol not in signature.input_symbols
            ]
            if unknown:
                why = f"the inputs give all sizes, and {unknown[0]} is given by an output"
                raise _must_be_given(signature, why)


def _must_be_given(signature: Signature, why: str) -> CallError:
    count = len(signature.args) - len(signature.outputs)
    return CallError(
        "KC5101",
        f"{signature.name}: {count} argument{'s' * (count != 1)} given, "
        f"{len(signature.args)} expected",
        facts=[f"the kernel: {signature}"],
        why=f"outputs can be left out only where {why}",
    )


def _symbols(inputs: Signature, words: Sequence[int]) -> dict[str, int]:
    """The values of the symbols, from the machine-level arguments."""
    at: list[int] = []
    position = 0
    for spec in inputs.args:
        at.append(position)
        position += spec.words
    values: dict[str, int] = {}
    for symbol, (i, d) in inputs.binders.items():
        spec = inputs.args[i]
        place = at[i] if d is None else at[i] + 1 + spec.dynamic.index(d)
        bits = 32 if d is None and spec.dtype == "int32" else 64
        value = words[place] & ((1 << bits) - 1)
        values[symbol] = value - (1 << bits) if value >> (bits - 1) else value
    return values


def _size(signature: Signature, spec: ArgSpec, dim: Dim, symbols: dict[str, int]) -> int:
    size = evaluate(dim, symbols)
    if size is not None and size >= 0:
        return size
    sizes_text = ", ".join(f"{name} is {symbols[name]}" for name in dict.fromkeys(symbols_of(dim)))
    raise CallError(
        "KC5110",
        f"{signature.name}: the output '{spec.name}' has the size {dim}, which is "
        f"{'undefined' if size is None else size}",
        facts=[f"expected: {spec}"],
        why=sizes_text or None,
    )
