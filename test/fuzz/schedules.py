"""Random schedules: calls on ``kc.tir.Schedule``, legal ones and nonsense, as lines of Python."""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Sequence
from random import Random
from typing import Any
from weakref import WeakKeyDictionary

from xdsl.ir import Operation, SSAValue

import kc
from kc import te, tir
from kc.analysis import loop_tree
from kc.dialects.tir import ForOp, LoadOp, StoreOp, symbol_names
from kc.support.declarations import parameters
from kc.support.diagnostics import KCError, ScheduleError, diagnostic_handler
from kc.support.registry import current, pass_class
from kc.transforms.intrinsics.tile_names import SCOPE as TILES
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Site
from kc.transforms.trace.python_form import value_text
from kc.transforms.trace.values import recorded

LOOPS = ("split", "fuse", "reorder", "tile", "parallel", "vectorize", "unroll")
"""Drawn more often: other primitives find more to do when loops were transformed."""

THREADS = ("bind", "bind", "split", "compute-at", "cache-read", "cache-write", "set-scope")
"""Drawn more often when the schedule is one for a GPU."""

RARE = (
    "rolling-buffer",
    "rolling-buffer",
    "set-store-predicate",
    "fuse-reduction-epilogue",
    "double-buffer",
    "reverse-compute-inline",
    "decompose-padding",
    "unannotate",
)
"""Drawn more often, as few programs have something for them."""

MAX_ITERATIONS = 2000
"""No more splits beyond: those that do not divide add iterations that a predicate skips."""

CHOICES = 3
"""The number of primitives asked for a candidate before one is called without a candidate."""

MAX_LEGAL = 12
"""The number of candidates of a primitive tried until a legal one is found."""


_STATES: WeakKeyDictionary[tir.Schedule, list[Any]] = WeakKeyDictionary()
"""The modules of schedules as their last call left them, where that is known."""


def draw(
    random: Random, sch: tir.Schedule, *, threads: bool, favourites: Sequence[str] = ()
) -> str | None:
    """A random call as a line of Python, or None where nothing is left to schedule.

    ``favourites`` are primitives to draw more often than others.
    """
    site = sch.session.site(loop_tree.kernels(sch.module)[0])
    step = _step(random, site, threads, favourites)
    return None if step is None else line_of(step)


def draw_legal(random: Random, sch: tir.Schedule, name: str) -> str | None:
    """A call of the primitive ``name`` that is legal, if one is found; None where it has no
    candidates."""
    site = sch.session.site(loop_tree.kernels(sch.module)[0])
    step = _candidate(random, pass_class(name), site, careless=0.0)
    return None if step is None else line_of(step)


def primitive_of(line: str) -> str:
    """The primitive that a line calls; the flag of the pass that it applies."""
    applied = re.match(r'mod = after\(mod, r"([\w-]+)', line)
    return f"--{applied[1]}" if applied is not None else line.split(".")[1].split("(")[0]


def perform(sch: tir.Schedule, line: str) -> bool:
    """Run the call ``line``. True if it is accepted.

    A refusal has a code of schedules, is short, and leaves the module unchanged. The primitive
    verified
    its result; this function checks that removed operations use no values.
    """
    before = _STATES.get(sch)
    if before is None:
        before = _STATES[sch] = state_of(sch.module)
    with diagnostic_handler(lambda _: None):
        try:
            exec(line, {"sch": sch})
        except KCError as refusal:
            assert re.fullmatch(r"KC3[0-7]\d\d", refusal.code), refusal.code
            assert len(refusal.render().splitlines()) <= 12, refusal.render()
            assert state_of(sch.module) == before, "refused, but changed the module"
            return False
    del _STATES[sch]
    check_uses(sch.module)
    return True


def forget_state(sch: tir.Schedule) -> None:
    """Read the module anew at the next call: something else has changed it."""
    _STATES.pop(sch, None)


def state_of(module: Operation) -> list[Any]:
    """The contents of a module's text and locations, computed faster than the text.

    Two states are equal if the modules are equal: values are numbered in the order of their
    definition.
    """
    numbers: dict[SSAValue, int] = {}
    state: list[Any] = []

    def define(values: Sequence[SSAValue]) -> None:
        for value in values:
            numbers[value] = len(numbers)
            state.append((value.name_hint, value.type))

    def visit(op: Operation) -> None:
        operands = [numbers.get(value) for value in op.operands]
        state.append((op.name, operands, op.properties.copy(), op.attributes.copy(), op.location))
        define(op.results)
        for region in op.regions:
            state.append("region")
            for block in region.blocks:
                state.append("block")
                define(block.args)
                for inner in block.ops:
                    visit(inner)
            state.append("end")

    visit(module)
    return state


def check_uses(module: Operation) -> None:
    """Check that all users of a value are in the module: a removed op must not remain a use."""
    operations = list(loop_tree.preorder(module))
    inside = set(map(id, operations))
    for op in operations:
        arguments = [arg for region in op.regions for block in region.blocks for arg in block.args]
        for value in (*op.results, *arguments):
            for use in value.uses:
                assert id(use.operation) in inside, f"{use.operation.name} is gone, and a use"


def steps(random: Random, sch: tir.Schedule, count: int, *, threads: bool = False) -> list[str]:
    """Make up to ``count`` random calls; gives those that were accepted."""
    done: list[str] = []
    for _ in range(count):
        line = draw(random, sch, threads=threads)
        if line is None:
            break
        if perform(sch, line):
            done.append(line)
    return done


def check_text(mod: kc.IRModule) -> kc.IRModule:
    """Check that the printed module reads back the same; return the module that was read.

    A text that differs is compared after another reading: xDSL drops _0 from names that it reads.
    """
    text = str(mod)
    read = kc.IRModule.parse(text)
    printed = str(read)
    if printed != text:
        again = kc.IRModule.parse(printed)
        assert again.op.is_structurally_equivalent(read.op), "the text says something else"
    return read


# Calls as text -----------------------------------------------------------------------------


def line_of(step: Primitive) -> str:
    """The call of ``sch`` that performs ``step``; loops and blocks are looked up in it."""
    words: list[str] = []
    for parameter in parameters(type(step)):
        for slot in parameter.slots:
            value = getattr(step, slot.name)
            if (
                value is None
                and parameter.default is None
                or value is None
                and len(parameter.slots) > 1
            ):
                continue
            if parameter.variadic and value is not None:
                words += [_argument(it) for it in value]
            elif parameter.element is not None and value is not None:
                words.append(f"{parameter.name}={_argument(value[parameter.element])}")
            else:
                words.append(f"{parameter.name}={_argument(value)}")
            break
    return f"sch.{step.name.replace('-', '_')}({', '.join(words)})"


def _argument(value: Any) -> str:
    if isinstance(value, LoopRef | BlockRef):
        return _lookup(value)
    if isinstance(value, BufferRef) and value.side is not None:
        return repr((value.side, value.target))
    if isinstance(value, BufferRef):
        return repr(value.target if isinstance(value.target, int | str) else str(value))
    if isinstance(value, tuple | list):
        return f"[{', '.join(_argument(item) for item in value)}]"
    return value_text(recorded(value) if not hasattr(value, "map") else str(value), {})


def _lookup(ref: LoopRef | BlockRef) -> str:
    target = ref.target
    if not isinstance(target, ForOp):
        return repr(target if isinstance(target, str) else target.label)  # pyright: ignore[reportAttributeAccessIssue]
    inside = [
        block for block in loop_tree.blocks(target) if target in loop_tree.loops_around(block)
    ]
    if not inside:
        return f"sch.get_loop({target.label!r})"
    place = loop_tree.loops_around(inside[0]).index(target)
    return f"sch.get_loops({inside[0].label!r})[{place}]"


# Random calls ------------------------------------------------------------------------------


def _step(random: Random, site: Site, threads: bool, favourites: Sequence[str]) -> Primitive | None:
    loops = loop_tree.loops(site.function)
    if not loops:
        return None
    cls: Any = None
    for _ in range(CHOICES):
        cls = _primitive(random, site, threads, favourites)
        if random.random() < (0.3 if cls.name in LOOPS else 0.75):
            chosen = _candidate(random, cls, site)
            if chosen is not None:
                return chosen
            if cls.candidates.__func__ is not Primitive.candidates.__func__:
                continue  # there is nothing for it to do
        break
    if cls.name not in LOOPS:
        return _any(random, cls, site)
    refs = [LoopRef(loop) for loop in loops]
    # Mostly loops of one nest: then the primitive has something to do.
    nest = loop_tree.loops(site.outermost(random.choice(loops)))
    near = [LoopRef(loop) for loop in nest] if random.random() < 0.9 else refs
    if cls.name == "split":
        count = random.choice((2, 2, 2, 2, 3, 4, 1))
        factors: list[Any] = [_factor(random, site) for _ in range(count)]
        if random.random() < 0.85:
            factors[random.randrange(count)] = None
        names = ("x", "y")[:count] if random.random() < 0.1 else ()
        return cls(random.choice(near), factors, random.random() < 0.5, names=names)
    if cls.name == "fuse":
        at = random.randrange(len(near))
        chosen = near[at : at + random.choice((2, 2, 2, 3))]
        if random.random() < 0.1:
            chosen = random.choices(refs, k=random.randrange(4))
        return cls(tuple(chosen))
    if cls.name == "reorder":
        if random.random() < 0.1:
            return cls(tuple(random.choices(refs, k=random.randrange(4))))
        return cls(tuple(random.sample(near, random.randint(1, len(near)))))
    if cls.name == "tile":
        at = random.randrange(len(near))
        pair = (near[at : at + 2] * 2)[:2]
        return cls(tuple(pair), random.choice(((2, 2), (3, 4), (4, 3), (16, 2), (0, 4))))
    return cls(random.choice(near))


def _primitive(random: Random, site: Site, threads: bool, favourites: Sequence[str]) -> Any:
    """A primitive to call."""
    pool = LOOPS if random.random() < 0.45 else tuple(current().primitives)
    if favourites and random.random() < 0.4:
        pool = tuple(favourites)
    if random.random() < 0.06:
        pool = RARE
    if threads and random.random() < 0.5:
        pool = THREADS
    name = random.choice(pool)
    if name == "bind" and not threads:
        name = "split"  # what has threads is not run natively
    if name in ("split", "tile") and _iterations(site) > MAX_ITERATIONS:
        name = "reorder"
    return pass_class(name)


def _candidate(random: Random, cls: Any, site: Site, careless: float = 0.4) -> Primitive | None:
    """One of the choices that the primitive offers: a legal one, or any of them. Tile registers are
    none: builds refuse them (KC4256) unless all that uses the buffer is tensorized."""
    candidates = [step for step in cls.candidates(site) if getattr(step, "scope", "") != TILES]
    if not candidates:
        return None
    random.shuffle(candidates)
    if random.random() < careless:
        return candidates[0]
    with diagnostic_handler(lambda _: None):
        for candidate in candidates[:MAX_LEGAL]:
            try:
                candidate.plan(site)
            except ScheduleError:
                continue
            return candidate
    return candidates[0]


def _any(random: Random, cls: Any, site: Site) -> Primitive:
    """A primitive with options of the right types, and no more thought."""
    hints = typing.get_type_hints(cls)
    values = {
        field.name: _value(random, hints[field.name], site)
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING or random.random() < 0.4
    }
    for parameter in parameters(cls):
        if parameter.element is not None:  # a tuple of so many, each an argument of its own
            (slot,) = parameter.slots
            together = [it for it in parameters(cls) if it.slots == parameter.slots]
            element = typing.get_args(hints[slot.name])[0]
            values[slot.name] = tuple(_value(random, element, site) for _ in together)
            continue
        names = [slot.name for slot in parameter.slots]
        if len(names) > 1 and not any(name in values for name in names) and random.random() < 0.8:
            name = random.choice(names)
            values[name] = _value(random, hints[name], site)
    return cls(**values)


def _value(random: Random, hint: Any, site: Site) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return _value(random, random.choice(typing.get_args(hint)), site)
    if typing.get_origin(hint) is tuple:
        inner, *rest = typing.get_args(hint)
        if rest == [...]:
            return tuple(_value(random, inner, site) for _ in range(random.randrange(4)))
        return tuple(_value(random, member, site) for member in (inner, *rest))
    if typing.get_origin(hint) is typing.Literal:
        return random.choice(typing.get_args(hint))
    if hint is type(None):
        return None
    if hint is LoopRef:
        return LoopRef(random.choice(loop_tree.loops(site.function)))
    if hint is BlockRef:
        blocks = loop_tree.blocks(site.function)
        return BlockRef(random.choice(blocks) if blocks else "none")
    if hint is BufferRef:
        names = [loop_tree.buffer_name(buffer) for buffer in _buffers(site)]
        return BufferRef(random.choice([0, 0, 1, *names, "none"]))
    if hint is bool:
        return random.random() < 0.5
    if hint is int:
        return random.choice((0, 1, -1, 2, 3, 4))
    words = ["", "x", "global", "shared", "local", "1", "(i) -> (i)", "(i, j) -> (j, i)"]
    words += ["(i) -> (i floordiv 4, i mod 4)", "(i, j) -> (i * 8 + j)", "threadIdx.x"]
    for word in random.sample(words, len(words)):
        if hint is str:
            return word
        try:
            return hint.from_option(word)
        except (ValueError, KCError):
            continue
    raise AssertionError(f"no value of {hint}")


def _buffers(site: Site) -> list[Any]:
    buffers = [op.buffer for op in site.function.walk() if isinstance(op, LoadOp | StoreOp)]
    return list(dict.fromkeys(buffers))


def _factor(random: Random, site: Site) -> int | str:
    symbols = symbol_names(site.function)
    if symbols and random.random() < 0.15:
        return random.choice(symbols)
    if random.random() < 0.05:
        return random.choice((0, -1, 2**40, 2**63))
    return random.choice((1, 2, 2, 3, 3, 4, 5, 8))


def _iterations(site: Site) -> int:
    """About how many iterations the largest nest has."""
    most = 0
    for loop in loop_tree.loops(site.function):
        path = [*loop_tree.loops_around(loop), loop]
        extents = [4 if loop.static_extent is None else loop.static_extent for loop in path]
        most = max(most, math.prod(extents))
    return most


def record(random: Random, schedule: te.Schedule, count: int) -> None:
    """Record up to ``count`` random calls in a TE schedule, legal ones and nonsense."""
    stages = [stage for stage in schedule.stages if stage.leaf_iter_vars]
    for _ in range(count if stages else 0):
        stage = random.choice(stages)
        leaves = list(stage.leaf_iter_vars)
        axis = random.choice(leaves)
        size = random.choice((1, 2, 3, 4, 5, 8, 0))
        calls = (
            lambda: stage.split(axis, factor=size),
            lambda: stage.split(axis, nparts=size),
            lambda: stage.fuse(*random.choices(leaves, k=2)),
            lambda: stage.reorder(*random.sample(leaves, random.randint(0, len(leaves)))),
            lambda: stage.tile(random.choice(leaves), random.choice(leaves), 2, 3),
            lambda: stage.parallel(axis),
            lambda: stage.vectorize(axis),
            lambda: stage.unroll(axis),
        )
        before = (len(stage.records), list(stage.leaf_iter_vars))
        chosen = random.randrange(len(calls))
        try:
            calls[chosen]()
        except KCError as refusal:
            assert re.fullmatch(r"KC31\d\d", refusal.code), refusal.code
            if chosen != 4:  # tile records its splits before its second one is refused
                assert (len(stage.records), list(stage.leaf_iter_vars)) == before
