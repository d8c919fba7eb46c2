"""The result of a build: compiled functions, and the texts they were made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kc.runtime.device import CPU, Device, cpu
from kc.runtime.function import CompiledFunction
from kc.runtime.timing import BenchmarkResult, Repeats
from kc.support.diagnostics import CallError, DeviceError, suggest

Source = str | Callable[[], str]


class Module:
    """Compiled functions by name; calling the module calls its entry function.

    ``sources`` maps a kind (``tir``, ``ll``, ``asm``, ...) to its text, or to a function that
    makes it when it is first asked for. ``keep_alive`` (what the machine code lives in) lives as
    long as any of the functions.
    """

    # The call is a slot for speed, as in CompiledFunction.
    __slots__ = (
        "__call__",
        "__weakref__",
        "_sources",
        "entry_name",
        "functions",
        "imported_modules",
    )
    __call__: Callable[..., None]

    def __init__(
        self,
        functions: Mapping[str, CompiledFunction],
        entry_name: str,
        sources: Mapping[str, Source] | None = None,
        keep_alive: Any = None,
        imported_modules: Sequence[Module] = (),
    ) -> None:
        self.functions = dict(functions)
        self.entry_name = entry_name
        self.imported_modules = list(imported_modules)
        self._sources = dict(sources or {})
        for function in self.functions.values():
            function.retain(keep_alive)
        self.__call__ = self[entry_name].__call__

    def __getitem__(self, name: str) -> CompiledFunction:
        """The function of a name. Raises CallError KC5120."""
        if name not in self.functions:
            hints = suggest(name, self.functions, "functions")
            raise CallError("KC5120", f"the module has no function '{name}'", hints=hints)
        return self.functions[name]

    def get_source(self, kind: str = "") -> str:
        """The text of a kind; LLVM IR, or the first there is, by default. Raises KC5123."""
        if not kind and self._sources:
            kind = "ll" if "ll" in self._sources else next(iter(self._sources))
        if kind not in self._sources:
            hints = suggest(kind, self._sources, "kinds of source")
            raise CallError("KC5123", f"the module has no source '{kind}'", hints=hints)
        source = self._sources[kind]
        if not isinstance(source, str):
            self._sources[kind] = source = source()
        return source

    def time_evaluator(
        self,
        func_name: str,
        dev: Device | None = None,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: float = 0,
        cooldown_interval_ms: float = 0,
        repeats_to_cooldown: int = 1,
    ) -> Callable[..., BenchmarkResult]:
        """A function of the kernel's arguments that runs it many times and gives its times.

        After one call to warm up there are ``repeat`` results, each the mean of ``number`` calls
        (more, until they last ``min_repeat_ms``). The time of Python is not in them.
        """
        function = self[func_name]
        dev = cpu() if dev is None else dev
        dev.require()
        if dev.device_type != CPU:
            raise DeviceError("KC6204", f"{func_name} runs on cpu(0), not on {dev}")
        repeats = Repeats(number, repeat, min_repeat_ms, cooldown_interval_ms, repeats_to_cooldown)

        def evaluate(*args: Any) -> BenchmarkResult:
            return repeats.measure(function.timer(*args))

        return evaluate

    def __repr__(self) -> str:
        return f"<kc module {', '.join(self.functions)}; entry {self.entry_name}>"
