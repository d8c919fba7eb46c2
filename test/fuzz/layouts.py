"""Arguments whose layout a schedule changes, and with it what the caller passes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import BlockArgument

from kc import tir
from kc.analysis import loop_tree
from kc.dialects.tir import DYNAMIC, symbol_names
from kc.transforms.schedule._buffers import find_buffer
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import Primitive, Rewritten, Site, watching
from kc.transforms.schedule.layout.transform_layout import TransformLayout


class Layouts:
    """The index maps that were applied to the arguments of the only function of a schedule."""

    def __init__(self, sch: tir.Schedule, sizes: Mapping[str, int]) -> None:
        self.sch = sch
        self.sizes = sizes
        self.maps: dict[int, list[IndexMap]] = {}

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Note the layouts of arguments that change meanwhile."""

        def note(step: Primitive, site: Site, _: Rewritten) -> None:
            if isinstance(step, TransformLayout):
                block = site.resolve_block(step.block)
                buffer = find_buffer(site, block, step.buffer, "uses")
                if isinstance(buffer, BlockArgument):
                    self.maps.setdefault(buffer.index, []).append(step.index_map)

        with watching(note):
            yield

    def to_scheduled(self, arrays: list[Any]) -> list[Any]:
        """The arguments as the scheduled function takes them, in arrays of their own."""
        return [self._changed(n, array) for n, array in enumerate(arrays)]

    def from_scheduled(self, changed: list[Any], arrays: list[Any]) -> list[Any]:
        """The arguments in the layout that they had, which is that of ``arrays``."""
        restored: list[Any] = []
        for n, (new, old) in enumerate(zip(changed, arrays, strict=True)):
            restored.append(new[self._places(n, old)].reshape(old.shape) if n in self.maps else new)
        return restored

    def _changed(self, n: int, array: Any) -> Any:
        if n not in self.maps:
            return array.copy() if isinstance(array, np.ndarray) else array
        places = self._places(n, array)
        new = np.empty(self._shape(n), array.dtype)
        new.reshape(-1).view(np.uint8)[:] = 1 if array.dtype == bool else 0x33
        new[places] = array.reshape(-1)
        return new

    def _shape(self, n: int) -> list[int]:
        """The shape that the argument has now."""
        function = loop_tree.functions(self.sch.module)[0]
        type_ = function.body.block.args[n].type
        assert isinstance(type_, MemRefType)
        shape = list(type_.get_shape())
        if DYNAMIC in shape:
            assert function.arg_attrs is not None
            symbolic = function.arg_attrs.data[n].data["kc.shape"]
            assert isinstance(symbolic, AffineMapAttr)
            shape = list(
                symbolic.data.eval([], [self.sizes[symbol] for symbol in symbol_names(function)])
            )
        return shape

    def _places(self, n: int, array: Any) -> tuple[Any, ...]:
        """The current positions of the elements, in row-major order."""
        at = np.indices(array.shape).reshape(array.ndim, array.size)
        for layout in self.maps[n]:
            columns = [layout.map.eval(list(map(int, index)), []) for index in at.T]
            at = np.array(columns, np.int64).reshape(at.shape[1], len(layout.results)).T
        return tuple(at)
