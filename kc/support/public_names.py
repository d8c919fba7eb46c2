"""Classes that show only their public names to users."""

from __future__ import annotations


class PublicNames(type):
    """A class whose ``dir`` omits the names in ``_INTERNAL``, which only kc's modules use.

    The ``__dir__`` of its instances is unchanged.
    """

    _INTERNAL: frozenset[str] = frozenset()

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__()} - cls._INTERNAL)
