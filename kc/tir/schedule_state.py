"""The state of a schedule by TVM's names: references to its blocks and loops, and their
dependences.

The state is computed from the loops on request; no copy of it is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.regions import buffers_read, buffers_written, scope_of
from kc.analysis.loop_tree import preorder
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.tir.module import IRModule


class DepKind(IntEnum):
    """The kind of a dependence between two blocks, by TVM's numbers."""

    RAW = 0
    """The block reads elements that the source writes."""
    WAW = 1
    """Both write."""
    WAR = 2
    """The block writes elements that the source reads."""
    OPAQUE = 3


@dataclass(frozen=True)
class StmtSRef:
    """A loop or a block of a schedule; the root block is the function."""

    stmt: Operation

    def __repr__(self) -> str:
        stmt = self.stmt
        name = stmt.sym_name.data if isinstance(stmt, FuncOp) else getattr(stmt, "label", "")
        return f"StmtSRef({stmt.name} {name})"

    def same_as(self, node: StmtSRef) -> bool:
        """True if both refer to the same loop or block."""
        return self.stmt is node.stmt

    @property
    def parent(self) -> StmtSRef | None:
        """The enclosing loop or block. None for the root block."""
        around = self.stmt.parent_op()
        while around is not None and not isinstance(around, BlockOp | ForOp | FuncOp):
            around = around.parent_op()
        return None if around is None or isinstance(self.stmt, FuncOp) else StmtSRef(around)

    @property
    def seq_index(self) -> int:
        """The position among sibling loops and blocks; -1 without siblings."""
        home = self.stmt.parent_block()
        row: list[Operation] = []
        if home is not None:
            row = [op for op in home.ops if isinstance(op, BlockOp | ForOp)]
        return row.index(self.stmt) if len(row) > 1 and self.stmt in row else -1


@dataclass(frozen=True)
class Dependency:
    """A dependence of the block ``dst`` on ``src``, an earlier block in the same scope."""

    src: StmtSRef
    dst: StmtSRef
    kind: DepKind


class BlockScope:
    """The blocks directly within a block, or within the root, and their dependences.

    Blocks that use the same buffer depend on each other, regardless of the elements that they use.
    """

    def __init__(self, scope: Operation) -> None:
        blocks = [op for op in preorder(scope) if isinstance(op, BlockOp) and scope_of(op) is scope]
        self.dependencies: list[Dependency] = []
        used = [(set(buffers_read(block)), set(buffers_written(block))) for block in blocks]
        for n, (dst, (reads, writes)) in enumerate(zip(blocks, used, strict=True)):
            for src, (read_before, written_before) in zip(blocks[:n], used[:n], strict=True):
                kinds: dict[DepKind, set[SSAValue]] = {
                    DepKind.RAW: written_before & reads,
                    DepKind.WAW: written_before & writes,
                    DepKind.WAR: read_before & writes,
                }
                self.dependencies += [
                    Dependency(StmtSRef(src), StmtSRef(dst), kind)
                    for kind, buffers in kinds.items()
                    if buffers
                ]

    def __repr__(self) -> str:
        lines = (f"{dep.src} before {dep.dst}: {dep.kind.name}" for dep in self.dependencies)
        return f"BlockScope({', '.join(lines)})"

    def get_deps_by_src(self, block: StmtSRef) -> list[Dependency]:
        """The dependences on ``block``."""
        return [dependency for dependency in self.dependencies if dependency.src == block]

    def get_deps_by_dst(self, block: StmtSRef) -> list[Dependency]:
        """The dependences of ``block``."""
        return [dependency for dependency in self.dependencies if dependency.dst == block]


class ScheduleState:
    """The blocks and loops of a module, or of the current module of a schedule."""

    def __init__(self, mod: Any, *, debug_mask: Any = "none") -> None:
        module = getattr(mod, "op", mod)
        if not isinstance(module, ModuleOp):
            raise ScheduleError(
                "KC3121",
                f"ScheduleState: {type(mod).__name__} is not a module",
                location=caller_location(),
                hints=["kc.lower(...), or sch.state of a tir.Schedule"],
            )
        self.module = module
        self.debug_mask = debug_mask

    def __repr__(self) -> str:
        functions = [op.sym_name.data for op in self.module.ops if isinstance(op, FuncOp)]
        return f"ScheduleState({', '.join(functions)})"

    @property
    def mod(self) -> IRModule:
        """The module."""
        from kc.tir.module import IRModule

        return IRModule(self.module)

    def get_sref(self, stmt: Any) -> StmtSRef | None:
        """The reference to a loop or block of the module. None for an operation outside of it."""
        op = getattr(stmt, "stmt", stmt)
        around = op if isinstance(op, BlockOp | ForOp | FuncOp) else None
        outer: Operation | None = around
        while outer is not None and outer is not self.module:
            outer = outer.parent_op()
        return None if around is None or outer is None else StmtSRef(around)

    def get_block_scope(self, block_sref: StmtSRef) -> BlockScope:
        """The blocks in a block, and their dependences. Raises KC3126 for a loop."""
        if not isinstance(block_sref.stmt, BlockOp | FuncOp):
            raise ScheduleError(
                "KC3126",
                "get_block_scope: the reference is to a loop",
                location=caller_location(),
                why="only blocks, and the function as the root block, are scopes",
                hints=["sch.get_sref(sch.get_block(name))"],
            )
        return BlockScope(block_sref.stmt)
