"""``simplify-expr``: write values of graphs by fewer and smaller operators.

Before::

    %0 = graph.transpose(%x) <axes = [1, 0]> : ...
    %1 = graph.transpose(%0) <axes = [1, 0]> : ...
    %2 = graph.zeros_like(%y) : ...
    %3 = graph.add(%1, %2) : ...                       // of integers

After::

    %3 = graph.add(%x, %zero) : ...                    // and then %x itself

Relay's pass of this name: reshapes of reshapes, chains of transposes (also those that
``layout_transform`` writes), casts whose middle type holds all values, operators that change
nothing, tensors of equal elements beside a larger operand, sums of constants, and operators whose
shape is that of another value (``zeros_like``).

Values keep their bits. So ``x * 0`` stays, which is NaN where x is, and sums of floats are not
reassociated. ``x + 0.0`` of floats stays too, as it makes 0.0 of -0.0; ``x - 0.0`` and
``x + -0.0`` do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from kc.dialects.graph.declaration import OperatorOp, call
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp, numpy_dtype
from kc.transforms.graph._rewriting import is_operator, operator_of, rewrite, tensor_of

_RESHAPES = ("reshape", "contrib_reverse_reshape", "squeeze", "expand_dims")
_BINARY = ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum")
_EXACT_BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
"""The integers up to 2 to the power of this are elements of a float type."""
_HELD_FLOATS = {
    "float64": ("float64", "float32", "float16", "bfloat16"),
    "float32": ("float32", "float16", "bfloat16"),
    "float16": ("float16",),
    "bfloat16": ("bfloat16",),
}


@dataclass(frozen=True)
class SimplifyExprPass(ModulePass):
    """Simplify values of graphs to fewer and smaller operators."""

    name = "simplify-expr"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(
            op,
            self.name,
            [
                LikeIsConcrete(),
                ReshapeOfReshape(),
                TransposeOfTranspose(),
                CastOfCast(),
                ChangesNothing(),
                FullIsScalar(),
                SumOfConstants(),
                FieldOfTuple(),
            ],
        )


def _known_shape(value: SSAValue) -> tuple[Any, ...] | None:
    """The shape of a value if each size is a number or has a name."""
    spec = tensor_of(value)
    return None if spec is None or None in spec.shape else spec.shape


def _is_shape(shape: tuple[Any, ...]) -> dict[str, Any]:
    """The attributes of a reshape to a shape."""
    return {"newshape": shape, "allowzero": 0 in shape}


class LikeIsConcrete(RewritePattern):
    """An operator that takes a shape or a type from an operand has it as an attribute."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        name = op.OPERATOR.name
        spec, shape = tensor_of(op.result), _known_shape(op.result)
        if not name.endswith("_like") or spec is None:
            return
        if name == "cast_like":
            rewriter.replace(op, call("cast", op.inputs[0], dtype=spec.dtype))
            return
        if shape is None:
            return
        new: OperatorOp | None = None
        match name:
            case "zeros_like" | "ones_like":
                new = call(name.removesuffix("_like"), shape=shape, dtype=spec.dtype)
            case "full_like":
                fill = op.inputs[1]
                fill_spec = tensor_of(fill)
                if fill_spec is not None and fill_spec.dtype == spec.dtype:
                    new = call("full", fill, shape=shape, dtype=spec.dtype)
            case "reshape_like":
                new = call("reshape", op.inputs[0], **_is_shape(shape))
            case "broadcast_to_like":
                new = call("broadcast_to", op.inputs[0], shape=shape)
            case "collapse_sum_like":
                new = call("collapse_sum_to", op.inputs[0], shape=shape)
            case "slice_like" if spec.is_static:
                new = call("strided_slice", op.inputs[0], begin=(0,) * spec.rank, end=shape)
            case _:
                pass
        if new is not None and new.result.type == op.result.type:
            rewriter.replace(op, new)


class ReshapeOfReshape(RewritePattern):
    """Of consecutive reshapes the last one alone counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, "reshape", "contrib_reverse_reshape"):
            return
        inner = operator_of(op.inputs[0], *_RESHAPES)
        shape = _known_shape(op.result)
        if inner is None or shape is None or _known_shape(inner.inputs[0]) is None:
            return
        new = call("reshape", inner.inputs[0], **_is_shape(shape))
        if new.result.type == op.result.type:
            rewriter.replace(op, new)


class TransposeOfTranspose(RewritePattern):
    """Of consecutive transposes there is one left, or none."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        outer = _order(op)
        inner = op.inputs[0].owner if outer is not None else None
        if outer is None or not isinstance(inner, OperatorOp):
            return
        order = _order(inner)
        if order is None:
            return
        axes = tuple(order[n] for n in outer)
        new = call("transpose", inner.inputs[0], axes=axes)
        if new.result.type == op.result.type:
            rewriter.replace(op, new)


def _order(op: OperatorOp) -> tuple[int, ...] | None:
    """The dimensions of the operand in the order of the result, of an operator that moves these."""
    spec = tensor_of(op.inputs[0]) if len(op.inputs) == 1 else None
    if spec is None:
        return None
    if is_operator(op, "transpose"):
        axes = op.operator.attributes().get("axes")
        if axes is None:
            return tuple(range(spec.rank))[::-1]
        return tuple(axis % spec.rank for axis in axes)
    if is_operator(op, "layout_transform"):
        attributes = op.operator.attributes()
        source, target = attributes["src_layout"], attributes["dst_layout"]
        if f"{source}{target}".isupper() and f"{source}{target}".isalpha():
            return tuple(source.index(letter) for letter in target)
    return None


class CastOfCast(RewritePattern):
    """A cast through a type that holds all values of the first one goes there directly."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        inner = operator_of(op.inputs[0], "cast") if is_operator(op, "cast") else None
        if inner is None:
            return
        specs = tensor_of(inner.inputs[0]), tensor_of(inner.result), tensor_of(op.result)
        if None in specs:
            return
        first, middle, last = (spec.dtype for spec in specs if spec is not None)
        # A cast of an integer to a narrower type truncates; a cast of a float saturates.
        is_cut = _is_integer(first) and not _is_integer(middle) and _is_integer(last)
        if _holds(middle, first) and (not is_cut or _holds(last, first)):
            rewriter.replace(op, call("cast", inner.inputs[0], dtype=last))


def _is_integer(dtype: str) -> bool:
    return dtype.startswith(("int", "uint"))


def _holds(dtype: str, values: str) -> bool:
    """True if each element of the type ``values`` is an element of the type ``dtype``."""
    if dtype == values or values == "bool":
        return True
    if not _is_integer(values):
        return values in _HELD_FLOATS.get(dtype, ())
    is_signed = values.startswith("int")
    bits = int(values.removeprefix("u").removeprefix("int")) - is_signed
    if not _is_integer(dtype):
        return bits <= _EXACT_BITS.get(dtype, 0)
    if dtype.startswith("int"):
        return bits <= int(dtype.removeprefix("int")) - 1
    return not is_signed and bits <= int(dtype.removeprefix("uint"))


class ChangesNothing(RewritePattern):
    """An operator whose result is its operand is that."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if is_operator(op, "split") and op.operator.attributes()["indices_or_sections"] in (1, ()):
            new = TupleOp([op.inputs[0]])
            if new.result.type == op.result.type:
                rewriter.replace(op, new)
            return
        operand = _unchanged(op)
        if operand is not None and operand.type == op.result.type:
            rewriter.replace(op, [], [operand])


def _unchanged(op: OperatorOp) -> SSAValue | None:
    """The operand that has the elements of the result, at the same places."""
    name = op.OPERATOR.name
    match name:
        case "cast":
            return op.inputs[0]
        case "reshape" | "contrib_reverse_reshape" | "broadcast_to" | "collapse_sum_to":
            return op.inputs[0] if _known_shape(op.result) is not None else None
        case "transpose" | "layout_transform":
            order = _order(op)
            is_same = order is not None and order == tuple(range(len(order)))
            return op.inputs[0] if is_same else None
        case "concatenate":
            return op.inputs[0] if len(op.inputs) == 1 else None
        case "strided_slice":
            return op.inputs[0] if _is_whole(op) else None
        case "add" | "multiply":
            left, right = op.inputs
            unit = 0 if name == "add" else 1
            if _is_all(right, unit, is_negative=name == "add"):
                return left
            return right if _is_all(left, unit, is_negative=name == "add") else None
        case "subtract":
            return op.inputs[0] if _is_all(op.inputs[1], 0) else None
        case "divide":
            return op.inputs[0] if _is_all(op.inputs[1], 1) else None
        case _:
            return None


def _is_whole(op: OperatorOp) -> bool:
    spec = tensor_of(op.inputs[0])
    if spec is None or not spec.is_static:
        return False
    strides = op.operator.attributes().get("strides") or ()
    return all(stride > 0 for stride in strides)


def _is_all(value: SSAValue, number: int, is_negative: bool = False) -> bool:
    """True if all elements are known to be a number: of floats, the 0 of that sign."""
    import numpy as np

    spec = tensor_of(value)
    op = value.owner
    if spec is None or not isinstance(op, ConstantOp) or op.is_elided:
        return False
    array = op.array
    if spec.dtype not in _EXACT_BITS:
        return _is_integer(spec.dtype) and bool((array == number).all())
    array = array.astype(np.float64)
    return bool((array == number).all()) and (
        number != 0 or bool((np.signbit(array) == is_negative).all())
    )


class FullIsScalar(RewritePattern):
    """A tensor of equal elements beside an operand of the result's shape is one element."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, *_BINARY):
            return
        for position, operand in enumerate(op.inputs):
            if op.inputs[1 - position].type != op.result.type:
                continue
            scalar = _element(operand, rewriter, op)
            if scalar is not None:
                operands = list(op.inputs)
                operands[position] = scalar
                rewriter.replace(op, call(op.OPERATOR.name, *operands, result_type=op.result.type))
                return


def _element(value: SSAValue, rewriter: PatternRewriter, at: Operation) -> SSAValue | None:
    """The element of a tensor of equal elements that an operator makes."""
    op, spec = operator_of(value, "full", "zeros", "ones"), tensor_of(value)
    if op is None or spec is None:
        return None
    if op.OPERATOR.name == "full":
        fill = tensor_of(op.inputs[0])
        return op.inputs[0] if fill == TensorSpec((), spec.dtype) else None
    import numpy as np

    number = np.array(op.OPERATOR.name == "ones", numpy_dtype(spec.dtype))
    constant = ConstantOp.of(number, spec.dtype)
    rewriter.insert_op(constant, InsertPoint.before(at))
    return constant.result


class SumOfConstants(RewritePattern):
    """Constants that are added to integers one after the other are added first."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        split = _with_constant(op)
        inner = None if split is None else split[0].owner
        if split is None or not isinstance(inner, OperatorOp):
            return
        inner_split = _with_constant(inner)
        spec = tensor_of(op.result)
        if inner_split is None or spec is None or not _is_integer(spec.dtype):
            return
        total = call("add", inner_split[1], split[1])
        new = call("add", inner_split[0], total.result)
        if new.result.type == op.result.type:
            rewriter.replace(op, [total, new])


def _with_constant(op: OperatorOp) -> tuple[SSAValue, SSAValue] | None:
    """The operands of a sum of a value and a constant, the constant last."""
    if not is_operator(op, "add"):
        return None
    left, right = op.inputs
    if _is_constant(left) == _is_constant(right):
        return None
    return (right, left) if _is_constant(left) else (left, right)


def _is_constant(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, ConstantOp) or (
        isinstance(op, OperatorOp) and is_operator(op, "add") and all(map(_is_constant, op.inputs))
    )


class FieldOfTuple(RewritePattern):
    """A field of a tuple is the value that the tuple is made of."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TupleGetItemOp, rewriter: PatternRewriter, /) -> None:
        whole = op.tuple.owner
        if isinstance(whole, TupleOp):
            rewriter.replace(op, [], [whole.fields[op.index.value.data]])
