"""``to-mixed-precision``: compute products, and what follows them, in float16 or bfloat16.

Before::

    %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
    %1 = graph.nn.relu(%0) : ...
    %2 = graph.nn.softmax(%1) : ...

After::

    %3 = graph.cast(%x) <dtype = "float16"> : ...
    %4 = graph.cast(%w) <dtype = "float16"> : ...
    %5 = graph.nn.dense(%3, %4) <out_dtype = "float32"> : (tensor<4x8xf16>, tensor<5x8xf16>) -> ...
    %6 = graph.cast(%5) <dtype = "float16"> : ...
    %1 = graph.nn.relu(%6) : (tensor<4x5xf16>) -> tensor<4x5xf16>
    %7 = graph.cast(%1) <dtype = "float32"> : ...
    %2 = graph.nn.softmax(%7) : ...

Relay's pass of this name. Operators of float32 are of three kinds: products are always narrow, and
sum in float32; elementwise and moving operators, pools and maxima follow, if their operands are
narrow (arguments and constants may become so); exponentials, sums, means, normalizations and losses
never are. An operator of no kind stays, with a warning (``missing_op_mode`` 1), an error (0) or
silently (2). ``relay.op.register_mixed_precision_conversion`` gives operators another kind.

Each value is cast once, where it is defined. Functions keep the types of their arguments and
results, and so do tuples, branches and loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import region_dce

from kc.dialects.graph.declaration import Operator, OperatorOp, RelationError, call
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp
from kc.expr.op_attributes import attribute_of
from kc.support.declarations import slots
from kc.support.diagnostics import GraphError, warn
from kc.support.locations import location_of
from kc.transforms.graph._rewriting import operator_of, tensor_of
from kc.transforms.graph._scopes import open_functions

ALWAYS, FOLLOW, NEVER = 0, 1, 2
"""The kinds of operators, by Relay's numbers."""
KEY = "FTVMMixedPrecisionConversionType"
NARROW = ("float16", "bfloat16")
WIDE = "float32"

_NAMES = {
    ALWAYS: """
        nn.conv1d nn.conv2d nn.conv3d nn.conv1d_transpose nn.conv2d_transpose nn.conv3d_transpose
        nn.dense nn.contrib_dense_pack nn.matmul nn.batch_matmul""",
    FOLLOW: """
        abs ceil clip copy floor isfinite isinf isnan negative round sign sqrt rsqrt tanh sigmoid
        trunc full_like ones_like zeros_like nn.celu nn.elu nn.gelu nn.hardsigmoid nn.hardswish
        nn.leaky_relu nn.mish nn.prelu nn.relu nn.selu nn.silu nn.softsign nn.swish
        add subtract multiply divide floor_divide floor_mod mod trunc_divide trunc_mod maximum
        minimum equal greater greater_equal less less_equal not_equal where
        nn.bias_add broadcast_to broadcast_to_like expand_dims repeat tile
        adv_index as_strided concatenate contrib_reverse_reshape diagonal gather gather_nd
        layout_transform meshgrid nn.batch_flatten nn.batch_to_space_nd nn.depth_to_space nn.dilate
        nn.mirror_pad nn.pad nn.space_to_batch_nd nn.space_to_depth reshape reshape_like reverse
        sequence_mask slice_like sliding_window split squeeze stack strided_slice take transpose
        trilu shape_of ndarray_size
        argmax argmin max min nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.avg_pool1d nn.avg_pool2d
        nn.avg_pool3d nn.global_max_pool1d nn.global_max_pool2d nn.global_max_pool3d
        nn.adaptive_max_pool1d nn.adaptive_max_pool2d nn.adaptive_max_pool3d
        nn.batch_norm nn.dropout argsort sort topk dyn.reshape dyn.broadcast_to dyn.strided_slice
        dyn.tile dyn.squeeze dyn.expand_dims""",
    NEVER: """
        cast cast_like exp exp2 fast_exp erf erfc fast_erf power log log2 log10 cumsum cumprod
        sum mean variance std prod mean_std mean_variance logsumexp arange einsum
        nn.softmax nn.fast_softmax nn.log_softmax nn.softplus nn.layer_norm nn.group_norm
        nn.instance_norm nn.rms_norm nn.l2_normalize nn.lrn nn.cross_entropy
        nn.cross_entropy_with_logits nn.nll_loss nn.attention nn.lstm
        nn.global_avg_pool1d nn.global_avg_pool2d nn.global_avg_pool3d
        nn.adaptive_avg_pool1d nn.adaptive_avg_pool2d nn.adaptive_avg_pool3d""",
}
KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""The name of an operator -> its kind."""


@dataclass(frozen=True)
class ToMixedPrecisionPass(ModulePass):
    """Compute products of graphs, and what follows them, in float16 or bfloat16."""

    name = "to-mixed-precision"
    opt_level: ClassVar[int] = 0

    mixed_precision_type: str = "float16"
    """float16 or bfloat16."""
    missing_op_mode: int = 1
    """Of operators without a kind: 0 refuses them, 1 warns, 2 is silent."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        if self.mixed_precision_type not in NARROW:
            raise GraphError(
                "KC2460",
                f"to-mixed-precision: mixed_precision_type is {self.mixed_precision_type!r}",
                why=f"it must be one of {', '.join(NARROW)}",
            )
        if self.missing_op_mode not in (0, 1, 2):
            raise GraphError(
                "KC2460",
                f"to-mixed-precision: missing_op_mode is {self.missing_op_mode}",
                why="it is 0 (refuse), 1 (warn) or 2 (silent)",
            )
        functions = list(open_functions(op))
        kinds = _Kinds(self.mixed_precision_type, self.missing_op_mode)
        for function in functions:
            for each in function.walk():
                if isinstance(each, OperatorOp):
                    kinds.check(each)
        kinds.warn()
        for function in functions:
            _Narrowing(self.mixed_precision_type, kinds).visit(function.body.block)
            region_dce(function.body)


@dataclass(frozen=True)
class _Named:
    name: str


@dataclass(frozen=True)
class CallNode:
    """A call of an operator, as the functions that users register see it."""

    op: _Named
    attrs: Operator


@dataclass(frozen=True)
class _Conversion:
    kind: int
    accumulation: str
    output: str


class _Kinds:
    """The kinds of operators: those that users have registered, and kc's own."""

    def __init__(self, dtype: str, missing_mode: int) -> None:
        self.dtype = dtype
        self.missing_mode = missing_mode
        self.missing: dict[str, OperatorOp] = {}

    def of(self, op: OperatorOp) -> _Conversion | None:
        """The kind of conversion of an operator; None if neither the user nor kc has one."""
        name = op.OPERATOR.name
        registered: Any = attribute_of(name, KEY)
        if registered is not None:
            if callable(registered):
                registered = registered(CallNode(_Named(name), op.operator), self.dtype)
            kind, accumulation, output = registered
            return _Conversion(int(kind), str(accumulation), str(output))
        kind = KINDS.get(name)
        return None if kind is None else _Conversion(kind, WIDE, self.dtype)

    def check(self, op: OperatorOp) -> None:
        """Enter an operator of float32 that has no kind. Raises KC2472 if these are refused."""
        if self.of(op) is not None or not any(map(_is_wide, op.inputs)):
            return
        if self.missing_mode == 0:
            raise GraphError(
                "KC2472",
                f"to-mixed-precision: nothing tells whether {op.OPERATOR.name} may be narrow",
                location=location_of(op),
                hints=[f'relay.op.register_mixed_precision_conversion("{op.OPERATOR.name}", ...)'],
            )
        self.missing.setdefault(op.OPERATOR.name, op)

    def warn(self) -> None:
        """Warn of the operators without a kind, which stay float32."""
        if self.missing_mode == 1 and self.missing:
            warn(
                "KC2472",
                "to-mixed-precision: nothing tells whether these may be narrow: "
                f"{', '.join(sorted(self.missing))}",
                location=location_of(next(iter(self.missing.values()))),
                why="they stay float32",
            )


def _is_wide(value: SSAValue) -> bool:
    spec = tensor_of(value)
    return spec is not None and spec.dtype == WIDE


class _Narrowing:
    """One walk over the blocks of a function, operands first."""

    def __init__(self, dtype: str, kinds: _Kinds) -> None:
        self.dtype = dtype
        self.kinds = kinds
        self.narrow: dict[SSAValue, SSAValue] = {}
        """A value of float32 -> the same in the narrow type."""
        self.computed: set[SSAValue] = set()
        """The values of float32 that are computed narrow: their casts are made when needed."""
        self.wide: dict[SSAValue, SSAValue] = {}
        """A value that is computed narrow -> the cast of it."""

    def visit(self, block: Block) -> None:
        """Convert the operations of a block."""
        for op in list(block.ops):
            new = self.converted(op)
            if new is not None:
                self.narrow[op.results[0]] = new
                self.computed.add(op.results[0])
                continue
            for index, operand in enumerate(op.operands):
                if operand in self.computed:
                    op.operands[index] = self.widened(operand)
            for region in op.regions:
                self.visit(region.block)

    def converted(self, op: Operation) -> SSAValue | None:
        """The result of an operation in the narrow type, computed so; None if it stays wide."""
        if isinstance(op, TupleGetItemOp):
            source = self.narrow.get(op.tuple)
            return None if source is None else self.put(TupleGetItemOp(source, _index(op)), op)
        if not isinstance(op, OperatorOp):
            return None
        conversion = self.kinds.of(op)
        if conversion is None or conversion.kind == NEVER or not any(map(_is_wide, op.inputs)):
            return None
        if any(not self.is_float(operand) for operand in op.inputs):
            return None
        if conversion.kind == FOLLOW and not self.follows(op):
            return None
        return self.narrowed(op, conversion)

    def is_float(self, operand: SSAValue) -> bool:
        """True for a tensor that is of float32, narrow, or no float."""
        spec = tensor_of(operand)
        return spec is not None and (
            spec.dtype in (WIDE, self.dtype) or not spec.dtype.startswith(("float", "bfloat"))
        )

    def follows(self, op: OperatorOp) -> bool:
        """True if all operands of float32 are narrow too, or may become so, and one is."""
        wide = [operand for operand in op.inputs if _is_wide(operand)]
        is_narrow = [self.has_narrow(operand) for operand in wide]
        return any(is_narrow) and all(
            own or isinstance(operand, BlockArgument) or isinstance(operand.owner, ConstantOp)
            for own, operand in zip(is_narrow, wide, strict=True)
        )

    def has_narrow(self, value: SSAValue) -> bool:
        return value in self.computed or self.source_of(value) is not None

    def source_of(self, value: SSAValue) -> SSAValue | None:
        """The narrow value that a value is the cast of."""
        cast = operator_of(value, "cast")
        spec = None if cast is None else tensor_of(cast.inputs[0])
        return cast.inputs[0] if cast and spec is not None and spec.dtype == self.dtype else None

    def narrowed(self, op: OperatorOp, conversion: _Conversion) -> SSAValue | None:
        """An operator of narrow operands; None if there is none."""
        operands = [self.cast(each) if _is_wide(each) else each for each in op.inputs]
        attributes = op.operator.attributes()
        takes_dtype = any(slot.name == "out_dtype" for slot in slots(op.OPERATOR))
        if conversion.kind == ALWAYS and takes_dtype:
            attributes["out_dtype"] = conversion.accumulation
        elif attributes.get("out_dtype") == WIDE:
            attributes["out_dtype"] = self.dtype
        try:
            new = call(op.OPERATOR.name, *operands, **attributes)
        except RelationError:
            return None
        expected = spec_of(op.result.type)
        result = spec_of(new.result.type)
        if expected is None or result is None:
            return None
        is_changed = result != expected
        value = self.put(new, op)
        if isinstance(result, TensorSpec) and result.dtype == WIDE and _is_wide(op.result):
            if conversion.output == WIDE:
                op.result.replace_all_uses_with(value)
                return None
            return self.put(call("cast", value, dtype=self.dtype), op)
        if not is_changed:  # such as a comparison
            op.result.replace_all_uses_with(value)
            return None
        return value

    def put(self, new: Operation, op: Operation) -> SSAValue:
        assert op.parent is not None
        new.location = op.location
        op.parent.insert_op_before(new, op)
        return new.results[0]

    def cast(self, value: SSAValue) -> SSAValue:
        """A value in the narrow type, cast once where it is defined."""
        cast = self.narrow.get(value)
        if cast is None:
            cast = self.source_of(value)
        if cast is None:
            cast = _behind(value, [call("cast", value, dtype=self.dtype)])
        self.narrow[value] = cast
        return cast

    def widened(self, value: SSAValue) -> SSAValue:
        """A value that is computed narrow, in its own type again, cast once."""
        cast = self.wide.get(value)
        if cast is None:
            narrow = self.narrow[value]
            spec = spec_of(narrow.type)
            if isinstance(spec, TensorSpec):
                cast = _behind(narrow, [call("cast", narrow, dtype=WIDE)])
            else:
                assert spec is not None
                cast = self._widened_tuple(narrow, len(spec))
            self.wide[value] = cast
        return cast

    def _widened_tuple(self, narrow: SSAValue, count: int) -> SSAValue:
        """A tuple whose fields are cast."""
        new: list[Operation] = []
        fields: list[SSAValue] = []
        for index in range(count):
            new.append(TupleGetItemOp(narrow, index))
            spec = tensor_of(new[-1].results[0])
            if spec is not None and spec.dtype == self.dtype:
                new.append(call("cast", new[-1].results[0], dtype=WIDE))
            fields.append(new[-1].results[0])
        return _behind(narrow, [*new, TupleOp(fields)])


def _index(op: TupleGetItemOp) -> int:
    return op.index.value.data


def _behind(value: SSAValue, new: list[Operation]) -> SSAValue:
    """Insert operations where a value is defined; the result of the last one."""
    owner: Any = value.owner
    for op in new:
        if isinstance(owner, Block):
            first = owner.first_op
            assert first is not None
            op.location = first.location
            owner.insert_op_before(op, first)
            owner = op
        else:
            op.location = owner.location
            owner.parent.insert_op_after(op, owner)
            owner = op
    return new[-1].results[0]
