"""Scripts as operations of tensor expressions: TVM's hybrid script.

A function that is called with tensors reads them as buffers, allocates its results with
``output_tensor``, and returns them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import Operators
from kc.expr.tensor import Tensor
from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location
from kc.tir.extern import extern
from kc.tir.script.kernels import HybridBody
from kc.tir.script.names import Word
from kc.tir.script.source import Source
from kc.tir.script.statements import Statements, parameter_names


def is_symbolic_call(values: Sequence[Any]) -> bool:
    """True if a call has tensors or sizes among its arguments, rather than arrays and numbers."""
    return any(
        is_symbolic_call(value)
        if isinstance(value, list | tuple)
        else isinstance(value, Tensor | Operators)
        for value in values
    )


class HybridReader(Statements):
    """Reads a function whose results are tensors."""

    results_are = "the results of a script that is called with tensors are what output_tensor makes"
    result_hint = 'c = output_tensor(a.shape, "float32"); ...; return c'

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.outputs: list[Buffer] = []

    def allocate(
        self, word: Word, values: list[Any], named: Mapping[str, Any], name: str, at: Location
    ) -> Buffer:
        """Memory; that of ``output_tensor`` is a result."""
        if word.name != "output_tensor":
            return super().allocate(word, values, named, name, at)
        if self.depth:
            raise TEError(
                "KC2127",
                f"output_tensor of {self.source.name} in a loop or an if",
                location=at,
                why="a result is declared exactly once, on every path",
                hints=["call it before the loops"],
            )
        memory = self.blocks.memory(word, values, named, at)
        buffer = Buffer(memory["shape"], memory["dtype"], name or f"output{len(self.outputs)}")
        self.outputs.append(buffer)
        return buffer

    def takes_result(self, value: Any) -> bool:
        """True if the function may return ``value``: if it consists of outputs."""
        return all(isinstance(item, Buffer) for item in _listed(value))


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def call_with_tensors(source: Source, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The result tensors of a call with ``args``, from an operation with the function's name.

    Raises TEError KC2127 if the function returns anything but its outputs.
    """
    location = caller_location()
    assert location is not None
    reader = HybridReader(source)
    buffers: dict[Tensor, Buffer] = {}
    names = parameter_names(source)
    values = [
        _as_parameter(arg, name, buffers)
        for arg, name in zip(args, [*names, *map(str, range(len(args)))], strict=False)
    ]
    named = {name: _as_parameter(arg, name, buffers) for name, arg in kwargs.items()}
    reader.take(values, named, location)
    reader.run(source.tree.body)
    outputs = _outputs(reader, source)
    statement = HybridBody(source.at(source.tree), reader.body)
    result = extern(
        [output.shape for output in outputs],
        list(buffers),
        lambda ins, outs: statement,
        name=source.name,
        dtype=[output.dtype for output in outputs],
        in_buffers=list(buffers.values()),
        out_buffers=outputs,
    )
    if not isinstance(reader.result, list | tuple):
        return result
    return result if isinstance(result, list) else [result]


def _as_parameter(value: Any, name: str, buffers: dict[Tensor, Buffer]) -> Any:
    """The buffer that the function receives for a tensor; the same buffer for the same tensor."""
    if isinstance(value, list | tuple):
        return tuple(_as_parameter(item, f"{name}_{n}", buffers) for n, item in enumerate(value))
    if isinstance(value, Tensor):
        if value not in buffers:
            buffers[value] = Buffer(value.shape, value.dtype, name)
        return buffers[value]
    return value


def _what(foreign: Sequence[Buffer], returned: Sequence[Buffer]) -> str:
    if foreign:
        return f"{foreign[0].name}, which is not an output"
    return "an output twice" if returned else "no output"


def _outputs(reader: HybridReader, source: Source) -> list[Buffer]:
    """The results, in the order in which they are returned."""
    returned = _listed(reader.result)
    foreign = [item for item in returned if not any(item is output for output in reader.outputs)]
    unreturned = [
        output for output in reader.outputs if not any(output is item for item in returned)
    ]
    at = source.at(source.tree.body[-1])
    if foreign or not returned or len(set(map(id, returned))) != len(returned):
        raise TEError(
            "KC2127",
            f"{source.name} returns {_what(foreign, returned)}",
            location=at,
            why=reader.results_are,
            hints=[reader.result_hint],
        )
    if unreturned:
        raise TEError(
            "KC2127",
            f"{source.name} does not return its output {unreturned[0].name}",
            location=at,
            why="every output is a result",
            hints=[f"return {', '.join(output.name for output in reader.outputs)}", "allocate"],
        )
    return returned
