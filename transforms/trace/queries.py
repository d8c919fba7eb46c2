"""Steps that find blocks and loops: get_block, get_loops, get_producers and similar queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import func

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_written, consumers, producers
from kc.dialects.tir import AllocOp, BlockOp, ForOp
from kc.transforms.schedule.base import BlockRef, LoopRef
from kc.transforms.trace.query import Answer, Query
from kc.transforms.trace.session import Session
from kc.transforms.trace.table import ROOT, root_is_no_block


class FunctionRef(str):
    """The name of a function, ``@f`` in ``sched``."""

    expected: ClassVar[str] = "the name of a function"
    python: ClassVar[str] = "str"

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The function with the name in an option's text."""
        return cls(text)


def _func() -> FunctionRef | None:
    return field(
        default=None,
        metadata={
            "help": "the function, where there are several",
            "python": "func_name",
            "keyword": "in",
            "symbol": True,
        },
    )


def _op(ref: BlockRef | LoopRef | None) -> ForOp | BlockOp | func.FuncOp:
    assert ref is not None
    assert not isinstance(ref.target, str)
    return ref.target


def _block(ref: BlockRef) -> BlockOp:
    target = _op(ref)
    if isinstance(target, func.FuncOp):
        raise root_is_no_block(target)
    assert isinstance(target, BlockOp)
    return target


@dataclass(frozen=True)
class GetBlock(Query):
    """The block with a name. If no block is named "root", "root" is the whole function."""

    name: ClassVar[str] = "get-block"
    gives = "block"
    count = 1

    block: str = field(
        metadata={"help": "the name of the block", "python": "name", "leading": True}
    )
    func: FunctionRef | None = _func()

    def answer(self, session: Session) -> Answer:
        function = session.function_with(self.block, self.func)
        site = session.site(function)
        if self.block == ROOT and ROOT not in site.blocks:
            return Answer([function])
        return Answer([site.resolve_block(BlockRef(self.block))])


@dataclass(frozen=True)
class GetLoop(Query):
    """The loop with a name, around a block or anywhere in the function."""

    name: ClassVar[str] = "get-loop"
    gives = "loop"
    count = 1

    loop: str = field(metadata={"help": "the name of the loop", "python": "name", "leading": True})
    func: FunctionRef | None = _func()
    block: BlockRef | None = field(
        default=None, metadata={"help": "a block that the loop is around", "leading": True}
    )

    def answer(self, session: Session) -> Answer:
        if self.block is None:
            site = session.site(session.function(self.func))
            return Answer([site.resolve_loop(LoopRef(self.loop))])
        function = loop_tree.enclosing_function(_op(self.block))
        assert function is not None
        site = type(session.site(function))(function, session.target, self.block)
        return Answer([site.resolve_loop(LoopRef(self.loop))])


@dataclass(frozen=True)
class GetLoops(Query):
    """The loops around a block, outermost first."""

    name: ClassVar[str] = "get-loops"
    gives = "loops"

    block: BlockRef = field(metadata={"help": "the block"})

    def answer(self, session: Session) -> Answer:
        return Answer(loop_tree.loops_around(_op(self.block)))


@dataclass(frozen=True)
class GetChildBlocks(Query):
    """The blocks in a loop or block."""

    name: ClassVar[str] = "get-child-blocks"
    gives = "blocks"

    loop: LoopRef | None = field(
        default=None, metadata={"help": "the loop or block", "python": "block_or_loop"}
    )
    block: BlockRef | None = field(
        default=None, metadata={"help": "the block", "python": "block_or_loop"}
    )

    def answer(self, session: Session) -> Answer:
        root = _op(self.loop or self.block)
        return Answer([block for block in loop_tree.blocks(root) if block is not root])


@dataclass(frozen=True)
class GetProducers(Query):
    """The other blocks that write buffers that a block reads, in program order."""

    name: ClassVar[str] = "get-producers"
    gives = "blocks"

    block: BlockRef = field(metadata={"help": "the block"})

    def answer(self, session: Session) -> Answer:
        return Answer(list(producers(_block(self.block))))


@dataclass(frozen=True)
class GetConsumers(Query):
    """The other blocks that read buffers that a block writes, in program order."""

    name: ClassVar[str] = "get-consumers"
    gives = "blocks"

    block: BlockRef = field(metadata={"help": "the block"})

    def answer(self, session: Session) -> Answer:
        return Answer(list(consumers(_block(self.block))))


@dataclass(frozen=True)
class GetOutputBlocks(Query):
    """The blocks with results that are used after the function, or after a block."""

    name: ClassVar[str] = "get-output-blocks"
    gives = "blocks"

    scope_block: BlockRef | None = field(
        default=None, metadata={"help": "the block they are in; default: the function"}
    )
    func: FunctionRef | None = _func()

    def answer(self, session: Session) -> Answer:
        root = session.function(self.func) if self.scope_block is None else _op(self.scope_block)
        outputs = []
        for block in loop_tree.blocks(root):
            outer = [buffer.owner for buffer in buffers_written(block)]
            if block is not root and any(
                not (isinstance(owner, AllocOp) and loop_tree.is_inside(owner, root))
                for owner in outer
            ):
                outputs.append(block)
        return Answer(outputs)
