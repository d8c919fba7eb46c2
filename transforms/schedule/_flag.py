"""A primitive as a pass: the kc-opt flag that is derived from its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.support.diagnostics import ScheduleError, remark, suggest
from kc.support.locations import location_of
from kc.support.option_types import canonical, from_options
from kc.support.options import Options
from kc.support.target import target_of
from kc.transforms.schedule.base import BlockRef, Primitive, Site, perform


def takes_defaults(primitive: type[Primitive]) -> bool:
    """True if the bare flag of a primitive has an effect."""
    return primitive.defaults.__func__ is not Primitive.defaults.__func__  # pyright: ignore


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """A primitive as a pass, for its kc-opt flag. Without options, the pass applies the defaults of
    the flag.
    """

    primitive: type[Primitive]
    step: Primitive | None = None
    block: BlockRef | None = None
    unsafe: bool = False

    @property
    def name(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.primitive.name

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        functions = loop_tree.kernels(op)
        if self.step is None:
            self._defaults([Site(function, target) for function in functions], op)
            return
        site = Site(self._function(functions, op), target, self.block)
        perform(self.step, site, unsafe=self.unsafe)

    def _function(self, functions: Sequence[func.FuncOp], module: ModuleOp) -> func.FuncOp:
        if len(functions) == 1:
            return functions[0]
        primitive = self.primitive.name
        names = [function.sym_name.data for function in functions]
        if not functions:
            raise ScheduleError(
                "KC3005",
                f"{primitive}: the module has no function to schedule",
                location=location_of(module),
            )
        if self.block is not None and isinstance(self.block.target, str):
            label = self.block.target
            holders = [
                function
                for function in functions
                if any(block.label == label for block in loop_tree.blocks(function))
            ]
            if len(holders) == 1:
                return holders[0]
            if not holders:
                labels = [
                    block.label for function in functions for block in loop_tree.blocks(function)
                ]
                raise ScheduleError(
                    "KC3001",
                    f"no function has a block '{label}'",
                    location=location_of(module),
                    hints=suggest(label, labels, "the blocks are"),
                )
        raise ScheduleError(
            "KC3006",
            f"{primitive}: there are {len(functions)} functions",
            location=location_of(functions[1]),
            hints=[f"name one: func={names[0]}"],
        )

    def _defaults(self, sites: Sequence[Site], module: ModuleOp) -> None:
        changed = 0
        refused: ScheduleError | None = None
        for site in sites:
            for step in self.primitive.defaults(site):
                try:
                    perform(step, site)
                    changed += 1
                except ScheduleError as error:
                    refused = refused or error
        if not changed:
            remark(
                "KC3007",
                f"{self.primitive.name} changed nothing",
                location=refused.location if refused else location_of(module),
                why=f"{refused.message}: {refused.why}"
                if refused
                else "the bare flag applies to no loop of any block",
            )


@dataclass(frozen=True)
class _Unsafe:
    """The option to continue despite an undecided check."""

    unsafe: bool = False


def make_pass(primitive: type[Primitive], options: Options) -> SchedulePass:
    """The pass of the flag ``--<primitive>=<options>``."""
    if not options and takes_defaults(primitive):
        return SchedulePass(primitive)
    own = [option.name for option in fields(primitive)]  # pyright: ignore[reportArgumentType]
    extra = [option for option in ("block", "func") if option not in own]
    if primitive.undecidable:
        extra.append("unsafe")
    options = canonical(primitive, options, primitive.name, extra)
    block = options.get("block") if "block" not in own else None
    if block is not None:
        options = options.without("block")
    trusting = False
    unsafe = options.get("unsafe") if primitive.undecidable else None
    if unsafe is not None:
        parsed = from_options(_Unsafe, Options((unsafe,), options.source), primitive.name)
        trusting = parsed.unsafe
        options = options.without("unsafe")
    step = from_options(primitive, options, primitive.name, extra)
    named = BlockRef(block.text) if block is not None else None
    return SchedulePass(primitive, step, named, trusting)
