"""A copy of a module that keeps the locations of its operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


def copy_module(module: ModuleOp) -> ModuleOp:
    """A copy of ``module``, location for location."""
    copy = module.clone()
    for old, new in zip(module.walk(), copy.walk(), strict=True):
        new.location = old.location
    return copy
