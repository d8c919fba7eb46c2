"""A format for kc-translate."""

from xdsl.dialects.builtin import ModuleOp

from kc.support.one_function import function_name
from kc.support.target import Target


def listing(module: ModuleOp, target: Target) -> str:
    """The functions of a module, one a line."""
    names = [function_name(op) for op in module.body.ops]
    return f"; for {target}\n" + "".join(f"{name}\n" for name in names if name)
