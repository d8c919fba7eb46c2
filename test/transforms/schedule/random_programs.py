"""Random tensor programs and schedules: what the tests of the schedule primitives share.

Elements are i32, so that results are equal exactly however sums are ordered.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

import numpy as np
from guarded_arrays import all_guarded, checked_build
from property_tests import is_in_slice, is_sweep
from xdsl.context import Context
from xdsl.dialects import builtin, func, math, memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineExpr
from xdsl.printer import Printer
from xdsl.rewriter import InsertPoint, Rewriter

import kc
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.analysis.module_copy import copy_module
from kc.dialects.arith import ARITH
from kc.dialects.te import TE
from kc.dialects.tir import TIR, ApplyOp, BlockOp, ForOp, LoadOp, SymbolOp
from kc.support.diagnostics import ScheduleError, diagnostic_handler
from kc.support.locations import LocationParser
from kc.support.registry import pass_class
from kc.support.target import target_of
from kc.transforms.schedule.base import LoopRef, Primitive, Rewritten, Site

SIZES = {"n": 5, "m": 3}
"""The symbolic sizes when a program runs."""

Dim = int | str


@cache
def _dialects() -> Context:
    context = Context()
    for dialect in (ARITH, builtin.Builtin, func.Func, math.Math, memref.MemRef, scf.Scf, TE, TIR):
        context.load_dialect(dialect)
    return context


def parse(text: str) -> ModuleOp:
    """The verified module ``text``, located in a file called k.mlir."""
    module = LocationParser(_dialects(), text, "k.mlir").parse_module()
    module.verify()
    return module


def text_of(module: ModuleOp) -> str:
    """The module as text."""
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


def site_of(module: ModuleOp) -> Site:
    """The site of the only function."""
    return Site(loop_tree.functions(module)[0], target_of(module))


def lowered(text: str) -> ModuleOp:
    """A te module as loops."""
    module = parse(text)
    pass_class("convert-te-to-tir")().apply(None, module)
    return module


@dataclass
class Program:
    """A te function under construction."""

    random: Random
    symbolic: bool = False
    inputs: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    tensors: list[tuple[str, tuple[Dim, ...]]] = field(default_factory=list)
    unused: set[str] = field(default_factory=set)

    def text(self, computes: int) -> str:
        """A function of so many computes, all of which are used."""
        if self.symbolic:
            sizes = tuple(SIZES)  # the symbolic sizes must follow from some argument
            self.inputs.append(f"%S: {tensor(sizes)}{shape_attr(sizes)}")
            self.tensors.append(("S", sizes))
        for n in range(self.random.randint(1, 2)):
            shape = tuple(self._dim() for _ in range(self.random.choice((1, 2, 2))))
            self.inputs.append(f"%I{n}: {tensor(shape)}{shape_attr(shape)}")
            self.tensors.append((f"I{n}", shape))
        for n in range(computes):
            self._compute(f"T{n}")
        results = [tensor for tensor in self.tensors if tensor[0] in self.unused]
        names = ", ".join(f"%{name}" for name, _ in results)
        types = ", ".join(tensor(shape) for _, shape in results)
        symbols = "".join(f'  %{symbol} = te.symbol "{symbol}"\n' for symbol in SIZES)
        return (
            f"te.func @f({', '.join(self.inputs)}) -> ({types}) "
            'attributes {kc.symbols = ["n", "m"]} {\n'
            + (symbols if self.symbolic else "")
            + "".join(self.body)
            + f"  te.return {names} : {types}\n}}\n"
        )

    def _dim(self) -> Dim:
        if self.symbolic and self.random.random() < 0.4:
            return self.random.choice(tuple(SIZES))
        return self.random.randint(1, 6)

    def _pick(self, rank: int | None = None) -> tuple[str, tuple[Dim, ...]]:
        """A tensor, mostly a recent one."""
        candidates = [tensor for tensor in self.tensors if rank is None or len(tensor[1]) == rank]
        if not candidates:
            return self._pick()
        chosen = candidates[-1] if self.random.random() < 0.6 else self.random.choice(candidates)
        self.unused.discard(chosen[0])
        return chosen

    def _compute(self, name: str) -> None:
        source, shape = self._pick()
        kinds = ["pointwise", "pointwise", "stencil", "stencil", "reverse", "stride", "reduce"]
        kinds += ["transpose", "outer", "matmul"] if len(shape) == 2 else ["outer"]
        kind = self.random.choice(kinds)
        axes = "ij"[: len(shape)]
        index = [f"%{axis}" for axis in axes]
        reads: list[tuple[str, tuple[Dim, ...], list[str]]] = [(source, shape, index)]
        out, reduce = shape, ""
        if kind == "pointwise":
            same = [tensor for tensor in self.tensors if tensor[1] == shape]
            addend = self.random.choice(same)
            self.unused.discard(addend[0])
            reads.append((*addend, index))
        elif kind in ("stencil", "reverse", "stride"):
            dim = self.random.randrange(len(shape))
            size = shape[dim]
            if isinstance(size, int):
                if kind == "stencil":
                    reach = self.random.randint(0, min(size - 1, 2))
                    out = (*shape[:dim], size - reach, *shape[dim + 1 :])
                    moved = index.copy()
                    moved[dim] += f" + {reach}"
                    reads.append((source, shape, moved))
                elif kind == "reverse":
                    reads[0] = (source, shape, index.copy())
                    reads[0][2][dim] = f"{size - 1} - {index[dim]}"
                else:
                    out = (*shape[:dim], (size + 1) // 2, *shape[dim + 1 :])
                    reads[0] = (source, shape, index.copy())
                    reads[0][2][dim] += " * 2"
        elif kind == "reduce":
            # The last dimension is summed up; of a vector, all of it into one element.
            last = shape[-1]
            out = shape[:-1] or (1,)
            axes = "ij"[: len(out)]
            reads = [(source, shape, [*(f"%{axis}" for axis in "ij"[: len(shape) - 1]), "%k"])]
            reduce = f" reduce {self.random.choice(('sum', 'max'))} [%k = {_size(last)}]"
        elif kind == "transpose":
            out = (shape[1], shape[0])
            reads = [(source, shape, ["%j", "%i"])]
        elif kind == "outer":
            vector, length = self._pick(1)
            if len(length) == 1:
                out = (shape[0], length[0])
                axes = "ij"
                first = ["%i"] if len(shape) == 1 else ["%i", "0"]
                reads = [(source, shape, first), (vector, length, ["%j"])]
        elif kind == "matmul":
            addend, second = self._pick(2)
            if len(second) == 2 and second[0] == shape[1]:
                out = (shape[0], second[1])
                reads = [(source, shape, ["%i", "%k"]), (addend, second, ["%k", "%j"])]
                reduce = f" reduce sum [%k = {_size(shape[1])}]"
        bounds = ", ".join(f"%{axis} = {_size(dim)}" for axis, dim in zip(axes, out, strict=True))
        lines = [f'  %{name} = te.compute "{name}" [{bounds}]{reduce} {{\n']
        for n, (operand, its, at) in enumerate(reads):
            lines.append(f"    %r{n} = te.read %{operand}[{', '.join(at)}] : {tensor(its)}\n")
        lines.append(f"    %c = arith.constant {self.random.randint(2, 9)} : i32\n")
        lines.append("    %x0 = arith.muli %r0, %c : i32\n")
        for n in range(1, len(reads)):
            lines.append(f"    %x{n} = arith.addi %x{n - 1}, %r{n} : i32\n")
        lines.append(f"    te.yield %x{len(reads) - 1} : i32\n  }} : {tensor(out)}\n")
        self.body.append("".join(lines))
        self.tensors.append((name, out))
        self.unused.add(name)


def _size(dim: Dim) -> str:
    return f"%{dim}" if isinstance(dim, str) else str(dim)


def tensor(shape: tuple[Dim, ...]) -> str:
    """The type of a tensor."""
    return (
        "tensor<" + "".join(f"{'?' if isinstance(size, str) else size}x" for size in shape) + "i32>"
    )


def shape_attr(shape: tuple[Dim, ...]) -> str:
    """The attribute that names the symbolic sizes of an argument."""
    if all(isinstance(size, int) for size in shape):
        return ""
    return f" {{kc.shape = affine_map<()[n, m] -> ({', '.join(map(str, shape))})>}}"


def random_program(random: Random, computes: int = 4, symbolic: bool = False) -> ModuleOp:
    """A random program of up to ``computes`` computes, as loops."""
    count = random.randint(2, computes)
    module = lowered(Program(random, symbolic).text(count))
    draw = Random()
    draw.setstate(random.getstate())
    if draw.random() < 0.5:
        compute_sizes_inside(module, draw)
    return module


def compute_sizes_inside(module: ModuleOp, random: Random) -> None:
    """Compute some symbolic sizes where they are used, as what moved into loops has them."""
    for op in list(loop_tree.preorder(module)):
        if not isinstance(op, ForOp | BlockOp | LoadOp):
            continue
        for n, operand in enumerate(op.operands):
            is_size = isinstance(operand.owner, SymbolOp | ApplyOp) and (
                not isinstance(op, BlockOp) or n < len(op.dynamic_extents)
            )
            if is_size and random.random() < 0.5:
                again = ApplyOp(AffineExpr.dimension(0), [operand])
                Rewriter.insert_op(again, InsertPoint.before(op))
                op.operands[n] = again.result
    module.verify()
    check_dominance(module)


def random_splits(module: ModuleOp, random: Random, count: int) -> None:
    """Up to ``count`` random splits, fusions and exchanges."""
    site = site_of(module)
    for _ in range(count):
        loop = random.choice(loop_tree.loops(site.function))
        child = loop_tree.only_child(loop)
        kind = random.choice(("split", "fuse", "reorder"))
        if kind == "split":
            step = pass_class("split")(LoopRef(loop), (None, random.randint(1, 4)))
        elif isinstance(child, ForOp):
            pair = (LoopRef(loop), LoopRef(child))
            step = pass_class(kind)(pair if kind == "fuse" else pair[::-1])
        else:
            continue
        try_step(module, step)


def try_step(module: ModuleOp, step: Primitive) -> Rewritten | None:
    """Apply ``step``, whose result must verify, or check that its refusal changes nothing."""
    before = copy_module(module)
    with diagnostic_handler(lambda _: None):
        try:
            done = step.apply(site_of(module))
        except ScheduleError:
            assert module.is_structurally_equivalent(before), text_of(module)
            return None
    module.verify()
    check_dominance(module)
    return done


def assert_both_happen(outcomes: Iterable[bool], done: int, refused: int = 0) -> None:
    """Check that enough random steps are done and enough are refused, a third as many outside of
    sweeps; draws no more steps than necessary.
    """
    if not is_sweep():
        done, refused = -(-done // 3), -(-refused // 3)
    counts = {True: 0, False: 0}
    for outcome in outcomes:
        counts[outcome] += 1
        if counts[True] >= done and counts[False] >= refused:
            return
    raise AssertionError(f"{counts[True]} are done, and {counts[False]} are not")


def arguments(
    module: ModuleOp, random: Random, sizes: Mapping[str, int] | None = None
) -> list[Any]:
    """Random arrays for the arguments of the only function; results are zero.

    ``sizes`` are the symbolic ones, in the order of :data:`SIZES`, which they are by default.
    """
    function = loop_tree.functions(module)[0]
    assert function.arg_attrs is not None
    generator = np.random.default_rng(random.randrange(2**32))
    args: list[Any] = []
    for type_, attrs in zip(function.function_type.inputs, function.arg_attrs, strict=True):
        assert isinstance(type_, builtin.MemRefType)
        shape = list(type_.get_shape())
        given = attrs.data.get("kc.shape")
        if isinstance(given, builtin.AffineMapAttr):
            shape = given.data.eval([], list((sizes or SIZES).values()))
        assert isinstance(role := attrs.data["kc.role"], builtin.StringAttr)
        if role.data == "in":
            args.append(generator.integers(-9, 9, shape).astype(np.int32))
        else:
            args.append(np.zeros(shape, np.int32))
    return args


def results(module: ModuleOp, args: list[Any]) -> list[Any]:
    """The arguments after a call of the only function."""
    copies = [arg.copy() for arg in args]
    run(module, "f", copies)
    return copies


def native_results(module: ModuleOp, args: list[Any]) -> list[Any]:
    """The arguments after a call of the only function, compiled.

    It is called on arrays that end where memory ends; one in three, and all in a sweep, is called
    with bound checks first.
    """
    if is_in_slice(text_of(module), 3):
        checked_build(module)["f"](*(arg.copy() for arg in args))
    copies = all_guarded(args, "end")
    kc.build(module)["f"](*copies)
    return copies


def assert_same(before: list[Any], after: list[Any], module: ModuleOp) -> None:
    """Check that two calls gave the same arrays."""
    for old, new in zip(before, after, strict=True):
        assert np.array_equal(old, new), text_of(module)
