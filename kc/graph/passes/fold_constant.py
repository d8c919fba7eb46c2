"""``fold-constant``: evaluate the operators whose operands are constants.

Before::

    %a = graph.constant dense<14.0> : tensor<f32>
    %b = graph.constant dense<2.0> : tensor<f32>
    %0 = graph.divide(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = graph.add(%0, %x) : ...

After::

    %0 = graph.constant dense<7.0> : tensor<f32>
    %1 = graph.add(%0, %x) : ...

Relay's pass of this name. Values are those of the compiler's own computation
(:func:`kc.graph.operator_calls.call_operator`). Tuples are seen through, ``if`` on a constant
becomes the branch that is taken, ``shape_of`` and ``ndarray_size`` of a static shape are constants,
and equal constants of a block become one. These stay: operators that are not pure or have no
computation, borders and annotations, ``qnn`` operators unless ``fold_qnn``, the bodies of groups,
and results that take ``max_growth`` bytes more than the operands, such as a number as a large
tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.dialects.graph.control import IfOp, YieldOp
from kc.dialects.graph.declaration import OperatorOp, RelationError
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.types import Spec, TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp, numpy_dtype
from kc.graph.lowering import lowering_of
from kc.graph.operator_calls import call_operator, resolved
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of
from kc.transforms.graph.infer_type import infer_types

INTERPRETED = 4096
"""Bytes up to which an operator is interpreted: compiling it takes longer."""
OF_SHAPES = ("shape_of", "ndarray_size")
"""The operators that read a shape alone."""
KEPT = ("on_device", "device_copy", "annotation.")
"""The operators that stay, by the beginnings of their names."""
_PARTS = (ConstantOp, LetOp, TupleOp, TupleGetItemOp)
"""Operations that are removed if they have no uses."""


_SAMPLE = 64
"""The first bytes by which constants are told apart before all are compared."""
_Known = dict[tuple[Attribute, int, bytes], tuple[SSAValue, ...]]
"""The constants of a type with the same first bytes."""


def _bytes_of_constant(op: ConstantOp) -> bytes:
    """The elements of a constant that is not elided; a single one may stand for all."""
    assert isinstance(op.value, DenseIntOrFPElementsAttr)
    return op.value.data.data


@dataclass(frozen=True)
class FoldConstantPass(ModulePass):
    """Evaluate the operators whose operands are constants."""

    name = "fold-constant"
    opt_level: ClassVar[int] = 2

    fold_qnn: bool = False
    """Evaluate qnn operators too."""
    max_growth: int = 1 << 16
    """The bytes that a result may take more than its operands."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        fold_constants(op, fold_qnn=self.fold_qnn, max_growth=self.max_growth)


def fold_constants(module: ModuleOp, *, fold_qnn: bool = False, max_growth: int = 1 << 16) -> None:
    """Evaluate the operators of a module's graphs whose operands are constants, in place.

    ``max_growth`` is in bytes. Raises GraphError KC2407 if an operator would be evaluated of a
    constant whose elements are not there; the module is unchanged then.
    """
    functions = [
        op for op in module.body.ops if isinstance(op, FuncOp) and "primitive" not in op.attributes
    ]
    folding = _Folding(fold_qnn, max_growth)
    for function in functions:
        _require_elements(function, folding)
    for function in functions:
        folding.visit(function.body.block, {})
    if folding.has_new_types:
        infer_types(module)


def refused_first(module: ModuleOp, change: Callable[[ModuleOp], None]) -> None:
    """Change a module by a function that folds constants, but a copy before it if elements are
    elided: a refusal (KC2407) leaves the module as it was."""
    if any(isinstance(op, ConstantOp) and op.is_elided for op in module.walk()):
        change(module.clone())
    change(module)


class _Folding:
    """One walk over the blocks, operands first."""

    def __init__(self, fold_qnn: bool, max_growth: int) -> None:
        self.fold_qnn = fold_qnn
        self.max_growth = max_growth
        self.has_new_types = False

    def takes(self, op: OperatorOp) -> bool:
        """True for an operator that is evaluated if its operands are constants."""
        name = op.OPERATOR.name
        return (
            op.OPERATOR.is_pure
            and not name.startswith(KEPT)
            and (self.fold_qnn or not name.startswith("qnn."))
            and lowering_of(op.OPERATOR) is not None
        )

    def visit(self, block: Block, constants: _Known) -> None:
        """Fold a block; ``constants`` are those of the blocks around it."""
        constants_here = dict(constants)
        work = list(reversed(list(block.ops)))
        while work:
            op = work.pop()
            match op:
                case ConstantOp():
                    self.share(op, constants_here)
                case TupleGetItemOp():
                    source = _without_lets(op.tuple).owner
                    if isinstance(source, TupleOp):
                        field = source.fields[op.index.value.data]
                        if _is_constant(field):
                            _replace(op, field)
                case IfOp() if _is_constant(op.condition):
                    constant = _without_lets(op.condition).owner
                    assert isinstance(constant, ConstantOp)
                    taken = op.then if bool(constant.array) else op.otherwise
                    work.extend(reversed(_inline(op, taken.block)))
                case OperatorOp():
                    values = self.evaluated(op)
                    if values is not None:
                        self.put(op, values, constants_here)
                case _:
                    pass
            if op.parent is block:
                for region in op.regions:
                    self.visit(region.block, constants_here)
        for op in reversed(list(block.ops)):
            if isinstance(op, _PARTS) and op.results[0].first_use is None:
                op.detach()
                op.erase()

    def share(self, op: ConstantOp, constants: _Known) -> SSAValue:
        """The value of a constant: that of an equal one that stands before it, if there is one."""
        if op.is_elided:
            return op.result
        elements = _bytes_of_constant(op)
        alike = constants.setdefault((op.result.type, len(elements), elements[:_SAMPLE]), ())
        for value in alike:
            assert isinstance(value.owner, ConstantOp)
            if value is op.result or _bytes_of_constant(value.owner) == elements:
                before = value
                break
        else:
            constants[op.result.type, len(elements), elements[:_SAMPLE]] = (*alike, op.result)
            before = op.result
        if before is not op.result:
            _replace(op, before)
        return before

    def evaluated(self, op: OperatorOp) -> list[tuple[Any, str]] | None:
        """The results of an operator as (array, dtype); None if it stays."""
        shape = _of_shape(op)
        if shape is not None:
            return [shape]
        if not self.takes(op) or not all(map(_is_constant, op.inputs)):
            return None
        arrays = [_array(value) for value in op.inputs]
        try:
            operator = resolved(op.operator, {})
            specs = [
                TensorSpec(array.shape, spec.dtype, array if operator.reads_value(n) else None)
                for n, (array, spec) in enumerate(zip(arrays, op.specs(), strict=True))
                if spec is not None
            ]
            absent = sum(not name.startswith("*") for name in operator.inputs) - len(specs)
            result = operator.infer(*specs, *([None] * absent))
        except RelationError:
            return None
        if result is None:  # it is declared, as torch tells it
            result = spec_of(op.result.type)
        if result is None:
            return None
        size = _bytes_of(result)
        input_bytes = sum(array.nbytes for array in arrays)
        if size is None or size - input_bytes > self.max_growth:
            return None
        way = "interpreter" if size + input_bytes <= INTERPRETED else "compiled"
        dtypes = [spec.dtype for spec in specs]
        computed = call_operator(operator, arrays, dtypes, way, result)
        return list(zip(computed, _dtypes_of(result), strict=True))

    def put(
        self,
        op: OperatorOp,
        values: Sequence[tuple[Any, str]],
        constants: _Known,
    ) -> None:
        """Put constants in the place of an operator."""
        block = op.parent
        assert block is not None
        results: list[SSAValue] = []
        for array, dtype in values:
            constant = ConstantOp.of(array, dtype)
            constant.location = op.location
            block.insert_op_before(constant, op)
            results.append(self.share(constant, constants))
        value = results[0]
        if isinstance(spec_of(op.result.type), tuple):
            whole = TupleOp(results)
            whole.location = op.location
            block.insert_op_before(whole, op)
            value = whole.result
        self.has_new_types |= value.type != op.result.type
        _replace(op, value)


def _without_lets(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, LetOp):
        value = value.owner.value
    return value


def _is_constant(value: SSAValue) -> bool:
    owner = _without_lets(value).owner
    return isinstance(owner, ConstantOp) and not owner.is_elided


def _array(value: SSAValue) -> Any:
    owner = _without_lets(value).owner
    assert isinstance(owner, ConstantOp)
    return owner.array


def _of_shape(op: OperatorOp) -> tuple[Any, str] | None:
    """The result of an operator that reads a static shape alone."""
    if op.OPERATOR.name not in OF_SHAPES:
        return None
    import numpy as np

    data, result = spec_of(op.inputs[0].type), spec_of(op.result.type)
    if not isinstance(data, TensorSpec) or not isinstance(result, TensorSpec):
        return None
    if not data.is_static:
        return None
    shape = np.array(data.shape, np.int64)
    value = shape.prod() if op.OPERATOR.name == "ndarray_size" else shape
    return np.asarray(value).astype(numpy_dtype(result.dtype)), result.dtype


def _bytes_of(spec: Spec) -> int | None:
    """The number of bytes of a result. None if a size is symbolic, or depends on the values of
    elements.
    """
    if isinstance(spec, tuple):
        sizes = [_bytes_of(part) for part in spec]
        return None if None in sizes else sum(size for size in sizes if size is not None)
    count = numpy_dtype(spec.dtype).itemsize
    for size in spec.shape:
        if not isinstance(size, int):
            return None
        count *= size
    return count


def _dtypes_of(spec: Spec) -> Iterator[str]:
    if isinstance(spec, TensorSpec):
        yield spec.dtype
    else:
        for part in spec:
            yield from _dtypes_of(part)


def _replace(op: Operation, value: SSAValue) -> None:
    """Replace an operation by a value, which takes over its name."""
    value.name_hint = value.name_hint or op.results[0].name_hint
    op.results[0].replace_all_uses_with(value)
    op.detach()
    op.erase()


def _inline(op: IfOp, taken: Block) -> list[Operation]:
    """Put the operations of a branch in the place of an ``if``; these."""
    last = taken.last_op
    assert isinstance(last, YieldOp)
    (value,) = last.values
    last.detach()
    moved = list(taken.ops)
    last.erase()
    Rewriter.inline_block(taken, InsertPoint.before(op))
    _replace(op, value)
    return moved


def _require_elements(function: FuncOp, folding: _Folding) -> None:
    """Refuse a function in which an operator would be evaluated of an elided constant (KC2407)."""
    constant: dict[SSAValue, ConstantOp | None] = {}
    """The values that are constants -> an elided one that they depend on."""
    for op in function.walk():
        elided: ConstantOp | None = None
        match op:
            case ConstantOp():
                constant[op.result] = op if op.is_elided else None
                continue
            case OperatorOp() if op.OPERATOR.name not in OF_SHAPES and folding.takes(op):
                is_evaluated = True
            case LetOp() | TupleOp() | TupleGetItemOp():
                is_evaluated = False
            case _:
                continue
        if not all(operand in constant for operand in op.operands):
            continue
        elided = next((e for o in op.operands if (e := constant[o]) is not None), None)
        if is_evaluated and elided is not None:
            raise GraphError(
                "KC2407",
                f"fold-constant: {op.name.removeprefix('graph.')} is to be evaluated, and the "
                "elements of an operand are not there",
                location=location_of(op),
                why=f"the text names them and does not hold them: {elided.result.type}",
                hints=["--fold-constant before --elide"],
            )
        constant[op.results[0]] = elided
