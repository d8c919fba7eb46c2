"""User-defined combiners of reductions: their text and their common requirements.

A combiner is a region over two tuples of scalars, ``(%a0: i32, %a1: f32) (%b0: i32, %b1: f32)
identity [-1 : i32, 0xFF800000 : f32] { ... yield %c0, %c1 : i32, f32 }``, which yields the
combination of the tuples. An optional third tuple contains values that are the same for all terms
of an element. The combiner is associative and commutative, up to the rounding of floats, and the
identity is its neutral element. ``kc.analysis.reductions.combiner_laws`` checks this.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, IntegerType, Signedness
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import VerifyException


def parse_combiner(parser: Parser) -> tuple[Region, ArrayAttr]:
    """The region and the identity of a combiner."""
    args: list[Parser.Argument] = []
    paren = parser.Delimiter.PAREN
    for _ in range(2):
        args += parser.parse_comma_separated_list(paren, parser.parse_argument)
    if parser.parse_optional_keyword("identity") is None:
        args += parser.parse_comma_separated_list(paren, parser.parse_argument)
        parser.parse_keyword("identity")
    identity = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_attribute)
    return parser.parse_region(args), ArrayAttr(identity)


def print_combiner(printer: Printer, region: Region, identity: ArrayAttr) -> None:
    """The inverse of :func:`parse_combiner`."""
    args = region.block.args
    count = len(identity)
    groups = [args[:count], args[count : 2 * count]]
    if len(args) > 2 * count:
        groups.append(args[2 * count :])
    printer.enter_scope()
    for group in groups:
        printer.print_string("(")
        printer.print_list(group, printer.print_block_argument)
        printer.print_string(") ")
    printer.print_string("identity [")
    printer.print_list(identity.data, printer.print_attribute)
    printer.print_string("] ")
    printer.print_region(region, print_entry_block_args=False)
    printer.exit_scope()


def has_sign(type_: Attribute) -> bool:
    """True if the type is an integer with explicit signedness, which has no constants and no
    arithmetic.
    """
    return isinstance(type_, IntegerType) and type_.signedness.data != Signedness.SIGNLESS


def verify_combiner(
    where: str,
    region: Region,
    identity: ArrayAttr,
    types: Sequence[Attribute],
    last: type[Operation],
    captured: Sequence[Attribute] = (),
) -> None:
    """Refuse a region that is not a combiner of values of ``types`` with a terminator of type
    ``last``.

    ``captured`` are the types of additional arguments. ``where`` starts the message: the op and the
    name of the combined value.
    """
    taken = [arg.type for arg in region.block.args]
    if taken != [*types, *types, *captured]:
        further = f" and ({_list(captured)})" if captured else ""
        raise VerifyException(
            f"{where} must take ({_list(types)}) twice{further}, not ({_list(taken)})"
        )
    identity_types = [
        attr.type if isinstance(attr, IntegerAttr | FloatAttr) else None for attr in identity
    ]
    if identity_types != list(types):
        raise VerifyException(
            f"{where} must have an identity of the types ({_list(types)}), not "
            f"[{_list(identity.data)}]"
        )
    for type_ in types:
        if has_sign(type_):
            raise VerifyException(f"{where} combines {type_}; integers are signless")
    end = region.block.last_op
    if not isinstance(end, last):
        raise VerifyException(f"{where} must end with {last.name}")
    yielded = [value.type for value in end.operands]
    if yielded != list(types):
        raise VerifyException(f"{where} must yield ({_list(types)}), not ({_list(yielded)})")
    defined: set[SSAValue] = set(region.block.args)
    for op in region.walk():
        defined.update(op.results)
        defined.update(
            arg for region in op.regions for block in region.blocks for arg in block.args
        )
        if any(operand not in defined for operand in op.operands):
            raise VerifyException(
                f"{where} must use nothing but its arguments; {op.name} uses a value from outside"
            )
    for op in region.block.ops:
        if op is not end and not is_side_effect_free(op):
            raise VerifyException(f"{where} must be free of side effects; {op.name} is not")


def _list(parts: Sequence[object]) -> str:
    return ", ".join(map(str, parts))
