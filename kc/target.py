"""Targets (see :mod:`kc.support.target`)."""

from kc.support.target import Target, target_of

__all__ = ["Target", "target_of"]
