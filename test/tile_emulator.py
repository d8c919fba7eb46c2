"""Tile registers of x86 (AMX) for machines that have none: kernels run, and their use is checked.

``emulated_tiles`` lets ``kc.build`` compile for this CPU with tile registers added to it, and
replaces LLVM's intrinsics on tiles by calls of functions that do what the processor does (Intel,
Instruction Set Extensions: LDTILECFG, TILELOADD, TDPBF16PS, ...): with the configuration checked as
there, the order of the sums of bf16, and subnormal numbers that are zero. Each thread has its own
registers. Behind every call of another function they are gone, as the calling convention allows.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from kc.support.tile_permission import ARCH_PRCTL
from kc.target import Target

FEATURES = "+amx-tile,+amx-int8,+amx-bf16"

_INTRINSIC = re.compile(
    r"@llvm\.x86\.(ldtilecfg|tilerelease|tilezero|tileloadd64|tilestored64|tdp\w+)\b"
)
_CALL = re.compile(r"^\s*(?:%\S+ = )?(?:tail )?call [^@\n]*@([\w.$]+)\(.*$", re.MULTILINE)
_PREFIX = "kc_emulated_"

_UNDISTURBING = ("kc.configure_tiles", "kc.permit_tiles", "syscall", "write", "abort")
"""The functions that configure registers, and the functions that are called before them."""

_ARGUMENTS = {
    "ldtilecfg": "p",
    "tilerelease": "",
    "tilezero": "b",
    "tileloadd64": "bpi",
    "tilestored64": "bpi",
    "tdpbssd": "bbb",
    "tdpbsud": "bbb",
    "tdpbusd": "bbb",
    "tdpbuud": "bbb",
    "tdpbf16ps": "bbb",
    "call": "",
    "syscall": "iii",
}
_C_TYPES = {"p": ctypes.c_void_p, "b": ctypes.c_uint8, "i": ctypes.c_int64}


class Fault(Exception):
    """A fault for which the processor would raise an exception."""


class Registers:
    """The tile registers of a thread."""

    def __init__(self) -> None:
        self.rows: list[int] | None = None
        """Of each register; None without a configuration."""
        self.row_bytes: list[int] = []
        self.tiles = np.zeros((8, 16, 64), np.uint8)

    def configure(self, data: bytes) -> None:
        """LDTILECFG."""
        palette, start = data[0], data[1]
        if palette == 0:
            self.release()
            return
        if palette != 1 or start != 0 or any(data[2:16]) or any(data[32:48]) or any(data[56:]):
            raise Fault(
                "#GP: a configuration with a wrong palette, or reserved bytes that are not 0"
            )
        row_bytes = np.frombuffer(data[16:32], "<u2").tolist()
        rows = list(data[48:56])
        for number, (count, size) in enumerate(zip(rows, row_bytes, strict=True)):
            if count > 16 or size > 64 or (count == 0) != (size == 0):
                raise Fault(f"#GP: tile {number} of {count} rows of {size} bytes")
        self.rows, self.row_bytes = rows, row_bytes
        self.tiles[:] = 0

    def release(self) -> None:
        """TILERELEASE."""
        self.rows, self.row_bytes = None, []
        self.tiles[:] = 0

    def shape(self, number: int) -> tuple[int, int]:
        """Rows, and bytes of a row."""
        if self.rows is None:
            raise Fault(f"#UD: tile {number} without a configuration")
        if number > 7 or not self.rows[number]:
            raise Fault(f"#UD: tile {number} is not configured")
        return self.rows[number], self.row_bytes[number]

    def load(self, number: int, address: int, stride: int) -> None:
        """TILELOADD."""
        rows, size = self.shape(number)
        self.tiles[number] = 0
        for row in range(rows):
            data = ctypes.string_at(address + row * stride, size)
            self.tiles[number, row, :size] = np.frombuffer(data, np.uint8)

    def store(self, number: int, address: int, stride: int) -> None:
        """TILESTORED."""
        rows, size = self.shape(number)
        for row in range(rows):
            ctypes.memmove(address + row * stride, self.tiles[number, row, :size].tobytes(), size)

    def zero(self, number: int) -> None:
        """TILEZERO."""
        self.shape(number)
        self.tiles[number] = 0

    def multiply(self, instruction: str, c: int, a: int, b: int) -> None:
        """TDPB*: C += A * B, B in groups of a word."""
        (m, n4), (m_a, k4), (k_b, n4_b) = (self.shape(number) for number in (c, a, b))
        if len({a, b, c}) != 3 or m_a != m or n4_b != n4 or k_b * 4 != k4 or n4 % 4 or k4 % 4:
            raise Fault(f"#UD: {instruction} of {m} x {n4}, {m_a} x {k4} and {k_b} x {n4_b} bytes")
        left, right = self.tiles[a, :m, :k4], self.tiles[b, :k_b, :n4]
        total = self.tiles[c, :m, :n4]
        if instruction == "tdpbf16ps":
            total[:] = _dot_bf16(total, left, right)
            return
        signs = [np.int8 if sign == "s" else np.uint8 for sign in instruction[4:6]]
        x = np.ascontiguousarray(left).view(signs[0]).reshape(m, k_b, 4).astype(np.int64)
        y = np.ascontiguousarray(right).view(signs[1]).reshape(k_b, n4 // 4, 4).astype(np.int64)
        sums = np.einsum("ikg,kjg->ij", x, y)
        sums += np.ascontiguousarray(total).view(np.int32)
        total[:] = sums.astype(np.int32).view(np.uint8)


def _flushed(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < np.float32(2.0**-126), np.copysign(np.float32(0), x), x)


def _rounded(x: np.ndarray) -> np.ndarray:
    return _flushed(x.astype(np.float32))


def _dot_bf16(total: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The sums of even and of odd terms, which are then added to each other, and to C."""

    def floats(tile: np.ndarray) -> np.ndarray:
        bits = np.ascontiguousarray(tile).view(np.uint16).astype(np.uint32) << 16
        return _flushed(bits.view(np.float32))

    m, k = left.shape[0], right.shape[0]
    x, y = floats(left).reshape(m, k, 2), floats(right).reshape(k, -1, 2)
    sums = np.zeros((m, y.shape[1], 2), np.float32)
    with np.errstate(all="ignore"):
        for step in range(k):
            product = x[:, step, None, :].astype(np.float64) * y[None, step].astype(np.float64)
            sums = _rounded(sums.astype(np.float64) + product)
        pairs = _rounded(sums[..., 0] + sums[..., 1])
        before = _flushed(np.ascontiguousarray(total).view(np.float32))
        return _rounded(before + pairs).view(np.uint8)


class Emulator:
    """The registers of all threads; ``faults`` are what processors would have refused."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.requests: list[tuple[int, ...]] = []
        """The system calls by which code asked for the registers."""
        self.counts: dict[str, int] = {}
        """Instructions that have run, by name."""
        self._threads: dict[int, Registers] = {}
        self._lock = threading.Lock()
        self._callbacks = {name: self._callback(name) for name in _ARGUMENTS}
        self.symbols = {
            _PREFIX + name: ctypes.cast(function, ctypes.c_void_p).value or 0
            for name, function in self._callbacks.items()
        }

    @property
    def threads(self) -> int:
        """The number of threads that have used tiles."""
        return len(self._threads)

    @property
    def is_released(self) -> bool:
        """True if no thread has a configuration."""
        return all(it.rows is None for it in self._threads.values())

    def _callback(self, name: str) -> Any:
        types = [_C_TYPES[letter] for letter in _ARGUMENTS[name]]

        def ask(*args: int) -> int:
            with self._lock:
                self.requests.append(args)
            return 0

        if name == "syscall":
            return ctypes.CFUNCTYPE(ctypes.c_int64, *types)(ask)

        def run(*args: Any) -> None:
            with self._lock:
                self.counts[name] = self.counts.get(name, 0) + 1
                registers = self._threads.setdefault(threading.get_ident(), Registers())
            try:
                self._run(registers, name, args)
            except Fault as fault:
                self.faults.append(str(fault))

        return ctypes.CFUNCTYPE(None, *types)(run)

    def _run(self, registers: Registers, name: str, args: tuple[Any, ...]) -> None:
        match name:
            case "ldtilecfg":
                registers.configure(ctypes.string_at(args[0], 64))
            case "tilerelease" | "call":  # what is called may leave anything
                registers.release()
            case "tilezero":
                registers.zero(*args)
            case "tileloadd64":
                registers.load(*args)
            case "tilestored64":
                registers.store(*args)
            case _:
                registers.multiply(name, *args)

    def rewritten(self, text: str) -> str:
        """LLVM IR with calls of the emulator in place of the intrinsics."""

        def disturbed(call: re.Match[str]) -> str:
            if call[1].startswith("llvm.") or call[1] in _UNDISTURBING:
                return call[0]
            return f"{call[0]}\n  call void @{_PREFIX}call()"

        text = _CALL.sub(disturbed, text)
        asks = f"@{_PREFIX}syscall(i64 {ARCH_PRCTL},"
        text = text.replace(f"@syscall(i64 {ARCH_PRCTL},", asks)
        text = _INTRINSIC.sub(lambda name: f"@{_PREFIX}{name[1]}", text)
        text = text.replace(" immarg", "")
        declared = f"declare void @{_PREFIX}call()\ndeclare i64 @{_PREFIX}syscall(i64, i64, i64)\n"
        return f"{text}\n{declared}"


def emulated_target(cores: int | None = None) -> Target:
    """This CPU, with tile registers; a number of cores, or as many as it has."""
    host = Target.host_cpu()
    given = ",".join([*host.mattr, FEATURES])
    return Target(f"llvm -mcpu={host.cpu} -mattr={given} -num-cores={cores or host.num_cores or 1}")


def has_emulation() -> bool:
    """True if code for this CPU can have tile registers."""
    return Target.host_cpu().triple.startswith("x86_64")


@contextmanager
def emulated_tiles(monkeypatch: pytest.MonkeyPatch) -> Iterator[Emulator]:
    """Let kernels that are built meanwhile run on emulated tile registers.

    At the end, nothing must have been refused, and no thread has a configuration.
    """
    from kc.codegen import native, native_target

    emulator = Emulator()
    compile_ir, load_object = native.compile_ir, native.load_object

    def compile_emulated(text: str, **options: Any) -> Any:
        options["features"] = ",".join(
            it for it in (options.get("features") or "").split(",") if "amx" not in it
        )
        return compile_ir(emulator.rewritten(text), **options)

    def load_emulated(data: bytes, exports: Any, symbols: Any = None, **options: Any) -> Any:
        return load_object(data, exports, {**(symbols or {}), **emulator.symbols}, **options)

    with monkeypatch.context() as patch:
        patch.setattr(native, "compile_ir", compile_emulated)
        patch.setattr(native, "load_object", load_emulated)
        patch.setattr(native_target, "check_runs_here", lambda machine: None)
        patch.setattr(native_target, "permit_tiles", lambda: None)
        patch.setenv("KC_CACHE_DIR", "")
        yield emulator
    assert emulator.faults == []
    assert emulator.is_released
