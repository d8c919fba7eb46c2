"""Loops of long functions become functions of their own.

::

    (in @f)     scf.for %i = ... { ... %A ... %s ... }

becomes, where ``@f`` has many such loops,

::

    (in @f)     call @f_loop_0(%A, %s)
    internal    @f_loop_0(%A, %s)       for i = ... { ... }

LLVM's passes take more than twice as long for a function of twice the length: each of 80 products
in one function takes six times as long to optimize as each of 10. The functions are ``noinline``,
and their parameters have ``noalias`` where the values that are passed do
(:mod:`kc.conversion.convert_to_llvm.aliasing`). A buffer on the stack that only one of the loops
uses is one of its function, so that LLVM can keep it in registers.

A loop stays where its results are used, and where an operation in it is none of :data:`DIALECTS`: a
barrier ends a part of a kernel, and a call may be one. It stays while tile registers are
configured, too: no function keeps them for its caller.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern, Nested
from kc.conversion.convert_to_llvm.memref import lower_alloca
from kc.conversion.convert_to_llvm.scf import LowerFor
from kc.conversion.convert_to_llvm.signatures import Signature
from kc.dialects import llvm

DIALECTS = frozenset({"arith", "math", "memref", "scf", "vector"})
CONFIGURE_TILES, RELEASE_TILES = "llvm.x86.ldtilecfg", "llvm.x86.tilerelease"
_CONFIGURING = (CONFIGURE_TILES, RELEASE_TILES)
MIN_LOOPS = 8
"""The number of loops from which on the loops of a function become functions."""


def separate_loops(func: FuncOp) -> Mapping[Operation, Sequence[memref.AllocaOp]]:
    """The top-level loops of ``func`` that become functions, each with the stack buffers that only
    it uses; empty unless ``func`` is long.
    """
    body = func.body.first_block
    if body is None or body.next_block is not None:
        return {}
    candidates: list[scf.ForOp] = []
    is_configured = False
    for op in body.ops:
        if isinstance(op, llvm.CallIntrinsicOp) and op.intrin.data in _CONFIGURING:
            is_configured = op.intrin.data == CONFIGURE_TILES
        elif isinstance(op, scf.ForOp) and not op.results and not is_configured:
            candidates.append(op)
    if len(candidates) < MIN_LOOPS:
        return {}
    loops: dict[Operation, list[memref.AllocaOp]] = {
        loop: [] for loop in candidates if _is_plain(loop)
    }
    for op in body.ops:
        if isinstance(op, memref.AllocaOp):
            users = {body.find_ancestor_op_in_block(use.operation) for use in op.memref.uses}
            user = users.pop() if len(users) == 1 else None
            if user is not None and user in loops:
                loops[user].append(op)
    return loops


def _is_plain(loop: scf.ForOp) -> bool:
    return all(op.name.partition(".")[0] in DIALECTS for op in loop.walk())


class LowerSeparateLoop(LlvmPattern):
    """A call of the function that a separate loop becomes; see :mod:`.long_functions`.

    ::

        scf.for %i = %l to %u step %s { ... }    ->    llvm.call @f_loop_0(%A)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        own = s.separate_loops.get(op)
        if own is None:
            return
        name = s.module.fresh_name(f"{s.name}_loop")
        inner = FunctionLowering(s.module, s.patterns, name, op, parent=s)
        body = inner.run(_body(inner, op, own))
        signature = Signature.of(inner.captured_parameters())
        properties: dict[str, Attribute] = {"no_inline": UnitAttr()}
        s.module.add_function(name, signature, body, op, internal=True, properties=properties)
        s.insert(llvm.CallOp(name, *inner.captures))


def _body(
    s: FunctionLowering, loop: scf.ForOp, buffers: Sequence[memref.AllocaOp]
) -> Generator[Nested, None, None]:
    for buffer in buffers:
        lower_alloca(s, buffer)
    yield LowerFor(s).blocks(loop)
    s.insert(llvm.ReturnOp())


class LowerSeparateBuffer(LlvmPattern):
    """Remove a buffer that the function of its only loop allocates."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.AllocaOp, rewriter: PatternRewriter, /) -> None:
        if any(op in own for own in self.conversion.separate_loops.values()):
            rewriter.has_done_action = True


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerSeparateLoop,
    LowerSeparateBuffer,
)
