"""The words of TVMScript for modules: ``from kc.script import ir as I``."""

from kc.tvm.tvmscript.reader import ir_module, module_attrs

__all__ = ["ir_module", "module_attrs"]
