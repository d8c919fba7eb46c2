"""Groups of ``fuse-ops`` are joined where the joint kernel is estimated to be faster.

Relay's rules never fuse into a softmax or a product, nor after a reduction. kc's default schedules
compute such groups in the same loops: attention in blocks of rows, norms and softmax row by row
with what comes before and after them, products with elementwise heads. So each group is looked at
together with those that its value goes through until nothing else uses it. They are joined if

- nothing else uses the values between them, so that the result is one kernel with one result;
- the bytes that need not cross memory are worth a part of the whole time (:data:`LEAST_GAIN`);
- the default schedule of the joint group takes fewer cycles than those of its parts one after the
  other (:mod:`kc.graph.kernel_cost`), where elements that are computed again, other tiles, and
  loops that no longer run in parallel count.

The loops of convolutions and pools are not joined with those of other reductions: no rule of the
default schedules does it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.cost import count_text, size_text
from kc.building import compile_cache
from kc.building.default_schedules import wants_default_schedules
from kc.building.graphs.kernels import canonical_text, scheduled_group
from kc.building.graphs.views import RESHAPES
from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import TupleGetItemOp
from kc.graph.cost import bytes_of_type, cost_of
from kc.graph.kernel_cost import CALL, KernelCost, cost_of_kernel, cycles_of_sequence
from kc.graph.lowering import lowering_of
from kc.graph.signature import flattened
from kc.graph.strategies import has_own_functions
from kc.support.diagnostics import KCError
from kc.support.target import Target
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.graph._dataflow import (
    STOP,
    Group,
    Node,
    Partition,
    fields_read_whole,
    is_scalar_constant,
    title,
)
from kc.transforms.graph._groups import group_of

LEAST_GAIN = 0.01
"""The part of the cycles that joining groups must save: less is within the error of the estimate,
and equal groups are found less often the larger they are."""

MOST_OPERATORS = 48
"""Operators of a joint group: choosing its schedule takes time that grows with their square."""

MOST_PARTS = 8
"""Groups that are looked at together."""

JOINED = frozenset({"dense", "activation", "normalization", "attention", "loss"})
"""The families of operators whose loops the default schedules join with those of other reductions.
"""


@dataclass(eq=False)
class Part:
    """A group of the partition, or an operation that is none, in the graph of groups."""

    nodes: list[Node]
    group: Group | None
    """None for what stays as it is: a call, a branch, a constant."""
    users: dict[Part, None] = field(default_factory=dict)
    is_result: bool = False
    """True if something outside of the block's groups uses a value."""
    place: int = 0
    """The place in an order in which users come later."""

    @property
    def root(self) -> Node:
        """The node that gives the result."""
        return self.nodes[-1] if self.group is None else self.group.root

    @property
    def operators(self) -> list[OperatorOp]:
        """The operators."""
        return [node.op for node in self.nodes if isinstance(node.op, OperatorOp)]

    @property
    def is_view(self) -> bool:
        """True if the elements of an operand are the result: nothing is computed."""
        return all(op.OPERATOR.name in RESHAPES for op in self.operators)

    @property
    def anchors(self) -> list[OperatorOp]:
        """The operators that are more than elementwise or injective."""
        return [op for op in self.operators if op.OPERATOR.pattern > Pattern.INJECTIVE]


_KEPT = 4096
"""The groups whose costs a process knows."""
_costs: dict[str, KernelCost | None] = {}
"""The costs of groups by their texts and the machine, the latest last."""


class Joining:
    """Joins groups of blocks for a target."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.machine = Machine.of(target)

    def __call__(self, block: Block, partition: Partition) -> None:
        """Join groups of a partition, if the target has default schedules for them."""
        if wants_default_schedules() and self.target.kind == "llvm":
            _Block(self, block, partition).join()

    def cost_of(self, function: FuncOp) -> KernelCost | None:
        """The cost of the kernel of a group; None if it cannot be compiled by itself, or if an
        operator of it has a strategy of the user.

        Known ones are kept in the process, and in the compile cache.
        """
        if has_own_functions(function):
            return None
        text = canonical_text(function)
        key = f"the cost for {self.target}, {self.machine}: {text}"
        if key not in _costs:
            _costs[key] = self._estimated(function, text, key)
            while len(_costs) > _KEPT:
                _costs.pop(next(iter(_costs)))
        return _costs[key]

    def _estimated(self, function: FuncOp, text: str, name: str) -> KernelCost | None:
        from kc.backends.llvm import machine_of

        key = compile_cache.key_of_text(
            name, ["cost"], self.target, machine_of(self.target), "default schedules"
        )
        entry = compile_cache.read(key) if key is not None else None
        if entry is not None:
            read = json.loads(entry.text)
            return None if read is None else KernelCost.of_json(read)
        try:
            kernel = scheduled_group(function, text, self.target)
            cost = KernelCost(()) if kernel is None else cost_of_kernel(kernel, self.machine)
        except KCError:
            cost = None  # the build reports the error
        if key is not None:
            written = json.dumps(None if cost is None else cost.to_json())
            compile_cache.write(key, compile_cache.Entry(written, [], b""))
        return cost


@dataclass(frozen=True)
class Verdict:
    """The decision to join groups or not, with the reason."""

    is_joined: bool
    why: str


class _Block:
    """The graph of the groups of a block."""

    def __init__(self, joining: Joining, block: Block, partition: Partition) -> None:
        self.joining = joining
        self.machine = joining.machine
        self.block = block
        self.partition = partition
        self.read_whole = list(fields_read_whole(block))
        self.reasons: dict[Node, str] = {}
        """Why groups stay apart, by their roots."""
        self.verdicts: dict[tuple[tuple[int, int], ...], Verdict] = {}
        """The decisions on groups, by the roots of each and the numbers of their nodes."""
        self._kernels: dict[Hashable, tuple[KernelCost, Sequence[Hashable]] | None] = {}
        """The costs and the buffers of the kernels of operations; None where there is no kernel."""

    def join(self) -> None:
        """Join groups until no more are worth it; consumers first, as they are what is joined."""
        has_changed = True
        while has_changed:
            self.reasons.clear()
            changed: set[Part] = set()
            for part in reversed(self._parts()):
                if part not in changed and _is_joinable(part):
                    changed.update(self._joined(part, changed))
            has_changed = bool(changed)
        self.partition.borders.update(self.reasons)

    def _parts(self) -> list[Part]:
        """The groups with operators and all else, so that users come after what they use."""
        parts: list[Part] = []
        by_op: dict[Operation, Part] = {}
        for group, nodes in self.partition.members().items():
            is_group = any(isinstance(node.op, OperatorOp) for node in nodes)
            for members in [nodes] if is_group else [[node] for node in nodes]:
                part = Part(members, group if is_group else None)
                parts.append(part)
                by_op.update({node.op: part for node in members if node.op is not None})
        for getter in self.read_whole:
            if isinstance(getter.tuple.owner, Operation) and getter.tuple.owner in by_op:
                by_op[getter] = by_op[getter.tuple.owner]
        for op in self.block.ops:
            user = by_op.get(op)
            for operand in _operands(op):
                source = by_op.get(operand.owner) if isinstance(operand.owner, Operation) else None
                if source is None or source is user:
                    continue
                if user is None:
                    source.is_result = True
                else:
                    source.users[user] = None
        return _sorted(parts)

    def _joined(self, part: Part, changed: Collection[Part]) -> Sequence[Part]:
        """Join a group with those on the ways from it, if that pays: the groups that are one now.

        Groups that have ``changed`` since they were looked up are left for the next time.
        """
        for parts, sink in self._closures(part):
            if any(each in changed for each in parts):
                return ()
            verdict = self._verdict(parts, sink)
            if not verdict.is_joined:
                self.reasons[part.root] = verdict.why
                continue
            assert sink.group is not None
            groups = [each.group for each in parts if each is not sink and each.group is not None]
            self.partition.join(groups, sink.group, verdict.why)
            return parts
        return ()

    def _closures(self, part: Part) -> Iterator[tuple[list[Part], Part]]:
        """The smallest set of groups whose values nothing else uses but that of the last; then the
        next larger one, up to the next product, if ``part`` has a product."""
        inside: dict[Part, None] = {part: None}
        while True:
            outside = {user: None for each in inside for user in each.users if user not in inside}
            leaving = [each for each in inside if each.is_result]
            if leaving or not outside:
                self._refuse(part, "its value is a result, or used by something that is no group")
                return
            last = min(outside, key=lambda each: each.place)
            if not _is_joinable(last):
                self._refuse(part, f"{_named(last)} uses its value, and is not fused with anything")
                return
            inside[last] = None
            count = sum(len(each.operators) for each in inside)
            if count > min(MOST_OPERATORS, self.partition.max_depth) or len(inside) > MOST_PARTS:
                self._refuse(part, f"the joint group would have {count} operators or more")
                return
            if len(outside) > 1 or any(each.is_result for each in inside if each is not last):
                continue
            if all(user in inside for each in inside if each is not last for user in each.users):
                yield list(inside), last
                if not part.anchors or _has_product(last):
                    return

    def _refuse(self, part: Part, why: str) -> None:
        """Note why a group stays apart, unless there is a reason with numbers."""
        self.reasons.setdefault(part.root, why)

    def _verdict(self, parts: Sequence[Part], sink: Part) -> Verdict:
        """The decision to join groups into the last one or not, with the reason."""
        key = tuple((part.root.index, len(part.nodes)) for part in parts)
        if key not in self.verdicts:
            self.verdicts[key] = self._judged(parts, sink)
        return self.verdicts[key]

    def _judged(self, parts: Sequence[Part], sink: Part) -> Verdict:
        with_these = f"with {', '.join(map(_named, parts[1:]))}"
        if sum(not part.is_view for part in parts) < 2:
            return Verdict(False, f"{with_these}: one of them is a view and moves nothing")
        anchors = [op for part in parts for op in part.anchors]
        apart = [op for op in anchors if op.OPERATOR.family not in JOINED and not _reduces(op)]
        if apart and sum(bool(part.anchors) for part in parts) > 1:
            return Verdict(
                False, f"{with_these}: the loops of {apart[0].OPERATOR.name} are its own"
            )
        products = sum(map(_products, anchors))
        if products > 2:
            return Verdict(False, f"{with_these}: no more than two products share loops")
        passed = sum(bytes_of_type(value.type) for value in _passed(parts, sink))
        if products == 2 and sum(map(_has_product, parts)) == 2 and passed <= self.machine.l2:
            why = f"{size_text(passed)} between the products stay in the L2 cache"
            return Verdict(False, f"{with_these}: {why}")
        between = self._bytes_between(parts, sink)
        most = self._most_saved(between, len(parts))
        least = self._least_work(parts)
        moved = size_text(sum(between))
        if most < LEAST_GAIN * least:
            numbers = f"{_cycles(most)} of {_cycles(least)} at most, less than {LEAST_GAIN:.0%}"
            return Verdict(False, f"{with_these}: {moved} less to move is {numbers}")
        joint, single = self._compared(parts, sink)
        if joint is None or single is None:
            return Verdict(False, f"{with_these}: one of them is not compiled by itself")
        numbers = f"{_cycles(joint)} instead of {_cycles(single)}"
        if joint > (1 - LEAST_GAIN) * single:
            return Verdict(False, f"{with_these}: {numbers}, less than {LEAST_GAIN:.0%} saved")
        whole = " + ".join(map(_named, parts))
        return Verdict(True, f"{whole}: {numbers}, {moved} need not cross memory")

    def _compared(self, parts: Sequence[Part], sink: Part) -> tuple[float | None, float | None]:
        """The cycles of the joint kernel, and those of the kernels of the parts."""
        ops = [node.op for part in parts for node in part.nodes if node.op is not None]
        assert sink.root.op is not None
        joint = self._sequence([(ops, sink.root.op)])
        if joint is None:
            return None, None
        single: list[tuple[list[Operation], Operation]] = []
        for part in sorted(parts, key=lambda each: each.place):
            if part.is_view:
                continue
            assert part.root.op is not None
            single.append(([node.op for node in part.nodes if node.op is not None], part.root.op))
        return joint, self._sequence(single)

    def _sequence(self, groups: Iterable[tuple[list[Operation], Operation]]) -> float | None:
        """The cycles of the kernels of groups one after the other; None if one has no kernel."""
        kernels: list[tuple[KernelCost, Sequence[Hashable]]] = []
        for ops, root in groups:
            key = root, frozenset(ops)
            if key not in self._kernels:
                self._kernels[key] = self._kernel(ops, root)
            kernel = self._kernels[key]
            if kernel is None:
                return None
            kernels.append(kernel)
        return cycles_of_sequence(kernels, self.machine)

    def _kernel(
        self, ops: list[Operation], root: Operation
    ) -> tuple[KernelCost, Sequence[Hashable]] | None:
        """The cost and the buffers of the kernel of operations; None if there is none."""
        function, parameters, _ = group_of(root, ops, self.read_whole)
        cost = self.joining.cost_of(function)
        return None if cost is None else (cost, _buffers(parameters, root.results[0]))

    def _bytes_between(self, parts: Sequence[Part], sink: Part) -> list[int]:
        """The bytes that need not be moved in a joint kernel, as sizes of values.

        A value that one group leaves for others, once for each that reads or writes it; and what
        several groups read, for each of these but one.
        """
        readers: dict[SSAValue, int] = {}
        for part in parts:
            own = {node.op for node in part.nodes}
            read = {value for op in own if op is not None for value in op.operands}
            for value in read:
                if value.owner not in own and isinstance(value.type, TensorType):
                    readers[value] = readers.get(value, 0) + 1
        sizes: list[int] = []
        for value in _passed(parts, sink):
            sizes += [bytes_of_type(value.type)] * (1 + readers.pop(value, 0))
        for value, count in readers.items():
            sizes += [bytes_of_type(value.type)] * (count - 1)
        return sizes

    def _most_saved(self, between: Iterable[int], count: int) -> float:
        """The cycles that the groups take at most for passing values to each other."""
        _, from_l2, from_l3, from_memory = self.machine.rates.bandwidths
        cycles = CALL * (count - 1.0)
        if self.machine.cores > 1:
            cycles += self.machine.rates.parallel_start * (count - 1)
        for size in between:
            if 2 * size <= self.machine.l2:
                cycles += size / from_l2
            else:
                cycles += size / (from_l3 if 2 * size <= self.machine.l3 else from_memory)
        return cycles

    def _least_work(self, parts: Iterable[Part]) -> float:
        """Cycles in which the machine does no less than the groups' arithmetic."""
        work = 0.0
        for part in parts:
            for op in part.operators:
                rate = 2 * self.machine.rates.products["fma.f32"]
                work += (cost_of(op).operations or 0) / rate / self.machine.cores
        return work


def _operands(op: Operation) -> Iterator[SSAValue]:
    """The values that an operation uses, also inside of its regions."""
    for inner in op.walk():
        yield from inner.operands


def _sorted(parts: list[Part]) -> list[Part]:
    """Groups in an order in which users come later; each gets its place."""
    missing: dict[Part, int] = dict.fromkeys(parts, 0)
    for part in parts:
        for user in part.users:
            missing[user] += 1
    ready = [part for part in parts if not missing[part]]
    order: list[Part] = []
    while ready:
        part = ready.pop()
        part.place = len(order)
        order.append(part)
        for user in part.users:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return order


def _is_joinable(part: Part) -> bool:
    """True if a group may become a part of another: pure operators on tensors of known sizes."""
    if part.group is None or part.root.op is None:
        return False
    for node in part.nodes:
        op = node.op
        if isinstance(op, OperatorOp):
            operator = op.OPERATOR
            if operator.name == STOP or operator.pattern == Pattern.OPAQUE or not operator.is_pure:
                return False
            if lowering_of(operator) is None:
                return False
        elif op is not None and not isinstance(op, TupleGetItemOp) and not is_scalar_constant(op):
            return False
        if op is not None and any(None in spec.shape for spec in _tensors(op.results[0])):
            return False
    return isinstance(spec_of(part.root.op.results[0].type), TensorSpec)


def _tensors(value: SSAValue) -> list[TensorSpec]:
    specs = flattened(spec_of(value.type))
    return [spec for spec in specs if isinstance(spec, TensorSpec)]


def _reduces(op: OperatorOp) -> bool:
    return op.OPERATOR.pattern == Pattern.COMM_REDUCE


def _products(op: OperatorOp) -> int:
    """The number of products of matrices in an operator."""
    return {"dense": 1, "attention": 2}.get(op.OPERATOR.family, 0)


def _has_product(part: Part) -> bool:
    return any(map(_products, part.anchors))


def _passed(parts: Iterable[Part], sink: Part) -> list[SSAValue]:
    """The values that groups compute for each other."""
    return [
        part.root.op.results[0]
        for part in parts
        if part is not sink and not part.is_view and part.root.op is not None
    ]


def _buffers(parameters: Sequence[SSAValue], result: SSAValue) -> list[Hashable]:
    """Names of the buffers of a kernel's arguments, equal ones for equal values."""
    names: list[Hashable] = []
    for value in (*parameters, result):
        names += [(value, number) for number in range(len(_tensors(value)))]
    return names


def _named(part: Part) -> str:
    """The name of a group: its operators that are more than elementwise, else the last one."""
    names = [op.OPERATOR.name for op in part.anchors] or [title(part.root)]
    return " and ".join(names)


def _cycles(count: float) -> str:
    return f"{count_text(round(count))} cycles"
