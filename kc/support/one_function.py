"""``func=NAME``: a pass applied to one function of a module."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from kc.support.diagnostics import ParseError, suggest


def function_name(op: Operation) -> str | None:
    """The name of the symbol that a top-level op defines; None if the op defines no symbol."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


_TAKEN_OUT: ContextVar[tuple[Operation, ...]] = ContextVar("kc_taken_out", default=())


def taken_out() -> tuple[Operation, ...]:
    """Take the other ops out of the module while a pass works on one function."""
    return _TAKEN_OUT.get()


@dataclass(frozen=True)
class OneFunctionPass(ModulePass):
    """Apply a pass to a module that holds only the function ``func``.

    The rest of the module is taken out and put back around the function, so no pass has to know
    about the restriction. Raises KC1010 if there is no such function.
    """

    inner: ModulePass
    func: str

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.inner.name

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = op.body.block
        ops = list(block.ops)
        names = [function_name(function) for function in ops]
        if self.func not in names:
            raise ParseError(
                "KC1010",
                f"{self.name}: there is no function '{self.func}'",
                hints=suggest(self.func, [name for name in names if name], "the functions are"),
            )
        position = names.index(self.func)
        before, after = ops[:position], ops[position + 1 :]
        for function in (*before, *after):
            function.detach()
        token = _TAKEN_OUT.set((*before, *after))
        try:
            self.inner.apply(ctx, op)
        finally:
            _TAKEN_OUT.reset(token)
            if block.first_op is not None:
                block.insert_ops_before(before, block.first_op)
            else:
                block.add_ops(before)
            block.add_ops(after)
