"""PyTorch modules as modules of kc, by way of torch-mlir or of torch.export."""

from __future__ import annotations

from copy import deepcopy
from importlib import import_module
from typing import Any

from kc.support.diagnostics import InputError, KCError
from kc.support.locations import caller_location
from kc.tir.module import IRModule


def from_torch(module: Any, *args: Any, name: str = "main", dynamic_shapes: Any = None) -> IRModule:
    """A ``torch.nn.Module``, or a ``torch.export.ExportedProgram``, as a module with one graph.

    ``args`` are example inputs, as for ``torch.export.export``; an exported program has its own.
    ``dynamic_shapes`` declares their symbolic sizes, as there. The function has the name ``name``,
    takes the inputs and returns the outputs, as functions of ``kc.build`` do. Parameters are
    constants of the graph.

    ``torch.export`` produces a graph of ATen's operators, which become operators of the dialect
    ``graph`` (:mod:`kc.frontend.torch.graph_import`). ``kc.tir.Schedule`` and ``kc.lower`` take the
    loops of the whole. If an operator has no rule, torch-mlir, if installed, exports the module as
    linalg on tensors. Raises InputError KC0091 if both fail, or if the module
    cannot be exported.
    """
    try:
        return _exported(module, args, name, dynamic_shapes)
    except InputError as refusal:
        try:
            fx = import_module("torch_mlir.fx")
        except ImportError:
            raise refusal from refusal.__cause__
    try:
        exported = fx.export_and_import(
            with_constant_buffers(module),
            *args,
            output_type="linalg-on-tensors",
            func_name=name,
            **({} if dynamic_shapes is None else {"dynamic_shapes": dynamic_shapes}),
        )
    except Exception as error:  # whatever torch and torch-mlir raise
        raise _not_exported("torch-mlir", module, error) from error
    return IRModule.parse(str(exported), f"{type(module).__name__}.mlir")


def with_constant_buffers(module: Any) -> Any:
    """A copy of a module whose buffers (such as the running mean of a norm) are parameters.
    torch-mlir turns buffers into arguments, but parameters into constants.
    """
    if not hasattr(module, "named_buffers"):
        return module
    parameter = import_module("torch").nn.Parameter
    copy = deepcopy(module)
    for part in copy.modules():
        for name, buffer in list(part.named_buffers(recurse=False)):
            delattr(part, name)
            part.register_parameter(name, parameter(buffer, requires_grad=False))
    return copy


def _exported(module: Any, args: tuple[Any, ...], name: str, dynamic_shapes: Any) -> IRModule:
    """Import a module through ``torch.export``."""
    try:
        torch_export = import_module("torch.export")
    except ImportError as error:
        raise InputError(
            "KC0091",
            "kc.from_torch: neither torch-mlir nor torch.export can be imported",
            location=caller_location(),
            why=str(error),
            hints=[
                "pip install torch",
                "export elsewhere with torch_mlir.fx.export_and_import(module, *args, "
                'output_type="linalg-on-tensors"), and read its text with kc.IRModule.parse',
            ],
        ) from error
    from kc.frontend.torch.graph_import import import_graph

    program = module
    if not isinstance(module, torch_export.ExportedProgram):
        try:
            program = torch_export.export(module, args, dynamic_shapes=dynamic_shapes)
        except Exception as error:  # whatever torch raises
            raise _not_exported("torch.export", module, error) from error
    try:
        return import_graph(program, name, caller_location())
    except KCError:
        raise
    except RuntimeError as error:  # of run_decompositions
        raise _not_exported("torch.export", module, error) from error


def _not_exported(exporter: str, module: Any, error: Exception) -> InputError:
    lines = str(error).strip().splitlines()
    return InputError(
        "KC0091",
        f"kc.from_torch: {exporter} does not export {type(module).__name__}",
        location=caller_location(),
        why=f"{type(error).__name__}: {lines[0] if lines else 'without a message'}",
    )
