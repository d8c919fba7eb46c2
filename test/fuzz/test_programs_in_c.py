"""The C target on random programs: the C compiler has no warning, and the results are numpy's."""

from random import Random

import pytest
from c_code import CC, run_in_c
from hypothesis import given
from hypothesis import strategies as st
from layouts import Layouts
from programs import draw
from property_tests import examples
from schedules import steps

from kc import tir


@pytest.mark.skipif(not CC, reason="there is no C compiler")
@examples(25)
@given(st.integers(0, 2**32 - 1))
def test_random_programs(seed):
    random = Random(seed)
    program = draw(random)
    sch = tir.Schedule(program.module)
    layouts = Layouts(sch, program.symbols)
    with layouts.watching():
        steps(random, sch, random.randint(0, 6))
    arrays = program.arrays()
    changed = layouts.to_scheduled(arrays)
    run_in_c(sch.mod, changed)
    program.check(layouts.from_scheduled(changed, arrays))
