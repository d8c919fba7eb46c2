"""``scf.for`` with the keyword ``unsigned``, which xDSL does not parse and kc refuses."""

from __future__ import annotations

from typing import Self

from xdsl.dialects import scf
from xdsl.parser import Parser


class ForOp(scf.ForOp):
    """``scf.for`` with signed counters only; an unsigned counter is refused."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        if parser.parse_optional_keyword("unsigned") is not None:
            parser.raise_error("scf.for unsigned: loops compare numbers that have signs")
        return super().parse(parser)
