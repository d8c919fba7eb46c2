"""Temporary directories, as in ``tvm.contrib.utils``."""

from __future__ import annotations

import os
import tempfile
from typing import Any

__all__ = ["TempDirectory", "tempdir"]


class TempDirectory:
    """A directory that goes with this object, or at the end of a ``with`` block."""

    def __init__(self) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="kc-")

    @property
    def path(self) -> str:
        """The path of the directory."""
        return self._directory.name

    @property
    def temp_dir(self) -> str:
        """The path of the directory."""
        return self._directory.name

    def relpath(self, name: str) -> str:
        """The path of the file ``name`` in the directory."""
        return os.path.join(self.path, name)

    def listdir(self) -> list[str]:
        """The names of the directory's entries, sorted."""
        return sorted(os.listdir(self.path))

    def remove(self) -> None:
        """Delete the directory and its contents."""
        self._directory.cleanup()

    def __enter__(self) -> TempDirectory:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()


def tempdir() -> TempDirectory:
    """A new temporary directory: ``tempdir().relpath("lib.so")``."""
    return TempDirectory()
