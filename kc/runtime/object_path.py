"""Paths to parts of objects, as TVM's comparisons name them: ``<root>.body.seq[1]``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ObjectPath:
    """A path to a part of an object: ``ObjectPath.root().attr("body").array_index(0)``."""

    parent: ObjectPath | None = None
    step: str = "<root>"

    @staticmethod
    def root(root_name: str | None = None) -> ObjectPath:
        """The object itself."""
        return ObjectPath(None, root_name or "<root>")

    def attr(self, attr_key: str | None) -> ObjectPath:
        """The path to an attribute; None means an unknown one."""
        return ObjectPath(self, f".{attr_key}" if attr_key else ".<unknown attribute>")

    def array_index(self, index: int) -> ObjectPath:
        """An element of a list."""
        return ObjectPath(self, f"[{index}]")

    def missing_array_element(self, index: int) -> ObjectPath:
        """An element that a list does not have."""
        return ObjectPath(self, f"[<missing index {index}>]")

    def map_value(self, key: object) -> ObjectPath:
        """The value of a key."""
        return ObjectPath(self, f"[{key!r}]")

    def missing_map_entry(self) -> ObjectPath:
        """A key that a mapping does not have."""
        return ObjectPath(self, "[<missing entry>]")

    def __len__(self) -> int:
        return 1 if self.parent is None else 1 + len(self.parent)

    def get_prefix(self, length: int) -> ObjectPath:
        """The first ``length`` steps. Raises IndexError for zero or too many steps."""
        steps: list[ObjectPath] = []
        path: ObjectPath | None = self
        while path is not None:
            steps.append(path)
            path = path.parent
        if not 1 <= length <= len(steps):
            raise IndexError(f"a path of {len(steps)} steps has no prefix of {length}")
        return steps[len(steps) - length]

    def is_prefix_of(self, longer: ObjectPath) -> bool:
        """True if ``longer`` begins with this path."""
        return len(self) <= len(longer) and longer.get_prefix(len(self)) == self

    def __str__(self) -> str:
        return self.step if self.parent is None else f"{self.parent}{self.step}"
