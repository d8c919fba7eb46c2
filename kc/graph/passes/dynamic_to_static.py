"""``dynamic-to-static``: operators of known sizes for those whose sizes are constants.

Before::

    %s = graph.constant dense<[2, 6]> : tensor<2xsi64>
    %0 = graph.dyn.reshape(%x, %s) : (tensor<3x4xf32>, tensor<2xsi64>) -> tensor<?x?xf32>

After::

    %0 = graph.reshape(%x) <newshape = [2, 6]> : (tensor<3x4xf32>) -> tensor<2x6xf32>

Relay's pass of this name. An operator ``dyn.*`` whose operands of sizes are constants becomes the
operator without ``dyn``, which has them as attributes. Shapes that are known then are constants of
the operators behind it, so this, ``infer-type`` and ``fold-constant`` are repeated until nothing
changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, RelationError, all_operators, call
from kc.dialects.graph.values import ConstantOp, LetOp
from kc.graph.passes.fold_constant import fold_constants, refused_first
from kc.support.declarations import Slot, slots
from kc.transforms.graph._rewriting import rewrite
from kc.transforms.graph.infer_type import infer_types

PREFIX = "dyn."


@dataclass(frozen=True)
class DynamicToStaticPass(ModulePass):
    """Replace operators with constant size operands by operators with size attributes."""

    name = "dynamic-to-static"
    opt_level: ClassVar[int] = 2

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        refused_first(op, self._repeat)

    def _repeat(self, module: ModuleOp) -> None:
        pattern = SizesAreAttributes()
        while True:
            if not any(_is_dynamic(each) for each in module.walk()):
                return
            fold_constants(module)
            pattern.count = 0
            rewrite(module, self.name, [pattern])
            if not pattern.count:
                return
            infer_types(module)


class SizesAreAttributes(RewritePattern):
    """An operator ``dyn.*`` of constant sizes is the operator with these attributes."""

    def __init__(self) -> None:
        self.count = 0
        """The operators that were replaced."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not _is_dynamic(op):
            return
        name = op.OPERATOR.name.removeprefix(PREFIX)
        static = all_operators().get(name)
        if static is None:
            return
        fields = {slot.name: slot for slot in slots(static)}
        remaining = {each.strip("*?") for each in static.inputs}
        operands: list[SSAValue] = []
        attributes = op.operator.attributes()
        mode = attributes.get("coordinate_transformation_mode")
        for position, operand in enumerate(op.inputs):
            own = op.OPERATOR.input_name(position)
            if own in remaining:
                operands.append(operand)
                continue
            if own == "roi" and mode != "tf_crop_and_resize":
                continue  # other modes use the whole image
            constant = _constant(operand)
            if constant is None or own not in fields:
                return
            attributes[own] = _attribute(fields[own], constant.array)
        try:
            new = call(name, *operands, **attributes)
        except RelationError:
            return
        self.count += 1
        rewriter.replace(op, new)


def _is_dynamic(op: object) -> bool:
    return isinstance(op, OperatorOp) and op.OPERATOR.name.startswith(PREFIX)


def _constant(value: SSAValue) -> ConstantOp | None:
    op = value.owner
    while isinstance(op, LetOp):
        op = op.value.owner
    return op if isinstance(op, ConstantOp) and not op.is_elided else None


def _attribute(slot: Slot, array: Any) -> Any:
    """The elements of an array as a number, or as tuples of numbers, as an attribute has them."""
    if any(kind in slot.types for kind in (int, float)):
        return array.reshape(-1)[0].item()
    return _tuples(array.tolist())


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
