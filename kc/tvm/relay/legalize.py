"""Functions that replace operators, as users register them: ``relay.op.register_legalize``.

A function ``f(attrs, inputs, types)`` gets the attributes of a call, its operands as expressions,
and their types with that of the result behind. It returns an expression of the operands, or None
for a call that stays. The passes ``legalize``, ``qnn-legalize`` and ``qnn-canonicalize`` have the
patterns here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import FuncOp, ReturnOp
from kc.dialects.graph.types import tuple_type
from kc.expr.op_attributes import attribute_of, register_op_attr
from kc.support.diagnostics import GraphError
from kc.support.locations import location_of
from kc.transforms.graph.infer_type import infer_types
from kc.tvm.relay import expr as relay
from kc.tvm.relay.operator_functions import declaration_of
from kc.tvm.relay.to_graph import functions_of
from kc.tvm.relay.types import from_ir


def register_legalize(op_name: str, legal_op: Any = None, level: int = 10) -> Any:
    """Register the function that replaces calls of an operator; without it, a decorator.

    That of the highest level applies. Raises KC2404 for an unknown operator, KC2179 for two
    functions of one level.
    """
    return _register(op_name, "FTVMLegalize", legal_op, level)


def register_qnn_legalize(op_name: str, legal_op: Any = None, level: int = 10) -> Any:
    """:func:`register_legalize` for ``relay.qnn.transform.Legalize``."""
    return _register(op_name, "FTVMQnnLegalize", legal_op, level)


def _register(name: str, key: str, function: Any, level: int) -> Any:
    declaration_of(name)
    return register_op_attr(name, key, function, level)


class Registered(RewritePattern):
    """Replaces an operator by what the function of a user returns for it."""

    key: ClassVar[str] = "FTVMLegalize"

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        function: Callable[..., Any] | None = attribute_of(op.OPERATOR.name, self.key)
        if function is None:
            return
        params = [relay.Var(f"p{n}", from_ir(operand.type)) for n, operand in enumerate(op.inputs)]
        inputs: list[Any] = list(params)
        types = [param.type_annotation for param in params]
        if op.OPERATOR.takes_tuple:
            inputs = [relay.Tuple(inputs)]
            types = [from_ir(tuple_type([operand.type for operand in op.inputs]))]
        returned = function(op.operator, inputs, [*types, from_ir(op.result.type)])
        if returned is None:
            return
        block = _typed(params, relay.as_expr(returned), op).body.block
        last = block.last_op
        assert isinstance(last, ReturnOp)
        if last.value.type != op.result.type:
            raise GraphError(
                "KC2470",
                f"{self.key} of {op.OPERATOR.name}: the expression has another type",
                location=location_of(op),
                why=f"it is {last.value.type}, the call is {op.result.type}",
            )
        for argument, operand in zip(block.args, list(op.inputs), strict=True):
            argument.replace_all_uses_with(operand)
        value = last.value
        for each in list(block.ops):
            if each is not last:
                each.detach()
                rewriter.insert(each)
        rewriter.replace(op, [], [value])


def _typed(params: list[relay.Var], body: relay.Expr, op: OperatorOp) -> FuncOp:
    """The function of the parameters that a user's function returns, with its types."""
    functions = functions_of("main", relay.Function(params, body))
    module = ModuleOp(functions)
    infer_types(module)
    if len(functions) > 1 or not isinstance(functions[0], FuncOp):
        raise GraphError(
            "KC2470",
            f"{op.OPERATOR.name}: the expression that replaces it has functions in it",
            location=location_of(op),
            why="operators are replaced by operators",
        )
    return functions[0]


class RegisteredQnn(Registered):
    """The functions of ``FTVMQnnLegalize``."""

    key = "FTVMQnnLegalize"


class RegisteredCanonical(Registered):
    """The functions of ``FTVMQnnCanonicalize``, which come before kc's own forms."""

    key = "FTVMQnnCanonicalize"
