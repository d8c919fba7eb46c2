"""The result of a build: compiled functions, and the texts they were made from."""

from __future__ import annotations

import functools
import os
import platform
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kc.runtime import c_compiler
from kc.runtime.c_header import c_header
from kc.runtime.device import CPU, Device
from kc.runtime.emulator import Place
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.hooks import require_no_hooks
from kc.runtime.metadata import ModuleRecord
from kc.runtime.python_function import PythonFunction
from kc.runtime.timing import BenchmarkResult, Repeats
from kc.support.diagnostics import CallError, DeviceError, suggest
from kc.support.files import check_writable, write_output

Source = str | Callable[[], str]
if TYPE_CHECKING:
    from kc.runtime.gpu.function import DeviceFunction

    Function = CompiledFunction | DeferredFunction | PythonFunction | DeviceFunction

_LIBRARIES = "export_library writes shared libraries"
_OTHER_FORMATS = {
    **dict.fromkeys(("so", "dylib", "dll"), _LIBRARIES),
    "c": 'kc.build(..., target="c") makes C source',
    "h": "save_header writes C headers",
}


class Module:
    """Compiled functions by name; calling the module calls its entry function.

    ``sources`` maps a kind (``tir``, ``ll``, ``asm``, ...) to its text, or to a function that
    makes it when it is first asked for. ``keep_alive`` (what the machine code lives in) lives as
    long as any of the functions. ``artefacts`` maps the extension of a file to what makes its
    content; ``record`` makes what a file says of the functions. ``watched`` makes of
    kernels for a GPU what a CPU runs with checks (:func:`kc.gpu.check`).
    """

    # The call is a slot for speed, as in CompiledFunction.
    __slots__ = (
        "__call__",
        "__weakref__",
        "_artefacts",
        "_imported",
        "_record",
        "_sources",
        "entry_name",
        "functions",
        "watched",
    )
    __call__: Callable[..., Any]

    def __init__(
        self,
        functions: Mapping[str, Function],
        entry_name: str,
        sources: Mapping[str, Source] | None = None,
        keep_alive: Any = None,
        imported_modules: Sequence[Module] = (),
        *,
        artefacts: Mapping[str, Callable[[], str | bytes]] | None = None,
        record: Callable[[], ModuleRecord] | None = None,
        watched: Callable[[], WatchedModule] | None = None,
    ) -> None:
        self.functions = dict(functions)
        self.entry_name = entry_name
        self._imported: list[Module] | Callable[[], Sequence[Module]] = list(imported_modules)
        self._sources = dict(sources or {})
        self._artefacts = dict(artefacts or {})
        self._record = record
        self.watched = watched
        for function in self.functions.values():
            function.retain(keep_alive)
        entry = self[entry_name]
        if isinstance(entry, CompiledFunction):
            entry.call_through(self)
        else:
            self.__call__ = entry.__call__

    @property
    def imported_modules(self) -> list[Module]:
        """The modules of the kernels that the functions launch, with their code for the GPU."""
        if callable(self._imported):
            self._imported = list(self._imported())
        return self._imported

    def add_device_code(
        self, sources: Mapping[str, Source], imported: Callable[[], Sequence[Module]]
    ) -> None:
        """Add the sources of kernels, and a function that makes their modules on demand, to
        functions that run the kernels in another form.
        """
        self._sources.update(sources)
        self._imported = imported

    def __getitem__(self, name: str) -> Any:
        """The function of a name; ``"default"`` is a function of a device that gives the module
        itself, which TVM's programs wrap (:class:`kc.contrib.graph_executor.GraphModule`).

        Raises CallError KC5120.
        """
        if name == "default" and name not in self.functions:
            return lambda device=None: self
        if name not in self.functions:
            hints = suggest(name, self.functions, "functions")
            raise CallError("KC5120", f"the module has no function '{name}'", hints=hints)
        return self.functions[name]

    def get_function(self, name: str, query_imports: bool = False) -> Any:
        """``self[name]``; nothing is imported that could be queried. Raises CallError KC5120."""
        del query_imports
        return self[name]

    def get_source(self, kind: str = "") -> str:
        """The source of a kind, such as ``"tir"``, ``"mlir"``, ``"ll"``, ``"asm"``, ``"c"`` or
        ``"ptx"``. The default is LLVM IR or C, or else the first source. Raises CallError KC5123.
        """
        if not kind and self._sources:
            kind = next(
                (source_kind for source_kind in ("ll", "c") if source_kind in self._sources), ""
            )
            kind = kind or next(iter(self._sources))
        if kind not in self._sources:
            hints = suggest(kind, self._sources, "kinds of source")
            raise CallError("KC5123", f"the module has no source '{kind}'", hints=hints)
        source = self._sources[kind]
        if not isinstance(source, str):
            self._sources[kind] = source = source()
        return source

    def save(self, path: str | os.PathLike[str], fmt: str = "") -> None:
        """Write the module to a file, in the format of its extension, or ``fmt``.

        ``.o`` is an object that a C program can be linked with, with the thread pool where a
        kernel needs it; ``.bc`` and ``.ll`` are the same as LLVM's bitcode and text, ``.s`` as
        assembly, ``.mlir`` is the scheduled loops, ``.c`` the source of the C target. All but
        ``.s`` and ``.c`` can be loaded by :func:`kc.runtime.load_module`.

        Raises CallError KC5141 for a format that the module cannot be saved in, InputError KC0022
        for a file that cannot be written.
        """
        name = os.fspath(path)
        kind = fmt or os.path.splitext(name)[1].lstrip(".")
        if kind not in self._artefacts:
            hint = _OTHER_FORMATS.get(kind)
            hints = [hint] if hint else suggest(kind, self._artefacts, "formats")
            raise CallError(
                "KC5141", f"the module cannot be saved as '{kind or name}'", hints=hints
            )
        check_writable(name)
        write_output(name, self._artefacts[kind]())

    def export_library(
        self,
        path: str | os.PathLike[str],
        fcompile: Callable[..., Any] | None = None,
        *,
        cc: str | None = None,
        options: Sequence[str] = (),
    ) -> None:
        """Write a shared library, linked by the system's C compiler.

        ``cc`` is the compiler (``$CC``, cc, gcc or clang by default), ``options`` are more flags
        for it. ``fcompile(path, files)``, if given, makes the library of the objects instead, as
        in TVM.

        Raises CallError KC5145 without a compiler, KC5146 where it fails, KC5141 for a module
        that there is no object of, KC5252 for one that calls Python functions and has no
        ``options`` that could define them.
        """
        name = os.fspath(path)
        if "so" in self._artefacts:  # loaded from a library
            write_output(name, self._artefacts["so"]())
            return
        if "o" not in self._artefacts:
            raise CallError("KC5141", "the module has no object code, which a shared library needs")
        if fcompile is not None:
            with tempfile.TemporaryDirectory(prefix="kc-") as folder:
                file = os.path.join(folder, "kernel.o")
                self.save(file)
                fcompile(name, [file])
            return
        record = self.record
        if not options:
            require_no_hooks("export_library", record.packed)
        command = c_compiler.require_compiler(
            "export_library", cc, "" if _is_native(record.triple) else record.triple
        )
        openmp = ["-fopenmp"] if "#pragma omp" in self._c_source() else []
        content = self._artefacts["o"]()
        assert isinstance(content, bytes)
        c_compiler.link_library(name, {"kernel.o": content}, command, [*openmp, *options])

    def _c_source(self) -> str:
        """The C source of the object; empty if LLVM compiled it."""
        is_compiled = "c" in self._sources and "ll" not in self._sources
        return self.get_source("c") if is_compiled else ""

    def save_header(self, path: str | os.PathLike[str]) -> None:
        """Write the C header of the functions; see :meth:`get_header`."""
        name = os.fspath(path)
        write_output(name, c_header(self.record, os.path.basename(name)))

    def get_header(self, name: str = "kernels.h") -> str:
        """The C header of the functions in files of :meth:`save` and :meth:`export_library`."""
        return c_header(self.record, name)

    @property
    def record(self) -> ModuleRecord:
        """The record of the functions for files. Raises CallError KC5141 if there is none."""
        if self._record is None:
            raise CallError("KC5141", "the module was not made by kc.build, and cannot be saved")
        return self._record()

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
        (more, until they last ``min_repeat_ms``). The time of Python is not in them; that of a
        kernel on a GPU is measured by events of its stream.
        """
        function = self[func_name]
        runs_on = getattr(function, "device_types", (CPU,))
        dev = Device(runs_on[0]) if dev is None else dev
        dev.require()
        if dev.device_type not in runs_on:
            place = Device(runs_on[0])
            raise DeviceError("KC6204", f"{func_name} runs on {place}, not on {dev}")
        repeats = Repeats(number, repeat, min_repeat_ms, cooldown_interval_ms, repeats_to_cooldown)

        return functools.partial(_measured, function, repeats)

    def __reduce__(self) -> Any:
        """The pickled form: a file of compiled code for this machine, or of loops.

        Raises CallError KC5141 for a module that cannot be saved.
        """
        kind = next((kind for kind in ("o", "so", "mlir") if kind in self._artefacts), None)
        if kind is None:
            raise CallError("KC5141", "the module cannot be pickled: it cannot be saved in a file")
        content = self._artefacts[kind]()
        return _unpickled, (kind, content)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - {"add_device_code", "record", "watched"})

    def __repr__(self) -> str:
        return f"<kc module {', '.join(self.functions)}; entry {self.entry_name}>"

    def _repr_html_(self) -> str:
        from kc.support.display import to_table

        return to_table([(name, repr(function)) for name, function in self.functions.items()])


def _unpickled(kind: str, content: str | bytes) -> Module:
    from kc.runtime.loading import load_module

    with tempfile.TemporaryDirectory(prefix="kc-") as folder:
        file = os.path.join(folder, f"pickled.{kind}")
        write_output(file, content)
        return load_module(file)


def _is_native(triple: str) -> bool:
    """True if the system's own C compiler links code for ``triple`` (empty: it compiled the
    code).
    """
    machine = platform.machine().replace("amd64", "x86_64").replace("arm64", "aarch64")
    return not triple or triple.split("-")[0].replace("arm64", "aarch64") == machine


@dataclass(frozen=True)
class WatchedModule:
    """Checked kernels on a CPU, and the sites that findings refer to by number.

    ``verdicts`` are, for each function, the facts proven for the kernels that it launches, without
    running them (``kc.analysis.gpu.kernel_accesses.KernelVerdicts``).
    """

    module: Module
    places: Sequence[Place]
    verdicts: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def _measured(function: Any, repeats: Repeats, *args: Any) -> BenchmarkResult:
    return repeats.measure(function.timer(*args))
