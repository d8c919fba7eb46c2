"""``relay.dataflow_pattern``: parts of expressions described by patterns, found and rewritten.

::

    conv = is_op("nn.conv2d")(wildcard(), is_constant())
    pattern = conv.optional(lambda x: is_op("nn.relu")(x))
    pattern.match(expr)
    pattern.partition(expr)  # each match becomes a function

Patterns speak of expressions, not of operations of the IR: users write them in Relay's words, a
callback gets and returns expressions, and ``mod["main"]`` and ``IRModule.from_expr`` are the ways
from IR and back. xDSL's PDL describes single operations with their operands; it has no alternative,
no optional part, no path of any length, and no operand that several matches share, which are most
of what these patterns are used for. A pass on IR that needs them reads its functions as expressions
(:mod:`kc.tvm.relay.from_graph`).

After TVM 0.9's module of this name: patterns are in :mod:`.patterns`, what they match in
:mod:`.matching`, groups of expressions that may become a function in :mod:`.groups`, and what is
made of these in :mod:`.rewriting`.
"""

from kc.tvm.relay.dataflow_pattern.patterns import (
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    wildcard,
)
from kc.tvm.relay.dataflow_pattern.rewriting import DFPatternCallback, match, partition, rewrite

__all__ = [
    "AltPattern",
    "AttrPattern",
    "CallPattern",
    "ConstantPattern",
    "DFPattern",
    "DFPatternCallback",
    "DataTypePattern",
    "DominatorPattern",
    "ExprPattern",
    "FunctionPattern",
    "IfPattern",
    "LetPattern",
    "ShapePattern",
    "TupleGetItemPattern",
    "TuplePattern",
    "TypePattern",
    "VarPattern",
    "WildcardPattern",
    "dominates",
    "has_attr",
    "has_dtype",
    "has_shape",
    "has_type",
    "is_constant",
    "is_expr",
    "is_if",
    "is_let",
    "is_op",
    "is_tuple",
    "is_tuple_get_item",
    "is_var",
    "match",
    "partition",
    "rewrite",
    "wildcard",
]
