"""make-coroutines: convert functions that wait to LLVM coroutines.

Before::

    llvm.func internal @f(%p: !llvm.ptr {llvm.noalias}) -> !llvm.ptr attributes {kc.coroutine} {
      llvm.store %a, %p : f32, !llvm.ptr
      llvm.call @kc_suspend() : () -> ()
      %b = llvm.load %p : !llvm.ptr -> f32
      ...
      llvm.return %null : !llvm.ptr
    }

After::

    llvm.func internal @f(%p: !llvm.ptr) -> !llvm.ptr
        attributes {passthrough = ["presplitcoroutine"]} {
      %id = llvm.call_intrinsic "llvm.coro.id"(...)
      %handle = llvm.call_intrinsic "llvm.coro.begin"(%id, %memory)
      (suspended)
      llvm.store %a, %p : f32, !llvm.ptr
      %s = llvm.call_intrinsic "llvm.coro.suspend"(%none, %false) : (!llvm.token, i1) -> i8
      llvm.switch %s : i8, ^suspended [0: ^resumed, 1: ^cleanup]
    ^resumed:
      %b = llvm.load %p : !llvm.ptr -> f32
      ...

A call creates the coroutine and returns its handle without running it. A resumed coroutine runs to
the next call of ``@kc_suspend``, or to its end, where it is suspended for the last time;
``llvm.coro.destroy`` then frees it. LLVM's default pipeline splits the function and determines the
values to keep in between.

While a coroutine is suspended, other code changes the memory of its parameters. The parameters
therefore lose their attributes: with ``noalias``, LLVM would reuse values loaded before the
suspension.

(LLVM: Coroutines, switched-resume lowering.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from kc.conversion.convert_gpu_to_cpu import COROUTINE, SUSPEND
from kc.conversion.convert_to_llvm.memref import ALIGNMENT
from kc.dialects import llvm
from kc.dialects.llvm.types import LLVMTokenType

_POINTER = LLVMPointerType()
_TOKEN = LLVMTokenType()


@dataclass(frozen=True)
class MakeCoroutinesPass(ModulePass):
    """Split functions with ``kc.coroutine`` at their calls of ``@kc_suspend``."""

    name = "make-coroutines"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = {
            function.sym_name.data: function
            for function in op.ops
            if isinstance(function, llvm.FuncOp)
        }
        coroutines = [
            function for function in functions.values() if COROUTINE in function.attributes
        ]
        for function in coroutines:
            _Coroutine(function).convert()
        if not coroutines:
            return
        for name, inputs, output in (
            ("aligned_alloc", [i64, i64], _POINTER),
            ("free", [_POINTER], None),
        ):
            if name not in functions:
                op.body.block.add_op(llvm.FuncOp(name, llvm.LLVMFunctionType(inputs, output)))
        if SUSPEND in functions:
            functions[SUSPEND].detach()
            functions[SUSPEND].erase()


class _Coroutine:
    """A function, and the blocks to which all its suspensions lead."""

    def __init__(self, function: llvm.FuncOp) -> None:
        self.function = function
        self.block = function.body.blocks[0]  # the block to which operations are appended
        self.cleanup = Block()
        self.suspended = Block()

    def convert(self) -> None:
        """Convert the function to a coroutine."""
        function, entry = self.function, self.block
        del function.attributes[COROUTINE]
        function.properties["passthrough"] = ArrayAttr([StringAttr("presplitcoroutine")])
        function.properties.pop("arg_attrs", None)
        suspensions = [op for op in function.walk() if _suspends(op)]
        returns = [op for op in function.walk() if isinstance(op, llvm.ReturnOp)]
        # Memory that is allocated in the first block is part of the coroutine.
        allocas = [op for op in entry.ops if isinstance(op, llvm.AllocaOp)]
        start = allocas[-1].next_op if allocas else entry.first_op
        assert start is not None
        body = entry.split_before(start)

        null = self.emit(llvm.ZeroOp(_POINTER))
        zero = self.emit(llvm.ConstantOp(IntegerAttr(0, i32), i32))
        self.none = self.emit(llvm.NoneTokenOp())
        self.no = self.emit(llvm.ConstantOp(BoolAttr.from_bool(False), i1))
        self.yes = self.emit(llvm.ConstantOp(BoolAttr.from_bool(True), i1))
        identity = self.intrinsic("id", [zero, null, null, null], _TOKEN)
        # Its memory has the alignment of its most aligned part, and a size that is a multiple of
        # it.
        alignment = self.integer(ALIGNMENT)
        size = self.intrinsic("size.i64", [], i64)
        padded = self.emit(llvm.AddOp(size, self.integer(ALIGNMENT - 1)))
        whole = self.emit(llvm.AndOp(padded, self.integer(-ALIGNMENT)))
        memory = self.emit(llvm.CallOp("aligned_alloc", alignment, whole, return_type=_POINTER))
        handle = self.intrinsic("begin", [identity, memory], _POINTER)
        self.suspend(body)

        for call in suspensions:
            block, after = call.parent, call.next_op
            assert block is not None
            assert after is not None
            resumed = block.split_before(after)
            self.suspend_in_place_of(call, resumed)
        never = Block([llvm.UnreachableOp()])
        for end in returns:
            self.suspend_in_place_of(end, never, final=True)

        self.block = self.cleanup
        freed = self.intrinsic("free", [identity, handle], _POINTER)
        self.add(llvm.CallOp("free", freed))
        self.add(llvm.BrOp(self.suspended))
        self.block = self.suspended
        self.add(llvm.CallIntrinsicOp("llvm.coro.end", [handle, self.no, self.none]))
        self.add(llvm.ReturnOp(handle))
        function.body.add_block([never, self.cleanup, self.suspended])

    def suspend_in_place_of(self, op: Operation, resumed: Block, *, final: bool = False) -> None:
        """Suspend in place of ``op``, the last of its block."""
        assert op.parent is not None
        self.block = op.parent
        op.detach()
        op.erase()
        self.suspend(resumed, final=final)

    def suspend(self, resumed: Block, *, final: bool = False) -> None:
        """End the block with a suspension, after which ``resumed`` runs."""
        answer = self.intrinsic("suspend", [self.none, self.yes if final else self.no], i8)
        cases = {0: (resumed, ()), 1: (self.cleanup, ())}
        self.add(llvm.SwitchOp(answer, self.suspended, (), cases))

    def intrinsic(self, name: str, operands: list[SSAValue], result: Attribute) -> SSAValue:
        """The result of a call of an intrinsic for coroutines."""
        return self.emit(llvm.CallIntrinsicOp(f"llvm.coro.{name}", operands, [result]))

    def integer(self, value: int) -> SSAValue:
        """A constant."""
        return self.emit(llvm.ConstantOp(IntegerAttr(value, i64), i64))

    def emit(self, op: Operation) -> SSAValue:
        """The result of a new operation at the end of the block."""
        return self.add(op).results[0]

    def add(self, op: Operation) -> Operation:
        """Put an operation at the end of the block."""
        op.location = self.function.location
        self.block.add_op(op)
        return op


def _suspends(op: Operation) -> bool:
    return (
        isinstance(op, llvm.CallOp)
        and op.callee is not None
        and op.callee.string_value() == SUSPEND
    )
