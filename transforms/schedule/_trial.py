"""Trying a composed primitive on a copy of the function, so that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kc.dialects.tir import ForOp
from kc.transforms.schedule.base import Site

Result = TypeVar("Result")


def on_copy(site: Site, run: Callable[[Site, Callable[[ForOp], ForOp]], Result]) -> Result:
    """Run ``run(copy, loop)``: a site on a copy, and the map from loops to those of the copy."""
    copy = site.function.clone()
    old = [op for op in site.function.walk() if isinstance(op, ForOp)]
    new = [op for op in copy.walk() if isinstance(op, ForOp)]
    for before, after in zip(site.function.walk(), copy.walk(), strict=True):
        after.location = before.location
    twin = dict(zip(old, new, strict=True))
    return run(Site(copy, site.target), lambda one: twin[one])
