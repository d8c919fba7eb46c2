"""``launcher.c``, loaded into this process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from kc.runtime.emulator import compile_native_text
from kc.support.forks import fork_lock

SYMBOLS = ("launch", "launch_with_maps", "tensor_map", "alloc", "free", "copy", "set", "wait")
_lock = fork_lock()


def ensure_launcher() -> dict[str, int]:
    """The addresses of its functions, by name; compiled at the first call."""
    with _lock:
        engine = _engine()
        return {f"kc_gpu_{name}": engine.get_function_address(f"kc_gpu_{name}") for name in SYMBOLS}


@cache
def _engine() -> Any:
    import kc.support

    folder = Path(kc.support.__file__).parent / "launcher"
    return compile_native_text((folder / "launcher.ll").read_text(encoding="utf-8"))
