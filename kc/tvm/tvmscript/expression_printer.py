"""Values of the IR as expressions of TVMScript."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)

from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.simplify_affine import UNBOUNDED, bounds
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.arith import EXACT
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.dialects.tir import (
    BlockOp,
    CallExternOp,
    ForOp,
    LoadOp,
)
from kc.dialects.tir.calls import TRACED, UNSIGNED
from kc.expr.raw_operations import is_raw
from kc.tvm.tvmscript.affine_text import affine_text
from kc.tvm.tvmscript.literals import (
    ALWAYS,
    Code,
    constant_code,
    dtype_of,
    number_of,
    quoted,
    unsayable,
)

_BINARY = {
    "arith.addf": "+", "arith.addi": "+", "arith.subf": "-", "arith.subi": "-", "arith.mulf": "*",
    "arith.muli": "*", "arith.divf": "/",
}  # fmt: skip
_DIVISIONS = {
    "arith.floordivsi": ("{} // {}", True),
    "arith.divsi": ("T.truncdiv({}, {})", True),
    "arith.remsi": ("T.truncmod({}, {})", True),
    "arith.divui": ("{} // {}", False),
    "arith.remui": ("{} % {}", False),
}
_EXTREMES = {
    "arith.minsi": ("min", True), "arith.maxsi": ("max", True), "arith.minui": ("min", False),
    "arith.maxui": ("max", False), "arith.minimumf": ("min", None), "arith.maximumf": ("max", None),
}  # fmt: skip
_LOGIC = {"arith.andi": ("And", "bitwise_and"), "arith.ori": ("Or", "bitwise_or")}
_FUNCTIONS = {
    "math.absf": "abs", "math.roundeven": "round", "math.powf": "pow", "math.ctpop": "popcount",
    "math.ctlz": "clz", "arith.remf": "fmod",
    **{
        f"math.{name}": name
        for name in (
            "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan tanh erf floor ceil trunc "
            "acos acosh asin asinh atan atanh cosh sinh atan2 copysign"
        ).split()
    },
}  # fmt: skip
_CASTS = {
    # source is signed, target is signed; None: a float
    "arith.extf": (None, None), "arith.truncf": (None, None), "arith.sitofp": (True, None),
    "arith.uitofp": (False, None),
    "arith.extsi": (True, True), "arith.extui": (False, None), "arith.trunci": (None, None),
}  # fmt: skip
_COMPARE = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
_FLOAT_COMPARE = {1: "==", 2: ">", 3: ">=", 4: "<", 5: "<=", 13: "!="}
_SEEN_THROUGH = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.FloorDivSIOp, arith.ExtSIOp, arith.ExtUIOp,
    arith.TruncIOp, arith.IndexCastOp, arith.ConstantOp,
)  # fmt: skip
"""The operations on numbers through which an index would be affine if it were written out."""


class ExpressionPrinter:
    """Prints the values of a function: numbers, indices and conditions, each of its operands."""

    def __init__(self) -> None:
        self.index = IndexValues()
        self.codes: dict[SSAValue, Code] = {}
        """The expressions of the values that are printed already, or have names."""
        self.buffers: dict[SSAValue, tuple[str, str]] = {}
        """The name and the element type of each buffer."""
        self.shapes: dict[SSAValue, list[str]] = {}
        """The sizes of each buffer."""

    # Conditions and indices ------------------------------------------------------------------

    def _condition(
        self, constraints: Sequence[AffineConstraintExpr], operands: Sequence[SSAValue]
    ) -> str:
        conditions = self.index.conditions(
            AffineSet(len(operands), 0, tuple(constraints)), operands
        )
        if not conditions:  # Python would evaluate a comparison of constants
            return "T.bool(False)" if conditions is None else ALWAYS
        exprs = [self.index.simplify(part.lhs - part.rhs) for part in conditions]
        texts = [
            self._constraint(part.kind, expr) for part, expr in zip(conditions, exprs, strict=True)
        ]
        text = texts[0]
        for conjunct in texts[1:]:
            text = f"T.And({text}, {conjunct})"
        return text

    def _constraint(self, kind: AffineConstraintKind, expr: AffineExpr) -> str:
        sign = -1 if kind is AffineConstraintKind.le else 1
        terms, constant = linear_terms(expr * sign)
        if kind is AffineConstraintKind.eq and constant == -1 and len(terms) == 1:
            ((atom, factor),) = terms.items()
            truth = self._truth(atom) if factor == 1 else None
            if truth is not None:
                return truth
        small = {atom: -factor for atom, factor in terms.items() if factor < 0}
        large = {atom: factor for atom, factor in terms.items() if factor > 0}
        if kind is AffineConstraintKind.eq:
            left, right = from_terms(large, max(constant, 0)), from_terms(small, max(-constant, 0))
            return f"{self._affine(left).text} == {self._affine(right).text}"
        left, right = from_terms(small, max(-constant, 0)), from_terms(large, max(constant, 0))
        return f"{self._affine(left).text} <= {self._affine(right).text}"

    def _truth(self, atom: AffineExpr) -> str | None:
        """The condition that an index of value 1 is cast from. None for any other index."""
        if not isinstance(atom, AffineDimExpr):
            return None
        value = self.index.roots[atom.position]
        while value is not None and isinstance(value.owner, arith.IndexCastOp | arith.ExtUIOp):
            value = value.owner.operands[0]
            if value.type == IntegerType(1):
                return f"T.value({self.code(value).text})"
        return None

    def _affine(self, expr: AffineExpr) -> Code:
        return affine_text(expr, self._root)

    def _root(self, position: int, nested: bool) -> str:
        value = self.index.roots[position]
        assert value is not None
        code = self.code(value)
        return code.operand if nested else code.text

    def _place(
        self,
        buffer: SSAValue,
        indices: AffineMapAttr,
        operands: Sequence[SSAValue],
        kind: Attribute,
    ) -> str:
        texts = [
            self._affine(self.index.compose(expr, operands)).text for expr in indices.data.results
        ]
        assert isinstance(buffer.type, MemRefType)
        if isinstance(kind, VectorType) and kind != buffer.type.element_type:
            texts[-1] = f"T.Ramp({texts[-1]}, 1, {math.prod(kind.get_shape())})"
        return f"{self.buffers[buffer][0]}[{', '.join(texts) or '()'}]"

    # Values --------------------------------------------------------------------------------

    def code(self, value: SSAValue) -> Code:
        """The expression of a value."""
        stack = [value]
        while stack:
            current = stack[-1]
            if current in self.codes:
                stack.pop()
                continue
            waiting = [part for part in self._needs(current) if part not in self.codes]
            if waiting:
                stack += reversed(waiting)
                continue
            self.codes[current] = self._code(current)
            stack.pop()
        return self.codes[value]

    def _needs(self, value: SSAValue) -> list[SSAValue]:
        op = value.owner
        if not isinstance(op, Operation) or isinstance(value.type, IndexType):
            return []
        remainder = _remainder(op)
        needed = [] if isinstance(op, LoadOp) else list(remainder or op.operands)
        for region in op.regions:
            end = region.block.last_op
            assert end is not None
            needed += end.operands
        return [part for part in needed if not isinstance(part.type, MemRefType)]

    def _code(self, value: SSAValue) -> Code:
        assert isinstance(value, OpResult), value
        op = value.owner
        if isinstance(value.type, IndexType):
            return self._index_code(value)
        if isinstance(op, LoadOp):
            place = self._place(op.buffer, op.indices, op.operands_of_map, value.type)
            dtype = self.buffers[op.buffer][1]
            kind = dtype_of(value.type)
            lanes = kind.partition("x")[2]
            return Code(place, f"{dtype}x{lanes}" if lanes and "x" not in dtype else dtype)
        if isinstance(op, arith.ConstantOp):
            return constant_code(op)
        if isinstance(op, scf.IfOp):
            return self._choice(op, value.index)
        if isinstance(op, CallExternOp):
            return Code(self._call(op), self._result_type(op))
        remainder = _remainder(op)
        if remainder is not None:
            a, b = (self.codes[part] for part in remainder)
            if not a.constant and not a.dtype.startswith("u"):
                return Code(f"{a.operand} % {b.operand}", a.dtype, atomic=False)
        operands = [self.code(operand) for operand in op.operands]
        return self._typed(op, operands) or self._raw(op, operands)

    def _index_code(self, value: OpResult) -> Code:
        expr = self.index.expr(value)
        op = value.owner
        if not isinstance(expr, AffineDimExpr) or self.index.roots[expr.position] != value:
            code = self._affine(expr)
            return Code(code.text, "int32", code.atomic, code.constant)
        if isinstance(op, arith.IndexCastOp):
            code = self.code(op.input)
            if isinstance(op.input.owner, _SEEN_THROUGH):
                return Code(f"T.value({code.text})", code.dtype)
            return code
        raise unsayable(op)

    def _choice(self, op: scf.IfOp, position: int) -> Code:
        parts = [self.codes[op.cond]]
        for region in (op.true_region, op.false_region):
            end = region.block.last_op
            assert end is not None
            parts.append(self.codes[end.operands[position]])
        a, b = self._matched(parts[1], parts[2])
        return Code(f"T.if_then_else({parts[0].text}, {a.text}, {b.text})", a.dtype)

    def _matched(self, a: Code, b: Code) -> tuple[Code, Code]:
        """Two operands of one type; if both are numbers, both carry their type."""
        if a.dtype == b.dtype:
            return (self._as(a, a.dtype), b) if a.constant and b.constant else (a, b)
        if a.constant:
            return self._as(a, b.dtype), b
        if b.constant:
            return a, self._as(b, a.dtype)
        return a, self._as(b, a.dtype)

    def _as(self, code: Code, dtype: str) -> Code:
        """A value of the bits of ``code`` as ``dtype``: another sign is no operation."""
        if code.constant and not dtype.startswith(("float", "bfloat", "bool")):
            if "x" in dtype:
                return code
            bits = int(re.sub(r"\D", "", dtype) or 32)
            number = int(code.text.partition("(")[2].rstrip(")") or code.text)
            if dtype.startswith("u"):
                number %= 1 << bits
            elif number >= 1 << (bits - 1):
                number -= 1 << bits
            return Code(f"T.{dtype}({number})", dtype, constant=True)
        if code.dtype == dtype or "index" in (code.dtype, dtype):
            return code
        if {code.dtype.removeprefix("u"), dtype.removeprefix("u")} == {dtype.removeprefix("u")}:
            return Code(f'T.Cast("{dtype}", {code.text})', dtype)
        return code

    def _signed(self, code: Code, signed: bool | None) -> Code:
        """``code`` as a signed or unsigned integer."""
        if signed is None or code.dtype == "bool" or code.dtype.startswith("bool"):
            return code
        plain = code.dtype.removeprefix("u")
        if not plain.startswith("int"):
            return code
        return self._as(code, plain if signed else f"u{plain}")

    def _typed(self, op: Operation, operands: list[Code]) -> Code | None:
        """An operation in the TVMScript form that reads back to it. None if there is none."""
        if op.attributes and set(op.attributes) != {EXACT}:
            return None
        name, kind = op.name, dtype_of(op.results[0].type)
        if _has_flags(op) or EXACT in op.attributes:
            return None
        if name in _BINARY:
            a, b = self._matched(*operands)
            if a.constant and b.constant:
                return None
            return Code(f"{a.operand} {_BINARY[name]} {b.operand}", a.dtype, atomic=False)
        if name in _DIVISIONS:
            form, signed = _DIVISIONS[name]
            if not operands[1].constant or number_of(operands[1]) in (0, -1) or "x" in kind:
                return None
            if operands[0].constant:
                return None
            a = self._signed(operands[0], signed)
            b = self._as(operands[1], a.dtype)
            return Code(form.format(a.operand, b.operand), a.dtype, atomic="T." in form)
        if name in _EXTREMES:
            word, signed = _EXTREMES[name]
            a, b = self._matched(
                self._signed(operands[0], signed), self._signed(operands[1], signed)
            )
            return Code(f"T.{word}({a.text}, {b.text})", a.dtype)
        if name in _LOGIC:
            a, b = self._matched(*operands)
            word = _LOGIC[name][not kind.startswith("bool")]
            return Code(f"T.{word}({a.text}, {b.text})", a.dtype)
        if name == "arith.xori" and not kind.startswith("bool"):
            a, b = self._matched(*operands)
            return Code(f"T.bitwise_xor({a.text}, {b.text})", a.dtype)
        if name == "arith.negf":
            return Code(f"-{operands[0].operand}", kind, atomic=False)
        if name in _FUNCTIONS:
            return self._function(name, operands, kind)
        if isinstance(op, CallIntrinsicOp):
            texts = [self._as(code, code.dtype).text for code in operands]
            arguments = ", ".join([quoted(kind), quoted(op.intrin.data), "0", *texts])
            return Code(f"T.call_llvm_pure_intrin({arguments})", kind)
        if name == "math.absi" and not operands[0].dtype.startswith("u"):
            return Code(f"T.abs({operands[0].text})", operands[0].dtype)
        if name == "arith.select":
            a, b = self._matched(operands[1], operands[2])
            if isinstance(op.results[0].type, VectorType) and operands[0].dtype == "bool":
                return None  # all lanes have the same condition
            if any(map(self._may_read_outside, op.operands[1:])):
                return None  # T.Select would compute only the chosen value
            return Code(f"T.Select({operands[0].text}, {a.text}, {b.text})", a.dtype)
        return self._conversion(op, operands, kind)

    def _may_read_outside(self, value: SSAValue) -> bool:
        """True if ``value`` depends on an element whose index may be out of bounds, given the
        extents of loops and of the variables of blocks.
        """
        waiting, seen = [value], {value}
        while waiting:
            op = waiting.pop().owner
            if not isinstance(op, Operation):
                continue
            if isinstance(op, LoadOp) and not self._is_inside(op):
                return True
            used = [*op.operands]
            for region in op.regions:
                end = region.block.last_op
                used += end.operands if end is not None else ()
            operands = [operand for operand in used if operand not in seen]
            seen.update(operands)
            waiting += operands
        return False

    def _is_inside(self, load: LoadOp) -> bool:
        assert isinstance(load.buffer.type, MemRefType)
        exprs = [
            self.index.compose(expr, load.operands_of_map) for expr in load.indices.data.results
        ]
        shape = zip(load.buffer.type.get_shape(), self.shapes[load.buffer], strict=True)
        extents = {dim: self._extent(dim) for expr in exprs for dim in expr.used_dims()}
        ranges = [
            (0, max(extent, 1) - 1) if isinstance(extent := extents.get(dim), int) else UNBOUNDED
            for dim in range(len(self.index.roots))
        ]
        for expr, (size, text) in zip(exprs, shape, strict=True):
            if size < 0:
                extent = extents[expr.position] if isinstance(expr, AffineDimExpr) else None
                if not isinstance(extent, SSAValue) or self.code(extent).text != text:
                    return False
                continue
            low, high = bounds(expr, ranges)
            if low is None or high is None or low < 0 or high >= size:
                return False
        return True

    def _extent(self, position: int) -> int | SSAValue | None:
        """The number of values of a loop or of a block's variable. None for any other root."""
        root = self.index.roots[position]
        home = root.owner if isinstance(root, BlockArgument) else None
        parent = home.parent_op() if isinstance(home, Block) else None
        if isinstance(parent, ForOp) and root is parent.var:
            return parent.extent_value
        if isinstance(parent, BlockOp) and isinstance(root, BlockArgument):
            return parent.extents[root.index]
        return None

    def _function(self, name: str, operands: list[Code], kind: str) -> Code | None:
        if operands[0].constant and name in ("math.ctpop", "math.ctlz"):
            return None
        return Code(f"T.{_FUNCTIONS[name]}({', '.join(code.text for code in operands)})", kind)

    def _conversion(self, op: Operation, operands: list[Code], kind: str) -> Code | None:
        """Comparisons and conversions."""
        name = op.name
        if isinstance(op, arith.CmpiOp):
            return self._compare(op, operands)
        if isinstance(op, arith.CmpfOp):
            sign = _FLOAT_COMPARE.get(op.predicate.value.data)
            if (
                sign is None
                or op.predicate.value.data == 13
                or (operands[0].constant and operands[1].constant)
            ):
                if op.predicate.value.data != 13:
                    return None
            return Code(f"{operands[0].operand} {sign} {operands[1].operand}", kind, atomic=False)
        if name in _CASTS and not operands[0].constant:
            source, target = _CASTS[name]
            a = self._signed(operands[0], source)
            if name == "arith.extui" and a.dtype == "bool":
                target = True
            dtype = kind if target is not False else f"u{kind}"
            if name == "arith.extui" and not a.dtype.startswith("bool"):
                dtype = f"u{kind}"
            if dtype.startswith("bool"):
                return None
            return Code(f'T.Cast("{dtype}", {a.text})', dtype)
        if name == "arith.index_cast" and kind == "int32":
            code = self.codes[op.operands[0]]
            # A sum of indices differs from the sum of their values as numbers.
            return code if code.dtype == "int32" and code.text.isidentifier() else None
        if isinstance(op, vector.BitcastOp):
            return Code(f'T.reinterpret("{kind}", {self._whole(op.source).text})', kind)
        if isinstance(op, vector.ExtractOp) and kind + "x1" == dtype_of(op.operands[0].type):
            source = self._whole(_bits(op.operands[0]))
            return Code(f'T.reinterpret("{kind}", {source.text})', kind)
        if isinstance(op, vector.ExtractOp) and isinstance(op.operands[0].type, VectorType):
            lane = list(op.static_position.get_values())
            if len(op.operands) == 1 and len(lane) == 1:
                return Code(f"T.Shuffle([{operands[0].text}], [{lane[0]}])", kind)
        if isinstance(op, vector.ShuffleOp):
            lanes = [str(lane) for lane in op.mask.get_values()]
            texts = ", ".join(code.text for code in operands)
            return Code(f"T.Shuffle([{texts}], [{', '.join(lanes)}])", kind)
        if name == "arith.bitcast":
            return Code(f'T.reinterpret("{kind}", {operands[0].text})', kind)
        if (
            name == "vector.broadcast"
            and "x" in kind
            and not isinstance(op.operands[0].type, VectorType)
        ):
            lanes = kind.partition("x")[2]
            scalar = self._as(operands[0], operands[0].dtype)
            return Code(f"T.Broadcast({scalar.text}, {lanes})", f"{scalar.dtype}x{lanes}")
        return None

    def _whole(self, value: SSAValue) -> Code:
        """The scalar of a vector of one lane."""
        op = value.owner
        if isinstance(op, vector.BroadcastOp) and not isinstance(op.source.type, VectorType):
            if dtype_of(value.type).endswith("x1"):
                return self.code(op.source)
        return self.code(value)

    def _compare(self, op: arith.CmpiOp, operands: list[Code]) -> Code | None:
        predicate = op.predicate.value.data
        sign = _COMPARE[predicate]
        if isinstance(op.lhs.type, IndexType):
            sides = [self.index.expr(side) for side in (op.lhs, op.rhs)]
            roots = [self.index.roots[dim] for side in sides for dim in side.used_dims()]
            if predicate >= 6 or not roots or any(_is_read(root) for root in roots):
                return None
            return Code(f"{operands[0].operand} {sign} {operands[1].operand}", "bool", atomic=False)
        if all(map(_is_affine, op.operands)) and any(map(_has_index, op.operands)):
            return None  # it would read back as a comparison of indices
        signed = None if predicate < 2 else predicate < 6
        a, b = self._matched(self._signed(operands[0], signed), self._signed(operands[1], signed))
        if (a.constant and b.constant) or a.dtype.startswith("bool") and predicate > 1:
            return None
        return Code(f"{a.operand} {sign} {b.operand}", dtype_of(op.result.type), atomic=False)

    def _raw(self, op: Operation, codes: list[Code]) -> Code:
        """An operation by its name in the IR."""
        name = op.name
        if isinstance(op, arith.CmpiOp | arith.CmpfOp):
            predicate = str(op.predicate.value.data)
            name = f"{name}.{predicate}"
        if isinstance(op, vector.InsertOp | vector.ExtractOp):
            positions = list(op.static_position.get_values())
            if op.dynamic_position or len(positions) != 1:
                raise unsayable(op)
            name = f"{name}.{positions[0]}"
        if EXACT in op.attributes:
            name = f"{name}.exact"
        if not is_raw(name) or (op.attributes and set(op.attributes) != {EXACT}) or _has_flags(op):
            raise unsayable(op)
        operands = [
            self._as(code, code.dtype).text if code.constant else code.text for code in codes
        ]
        option = f'dtype="{dtype_of(op.results[0].type)}"'
        if any(isinstance(operand.type, IndexType) for operand in op.operands):
            option += ', operands="index"'
        kind = dtype_of(op.results[0].type)
        return Code(f"T.scalar_op({', '.join([quoted(name), *operands, option])})", kind)

    # Calls ---------------------------------------------------------------------------------

    def _call(self, op: CallExternOp) -> str:
        unsigned = op.attributes.get(UNSIGNED)
        marks = unsigned.get_values() if isinstance(unsigned, DenseArrayBase) else ()
        values: list[str] = []
        for n, starts in op.passed:
            value = op.arguments[n]
            if isinstance(value.type, MemRefType):
                mask = {"read": "r", "write": "w", "update": "rw"}[op.modes.data[n].data]
                codes = (self._as(self.code(op.arguments[start]), "int32") for start in starts)
                indices = ", ".join(code.text for code in codes)
                offset = f", offset=[{indices}]" if starts else ""
                values.append(f'{self.buffers[value][0]}.access_ptr("{mask}"{offset})')
                continue
            code = self.code(value)
            dtype = dtype_of(value.type)
            argument_type = f"u{dtype}" if n in marks else dtype
            values.append(self._as(code, argument_type if dtype != "index" else "int32").text)
        remaining = iter(values)
        texts = [quoted(text.data) for text in op.texts if isinstance(text, StringAttr)]
        arguments = values
        if texts:
            arguments = [
                quoted(text.data) if isinstance(text, StringAttr) else next(remaining)
                for text in op.texts
            ]
        dtype = self._result_type(op)
        if TRACED in op.attributes:
            return f"T.trace([{', '.join(arguments)}], {quoted(op.label)})"
        if op.is_packed:
            option = [f'dtype="{dtype}"'] if op.results and dtype != "int32" else []
            return f"T.call_packed({', '.join([quoted(op.label), *arguments, *option])})"
        word = "call_pure_extern" if op.is_pure else "call_extern"
        return f"T.{word}({', '.join([quoted(dtype), quoted(op.label), *arguments])})"

    def _result_type(self, op: CallExternOp) -> str:
        if not op.results:
            return "int32" if op.is_packed else "void"
        unsigned = op.attributes.get(UNSIGNED)
        dtype = dtype_of(op.results[0].type)
        marks = unsigned.get_values() if isinstance(unsigned, DenseArrayBase) else ()
        return f"u{dtype}" if len(op.arguments) in marks else dtype


def _remainder(op: object) -> tuple[SSAValue, SSAValue] | None:
    """``a`` and ``b`` where ``op`` is ``a - (a // b) * b``, the remainder by a constant."""
    if not isinstance(op, arith.SubiOp) or not isinstance(op.rhs.owner, arith.MuliOp):
        return None
    product = op.rhs.owner
    quotient = product.lhs.owner
    if not isinstance(quotient, arith.FloorDivSIOp) or quotient.lhs != op.lhs:
        return None
    factors = [part.owner for part in (quotient.rhs, product.rhs)]
    if not all(isinstance(part, arith.ConstantOp) for part in factors):
        return None
    values = [part.value for part in factors if isinstance(part, arith.ConstantOp)]
    number = values[0]
    if values[0] != values[1] or not isinstance(number, IntegerAttr):
        return None
    return (op.lhs, quotient.rhs) if number.value.data not in (0, -1) else None


def is_quotient_in_remainder(op: Operation) -> bool:
    """True if ``op`` is the division in a remainder; the text of the remainder omits it."""
    if not isinstance(op, arith.FloorDivSIOp):
        return False
    products = [use.operation for use in op.result.uses]
    return bool(products) and all(
        isinstance(product, arith.MuliOp)
        and all(_remainder(use.operation) is not None for use in product.result.uses)
        for product in products
    )


def _bits(value: SSAValue) -> SSAValue:
    """The operand of a bitcast to a vector of one lane."""
    op = value.owner
    return op.source if isinstance(op, vector.BitcastOp) else value


def _has_flags(op: Operation) -> bool:
    flags = op.properties.get("fastmath")
    if flags is not None and "none" not in str(flags):
        return True
    overflow = op.properties.get("overflowFlags")
    return overflow is not None and "none" not in str(overflow)


def _is_read(value: SSAValue | None) -> bool:
    """True if an index is cast from a number that is read or computed."""
    return value is not None and isinstance(value.owner, arith.IndexCastOp)


def _is_affine(value: SSAValue) -> bool:
    """True if a number reads back as an affine function of axes and sizes, or as a constant."""
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp | arith.ConstantOp):
        return True
    return isinstance(owner, _SEEN_THROUGH) and all(map(_is_affine, owner.operands))


def _has_index(value: SSAValue) -> bool:
    """True if a number that satisfies :func:`_is_affine` depends on an index."""
    owner = value.owner
    assert isinstance(owner, Operation)
    return isinstance(owner, arith.IndexCastOp) or any(map(_has_index, owner.operands))
