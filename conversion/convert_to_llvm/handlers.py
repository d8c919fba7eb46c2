"""The handlers of all operations that can be lowered, by name."""

from __future__ import annotations

from kc.conversion.convert_to_llvm import arith, cfg, func, math, memref, parallel, scf, vector
from kc.conversion.convert_to_llvm.function import Handler

HANDLERS: dict[str, Handler] = {
    name: handler
    for dialect in (arith, cfg, func, math, memref, parallel, scf, vector)
    for name, handler in dialect.HANDLERS.items()
}
