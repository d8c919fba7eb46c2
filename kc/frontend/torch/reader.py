"""The content of an exported program of torch: parameters, and the lines of its operators."""

from __future__ import annotations

import ctypes
from typing import Any

from kc.support.diagnostics import InputError, Location

_DENSE = {
    "sparse": ("call to_dense() on it before the export",),
    "quantized": ("call dequantize() on it before the export",),
    "meta": ("load the module's parameters before the export",),
}
"""Hints for tensors whose elements do not lie in memory."""


class Reader:
    """A program of ``torch.export`` while it is imported."""

    def __init__(self, program: Any, at: Location | None) -> None:
        self.program = program
        self.at = at

    def held(self) -> dict[str, str]:
        """The name of each placeholder that is a parameter, a buffer or a constant -> its name in
        the program's state.

        Raises InputError KC0091 for a program that changes its buffers or inputs.
        """
        signature = self.program.graph_signature
        if signature.buffers_to_mutate or signature.user_inputs_to_mutate:
            raise self.refused("it changes its buffers or inputs", "call eval() before the export")
        return {
            **signature.inputs_to_parameters,
            **signature.inputs_to_buffers,
            **signature.inputs_to_lifted_tensor_constants,
        }

    def refused(self, why: str, *hints: str) -> InputError:
        return InputError(
            "KC0091",
            "kc.from_torch: the exported program cannot be imported",
            location=self.at,
            why=why,
            hints=list(hints),
        )

    def elements(self, target: str) -> bytes:
        """The bytes of a parameter, or of a buffer."""
        for table in (self.program.state_dict, self.program.constants):
            if target in table:
                return self.bytes_of(target, table[target].detach())
        raise self.refused(f"{target} has no elements")

    def bytes_of(self, target: str, tensor: Any) -> bytes:
        """The elements of a tensor, row-major, also if its memory has another layout.

        Raises InputError KC0091 for a tensor that is sparse, quantized, or has no memory.
        """
        for kind in ("sparse", "quantized", "meta"):
            if getattr(tensor, f"is_{kind}", False):
                raise self.refused(f"{target} is a {kind} tensor", *_DENSE.get(kind, ()))
        if not str(getattr(tensor, "layout", "torch.strided")).endswith("strided"):
            raise self.refused(f"{target} has the layout {tensor.layout}", *_DENSE["sparse"])
        for bit in ("conj", "neg"):  # lazy views: the memory still has to be conjugated or negated
            if hasattr(tensor, f"resolve_{bit}"):
                tensor = getattr(tensor, f"resolve_{bit}")()
        tensor = tensor.cpu().contiguous()
        if not tensor.data_ptr() and tensor.nbytes:
            raise self.refused(f"{target} has no memory: it is a {type(tensor).__name__}")
        return ctypes.string_at(tensor.data_ptr(), tensor.nbytes)

    def place(self, node: Any) -> list[str]:
        """A hint with the source line of the PyTorch operator ``node``; empty if the line is
        unknown.
        """
        trace = (node.meta.get("stack_trace") or "").strip().splitlines()
        frames = [line.strip() for line in trace if line.strip().startswith("File ")]
        return [f"it comes from {frames[-1]}"] if frames else []
