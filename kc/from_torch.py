"""PyTorch modules as modules of kc, by way of torch-mlir."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kc.support.diagnostics import InputError
from kc.support.locations import caller_location
from kc.tir.module import IRModule


def from_torch(module: Any, *args: Any, name: str = "main") -> IRModule:
    """A ``torch.nn.Module``, or a ``torch.export.ExportedProgram``, as linalg on tensors.

    ``args`` are example inputs, as for ``torch.export.export``; an exported program has its own.
    The function is called ``name``; it takes the inputs and returns the outputs, as ``kc.build``
    makes it. Parameters are constants of the module. Raises InputError KC0091 where torch-mlir is
    not installed or cannot export the module.
    """
    try:
        fx = import_module("torch_mlir.fx")
    except ImportError as error:
        raise InputError(
            "KC0091",
            "kc.from_torch: torch-mlir cannot be imported",
            location=caller_location(),
            why=str(error),
            hints=[
                "pip install torch torch-mlir: see https://github.com/llvm/torch-mlir",
                "export elsewhere with torch_mlir.fx.export_and_import(module, *args, "
                'output_type="linalg-on-tensors"), and read its text with kc.IRModule.parse',
            ],
        ) from error
    try:
        exported = fx.export_and_import(
            module, *args, output_type="linalg-on-tensors", func_name=name
        )
    except Exception as error:  # whatever torch and torch-mlir raise
        lines = str(error).strip().splitlines()
        raise InputError(
            "KC0091",
            f"kc.from_torch: torch-mlir does not export {type(module).__name__}",
            location=caller_location(),
            why=f"{type(error).__name__}: {lines[0] if lines else 'without a message'}",
        ) from error
    return IRModule.parse(str(exported), f"{type(module).__name__}.mlir")
