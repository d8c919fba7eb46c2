"""The steps of a transform script, each applied to the ops of its handles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.context import Context
from xdsl.dialects import linalg, transform
from xdsl.dialects.affine import ForOp as AffineForOp
from xdsl.dialects.affine import ParallelOp as AffineParallelOp
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.transform import OperationType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from kc.conversion.raise_to_tir.structured import STRUCTURED, Structure, structure_of
from kc.conversion.transform_interpreter import tiling
from kc.conversion.transform_interpreter.rewrites import (
    fuse_into,
    generalized,
    interchanged,
    refused,
)
from kc.conversion.transform_interpreter.tiling import Untileable
from kc.conversion.transform_interpreter.unrolling import unroll
from kc.dialects import scf
from kc.dialects import transform as steps
from kc.support.diagnostics import CodegenError, ScheduleError, counted, suggest
from kc.support.locations import location_of
from kc.support.options import PassSpec
from kc.support.registry import parse_options
from kc.transforms.pass_runner import apply_stage, make_stages

LOOPS = (scf.ForOp, scf.ForallOp, scf.ParallelOp, scf.WhileOp, AffineForOp, AffineParallelOp)
"""The operations with MLIR's ``LoopLikeInterface``."""
MOST_DEEP = 64
"""The maximum depth of sequences that include each other."""

Payload = Sequence[Operation | int]
"""The operations of a handle, or the numbers of a parameter."""


class Script:
    """A transform script in execution, which changes a module step by step."""

    def __init__(self, ctx: Context, module: ModuleOp, sequences: Mapping[str, Operation]) -> None:
        self.ctx = ctx
        self.module = module
        self.sequences = sequences
        self.depth = 0

    def perform(
        self, sequence: transform.NamedSequenceOp, payloads: Sequence[Payload]
    ) -> list[Payload]:
        """Run the steps of a sequence. Returns the yielded payloads."""
        return self._run(sequence.body.block, payloads, sequence)

    def _run(self, block: Block, payloads: Sequence[Payload], around: Operation) -> list[Payload]:
        if len(block.args) != len(payloads):
            refused(
                around,
                f"it takes {counted(len(block.args), 'handle')}, not {len(payloads)}",
            )
        values: dict[SSAValue, Payload] = dict(zip(block.args, payloads, strict=True))
        return self._steps(block, values)

    def _steps(self, block: Block, values: dict[SSAValue, Payload]) -> list[Payload]:
        for step in block.ops:
            payloads = [self._payload(step, values[operand]) for operand in step.operands]
            if isinstance(step, transform.YieldOp):
                return payloads
            perform = _STEPS.get(type(step))
            if isinstance(step, steps.ForeachOp):
                results = self._foreach(step, payloads, values)
            elif perform is None:
                raise ScheduleError(
                    "KC3723",
                    f"{step.name} is a step that kc does not perform",
                    location=location_of(step),
                    hints=["docs/raising.md lists the steps"],
                )
            else:
                try:
                    results = perform(self, step, payloads)
                except Untileable as reason:
                    refused(step, "it has no such tiles", str(reason))
            values.update(zip(step.results, results, strict=True))
        return []

    def _payload(self, step: Operation, payload: Payload) -> Payload:
        for op in payload:
            if isinstance(op, Operation) and not self._is_alive(op):
                refused(
                    step,
                    "its handle refers to an operation that no longer exists",
                    "an earlier step replaced it, and returned a handle to its replacement",
                )
        return payload

    def _is_alive(self, op: Operation) -> bool:
        top: Operation | None = op
        while top is not None and top is not self.module:
            top = top.parent_op()
        return top is self.module

    # Steps

    def match(self, step: transform.MatchOp, payloads: Sequence[Payload]) -> list[Payload]:
        (root,) = self._only(step, payloads[0])
        names = None if step.ops is None else {name.data for name in step.ops}
        required = dict(step.op_attrs.data) if step.op_attrs is not None else {}
        interface = None if step.interface is None else step.interface.value.data
        matched: list[Operation] = []
        for op in root.walk(region_first=True):
            if op.name.startswith("transform.") or (names is not None and op.name not in names):
                continue
            if interface is not None and not _has_interface(op, interface):
                continue
            attributes = {**op.attributes, **op.properties}
            if any(attributes.get(name) != value for name, value in required.items()):
                continue
            result, operands = step.filter_result_type, step.filter_operand_types
            if result is not None and [value.type for value in op.results] != [result]:
                continue
            if operands is not None and not _fits_operands(op, list(operands)):
                continue
            matched.append(op)
        return [matched]

    def tile_using_for(
        self, step: steps.TileUsingForOp, payloads: Sequence[Payload]
    ) -> list[Payload]:
        sizes = self._sizes(step, step.sizes(), payloads[1:])
        targets = self._structures(step, payloads[0])
        for target in targets:  # all are checked before any is changed
            tiling.require_sizes(target, sizes, step.order())
        tiled: list[Operation] = []
        loops: list[list[Operation]] = [[] for _ in step.loops]
        for target in targets:
            # An earlier target may have changed the operands of this one.
            new, around = tiling.tile_using_for(structure_of(target.op), sizes, step.order())
            if len(around) != len(loops):
                refused(
                    step,
                    f"the number of loops of tiles is {len(around)}, that of results {len(loops)}",
                )
            tiled.append(new)
            for handle, loop in zip(loops, around, strict=True):
                handle.append(loop)
        return [tiled, *loops]

    def tile_using_forall(
        self, step: steps.TileUsingForallOp, payloads: Sequence[Payload]
    ) -> list[Payload]:
        sizes = self._sizes(step, step.sizes(), payloads[1:])
        targets = self._structures(step, payloads[0])
        chosen = [
            _sizes_of_threads(step, target, sizes) if step.counts_threads else sizes
            for target in targets
        ]
        for target, own in zip(targets, chosen, strict=True):
            tiling.require_sizes(target, own, (), parallel=True)
        pairs = [
            tiling.tile_using_forall(structure_of(target.op), own, step.mapping)
            for target, own in zip(targets, chosen, strict=True)
        ]
        return [[new for new, _ in pairs], [loop for _, loop in pairs]]

    def fuse(self, step: steps.FuseIntoContainingOp, payloads: Sequence[Payload]) -> list[Payload]:
        producers, loops = payloads
        if not producers:
            return [[], loops]
        (loop,) = self._only(step, loops, "into")
        fused: list[Operation] = []
        for producer in reversed(self._structures(step, producers)):
            fused += fuse_into(step, structure_of(producer.op), loop)
        return [fused, [loop]]

    def generalize(self, step: steps.GeneralizeOp, payloads: Sequence[Payload]) -> list[Payload]:
        targets = self._structures(step, payloads[0])
        return [[generalized(structure_of(target.op)) for target in targets]]

    def interchange(self, step: steps.InterchangeOp, payloads: Sequence[Payload]) -> list[Payload]:
        targets = self._structures(step, payloads[0])
        order = step.order()
        for target in targets:
            if not isinstance(target.op, linalg.ops.GenericOp):
                refused(
                    step,
                    f"{target.op.name} has its loops in the order of its name",
                    hints=["transform.structured.generalize converts it to a linalg.generic"],
                )
            if order and sorted(order) != list(range(target.rank)):
                refused(step, f"{order} is not a permutation of {target.rank} loops")
        if not order:
            return [payloads[0]]
        return [[interchanged(structure_of(target.op), order) for target in targets]]

    def unroll(self, step: steps.LoopUnrollOp, payloads: Sequence[Payload]) -> list[Payload]:
        factor = step.factor.value.data
        if factor < 1:
            refused(step, f"the factor is {factor}")
        for loop in payloads[0]:
            if not isinstance(loop, scf.ForOp):
                refused(
                    step, f"{_name(loop)} is not an scf.for", hints=['kc has --unroll="loop=i"']
                )
            reason = unroll(loop, factor, is_asked=True)
            if reason:
                refused(step, "the loop has an unknown number of iterations", reason)
        for loop in payloads[0]:
            assert isinstance(loop, scf.ForOp)
            unroll(loop, factor)
        return []

    def split_handle(self, step: steps.SplitHandleOp, payloads: Sequence[Payload]) -> list[Payload]:
        (ops,) = payloads
        count = len(step.results_)
        if not ops and _flag(step.pass_through_empty_handle, True):
            return [[] for _ in range(count)]
        overflow = step.overflow_result.value.data if step.overflow_result is not None else None
        operations, results = counted(len(ops), "operation"), counted(count, "result")
        mismatch = f"its handle stands for {operations}, for {results}"
        if len(ops) < count and _flag(step.fail_on_payload_too_small, True):
            refused(step, mismatch)
        if len(ops) > count and overflow is None:
            refused(step, mismatch)
        if overflow is not None and not 0 <= overflow < count:
            refused(step, f"overflow_result is {overflow}; there are {count} results")
        parts: list[Payload] = [ops[n : n + 1] for n in range(count)]
        if overflow is not None and len(ops) > count:
            parts[overflow] = [*ops[overflow : overflow + 1], *ops[count:]]
        return parts

    def merge(self, step: steps.MergeHandlesOp, payloads: Sequence[Payload]) -> list[Payload]:
        merged: list[Any] = [op for payload in payloads for op in payload]
        return [list(dict.fromkeys(merged)) if step.deduplicate is not None else merged]

    def parent(self, step: steps.GetParentOp, payloads: Sequence[Payload]) -> list[Payload]:
        name = step.op_name.data if isinstance(step.op_name, StringAttr) else None
        count = step.nth_parent.value.data if step.nth_parent is not None else 1
        parents: list[Operation] = []
        for op in payloads[0]:
            assert isinstance(op, Operation)
            at, left = op.parent_op(), count
            while at is not None:
                if (name is None or at.name == name) and (
                    step.isolated_from_above is None or at.has_trait(IsolatedFromAbove)
                ):
                    left -= 1
                if left == 0:
                    break
                at = at.parent_op()
            if at is not None:
                parents.append(at)
            elif step.allow_empty_results is None:
                refused(step, f"{op.name} is in no {name or 'operation'}")
        return [list(dict.fromkeys(parents)) if step.deduplicate is not None else parents]

    def producer(
        self, step: steps.GetProducerOfOperandOp, payloads: Sequence[Payload]
    ) -> list[Payload]:
        owners: list[Operation] = []
        for op in payloads[0]:
            assert isinstance(op, Operation)
            if not 0 <= step.position < len(op.operands):
                refused(step, f"{op.name} has {counted(len(op.operands), 'operand')}")
            owner = op.operands[step.position].owner
            if not isinstance(owner, Operation):
                refused(step, f"operand {step.position} of {op.name} is an argument")
            owners.append(owner)
        return [owners]

    def consumers(
        self, step: steps.GetConsumersOfResultOp, payloads: Sequence[Payload]
    ) -> list[Payload]:
        if not payloads[0]:
            return [[]]
        (op,) = self._only(step, payloads[0])
        if not 0 <= step.position < len(op.results):
            refused(step, f"{op.name} has {counted(len(op.results), 'result')}")
        return [[use.operation for use in op.results[step.position].uses]]

    def cast(self, step: steps.CastOp, payloads: Sequence[Payload]) -> list[Payload]:
        if isinstance(step.output.type, OperationType):
            name = step.output.type.operation.data
            for op in payloads[0]:
                if _name(op) != name:
                    refused(step, f"{_name(op)} is not a {name}")
        return [payloads[0]]

    def constant(self, step: steps.ParamConstantOp, payloads: Sequence[Payload]) -> list[Payload]:
        del payloads
        if not isinstance(step.value, IntegerAttr):
            refused(step, f"{step.value} is not an integer")
        return [[step.value.value.data]]

    def include(self, step: steps.IncludeOp, payloads: Sequence[Payload]) -> list[Payload]:
        name = step.target.root_reference.data
        sequence = self.sequences.get(name)
        if not isinstance(sequence, transform.NamedSequenceOp):
            hints = suggest(name, list(self.sequences), "the sequences are")
            refused(step, f"there is no sequence @{name}", hints=hints)
        if step.failure_propagation_mode.value.data != 1:
            refused(step, "failures(suppress) would go on with a module that is half changed")
        if self.depth == MOST_DEEP:
            refused(step, f"sequences include one another more than {MOST_DEEP} deep")
        self.depth += 1
        results = self.perform(sequence, payloads)
        self.depth -= 1
        return results

    def _foreach(
        self, step: steps.ForeachOp, payloads: Sequence[Payload], values: Mapping[SSAValue, Payload]
    ) -> list[Payload]:
        lengths = {len(payload) for payload in payloads}
        if len(lengths) > 1 and step.with_zip_shortest is None:
            refused(step, f"its handles stand for {sorted(lengths)} operations")
        merged: list[list[Operation | int]] = [[] for _ in step.results_]
        for n in range(min(lengths, default=0)):
            own = dict(values)
            own.update(
                zip(step.body.block.args, [[payload[n]] for payload in payloads], strict=True)
            )
            yielded = self._steps(step.body.block, own)
            for whole, part in zip(merged, yielded, strict=True):
                whole += part
        return list(merged)

    def patterns(self, step: steps.ApplyPatternsOp, payloads: Sequence[Payload]) -> list[Payload]:
        supported = {f"transform.apply_patterns.{name}" for name in steps.PATTERNS}
        for pattern in step.patterns.block.ops:
            if pattern.name not in supported:
                refused(step, f"{pattern.name} is not among the patterns that kc has")
        names = ["canonicalize", *(["cse"] if step.apply_cse is not None else [])]
        return self._clean(payloads[0], names)

    def cse(self, step: steps.ApplyCSEOp, payloads: Sequence[Payload]) -> list[Payload]:
        del step
        return self._clean(payloads[0], ["cse"])

    def dce(self, step: steps.ApplyDCEOp, payloads: Sequence[Payload]) -> list[Payload]:
        del step
        return self._clean(payloads[0], ["dce"])

    def licm(self, step: steps.ApplyLICMOp, payloads: Sequence[Payload]) -> list[Payload]:
        del step
        return self._clean(payloads[0], ["licm"])

    def registered(
        self, step: transform.ApplyRegisteredPassOp, payloads: Sequence[Payload]
    ) -> list[Payload]:
        for op in payloads[0]:
            if op is not self.module and not (
                isinstance(op, Operation) and op.parent_op() is self.module
            ):
                refused(step, f"a pass is for a module or a function, not for {_name(op)}")
        options = " ".join(
            f"{name}={value.data if isinstance(value, StringAttr) else value}"
            for name, value in step.options.data.items()
        )
        name = step.pass_name.data
        spec = PassSpec(name, parse_options(name, options))
        return [[self._applied(op, [spec]) for op in payloads[0] if isinstance(op, Operation)]]

    def _clean(self, ops: Payload, names: Sequence[str]) -> list[Payload]:
        functions: list[Operation] = []
        for op in ops:
            assert isinstance(op, Operation)
            at: Operation = op
            while at is not self.module and at.parent_op() is not self.module:
                around = at.parent_op()
                assert around is not None
                at = around
            functions.append(at)
        for function in dict.fromkeys(functions):
            self._applied(function, [PassSpec(name) for name in names])
        return []

    def _applied(self, target: Operation, passes: Sequence[PassSpec]) -> Operation:
        """Apply passes to a function, or to the whole module except scripts. Returns the result."""
        ops = list(self.module.body.block.ops) if target is self.module else [target]
        ops = [op for op in ops if not isinstance(op, transform.NamedSequenceOp)]
        mark = ModuleOp([])
        if ops:
            self.module.body.block.insert_ops_before([mark], ops[0])
        for op in ops:
            op.detach()
        alone = ModuleOp(ops, attributes=dict(self.module.attributes))
        for stage in make_stages(passes):
            apply_stage(stage, self.ctx, alone)
        left = list(alone.body.block.ops)
        for op in left:
            op.detach()
        if ops:
            self.module.body.block.insert_ops_before(left, mark)
            mark.detach()
            mark.erase()
        if target is self.module or target in left:
            return target
        return left[0] if len(left) == 1 else target

    # Operands

    def _only(self, step: Operation, ops: Payload, what: str = "") -> list[Operation]:
        if len(ops) != 1 or not isinstance(ops[0], Operation):
            word = f"'{what}' is" if what else "its handle is"
            refused(step, f"{word} for one operation, not for {len(ops)}")
        return [ops[0]]

    def _structures(self, step: Operation, ops: Payload) -> list[Structure]:
        structures: list[Structure] = []
        if len(set(ops)) < len(ops):
            refused(
                step,
                "its handle refers to an operation more than once",
                hints=["transform.merge_handles deduplicate %handle"],
            )
        for op in ops:
            if not isinstance(op, STRUCTURED):
                refused(
                    step,
                    f"{_name(op)} is not an operation of linalg with loops",
                    hints=["transform.structured.match interface{LinalgOp} in %module finds these"],
                )
            try:
                structures.append(structure_of(op))
            except CodegenError as reason:
                refused(step, f"{op.name} does not define its computation", str(reason.why or ""))
        return structures

    def _sizes(
        self, step: Operation, sizes: Sequence[int | SSAValue], payloads: Sequence[Payload]
    ) -> list[int]:
        values = iter(payloads)
        numbers: list[int] = []
        for size in sizes:
            if isinstance(size, int):
                numbers.append(size)
                continue
            payload = next(values)
            if len(payload) != 1 or not isinstance(payload[0], int):
                refused(step, "a size is one number", hints=["transform.param.constant 8 : i64"])
            if payload[0] < 0:
                refused(step, f"a size is {payload[0]}")
            numbers.append(payload[0])
        return numbers


def _name(op: Operation | int) -> str:
    return op.name if isinstance(op, Operation) else "a number"


def _flag(attr: IntegerAttr | None, default: bool) -> bool:
    return default if attr is None else attr.value.data != 0


def _has_interface(op: Operation, number: int) -> bool:
    interface = transform.MATCH_INTERFACES[number]
    if interface is transform.MatchInterfaceEnum.LOOP_LIKE_INTERFACE:
        return isinstance(op, LOOPS)
    return isinstance(op, STRUCTURED)


def _fits_operands(op: Operation, types: Sequence[Any]) -> bool:
    """True if the operands have these types; a single type applies to all of them."""
    own = [value.type for value in op.operands]
    return own == list(types) or (len(types) == 1 and own == list(types) * len(own))


def _sizes_of_threads(step: Operation, target: Structure, counts: Sequence[int]) -> list[int]:
    """The tile sizes that give the number ``counts`` of tiles along each loop."""
    sizes: list[int] = []
    for loop, count in enumerate(counts[: target.rank]):
        source = target.dimension_source(loop)
        extent = source[0].type.get_shape()[source[1]] if source is not None else -1  # pyright: ignore
        if count and extent < 0:
            refused(
                step,
                f"the extent of loop {loop} is not known",
                "how long the tiles are depends on it",
                ["tile_sizes [8] has tiles of one length"],
            )
        sizes.append(max(1, -(-extent // count)) if count else 0)
    return sizes + [0] * (len(counts) - len(sizes))


_STEPS: dict[type[Operation], Callable[[Script, Any, Sequence[Payload]], list[Payload]]] = {
    transform.MatchOp: Script.match,
    transform.ApplyRegisteredPassOp: Script.registered,
    steps.TileUsingForOp: Script.tile_using_for,
    steps.TileUsingForallOp: Script.tile_using_forall,
    steps.FuseIntoContainingOp: Script.fuse,
    steps.GeneralizeOp: Script.generalize,
    steps.InterchangeOp: Script.interchange,
    steps.LoopUnrollOp: Script.unroll,
    steps.SplitHandleOp: Script.split_handle,
    steps.MergeHandlesOp: Script.merge,
    steps.GetParentOp: Script.parent,
    steps.GetProducerOfOperandOp: Script.producer,
    steps.GetConsumersOfResultOp: Script.consumers,
    steps.CastOp: Script.cast,
    steps.ParamConstantOp: Script.constant,
    steps.IncludeOp: Script.include,
    steps.ApplyPatternsOp: Script.patterns,
    steps.ApplyCSEOp: Script.cse,
    steps.ApplyDCEOp: Script.dce,
    steps.ApplyLICMOp: Script.licm,
}
