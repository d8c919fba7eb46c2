"""Subclasses of xDSL ops, with other constraints or another text, that replace them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from xdsl.irdl import IRDLOperation, OperandDef, OptPropertyDef, PropertyDef, ResultDef
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import Parser
from xdsl.printer import Printer

_ClassT = TypeVar("_ClassT", bound=type[IRDLOperation])


def redefined(
    assembly_format: str | None = None,
    **fields: OperandDef | ResultDef | PropertyDef,
) -> Callable[[_ClassT], _ClassT]:
    """Decorate a subclass of an op of xDSL.

    ``assembly_format`` becomes its text. ``fields`` replace operands, results and properties of the
    same names, and add further properties. If there are fields, or if the subclass has traits, the
    fields, the traits and ``verify_`` of the subclass replace the checks of xDSL's class. (xDSL's
    ``irdl_op_definition`` cannot decorate such a subclass.)
    """

    def define(cls: _ClassT) -> _ClassT:
        parent = cls.__bases__[0]
        assert issubclass(parent, IRDLOperation)
        old = parent.get_irdl_definition()
        properties = {
            name: field for name, field in fields.items() if isinstance(field, PropertyDef)
        }
        added = properties.keys() - old.properties.keys()
        definition = replace(
            old,
            operands=[(name, fields.get(name, definition)) for name, definition in old.operands],
            results=[(name, fields.get(name, definition)) for name, definition in old.results],
            properties={**old.properties, **properties},
            traits=cls.traits,
            accessor_names={
                **old.accessor_names,
                **{name: (name, "property") for name in added},
            },
        )
        for name, field in properties.items():
            if not isinstance(field, OptPropertyDef):
                continue
            setattr(cls, name, property(lambda self, name=name: self.properties.get(name)))
        members: dict[str, Any] = {"get_irdl_definition": classmethod(lambda cls: definition)}
        if fields or "traits" in cls.__dict__:
            own_checks = cls.__dict__.get("verify_")

            def verify_(self: IRDLOperation) -> None:
                definition.verify(self)
                if own_checks is not None:
                    own_checks(self)

            members["verify_"] = verify_
        if assembly_format is not None:
            program = FormatProgram.from_str(assembly_format, definition)

            def print_(self: IRDLOperation, printer: Printer) -> None:
                program.print(printer, self)

            def parse(cls: type[IRDLOperation], parser: Parser) -> IRDLOperation:
                return program.parse(parser, cls)

            members |= {"parse": classmethod(parse), "print": print_}
        # A format looks for the accessors of variadic operands and results in the class itself.
        for name, _ in (*old.operands, *old.results):
            if name in parent.__dict__:
                members.setdefault(name, parent.__dict__[name])
        for name, member in members.items():
            setattr(cls, name, member)
        return cls

    return define
