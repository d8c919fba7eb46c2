"""unsafe_set_dtype: the elements of a buffer are stored in another type.

Before, ``unsafe-set-dtype block=B buffer=B dtype=float16 unsafe``::

    %B = tir.alloc "B" : memref<16xf32>
    ... tir.store %b, %B[%v_i] : memref<16xf32>
    ... %x = tir.load %B[%v_i] : memref<16xf32>

After::

    %B = tir.alloc "B" {tir.unsafe_dtype = "f32 as f16"} : memref<16xf16>
    ... %0 = arith.truncf %b : f32 to f16
        tir.store %0, %B[%v_i] : memref<16xf16>
    ... %1 = tir.load %B[%v_i] : memref<16xf16>
        %x = arith.extf %1 : f16 to f32

Values are converted where they are stored, and back where they are loaded; nothing else changes. A
loaded value is not converted at all if its only use is an exact conversion to the new type. A type
that represents every value of the old type preserves all results. Any other type changes some:
``unsafe`` accepts this, the buffer is marked, and the warning KC3543 reports it. Integers of the IR
have no sign: they are taken as signed, unless ``dtype`` is unsigned.

*Legal when*

1. KC3300, KC3303, KC3504: the block writes the buffer, which is used by nothing but loads and
   stores of single elements.
2. KC3320: the buffer is allocated in the function; the caller decides the type of arguments.
3. KC3540: there is a data type of that name, and a conversion to it and back.
4. KC3541: the type holds every value of the old one, or ``unsafe`` is given. KC3544: and integers
   are held as floats, or may be, only where each element that is loaded was stored before.

The current type of the buffer gets a warning (KC3542).

TVM: ``unsafe_set_dtype`` (where only the name says that results change).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply
from kc.analysis.accesses.regions import buffers_written, loads_of, scope_of, stores_to, unit_of
from kc.analysis.affine.terms import Condition
from kc.analysis.loop_tree import buffer_name
from kc.dialects.arith import (
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from kc.dialects.float_types import FLOAT_TYPES
from kc.dialects.tir import AllocOp, BlockOp, IterType, LoadOp, StoreOp
from kc.support.diagnostics import suggest, warn
from kc.support.float_formats import NARROW_FLOATS
from kc.support.locations import location_of
from kc.transforms.schedule._blocks import describe, witness_text
from kc.transforms.schedule._buffers import (
    BufferRef,
    find_alloc,
    find_buffer,
    require_plain_uses,
)
from kc.transforms.schedule.base import CALL_SITE, BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.layout._layouts import require_movable

_SHORT = {str(type_): name for name, type_ in FLOAT_TYPES.items()}
_PRECISION = {"float32": 24, "float64": 53}
_LARGEST = {"float32": "3.4e38", "float64": "1.8e308"}
for _form in NARROW_FLOATS.values():
    _PRECISION[_form.name] = _form.mantissa + 1
    _LARGEST[_form.name] = f"{_form.largest:.5g}".replace("e+", "e")
_WIDTHS = (8, 16, 32, 64)
DTYPES = [*FLOAT_TYPES, *(f"int{n}" for n in _WIDTHS), *(f"uint{n}" for n in _WIDTHS)]


@dataclass(frozen=True)
class Plan:
    """The buffer, its new element type, and the possible change of values."""

    block: BlockOp
    alloc: AllocOp
    element: Attribute
    is_unsigned: bool
    changes: str | None


@dataclass(frozen=True)
class UnsafeSetDtype(Primitive):
    """Store the elements of a buffer in another type."""

    name: ClassVar[str] = "unsafe-set-dtype"

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(
        metadata={
            "help": "the buffer: its name, or its position among the written buffers",
            "python": "buffer_index",
            "implied": "0",
        }
    )
    dtype: str = field(metadata={"help": f"one of {', '.join(DTYPES)}"})
    unsafe: bool = field(default=False, metadata={"help": "accept that results may change"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "writes")
        require_plain_uses(site, block, buffer)
        require_movable(site, block, buffer, "elements are converted one by one")
        alloc = find_alloc(site, block, buffer)
        assert isinstance(buffer.type, MemRefType)
        old = buffer.type.element_type
        new = self._element(site, block, old)
        is_unsigned = self.dtype.startswith("u")
        changes = _changes(old, new, is_unsigned)
        name = buffer_name(buffer)
        if changes is not None and not self.unsafe:
            raise site.refuse(
                "KC3541",
                f"{name} of block {block.label} as {self.dtype} changes results",
                at=block,
                why=changes,
                hints=["unsafe, if that is acceptable", *_exact_hints(old)],
            )
        if isinstance(old, IntegerType) and isinstance(new, AnyFloat) and not self.unsafe:
            for load in loads_of(buffer):
                self._require_written(site, alloc, load)
        return Plan(block, alloc, new, is_unsigned, changes)

    def _require_written(self, site: Site, alloc: AllocOp, load: LoadOp) -> None:
        """Refuse (KC3544) a load of an element that is not stored before. Uninitialised memory
        holds an arbitrary integer, but an arbitrary float may have no conversion, even if its value
        is unused.
        """
        buffer = alloc.buffer
        space = Space()
        read = space.instance(load)
        element = space.element(load, read)
        supplies: list[Supply] = []
        for store in stores_to(buffer):
            write = space.instance(store)
            order = [space.before(write, read), *space.same_buffer(buffer, write, read)]
            supplies.append(Supply(write, space.element(store, write), order))
            space.facts += _not_empty(space, store, write)
        witness = space.uncovered(read, element, supplies, space.in_bounds(load, element, read))
        if witness is None:
            return
        reader, name = unit_of(load, scope_of(alloc)), buffer_name(buffer)
        assert isinstance(buffer.type, MemRefType)
        raise site.refuse(
            "KC3544",
            f"{describe(reader)} "
            + ("may read" if witness.undecided else "reads")
            + f" {name} before it is written",
            at=reader,
            mark={reader: f"reads {name}"},
            why=witness.undecided
            or f"the value of element {witness_text(space, witness)}{read.at(witness)} may not "
            f"be convertible from {self.dtype} to {buffer.type.element_type}",
            hints=["unsafe, if an undefined result is acceptable"],
        )

    def _element(self, site: Site, block: BlockOp, old: Attribute) -> Attribute:
        """The type of elements that ``dtype`` names."""
        name = _SHORT.get(self.dtype, self.dtype)
        why: str | None = None
        if name not in DTYPES:
            why = "it is not the name of a data type"
        elif not _can_convert(old, name):
            why = f"{old} cannot be converted to {name}"
        if why is not None:
            raise site.refuse(
                "KC3540",
                f"dtype {self.dtype} for elements of type {old}",
                at=block,
                why=why,
                hints=suggest(
                    name, [dtype for dtype in DTYPES if _can_convert(old, dtype)], "there are"
                ),
            )
        if name in FLOAT_TYPES:
            return FLOAT_TYPES[name]
        return IntegerType(int(name.removeprefix("u").removeprefix("int")))

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        """The types that represent every value."""
        for block in loop_tree.blocks(site.function):
            for buffer in buffers_written(block):
                assert isinstance(buffer.type, MemRefType)
                if isinstance(buffer.owner, AllocOp):
                    for dtype in _exact(buffer.type.element_type):
                        yield cls(BlockRef(block), BufferRef(buffer), dtype)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        buffer = plan.alloc.buffer
        assert isinstance(buffer.type, MemRefType)
        old, name = buffer.type.element_type, buffer_name(buffer)
        location = CALL_SITE.get() or location_of(plan.block)
        if old == plan.element:
            warn(
                "KC3542",
                "unsafe_set_dtype changes nothing",
                location=location,
                why=f"the elements of {name} are {old} already",
            )
            return Rewritten()
        if plan.changes is not None:
            warn(
                "KC3543",
                f"unsafe_set_dtype: results may change with {name} as {self.dtype}",
                location=location,
                why=plan.changes,
            )
            plan.alloc.attributes["tir.unsafe_dtype"] = StringAttr(f"{old} as {self.dtype}")
        type_ = MemRefType(
            plan.element, buffer.type.shape, buffer.type.layout, buffer.type.memory_space
        )
        Rewriter.replace_value_with_new_type(buffer, type_)
        buffer = plan.alloc.buffer
        for store in stores_to(buffer):
            casts = _cast(store.value, plan.element, plan.is_unsigned)
            for cast in casts:
                cast.location = store.location
            Rewriter.insert_op(casts, InsertPoint.before(store))
            store.operands[0] = casts[-1].results[0]
        for load in loads_of(buffer):
            uses = list(load.result.uses)
            if all(_is_conversion(use.operation, old, plan) for use in uses):
                Rewriter.replace_value_with_new_type(load.result, plan.element)
                for use in uses:
                    use.operation.results[0].replace_all_uses_with(load.result)
                    Rewriter.erase_op(use.operation)
                continue
            Rewriter.replace_value_with_new_type(load.result, plan.element)
            casts = _cast(load.result, old, plan.is_unsigned)
            for cast in casts:
                cast.location = load.location
            Rewriter.insert_op(casts, InsertPoint.after(load))
            value = casts[-1].results[0]
            value.name_hint, load.result.name_hint = load.result.name_hint, None
            for use in uses:
                use.operation.operands[use.index] = value
        return Rewritten()


def _is_conversion(op: Operation, old: Attribute, plan: Plan) -> bool:
    """True if an operation extends an element to the new type of the buffer without a change of its
    value.
    """
    name = "arith.extf"
    if isinstance(old, IntegerType):
        name = "arith.extui" if plan.is_unsigned else "arith.extsi"
    return op.name == name and plan.changes is None and op.results[0].type == plan.element


def _not_empty(space: Space, store: StoreOp, write: Instance) -> Iterator[Condition]:
    """The condition that the reduction which ``store`` initialises has iterations. The initial
    value is stored even if it has none.
    """
    block = store.parent_op()
    while block is not None:
        if isinstance(block, BlockOp) and block.init.is_ancestor(store):
            for kind, _, extent in block.iters:
                if kind is IterType.REDUCE and not isinstance(extent, int):
                    yield space.size(extent, write) >= 1
        block = block.parent_op()


def _can_convert(old: Attribute, name: str) -> bool:
    if isinstance(old, IndexType):
        return name not in FLOAT_TYPES
    if isinstance(old, IntegerType):
        return old.width.data > 1 or name not in FLOAT_TYPES
    return old in FLOAT_TYPES.values()


def _cast(value: SSAValue, new: Attribute, is_unsigned: bool) -> list[Operation]:
    """The operations that convert ``value`` to ``new``. The last operation has the result.

    ``is_unsigned`` applies to the narrower integer.
    """
    old = value.type
    if isinstance(new, IndexType) and is_unsigned and old != i64:
        wide = ExtUIOp(value, i64)
        return [wide, IndexCastOp(wide.results[0], new)]
    if isinstance(old, IndexType) or isinstance(new, IndexType):
        return [IndexCastOp(value, new)]  # pyright: ignore[reportArgumentType]
    if isinstance(old, AnyFloat) and isinstance(new, AnyFloat):
        if new.bitwidth == old.bitwidth:
            wide = arith.ExtFOp(value, f32)
            return [wide, arith.TruncFOp(wide, new)]
        wider = new.bitwidth > old.bitwidth
        return [arith.ExtFOp(value, new) if wider else arith.TruncFOp(value, new)]
    if isinstance(old, AnyFloat):
        assert isinstance(new, IntegerType)
        return [(FPToUIOp if is_unsigned else FPToSIOp)(value, new)]
    assert isinstance(old, IntegerType)
    if isinstance(new, AnyFloat):
        return [UIToFPOp(value, new) if is_unsigned else SIToFPOp(value, new)]
    assert isinstance(new, IntegerType)
    if new.width.data < old.width.data:
        return [TruncIOp(value, new)]
    zero_extends = is_unsigned or old.width.data == 1
    return [ExtUIOp(value, new) if zero_extends else ExtSIOp(value, new)]


def _range(bits: int, *, is_unsigned: bool) -> tuple[int, int]:
    return (0, 2**bits - 1) if is_unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _changes(old: Attribute, new: Attribute, is_unsigned: bool) -> str | None:
    """The effect on values of a change from type ``old`` to ``new``, as text; None if each value is
    preserved.
    """
    if old == new:
        return None
    if isinstance(new, AnyFloat):
        precision = _PRECISION[_SHORT[str(new)]]
        if isinstance(old, AnyFloat):
            if new.bitwidth > old.bitwidth:
                return None
            largest = _LARGEST[_SHORT[str(new)]]
            return f"{new} has {precision} bits of precision, and numbers up to {largest}"
        if isinstance(old, IntegerType) and old.width.data <= precision:
            return None
        return f"{new} has {precision} bits of precision: larger integers are rounded"
    assert isinstance(new, IntegerType)
    low, high = _range(new.width.data, is_unsigned=is_unsigned)
    if isinstance(old, AnyFloat):
        return f"fractions are cut off, and values outside of {low} to {high} are undefined"
    bits = old.width.data if isinstance(old, IntegerType) else 64
    # Extension followed by truncation restores the value, with either sign.
    return None if new.width.data >= bits else f"values outside of {low} to {high} wrap around"


def _exact(old: Attribute) -> list[str]:
    """The types other than ``old`` that represent each value of ``old``."""
    exact: list[str] = []
    for name in DTYPES:
        if name.startswith("u") or not _can_convert(old, name):
            continue
        new = FLOAT_TYPES.get(name) or IntegerType(int(name.removeprefix("int")))
        if new != old and _changes(old, new, is_unsigned=False) is None:
            exact.append(name)
    return exact


def _exact_hints(old: Attribute) -> list[str]:
    return [f"dtype={dtype}" for dtype in _exact(old)[:2]]
