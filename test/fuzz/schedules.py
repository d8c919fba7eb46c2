"""Random schedules: steps on the loops of a function, legal ones and nonsense."""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from random import Random
from typing import Any

import kc
from kc import te
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import LoadOp, StoreOp
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.support.registry import current, pass_class
from kc.support.target import target_of
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Site

LOOPS = ("split", "fuse", "reorder", "tile", "parallel", "vectorize", "unroll")
"""Drawn more often: other primitives find more to do when loops were transformed."""

MAX_ITERATIONS = 2000
"""No more splits beyond: those that do not divide add iterations that a predicate skips."""


def steps(random: Random, mod: kc.IRModule, count: int) -> list[str]:
    """Apply up to ``count`` random steps to the only function of ``mod``; what was done, in words.

    A refusal has a code of schedules and leaves the text as it is; whatever is done verifies,
    keeps dominance, and reads back as it prints.
    """
    done: list[str] = []
    for _ in range(count):
        site = Site(loop_tree.functions(mod.op)[0], target_of(mod.op))
        step = _step(random, site)
        if step is None:
            break
        before = str(mod)
        text = _words(step)
        with diagnostic_handler(lambda _: None):
            try:
                step.apply(site)
            except KCError as refusal:
                assert re.fullmatch(r"KC3[0-7]\d\d", refusal.code), refusal.code
                assert len(refusal.render().splitlines()) <= 12
                assert str(mod) == before, f"{text} was refused but changed the module"
                continue
        done.append(text)
        mod.op.verify()
        check_dominance(mod.op)
    # The text is compared after one reading, as xDSL drops _0 from the names of values it reads.
    read = kc.IRModule.parse(str(mod))
    assert kc.IRModule.parse(str(read)).op.is_structurally_equivalent(read.op)
    return done


def _words(step: Primitive) -> str:
    options = ", ".join(f"{name}={_shown(value)}" for name, value in vars(step).items())
    return f"{step.name}({options})"


def _shown(value: Any) -> str:
    return "(" + ",".join(map(str, value)) + ")" if isinstance(value, tuple) else str(value)


def _step(random: Random, site: Site) -> Primitive | None:
    loops = loop_tree.loops(site.function)
    if not loops:
        return None
    pool = LOOPS if random.random() < 0.5 else tuple(current().primitives)
    cls: Any = pass_class(random.choice(pool))
    if cls.name in ("split", "tile") and _iterations(site) > MAX_ITERATIONS:
        cls = pass_class("reorder")
    if random.random() < (0.3 if cls.name in LOOPS else 0.7):
        candidates = list(cls.candidates(site))
        if candidates:
            return random.choice(candidates)
    if cls.name not in LOOPS:
        return _any(random, cls, site)
    refs = [LoopRef(one) for one in loops]
    # Mostly loops of one nest: then the primitive has something to do.
    nest = loop_tree.loops(site.outermost(random.choice(loops)))
    near = [LoopRef(one) for one in nest] if random.random() < 0.9 else refs
    if cls.name == "split":
        count = random.choice((2, 2, 2, 2, 3, 4, 1))
        factors: list[Any] = [_factor(random, site) for _ in range(count)]
        if random.random() < 0.85:
            factors[random.randrange(count)] = None
        names = ("x", "y")[:count] if random.random() < 0.1 else ()
        return cls(random.choice(near), factors, names)
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
        sides = random.choice(((2, 2), (3, 4), (4, 3), (16, 2), (0, 4), (2,)))
        return cls(tuple(near[at : at + 2]), sides)
    return cls(random.choice(near))


def _any(random: Random, cls: Any, site: Site) -> Primitive:
    """A primitive with options of the right types, and no more thought."""
    hints = typing.get_type_hints(cls)
    values = {
        one.name: _value(random, hints[one.name], site)
        for one in dataclasses.fields(cls)
        if one.default is dataclasses.MISSING or random.random() < 0.4
    }
    return cls(**values)


def _value(random: Random, hint: Any, site: Site) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return _value(random, random.choice(typing.get_args(hint)), site)
    if typing.get_origin(hint) is tuple:
        inner, *rest = typing.get_args(hint)
        if rest == [...]:
            return tuple(_value(random, inner, site) for _ in range(random.randrange(4)))
        return tuple(_value(random, one, site) for one in (inner, *rest))
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
        names = [loop_tree.buffer_name(one) for one in _buffers(site)]
        return BufferRef(random.choice([0, 0, 1, *names, "none"]))
    if hint is bool:
        return random.random() < 0.5
    if hint is int:
        return random.choice((0, 1, -1, 2, 3, 4))
    words = ["", "x", "global", "shared", "local", "1", "(i) -> (i)", "(i, j) -> (j, i)"]
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
    symbols = loop_tree_symbols(site)
    if symbols and random.random() < 0.15:
        return random.choice(symbols)
    if random.random() < 0.05:
        return random.choice((0, -1, 2**63))
    return random.choice((1, 2, 2, 3, 3, 4, 5, 8))


def _iterations(site: Site) -> int:
    """About how many iterations the largest nest has."""
    most = 0
    for loop in loop_tree.loops(site.function):
        path = [*loop_tree.loops_around(loop), loop]
        extents = [4 if one.static_extent is None else one.static_extent for one in path]
        most = max(most, math.prod(extents))
    return most


def loop_tree_symbols(site: Site) -> list[str]:
    """The symbolic sizes of the function."""
    from kc.dialects.tir import symbol_names

    return symbol_names(site.function)


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
