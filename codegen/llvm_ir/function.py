"""Bodies of functions as LLVM IR: numbering, blocks, phis and edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.llvm import UndefOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from kc.codegen.llvm_ir.debug import FunctionDebugInfo
from kc.codegen.llvm_ir.module import ModuleState, error
from kc.codegen.llvm_ir.types import (
    Inexpressible,
    address_space,
    constant_text,
    symbol,
    zero_text,
)
from kc.dialects.llvm import (
    AddressOfOp,
    ConstantOp,
    FuncOp,
    GlobalOp,
    LLVMVoidType,
    NoneTokenOp,
    PoisonOp,
    ReturnOp,
    UnreachableOp,
    ZeroOp,
)
from kc.dialects.llvm.flow import BranchOp

OpWriter = Callable[["FunctionWriter", Operation], str]

CONSTANTS = (ConstantOp, ZeroOp, NoneTokenOp, UndefOp, PoisonOp, AddressOfOp)


def constant_value(state: ModuleState, op: Operation) -> str:
    """The text of an op that is a constant operand instead of an instruction."""
    match op:
        case ConstantOp():
            return constant_text(op.value, op.result.type, state.types)
        case ZeroOp():
            return zero_text(op.res.type)
        case NoneTokenOp():
            return "none"
        case UndefOp():
            return "undef"
        case AddressOfOp():
            name = op.global_name.string_value()
            target = state.lookup(op, name)
            space = target.addr_space.value.data if isinstance(target, GlobalOp) else 0
            if space != address_space(op.result.type):
                raise error(op, "KC4104", f"@{name} is in address space {space}")
            return symbol(name)
    return "poison"


class FunctionWriter:
    """Writes one function body.

    Values are ``%0``, ``%1``, ... in the order of the text, the arguments first; constants are
    written at their uses. Unreachable blocks are omitted.
    """

    def __init__(
        self,
        state: ModuleState,
        function: FuncOp,
        writers: Mapping[type[Operation], OpWriter],
        debug: FunctionDebugInfo | None = None,
    ):
        self.state = state
        self.function = function
        self._writers = writers
        self._debug = debug
        self._values: dict[SSAValue, str] = {}
        self._labels: dict[Block, str] = {}
        self._incoming: dict[Block, list[tuple[str, Sequence[SSAValue]]]] = {}
        self._targets: dict[Operation, list[str]] = {}
        self._trampolines: dict[Block, list[tuple[str, Block]]] = {}
        self._blocks = self._reachable()
        self._number()
        self._connect()

    # What the writers of single ops use.

    def text(self, ty: Attribute) -> str:
        """A type."""
        return self.state.text(ty)

    def value(self, value: SSAValue) -> str:
        """An operand without its type."""
        return self._values[value]

    def typed(self, value: SSAValue) -> str:
        """An operand with its type."""
        return f"{self.state.text(value.type)} {self._values[value]}"

    def targets(self, terminator: Operation) -> list[str]:
        """The labels of a terminator's successors: ``%bb1``."""
        return self._targets[terminator]

    def call_intrinsic(
        self,
        name: str,
        result: SSAValue | None,
        arguments: Sequence[SSAValue],
        texts: Sequence[str] | None = None,
        types: Sequence[Attribute] | None = None,
        flags: str = "",
    ) -> str:
        """A call of the intrinsic ``name`` (mangled), with its declaration.

        ``texts`` and ``types`` of all arguments are required if the arguments are no values.
        """
        output = LLVMVoidType() if result is None else result.type
        self.state.declare_intrinsic(name, output, types or [value.type for value in arguments])
        passed = ", ".join(texts or [self.typed(value) for value in arguments])
        return f"call {flags}{self.text(output)} {symbol(name)}({passed})"

    # The function as a whole.

    def lines(self) -> list[str]:
        """The text between the braces."""
        lines: list[str] = []
        for block in self._blocks:
            if lines:
                lines.append("")
            lines.append(f"{self._labels[block]}:")
            lines.extend(self._phis(block))
            for op in block.ops:
                if type(op) not in CONSTANTS:
                    lines.append(self._line(op))
            for label, target in self._trampolines.get(block, ()):
                lines.extend(["", f"{label}:", f"  br label %{self._labels[target]}"])
        return lines

    def _line(self, op: Operation) -> str:
        try:
            text = self._writers[type(op)](self, op)
        except Inexpressible as reason:
            raise error(op, reason.code, f"LLVM IR cannot express {reason.what}") from None
        if self._debug is not None:
            text += self._debug.of(op)
        return f"  {self._values[op.results[0]]} = {text}" if op.results else f"  {text}"

    def _reachable(self) -> list[Block]:
        """The blocks that can be reached from the first one, in the order of the text."""
        entry = self.function.body.first_block
        assert entry is not None
        seen = {entry}
        stack = [entry]
        while stack:
            for successor, _ in self._edges(stack.pop()):
                if successor is entry:
                    raise error(
                        self.function,
                        "KC4105",
                        f"a branch to the first block of @{self.function.sym_name.data}",
                        why="the first block of a function cannot be a loop",
                        hints=["put a block in front that branches to it"],
                    )
                if successor not in seen:
                    seen.add(successor)
                    stack.append(successor)
        return [block for block in self.function.body.blocks if block in seen]

    def _edges(self, block: Block) -> list[tuple[Block, Sequence[SSAValue]]]:
        end = block.last_op
        if isinstance(end, BranchOp):
            return end.edges()
        if isinstance(end, ReturnOp | UnreachableOp):
            return []
        raise error(
            self.function if end is None else end,
            "KC4105",
            f"a block of @{self.function.sym_name.data} does not end in a terminator",
        )

    def _number(self) -> None:
        """Name all values before anything is written: a use may precede its definition."""
        count = 0
        for i, block in enumerate(self._blocks):
            self._labels[block] = f"bb{i}" if i else "entry"
            for arg in block.args:
                self._values[arg] = f"%{count}"
                count += 1
            for op in block.ops:
                if type(op) in CONSTANTS:
                    try:
                        self._values[op.results[0]] = constant_value(self.state, op)
                    except Inexpressible as reason:
                        raise error(
                            op, reason.code, f"LLVM IR cannot express {reason.what}"
                        ) from None
                elif op.results:
                    self._values[op.results[0]] = f"%{count}"
                    count += 1

    def _connect(self) -> None:
        """Collect the incoming edges of each block. Of two edges from one block with different
        operands, split the second.
        """
        for block in self._blocks:
            end = block.last_op
            assert end is not None
            label = self._labels[block]
            first: dict[Block, Sequence[SSAValue]] = {}
            targets: list[str] = []
            for successor, values in self._edges(block):
                source, target = label, self._labels[successor]
                if list(first.setdefault(successor, values)) != list(values):
                    # A phi has one value per predecessor: split this edge by a new block.
                    split = self._trampolines.setdefault(block, [])
                    source = target = f"{label}.{len(split) + 1}"
                    split.append((source, successor))
                targets.append(f"%{target}")
                self._incoming.setdefault(successor, []).append((source, values))
            self._targets[end] = targets

    def _phis(self, block: Block) -> list[str]:
        if block is self._blocks[0]:
            return []
        incoming = self._incoming[block]
        lines: list[str] = []
        for i, arg in enumerate(block.args):
            entries = ", ".join(
                f"[ {self._values[values[i]]}, %{label} ]" for label, values in incoming
            )
            lines.append(f"  {self._values[arg]} = phi {self.state.text(arg.type)} {entries}")
        return lines
