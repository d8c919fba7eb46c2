"""``simplify-inference``: normalizations and dropout as simple operators, as inference needs them.

Before::

    %0 = graph.nn.batch_norm(%x, %gamma, %beta, %mean, %var) : ...
    %1 = graph.tuple_get_item %0[0] : ...

After::

    %scale = gamma / sqrt(var + epsilon)      one number a channel
    %shift = beta - mean * scale
    %1 = x * scale + shift

Relay's pass of this name. ``nn.batch_norm`` becomes a scale and a shift, which constants fold to
numbers; ``nn.layer_norm``, ``nn.group_norm``, ``nn.instance_norm`` and ``nn.l2_normalize`` become
reductions and elementwise operators; ``nn.dropout`` is the identity, its mask ones. The rounding
differs from that of the operators: narrow floats are computed in float32, as by these, and rounded
once. A normalization of data whose type is not known stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import TupleGetItemOp
from kc.support.registry import load_patterns
from kc.transforms.graph._building import NARROW_FLOATS, Builder, tensor_spec


@dataclass(frozen=True)
class SimplifyInferencePass(ModulePass):
    """Replace normalizations and dropout by simple operators, as inference needs them."""

    name = "simplify-inference"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        added = [make() for make in load_patterns(self.name)]
        pattern = GreedyRewritePatternApplier([*added, SimplifyOperator()])
        PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)


class SimplifyOperator(RewritePattern):
    """Replaces an operator by its form in inference, where it has such a form."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, OperatorOp):
            return
        form = FORMS.get(op.OPERATOR.name)
        if form is None or any(
            not isinstance(spec_of(value.type), TensorSpec) for value in op.inputs
        ):
            return
        new = form(op, op.operator, Builder(op, rewriter))
        if isinstance(new, SSAValue):
            rewriter.replace(op, [], [new])
        elif new is not None:
            replace_tuple(op, new, rewriter)


Form = Callable[[OperatorOp, Any, Builder], "SSAValue | Sequence[SSAValue] | None"]


def replace_tuple(op: OperatorOp, fields: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Replace an operator with a tuple as its result by the fields, and erase it."""
    for use in list(op.result.uses):
        getter = use.operation
        if isinstance(getter, TupleGetItemOp):
            rewriter.replace(getter, [], [fields[getter.index.value.data]])
    if op.result.first_use is None:
        rewriter.erase(op)
    else:
        rewriter.replace(op, [], [Builder(op, rewriter).tuple(fields)])


def _batch_norm(op: OperatorOp, norm: Any, build: Builder) -> Sequence[SSAValue]:
    data, gamma, beta, mean, variance = op.inputs
    spec = tensor_spec(data)
    dtype = _sum_dtype(spec)
    axis = norm.axis % spec.rank
    root = build("sqrt", _plus_epsilon(build, build.cast(variance, dtype), norm.epsilon))
    above = build.cast(gamma, dtype) if norm.scale else build.constant(1, dtype)
    scale = build("divide", above, root)
    shift = build("multiply", build("negative", build.cast(mean, dtype)), scale)
    if norm.center:
        shift = build("add", shift, build.cast(beta, dtype))
    scaled = build("multiply", build.cast(data, dtype), build.along(scale, axis, spec.rank))
    shifted = build("add", scaled, build.along(shift, axis, spec.rank))
    return build.cast(shifted, spec.dtype), mean, variance


def _layer_norm(op: OperatorOp, norm: Any, build: Builder) -> SSAValue:
    data = build.cast(op.inputs[0], _sum_dtype(tensor_spec(op.inputs[0])))
    return _scaled(op, norm, build, _normalized(build, data, (norm.axis,), norm.epsilon))


def _instance_norm(op: OperatorOp, norm: Any, build: Builder) -> SSAValue:
    spec = tensor_spec(op.inputs[0])
    data = build.cast(op.inputs[0], _sum_dtype(spec))
    axes = tuple(n for n in range(1, spec.rank) if n != norm.axis % spec.rank)
    return _scaled(op, norm, build, _normalized(build, data, axes, norm.epsilon))


def _group_norm(op: OperatorOp, norm: Any, build: Builder) -> SSAValue | None:
    spec = tensor_spec(op.inputs[0])
    if None in spec.shape:
        return None  # reshape needs the sizes
    axis = norm.axis % spec.rank
    channels = spec.shape[axis]
    assert channels is not None
    grouped = (
        *spec.shape[:axis],
        norm.num_groups,
        channels // norm.num_groups,
        *spec.shape[axis + 1 :],
    )
    data = build.cast(op.inputs[0], _sum_dtype(spec))
    data = build("reshape", data, newshape=grouped, allowzero=0 in grouped)
    axes = tuple(n for n in range(1, spec.rank + 1) if n != axis)
    normalized = _normalized(build, data, axes, norm.epsilon)
    whole = build("reshape", normalized, newshape=spec.shape, allowzero=0 in grouped)
    return _scaled(op, norm, build, whole)


def _l2_normalize(op: OperatorOp, norm: Any, build: Builder) -> SSAValue:
    spec = tensor_spec(op.inputs[0])
    dtype = _sum_dtype(spec)
    data = build.cast(op.inputs[0], dtype)
    total = build("sum", build("multiply", data, data), axis=norm.axes(spec.rank), keepdims=True)
    least = build("maximum", total, build.constant(norm.eps, dtype))
    return build.cast(build("divide", data, build("sqrt", least)), spec.dtype)


def _dropout(op: OperatorOp, norm: Any, build: Builder) -> Sequence[SSAValue]:
    del norm
    data = op.inputs[0]
    uses = [use.operation for use in op.result.uses]
    if all(isinstance(use, TupleGetItemOp) and use.index.value.data == 0 for use in uses):
        return data, data
    return data, build("ones_like", data)


FORMS: dict[str, Form] = {
    "nn.batch_norm": _batch_norm,
    "nn.layer_norm": _layer_norm,
    "nn.instance_norm": _instance_norm,
    "nn.group_norm": _group_norm,
    "nn.l2_normalize": _l2_normalize,
    "nn.dropout": _dropout,
}
"""The name of an operator -> its form in inference: a value, the fields of a tuple, or None for
one that stays."""


def _sum_dtype(spec: TensorSpec) -> str:
    return "float32" if spec.dtype in NARROW_FLOATS else spec.dtype


def _plus_epsilon(build: Builder, variance: SSAValue, epsilon: float) -> SSAValue:
    return build("add", variance, build.constant(epsilon, tensor_spec(variance).dtype))


def _normalized(build: Builder, data: SSAValue, axes: tuple[int, ...], epsilon: float) -> SSAValue:
    """``(data - mean) / sqrt(variance + epsilon)`` over ``axes``."""
    mean = build("mean", data, axis=axes, keepdims=True)
    variance = build("variance", data, mean, axis=axes, keepdims=True)
    root = build("sqrt", _plus_epsilon(build, variance, epsilon))
    return build("divide", build("subtract", data, mean), root)


def _scaled(op: OperatorOp, norm: Any, build: Builder, value: SSAValue) -> SSAValue:
    """The normalized data times gamma plus beta, where these are used."""
    spec, dtype = tensor_spec(op.inputs[0]), tensor_spec(value).dtype
    axis = norm.axis % spec.rank
    if norm.scale:
        gamma = build.along(build.cast(op.inputs[1], dtype), axis, spec.rank)
        value = build("multiply", value, gamma)
    if norm.center:
        beta = build.along(build.cast(op.inputs[2], dtype), axis, spec.rank)
        value = build("add", value, beta)
    return build.cast(value, spec.dtype)
