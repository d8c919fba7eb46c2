"""A copy of a module that keeps the locations of its operations, and what was verified of them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.verify_changes import note_copy


def copy_module(module: ModuleOp) -> ModuleOp:
    """A copy of ``module``, location for location."""
    copy = module.clone()
    for old, new in zip(module.walk(), copy.walk(), strict=True):
        new.location = old.location
        note_copy(old, new)
    return copy
