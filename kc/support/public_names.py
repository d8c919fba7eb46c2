"""Classes that show users their public names alone."""

from __future__ import annotations


class PublicNames(type):
    """A class whose ``dir`` leaves out the names in ``_INTERNAL``, which only kc's modules use.

    ``__dir__`` of its instances is the class's own.
    """

    _INTERNAL: frozenset[str] = frozenset()

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__()} - cls._INTERNAL)
