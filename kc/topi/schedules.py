"""Schedules by pattern for users who schedule tensor expressions by hand, under TVM's names.

Every entry point returns an ordinary TE schedule, which can be changed further: injective
operations are inlined, the last elementwise operation is computed with the reduction that it
completes, the innermost axis that is long enough is vectorized, and the outermost is parallel; on a
GPU, elements are bound to threads. ``kc.build`` of plain tensors chooses better
(docs/auto_schedule.md); ``schedule.to_tir_script()`` prints the calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kc.expr.constructors import Reduce
from kc.expr.tensor import ComputeOp, Operation, Tensor
from kc.expr.threads import thread_axis
from kc.te.schedule import AutoInlineInjective, Schedule, create_schedule
from kc.te.to_ir import post_order
from kc.topi.gradients import GPUS
from kc.topi.table import check_tensor, refuse, running
from kc.topi.tag import is_broadcast

if TYPE_CHECKING:
    from kc.support.target import Target

NAMES = (
    "schedule_injective", "schedule_extern", "schedule_reduce", "schedule_pool",
    "schedule_adaptive_pool", "schedule_softmax", "schedule_dense", "schedule_matmul",
    "schedule_batch_matmul", "schedule_conv1d_ncw", "schedule_conv1d_nwc",
    "schedule_group_conv1d_ncw", "schedule_group_conv1d_nwc", "schedule_conv2d_nchw",
    "schedule_conv2d_nhwc", "schedule_conv2d_hwcn", "schedule_conv2d_NCHWc",
    "schedule_conv2d_NCHWc_int8", "schedule_depthwise_conv2d_nchw",
    "schedule_depthwise_conv2d_nhwc", "schedule_depthwise_conv2d_NCHWc",
    "schedule_group_conv2d_nchw", "schedule_group_conv2d_nhwc", "schedule_conv1d_transpose_ncw",
    "schedule_conv2d_transpose_nchw", "schedule_group_conv2d_transpose_nchw",
    "schedule_conv3d_ncdhw", "schedule_conv3d_ndhwc", "schedule_conv3d_transpose_ncdhw",
    "schedule_lrn", "schedule_binarize_pack", "schedule_binary_dense", "schedule_sort",
    "schedule_argsort", "schedule_topk", "schedule_scatter", "schedule_scatter_add",
    "schedule_nms",
)  # fmt: skip
"""The entry points that take the outputs; those of pools also take a layout."""

_THREADS = 256


def _operations(outs: Any) -> list[Operation]:
    outputs = outs if isinstance(outs, list | tuple) else [outs]
    if not outputs:
        raise refuse(
            "KC2300", "the list of outputs is empty", "a schedule needs at least one output"
        )
    return list(dict.fromkeys(check_tensor(tensor, "an output").op for tensor in outputs))


def _is_reduction(op: Operation) -> bool:
    return isinstance(op, ComputeOp) and any(isinstance(body, Reduce) for body in op.bodies)


def _is_inlined(s: Schedule, op: Operation) -> bool:
    attach = s[op].attach
    return attach is not None and attach.kind == "inline"


def _vectorized(s: Schedule, op: Operation, target: Target) -> Any:
    """Vectorize the last axis of a stage if it is long enough. The value is its outermost loop."""
    axes = list(s[op].op.axis)
    if not axes:
        return None
    last, size = axes[-1], op.shape[-1]
    width = target.lanes(32)
    if isinstance(size, int) and size >= width:
        outer, inner = s[op].split(last, factor=width)
        if op.reduce_axis:
            s[op].reorder(*axes[:-1], outer, *s[op].op.reduce_axis, inner)
        s[op].vectorize(inner)
        axes[-1] = outer
    return s[op].fuse(*axes) if len(axes) > 1 else axes[0]


def _run_in_parallel(s: Schedule, op: Operation, outermost: Any, target: Target) -> None:
    """Make the outermost loop parallel, unless it is known to have a single iteration."""
    *rest, last = op.shape
    width = target.lanes(32)
    if isinstance(last, int) and last >= width:
        last = -(-last // width)
    if any(not isinstance(size, int) or size > 1 for size in (*rest, last)):
        s[op].parallel(outermost)


def _on_cpu(s: Schedule, outputs: Sequence[Operation], target: Target) -> None:
    attached: set[Operation] = set()
    for op in reversed(post_order(outputs)):
        if not isinstance(op, ComputeOp) or _is_inlined(s, op) or op in attached:
            continue
        outermost = _vectorized(s, op, target)
        if outermost is not None:
            _run_in_parallel(s, op, outermost, target)
        if not is_broadcast(op.tag) or op not in outputs or len(outputs) > 1:
            continue
        anchors = [t.op for t in op.input_tensors if _is_reduction(t.op)]
        if len(anchors) == 1 and outermost is not None and anchors[0].shape == op.shape:
            anchor = anchors[0]
            attached.add(anchor)
            s[anchor].compute_at(s[op], outermost)


def _on_gpu(s: Schedule, outputs: Sequence[Operation]) -> None:
    for op in post_order(outputs):
        if not isinstance(op, ComputeOp) or _is_inlined(s, op):
            continue
        axes = list(s[op].op.axis)
        if not axes:  # a single element: threads share the terms of its sum
            loops = list(s[op].op.reduce_axis)
            if loops:
                terms = s[op].fuse(*loops) if len(loops) > 1 else loops[0]
                thread, _ = s[op].split(terms, nparts=_THREADS)
                s[op].bind(thread, thread_axis("threadIdx.x"))
            continue
        fused = s[op].fuse(*axes) if len(axes) > 1 else axes[0]
        block, thread = s[op].split(fused, factor=_THREADS)
        s[op].bind(block, thread_axis("blockIdx.x"))
        s[op].bind(thread, thread_axis("threadIdx.x"))


def scheduled(name: str, outs: Any, target: Target | None) -> Schedule:
    """The schedule of outputs for a target (the current one, or the host)."""
    with running(f"generic.{name}"):
        outputs = _operations(outs)
        chosen = target or _current()
        s = create_schedule(outputs)
        AutoInlineInjective(s)
        if any(key in GPUS for key in chosen.keys):
            _on_gpu(s, outputs)
        else:
            _on_cpu(s, outputs, chosen)
        return s


def _current() -> Target:
    """The current target, or the host."""
    from kc.support.target import Target

    return Target.current() or Target.host_cpu()


def entries(text: str | None) -> dict[str, Callable[..., Schedule]]:
    """The entry points for a target (None: the current one), by name."""

    def entry(name: str) -> Callable[..., Schedule]:
        def schedule(outs: Any, layout: str | None = None) -> Schedule:
            del layout  # the shapes determine the layout
            # Writing expressions does not need targets, so they are imported here.
            from kc.support.target import Target

            return scheduled(name, outs, Target(text) if text else None)

        schedule.__name__ = schedule.__qualname__ = name
        what = name.removeprefix("schedule_").replace("_", " ")
        schedule.__doc__ = f"A schedule of the outputs of {what}, which can be changed further."
        return schedule

    return {name: entry(name) for name in NAMES}


def schedule_injective_from_existing(sch: Schedule, out: Tensor) -> Schedule:
    """Vectorize and parallelize one stage of a schedule, an injective output."""
    with running("generic.schedule_injective_from_existing"):
        op = check_tensor(out, "the output").op
        chosen = _current()
        if any(key in GPUS for key in chosen.keys):
            _on_gpu(sch, [op])
        elif (outermost := _vectorized(sch, op, chosen)) is not None:
            _run_in_parallel(sch, op, outermost, chosen)
    return sch


def default_schedule(outs: Any, auto_inline: bool) -> Schedule:
    """A schedule without calls, except that injective producers may be inlined."""
    with running("generic.default_schedule"):
        s = create_schedule(_operations(outs))
        if auto_inline:
            AutoInlineInjective(s)
    return s
