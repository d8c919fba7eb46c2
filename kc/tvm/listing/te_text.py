"""Tensor expressions as formulas: ``C[i, j] += (A[i, k]*B[k, j])``.

::

    @main = tensors(A: float32[64, 32], B: float32[32, 64]) -> (C)
      C[i, j] += (A[i, k]*B[k, j])  for i in 64, j in 64, reduce k in 32

Each tensor has a line. A reduction with a user's combiner is written ``argmax=``. A start value
other than the identity follows ``init``, and the predicate of the terms follows ``where``.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, StringAttr, TensorType
from xdsl.ir import Operation, Region, SSAValue

from kc.dialects import te
from kc.dialects.te.extern import ExternOp
from kc.dialects.tir import symbol_names
from kc.tvm.listing.expressions import Expressions, Text, dtype_text, unprintable

_SIGNS = {"sum": "+", "prod": "*", "min": "min", "max": "max", "umin": "min", "umax": "max"}


def te_text(function: te.FuncOp) -> str:
    """The formulas of a ``te.func``. Raises CodegenError KC4330 for an op that has none."""
    return _Formulas(function).text()


class _Formulas:
    def __init__(self, function: te.FuncOp) -> None:
        self.function = function
        self.code = Expressions(self._read)
        self.tensors: dict[SSAValue, str] = {}

    def text(self) -> str:
        function = self.function
        parameters: list[str] = []
        for n, value in enumerate(function.body.block.args):
            name = self._attribute(n, "kc.name")
            text = name.data if isinstance(name, StringAttr) else value.name_hint or f"arg{n}"
            self.tensors[value] = text
            self.code.texts[value] = Text(text)
            parameters.append(f"{text}: {self._type(value, n)}")
        lines = [line for op in function.body.block.ops for line in self._statement(op)]
        results = [self.tensors[value] for value in function.return_op.values]
        name = function.sym_name.data
        head = f"@{name} = tensors({', '.join(parameters)}) -> ({', '.join(results)})"
        return "\n".join([head, *(f"  {line}" for line in lines)])

    def _attribute(self, n: int, key: str) -> object:
        attrs = self.function.arg_attrs
        return None if attrs is None else attrs.data[n].data.get(key)

    def _type(self, value: SSAValue, n: int) -> str:
        own = self._attribute(n, "kc.dtype")
        kind = value.type
        element = kind.element_type if isinstance(kind, TensorType) else kind
        dtype = own.data if isinstance(own, StringAttr) else dtype_text(element)
        if not isinstance(kind, TensorType):
            return dtype
        sizes = [str(size) if size >= 0 else "?" for size in kind.get_shape()]
        shape = self._attribute(n, "kc.shape")
        if isinstance(shape, AffineMapAttr):
            symbols = symbol_names(self.function)
            stand_ins = [te.SymbolOp(symbol) for symbol in symbols]
            local = Expressions(self._read)
            roots = [local.index.expr(stand_in.result) for stand_in in stand_ins]
            for stand_in in stand_ins:
                local.texts[stand_in.result] = Text(stand_in.symbol.data)
            for place, expr in enumerate(shape.data.results):
                sizes[place] = local.affine(expr.replace_dims_and_symbols((), roots))
        return f"{dtype}[{', '.join(sizes)}]"

    def _read(self, op: Operation) -> str:
        assert isinstance(op, te.ReadOp)
        exprs = self.code.exprs(op.indices.data.results, op.operands_of_map)
        return f"{self.tensors[op.tensor]}[{', '.join(map(self.code.affine, exprs))}]"

    def _statement(self, op: Operation) -> list[str]:
        if isinstance(op, te.SymbolOp):
            self.code.texts[op.result] = Text(op.symbol.data)
            return []
        if isinstance(op, te.ComputeOp):
            return [self._compute(op)]
        if isinstance(op, te.ScanOp):
            return self._scan(op)
        if isinstance(op, ExternOp):
            return [self._extern(op)]
        if isinstance(op, te.ReturnOp | te.YieldOp):
            return []
        if op.regions or not op.results:
            raise unprintable(op)
        return []  # a size, printed at its use

    def _named(self, region: Region, names: Sequence[str]) -> None:
        for value, name in zip(region.block.args, names, strict=False):
            self.code.texts[value] = Text(name)

    def _size(self, extent: int | SSAValue) -> str:
        return str(extent) if isinstance(extent, int) else self.code.text(extent)

    def _compute(self, op: te.ComputeOp) -> str:
        for region in op.regions:
            if region.blocks and region is not op.combine:
                self._named(region, op.names)
        spatial = ", ".join(op.names[: op.rank])
        count = len(op.results)
        for n, result in enumerate(op.results):
            self.tensors[result] = te.output_name(op.label, n, count)
        places = [f"{self.tensors[result]}[{spatial}]" for result in op.results]
        values = [self.code.text(value) for value in op.yield_op.values]
        left, right = (", ".join(texts) for texts in (places, values))
        sign = ""
        if op.combiner is not None:
            sign = _SIGNS[op.combiner.data.value]
        elif op.combiner_name is not None:
            sign = op.combiner_name.data
        text = f"{left} {sign}= {right}" if count == 1 else f"({left}) {sign}= ({right})"
        axes = self._axes(op)
        text += f"  for {', '.join(axes)}" if axes else ""
        if op.has_where:
            text += f", where {self._where(op)}"
        if op.has_init:
            end = op.init.block.last_op
            assert end is not None
            text += f", init {', '.join(self.code.text(operand) for operand in end.operands)}"
        return text

    def _axes(self, op: te.ComputeOp) -> list[str]:
        """``i in 64``, ``reduce k in 32``."""
        own: list[str] = []
        if op.has_domain:
            end = op.domain.block.last_op
            assert end is not None
            own = [self.code.text(operand) for operand in end.operands]
        axes: list[str] = []
        for n, (name, extent) in enumerate(zip(op.names, op.extents, strict=True)):
            if own and n >= op.rank:
                size = own[n - op.rank]
            else:
                assert extent is not None
                size = self._size(extent)
            axes.append(f"{'reduce ' if n >= op.rank else ''}{name} in {size}")
        return axes

    def _where(self, op: te.ComputeOp) -> str:
        end = op.where.block.last_op
        assert isinstance(end, te.ConditionOp)
        parts: list[str] = []
        if end.condition.data.constraints:
            parts.append(self.code.condition(end.condition.data, end.operands_of_set))
        if end.value is not None:
            parts.append(self.code.text(end.value))
        return " && ".join(parts)

    def _extern(self, op: ExternOp) -> str:
        """``C = extern(A, B)``: loops that are written out, which the IR has."""
        count = len(op.results)
        for n, result in enumerate(op.results):
            self.tensors[result] = te.output_name(op.label, n, count)
        left = ", ".join(self.tensors[result] for result in op.results)
        operands = [self.tensors.get(operand) or self.code.text(operand) for operand in op.inputs]
        return f"{left if count == 1 else f'({left})'} = extern({', '.join(operands)})"

    def _scan(self, op: te.ScanOp) -> list[str]:
        time, count = op.axis_name.data, len(op.results)
        self.code.texts[op.time] = Text(time)
        for n, (result, state) in enumerate(zip(op.results, op.states, strict=True)):
            self.tensors[result] = self.tensors[state] = te.output_name(op.label, n, count)
        first = "" if op.start == 1 else f":{op.start}"
        inits = [
            f"{self.tensors[result]}[{'0' if not first else first}] = {self.tensors[init]}"
            for result, init in zip(op.results, op.inits, strict=True)
        ]
        steps = [line for inner in op.body.block.ops for line in self._statement(inner)]
        rows = [
            f"{self.tensors[result]}[{time}] = {self.tensors[row]}"
            for result, row in zip(op.results, op.yield_op.values, strict=True)
        ]
        head = f"scan {time} in {op.start}..{self._size(op.extent_value)}:"
        return [*inits, head, *(f"  {line}" for line in (*steps, *rows))]
