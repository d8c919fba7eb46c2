"""rfactor: equal results on random reductions, by the interpreter and natively."""

from __future__ import annotations

from random import Random

from random_programs import (
    site_of,
)
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef, Primitive


def rfactor(module: ModuleOp, random: Random) -> Primitive:
    loops = [str(one.loop.target) for one in pass_class("rfactor").candidates(site_of(module))]
    chosen = list(pass_class("rfactor").candidates(site_of(module)))
    if not chosen or random.random() < 0.1:
        loop = LoopRef(random.choice(loop_tree.loops(module)))
    else:
        assert len(loops) == len(chosen)
        loop = random.choice(chosen).loop
    return pass_class("rfactor")(loop, random.randint(-3, 2))
