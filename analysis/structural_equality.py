"""Structural equality of modules, up to names: ``structural_equal``.

Statements (loops, blocks, stores, calls) are compared in order. Values are compared as the
expressions that compute them, written out. The number, place and order of the computations are
irrelevant, except that a load must be between the same statements. A buffer is identified by its
first use, and by the block or the parallel loop (threads, lanes or parallel iterations) that
contains its allocation; sequential loops around it are irrelevant. Indices are compared as affine
expressions in normal form, in which the variable of a loop of one iteration is 0, and conditions as
sets. Names of loops, blocks, buffers, arguments and sizes are irrelevant, those of functions are
not. (TVM's ``StructuralEqual``, with free names mapped.)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from xdsl.dialects import func, memref, scf, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from kc.analysis.accesses.regions import READS_ORDER, WRITES_ORDER
from kc.analysis.affine.index_reader import AFFINE_OPS
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.simplify_affine import simplify
from kc.analysis.loop_tree import has_effects
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.dialects.size_requirements import REQUIRES, requirements_of
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    BlockOp,
    CallExternOp,
    ForKind,
    ForOp,
    IfOp,
    LoadOp,
    StoreOp,
    SymbolOp,
    ViewOp,
    symbol_names,
)
from kc.dialects.unscheduled import UNSCHEDULED
from kc.support.locations import location_of

_IN_ORDER = (ForKind.SERIAL, ForKind.UNROLLED, ForKind.WHILE)

_NAMES = frozenset(
    {
        "combiner_name",
        "kc.name",
        "kc.role",
        "kc.symbols",
        "buffer_name",
        "block_name",
        "iter_names",
        "loop_name",
        READS_ORDER,
        WRITES_ORDER,
    }
)
"""Attributes that are names or numbers of parts of a function."""


def difference(left: ModuleOp, right: ModuleOp) -> str | None:
    """The first difference between two modules in words; None if they are equal."""
    functions = [_functions(module) for module in (left, right)]
    if list(functions[0]) != list(functions[1]):
        names = [", ".join(function) or "none" for function in functions]
        return f"the functions are {names[0]}, and {names[1]}"
    for name, function in functions[0].items():
        place = _compare_operations(function, functions[1][name])
        if place is not None:
            return f"in @{name}: {place}"
    return None


def structural_hash(module: ModuleOp) -> int:
    """A hash that is equal for equal programs (:func:`difference`). The hash covers their
    statements, without the values in them.
    """
    return hash(
        tuple(
            (name, _outline(op) if isinstance(op, func.FuncOp) else op.name)
            for name, op in _functions(module).items()
        )
    )


def _outline(op: Operation) -> Hashable:
    own = (op.kind.data.value, op.static_extent) if isinstance(op, ForOp) else None
    parts = [part for region in op.regions for block in region.blocks for part in block.ops]
    left_out = (func.ReturnOp, scf.YieldOp)
    inner = (
        _outline(part) for part in parts if not isinstance(part, left_out) and not _is_value(part)
    )
    return op.name, own, tuple(inner)


def _functions(module: ModuleOp) -> dict[str, Operation]:
    functions: dict[str, Operation] = {}
    for n, op in enumerate(module.body.ops):
        name = op.get_attr_or_prop("sym_name")
        functions[name.data if isinstance(name, StringAttr) else str(n)] = op
    return functions


def _compare_operations(left: Operation, right: Operation) -> str | None:
    if not (isinstance(left, func.FuncOp) and isinstance(right, func.FuncOp)):
        return None if left.is_structurally_equivalent(right) else _told(left, right, "")
    forms = Forms()
    sides = _Side(left, forms), _Side(right, forms)
    heads = [side.head() for side in sides]
    if heads[0] != heads[1]:
        return _told(left, right, "the parameters or attributes")
    if not left.body.blocks or not right.body.blocks:
        return None if bool(left.body.blocks) == bool(right.body.blocks) else "one has no body"
    if len(left.body.blocks) > 1 or len(right.body.blocks) > 1:
        return (
            None
            if left.body.is_structurally_equivalent(right.body)
            else _told(left, right, "the branches")
        )
    return _compare_blocks(left.body.block, right.body.block, *sides)


def _compare_blocks(left: Block, right: Block, a: _Side, b: _Side) -> str | None:
    ours, theirs = list(a.statements(left)), list(b.statements(right))
    for mine, yours in zip(ours, theirs, strict=False):
        first, second = a.statement(mine), b.statement(yours)
        if set(first) != set(second) or mine.name != yours.name:
            return _told(mine, yours, "")
        for what, form in first.items():
            if form != second[what]:
                return _told(mine, yours, what)
        for region, twin in zip(mine.regions, yours.regions, strict=True):
            if len(region.blocks) != len(twin.blocks):
                # An empty else counts as none.
                held = ((a, region.blocks), (b, twin.blocks))
                if any(any(side.statements(block)) for side, blocks in held for block in blocks):
                    return _told(mine, yours, "the parts")
                continue
            for inner, twin_inner in zip(region.blocks, twin.blocks, strict=True):
                a.enter(mine, inner)
                b.enter(yours, twin_inner)
                place = _compare_blocks(inner, twin_inner, a, b)
                if place is not None:
                    return place
        a.end(mine)
        b.end(yours)
    if len(ours) != len(theirs):
        longer = ours if len(ours) > len(theirs) else theirs
        which = "first" if longer is ours else "second"
        return f"{_line(longer[min(len(ours), len(theirs))])} is in the {which} alone"
    return None


def _told(left: Operation, right: Operation, what: str) -> str:
    which = f" ({what})" if what else ""
    parts = _different_parts(left, right) if _text(left) == _text(right) else None
    computed = f", where '{_text(parts[0])}', and '{_text(parts[1])}'" if parts else ""
    return f"{_line(left)}, and {_line(right)}{which}{computed}"


def _different_parts(left: Operation, right: Operation) -> tuple[Operation, Operation] | None:
    """The first pair of differing operations, among the operations that compute the operands of two
    operations.
    """
    waiting, seen = [(left, right)], {left}
    while waiting:
        mine, yours = waiting.pop()
        if _text(mine) != _text(yours):
            return mine, yours
        pairs = zip(reversed(mine.operands), reversed(yours.operands), strict=False)
        for value, twin in pairs:
            if isinstance(value.owner, Operation) and isinstance(twin.owner, Operation):
                if value.owner not in seen:
                    seen.add(value.owner)
                    waiting.append((value.owner, twin.owner))
    return None


def _text(op: Operation) -> str:
    """The first line of an operation's text."""
    return str(op).strip().split("\n", 1)[0].removesuffix("{").strip()


def _line(op: Operation) -> str:
    """The first line of an operation's text, and its location."""
    text, place = _text(op), location_of(op)
    return f"'{text}'" + (f" at {place}" if place is not None else "")


class Forms:
    """Hash-consing of value forms: equal forms have one number, from which larger forms are
    built.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def number(self, form: Hashable) -> int:
        """The number of ``form``."""
        return self._known.setdefault(form, len(self._known))


class _Side:
    """A function whose values are identified by their computation."""

    def __init__(self, function: func.FuncOp, form_numbers: Forms) -> None:
        self.function = function
        self.form_numbers = form_numbers
        self.index = IndexValues()
        self.numbers: dict[SSAValue, int] = {}
        self.forms: dict[SSAValue, int] = {}
        self.times: dict[Operation, int] = {}
        """The number of statements that begin before each load."""
        self.time = 0
        self.homes: dict[Operation, int] = {}
        """The number of statements that begin before the contents of an operation."""
        self.memory: dict[AllocOp, int] = {}
        """The order of the first uses of memory."""
        self.symbols = _symbols(function)
        self.strides: dict[str, int] = {}
        if function.body.blocks:
            self.number(function.args)
            attrs: ArrayAttr[DictionaryAttr] = function.arg_attrs or ArrayAttr([])
            for value, arg_attrs in zip(function.args, attrs, strict=False):
                symbol = arg_attrs.data.get("kc.symbol")  # the parameter is the size
                if isinstance(symbol, StringAttr) and symbol.data in self.symbols:
                    form = "symbol", self.symbols[symbol.data]
                    self.forms[value] = form_numbers.number(form)

    def head(self) -> Hashable:
        """The types and attributes of the parameters and of the function."""
        attrs: ArrayAttr[DictionaryAttr] = self.function.arg_attrs or ArrayAttr([])
        parameters = tuple(
            tuple(
                (key, self._layout(key, value))
                for key, value in sorted(entry.data.items())
                if key not in _NAMES
            )
            for entry in attrs
        )
        rest = {
            key: value
            for key, value in self.function.attributes.items()
            if key not in _NAMES and key not in (REQUIRES, UNSCHEDULED)
        }
        own = _texts(rest), self._requirements()
        return str(self.function.function_type), parameters, len(self.symbols), own

    def _requirements(self) -> Hashable:
        """The requirements on sizes, without their explanations."""

        def over_sizes(exprs: Iterable[AffineExpr]) -> tuple[str, ...]:
            return tuple(str(self._over_sizes(expr)) for expr in exprs)

        return frozenset(
            (
                requirement.condition.kind.value,
                over_sizes((requirement.condition.lhs, requirement.condition.rhs)),
                tuple(over_sizes(factors) for factors in requirement.factors),
                over_sizes(requirement.unless_empty),
            )
            for requirement in requirements_of(self.function)
        )

    def _over_sizes(self, expr: AffineExpr) -> AffineExpr:
        """An expression over symbols and products, rewritten over the numbers of sizes, then
        products.
        """
        listed = symbol_names(self.function)
        symbols = [AffineExpr.dimension(self.symbols[name]) for name in listed]
        products = max(expr.used_dims(), default=-1) + 1
        dims = [AffineExpr.dimension(len(listed) + n) for n in range(products)]
        whole = simplify(expr.replace_dims_and_symbols(dims, symbols), ())
        terms, constant = linear_terms(whole)
        return from_terms(dict(sorted(terms.items(), key=str)), constant)

    def _layout(self, key: str, value: Attribute) -> Hashable:
        """An attribute of a parameter with sizes and strides by number, as their names are
        irrelevant.
        """
        if key == "kc.shape" and isinstance(value, AffineMapAttr):
            dims = [AffineExpr.dimension(n) for n in self.symbols.values()]
            return tuple(
                str(expr.replace_dims_and_symbols((), dims)) for expr in value.data.results
            )
        if key == "kc.symbol" and isinstance(value, StringAttr):
            return self.symbols.get(value.data, value.data)
        if key == "kc.strides" and isinstance(value, ArrayAttr):
            return tuple(
                self._stride(step.data) if isinstance(step, StringAttr) else str(step)
                for step in value
            )
        return str(value)

    def _stride(self, name: str) -> Hashable:
        """The key of a stride that is passed at the call: a size, or the n-th stride that is no
        size. Equal strides have equal keys.
        """
        if name in self.symbols:
            return "size", self.symbols[name]
        return "stride", self.strides.setdefault(name, len(self.strides))

    # Statements ----------------------------------------------------------------------------

    def number(self, values: Iterable[SSAValue]) -> None:
        """Number ``values`` in the order of their definitions."""
        for value in values:
            self.numbers[value] = len(self.numbers)

    def enter(self, op: Operation, block: Block) -> None:
        """Start the comparison of the body of ``op``."""
        self.homes[op] = self.time
        if isinstance(op, ForOp) and self._extent(op.extent_value) == self._extent(1):
            self.index.define(op.var, AffineConstantExpr(0))
        self.number(block.args)

    def statements(self, block: Block) -> Iterable[Operation]:
        """The statements of a block, in order. Each load gets its time: the number of statements
        before it.
        """
        for op in block.ops:
            if isinstance(op, func.ReturnOp) or (isinstance(op, scf.YieldOp) and not op.operands):
                continue
            if isinstance(op, scf.YieldOp):
                yield op
            elif isinstance(op, AllocOp):
                continue  # compared at its uses
            elif _is_value(op):
                self.times.update({load: self.time for load in op.walk()})
                inside = (part for region in op.regions for part in region.walk())
                for part in (*inside, op):
                    for result in part.results:
                        self.form(result)  # in order, so that no recursion gets deep
            else:
                self.time += 1
                yield op

    def statement(self, op: Operation) -> dict[str, Hashable]:
        """The properties of an operation, without its regions, by description."""
        if isinstance(op, ForOp):
            return {
                "the number of iterations": self._extent(op.extent_value),
                "the kind": (op.kind.data.value, op.axis),
                "the annotations": _texts(_notes(op)),
            }
        if isinstance(op, BlockOp):
            return self._block(op)
        if isinstance(op, IfOp):
            return {"the condition": self.conditions(op.condition.data, op.operands)}
        if isinstance(op, StoreOp):
            return {
                "the place": self._place(op.buffer, op.indices, op.operands_of_map),
                "the value": self.form(op.value),
                "the attributes": _texts(op.attributes),
            }
        parts: dict[str, Hashable] = {
            "the operands": tuple(self.form(value) for value in op.operands),
            "the types": tuple(str(value.type) for value in op.results),
            "the attributes": _texts({**op.properties, **op.attributes}),
        }
        return parts

    def _block(self, op: BlockOp) -> dict[str, Hashable]:
        return {
            "the kinds of the variables": tuple(kind.value for kind in op.types),
            "the extents": tuple(map(self._extent, op.extents)),
            "the bindings": tuple(
                self.affine(self.index.compose(expr, op.binding_operands))
                for expr in op.binding_exprs
            ),
            "the predicate": self.conditions(op.predicate.data, op.predicate_operands),
            "the annotations": _texts(_notes(op)),
            "the init": op.has_init,
        }

    def _extent(self, extent: int | SSAValue) -> int:
        """The form of an extent, which may be computed from constants."""
        if isinstance(extent, int):
            return self.affine(AffineConstantExpr(extent))
        return self.form(extent)

    def end(self, op: Operation) -> None:
        """Finish a statement; later uses identify its results by number."""
        self.number(op.results)

    def conditions(self, condition: object, operands: Sequence[SSAValue]) -> Hashable:
        """A conjunction as the set of its constraints."""
        conditions = self.index.conditions(condition, operands)  # pyright: ignore[reportArgumentType]
        if conditions is None:
            return None
        return frozenset(
            (part.kind.value, self.affine(self.index.simplify(part.lhs - part.rhs)))
            for part in conditions
        )

    def _place(
        self, buffer: SSAValue, indices: AffineMapAttr, operands: Sequence[SSAValue]
    ) -> Hashable:
        exprs = [self.index.compose(expr, operands) for expr in indices.data.results]
        return self.form(buffer), tuple(self.affine(expr) for expr in exprs)

    # Values --------------------------------------------------------------------------------

    def form(self, value: SSAValue) -> int:
        """The form number of the computation of a value."""
        number = self.forms.get(value)
        if number is None:
            defined = self.numbers.get(value)
            form = ("defined", defined) if defined is not None else self._form(value)
            number = form if isinstance(form, int) else self.form_numbers.number(form)
            self.forms[value] = number
        return number

    def _form(self, value: SSAValue) -> Hashable:
        assert isinstance(value, OpResult)
        op = value.owner
        if isinstance(value.type, IndexType) and isinstance(op, AFFINE_OPS):
            expr = self.index.expr(value)
            if not isinstance(expr, AffineDimExpr) or self.index.roots[expr.position] != value:
                return self.affine(expr)
        if isinstance(op, AllocOp):
            return (
                "memory",
                self.memory.setdefault(op, len(self.memory)),
                self.homes.get(_home(op), 0),
                tuple(self.form(size) for size in op.dynamic_sizes),
                _texts({**op.properties, **op.attributes}),
                str(value.type),
            )
        if isinstance(op, ApplyOp):
            exprs = [self.index.compose(expr, op.operands) for expr in op.map.data.results]
            return op.combined(
                [self.affine(expr) for expr in exprs],
                lambda kind, lhs, rhs: self.form_numbers.number((kind, frozenset((lhs, rhs)))),
            )
        if isinstance(op, SymbolOp):
            return "symbol", self.symbols.get(op.symbol.data, -1)
        if isinstance(op, LoadOp):
            place = self._place(op.buffer, op.indices, op.operands_of_map)
            return "load", place, str(value.type), self.times.get(op, 0)
        if isinstance(op, ViewOp):
            place = self._place(op.buffer, op.indices, op.operands_of_map)
            return "view", place, tuple(op.positions), str(value.type)
        inner: list[Hashable] = []
        for region in op.regions:
            end = region.block.last_op
            assert end is not None
            inner.append(tuple(self.form(operand) for operand in end.operands))
        return (
            op.name,
            tuple(self.form(operand) for operand in op.operands),
            _texts({**op.properties, **op.attributes}),
            str(value.type),
            value.index,
            tuple(inner),
        )

    def affine(self, expr: AffineExpr) -> int:
        """The form number of an affine expression over the roots of :attr:`index`, in normal
        form.
        """
        if any(_is_rounded_up(part) for part in expr.dfs()):
            expr = self.index.simplify(_rounding_down(expr))
        terms, constant = linear_terms(expr)
        parts = [(self._atom(atom), factor) for atom, factor in terms.items() if factor]
        if len(parts) == 1 and parts[0][1] == 1 and not constant:
            return parts[0][0]
        return self.form_numbers.number(("sum", frozenset(parts), constant))

    def _atom(self, expr: AffineExpr) -> int:
        if isinstance(expr, AffineDimExpr):
            root = self.index.roots[expr.position]
            assert root is not None
            return self.form(root)
        assert isinstance(expr, AffineBinaryOpExpr)
        form = expr.kind.value, self.affine(expr.lhs), self.affine(expr.rhs)
        return self.form_numbers.number(form)


def _symbols(function: func.FuncOp) -> dict[str, int]:
    """The sizes of a function, numbered in the order in which its parameters mention them."""
    attr = function.attributes.get("kc.symbols")
    names = [name.data for name in attr] if isinstance(attr, ArrayAttr) else []  # pyright: ignore
    order: dict[str, None] = {}
    for attrs in function.arg_attrs or ():
        shape, symbol = attrs.data.get("kc.shape"), attrs.data.get("kc.symbol")
        if isinstance(shape, AffineMapAttr):
            for expr in shape.data.results:
                parts = [part for part in expr.dfs() if isinstance(part, AffineSymExpr)]
                order.update({names[part.position]: None for part in parts})
        if isinstance(symbol, StringAttr):
            order[symbol.data] = None
    numbers = {name: n for n, name in enumerate([*order, *(n for n in names if n not in order)])}
    return {name: numbers[name] for name in names}


def _is_rounded_up(expr: AffineExpr) -> bool:
    return isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.CeilDiv


def _rounding_down(expr: AffineExpr) -> AffineExpr:
    """``expr`` with ``x ceildiv c`` replaced by ``(x + c - 1) floordiv c``."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return expr
    lhs, rhs = _rounding_down(expr.lhs), _rounding_down(expr.rhs)
    if _is_rounded_up(expr) and isinstance(rhs, AffineConstantExpr):
        return (lhs + (rhs.value - 1)) // rhs
    return AffineBinaryOpExpr(expr.kind, lhs, rhs)


def _home(op: AllocOp) -> Operation:
    """The op that an allocation belongs to: the nearest op around it that is neither a branch nor a
    sequential loop.
    """
    home = op.parent_op()
    while isinstance(home, IfOp) or (isinstance(home, ForOp) and home.kind.data in _IN_ORDER):
        home = home.parent_op()
    assert home is not None
    return home


def _is_value(op: Operation) -> bool:
    """True if an operation matters only through its results."""
    if isinstance(op, AllocOp | LoadOp | SymbolOp | ViewOp | memref.DimOp):
        return True
    if isinstance(op, CallExternOp):
        return op.is_pure
    if isinstance(op, scf.IfOp):
        return bool(op.results) and all(
            _is_value(part) or isinstance(part, scf.YieldOp)
            for region in op.regions
            for block in region.blocks
            for part in block.ops
        )
    if isinstance(op, CallIntrinsicOp | vector.BitcastOp | vector.ShuffleOp):
        return bool(op.results)
    return bool(op.results) and not op.regions and not has_effects(op)


def _notes(op: ForOp | BlockOp) -> Mapping[str, Attribute]:
    notes = dict(op.attributes)
    if isinstance(op.annotations, DictionaryAttr):
        notes.update(op.annotations.data)
    return notes


def _texts(attributes: Mapping[str, Attribute]) -> Hashable:
    return tuple(
        (key, str(value)) for key, value in sorted(attributes.items()) if key not in _NAMES
    )
