"""``fuse-ops`` from level 3 on: groups that are joined by their cost, and why others stay apart."""

import numpy as np
import pytest
from random_graphs import random_arguments, random_graph
from test_fuse_ops import applied, canonical, flat, function_of, groups_of, module_of

import kc
from kc import relay
from kc.building.graphs import joined_groups, kernels
from kc.graph.interpreter import Interpreter
from kc.support.target import Target
from kc.transform import PassContext

TARGET = Target("llvm -mcpu=znver4 -num-cores=1")
"""A machine with 1 MiB of L2: what is decided does not depend on the one that runs the tests."""


def var(name, *sizes):
    return relay.var(name, shape=sizes)


def number(value):
    return relay.const(np.float32(value))


def product(x, outputs, inputs, name="w"):
    return relay.nn.dense(x, var(name, outputs, inputs))


def attention(length=1024, heads=12):
    q, k, v = (var(name, heads, length, 64) for name in "qkv")
    scores = relay.nn.batch_matmul(q, k) * number(0.125)
    return relay.nn.batch_matmul(relay.nn.softmax(scores), v, transpose_b=False)


def norm(x, size):
    mean = relay.mean(x, axis=[1], keepdims=True)
    variance = relay.variance(x, axis=[1], keepdims=True)
    return (x - mean) * relay.rsqrt(variance + number(1e-5)) * var("g", size)


def norm_of_rows():
    return norm(var("x", 16384, 768), 768)


def product_and_norm():
    return norm(product(var("x", 128, 64), 768, 64) + var("y", 128, 768), 768)


def head_and_softmax():
    return relay.nn.softmax(var("x", 512, 768) + var("y", 512, 768))


def softmax_by_its_parts():
    x = var("x", 512, 1024)
    powers = relay.exp(x - relay.max(x, axis=[1], keepdims=True))
    return powers / relay.sum(powers, axis=[1], keepdims=True)


def squeeze_and_excite():
    x = var("x", 1, 64, 112, 112)
    return x * relay.sigmoid(relay.mean(x, axis=[2, 3], keepdims=True))


def shared_by_two():
    """Neither way alone may take the sum along: they meet in the softmax."""
    y = var("x", 8192, 768) + var("y", 8192, 768)
    return relay.nn.softmax(relay.nn.softmax(y) + y)


JOINED = {
    attention: ["nn.batch_matmul multiply nn.softmax nn.batch_matmul"],
    norm_of_rows: ["mean subtract variance add rsqrt multiply multiply"],
    product_and_norm: ["nn.dense add mean subtract variance add rsqrt multiply multiply"],
    head_and_softmax: ["add nn.softmax"],
    softmax_by_its_parts: ["max subtract exp sum divide"],
    squeeze_and_excite: ["mean sigmoid multiply"],
    shared_by_two: ["add nn.softmax add nn.softmax"],
}
"""Programs that the rules of Relay cut, and the groups that kc's schedules are better for."""


def convolutions():
    x = var("x", 1, 64, 28, 28)
    first = relay.nn.relu(relay.nn.conv2d(x, var("a", 64, 64, 1, 1)))
    return relay.nn.conv2d(first, var("b", 64, 64, 1, 1))


def small_between_products():
    """Rules that cut products into blocks of rows leave such products alone."""
    return product(product(var("x", 256, 512), 16, 512), 512, 16, "u")


def small_after_a_product():
    """What is between is moved in no time, compared with the product."""
    return relay.nn.softmax(product(var("x", 256, 4096), 16, 4096))


def larger_products():
    """Their schedules are the same apart and together."""
    x = relay.nn.relu(product(var("x", 16384, 32), 32, 32))
    return product(x, 32, 32, "u")


def three_products():
    x = relay.nn.relu(product(var("x", 4096, 64), 64, 64))
    return product(x, 64, 64, "a") + product(x, 64, 64, "b")


def returned_too():
    y = var("x", 512, 768) + var("y", 512, 768)
    return relay.Tuple([relay.nn.softmax(y), y])


def stopped():
    y = relay.annotation.stop_fusion(var("x", 512, 768) + var("y", 512, 768))
    return relay.nn.softmax(y)


def sorted_first():
    return relay.nn.softmax(relay.sort(var("x", 512, 768)))


def view():
    return relay.nn.softmax(relay.reshape(var("x", 512 * 768), (512, 768)))


APART = {
    convolutions: "with nn.conv2d: the loops of nn.conv2d are its own",
    small_between_products: "with nn.dense: 16 KiB between the products stay in the L2 cache",
    small_after_a_product: "at most, less than 1%",
    three_products: "with nn.dense, nn.dense: no more than two products share loops",
    larger_products: "less than 1% saved",
    returned_too: "tuple uses its value, and is not fused with anything",
    stopped: "annotation.stop_fusion uses its value, and is not fused with anything",
    sorted_first: "opaque: nothing is fused with it",
    view: "with nn.softmax: one of them is a view and moves nothing",
}
"""Programs whose groups stay as at level 2, and what is said of the first border."""


def module(program):
    result = program()
    return kc.IRModule.from_expr(relay.Function(relay.analysis.free_vars(result), result))


@pytest.mark.parametrize("program", JOINED, ids=lambda program: program.__name__)
def test_groups_are_joined_where_it_pays(program):
    with TARGET:
        mod = applied(module(program), "fuse-ops", fuse_opt_level=3)
        report = kc.graph.fuse_report(module(program), level=3)
    assert groups_of(mod) == JOINED[program]
    assert len(groups_of(applied(module(program), "fuse-ops"))) > len(JOINED[program])
    assert "joined: " in report
    assert " cycles instead of " in report
    assert "need not cross memory" in report


@pytest.mark.parametrize("program", APART, ids=lambda program: program.__name__)
def test_groups_stay_apart_and_it_is_said_why(program):
    with TARGET:
        mod = applied(module(program), "fuse-ops", fuse_opt_level=4)
        report = kc.graph.fuse_report(module(program), level=4)
    assert groups_of(mod) == groups_of(applied(module(program), "fuse-ops"))
    assert APART[program] in report
    assert "joined" not in report


def test_the_numbers_of_a_border():
    """Two products of 34 MFLOP, and 2 MiB that are written and read between them."""
    with TARGET:
        report = kc.graph.fuse_report(module(larger_products), level=3)
    (line,) = [line for line in report.splitlines() if ": with nn.dense" in line]
    cycles = [float(part.split()[-2]) for part in line.split(" cycles")[:2]]
    (joint, apart), unit = cycles, line.split(" cycles")[0].split()[-1]
    scale = {"k": 1e3, "M": 1e6}[unit]
    assert joint > 0.99 * apart
    # A core of Zen 4 does 16 multiply-adds of f32 in a cycle, and rests in none of these.
    assert apart > 2 * 16384 * 32 * 32 / 16 / scale


def test_joined_groups_are_bounded():
    with TARGET:
        mod = applied(module(softmax_by_its_parts), "fuse-ops", fuse_opt_level=3, max_depth=4)
        report = kc.graph.fuse_report(module(softmax_by_its_parts), level=3, max_depth=4)
    assert max(len(group.split()) for group in groups_of(mod)) <= 4
    assert "the joint group would have 5 operators or more" in report


def test_without_default_schedules_the_rules_are_those_of_relay():
    with TARGET, PassContext(opt_level=3, disabled_pass=["auto-schedule"]):
        mod = applied(module(head_and_softmax), "fuse-ops")
    assert groups_of(mod) == ["add", "nn.softmax"]


def test_the_level_is_that_of_the_pass_context():
    for level, expected in ((0, 2), (2, 2), (3, 1)):
        with TARGET, PassContext(opt_level=level):
            assert len(groups_of(applied(module(head_and_softmax), "fuse-ops"))) == expected


def test_names_of_sizes_are_sizes():
    text = """
    graph.func @main(%x: ROWS, %y: ROWS) -> ROWS {
      %0 = graph.add(%x, %y) : (ROWS, ROWS) -> ROWS
      %1 = graph.nn.softmax(%0) : (ROWS) -> ROWS
      graph.return %1 : ROWS
    }
    """.replace("ROWS", 'tensor<?x768xf32, #graph.dims<"n", 768>>')
    with TARGET:
        mod = applied(kc.IRModule.parse(text), "fuse-ops", fuse_opt_level=3)
        unknown = text.replace(', #graph.dims<"n", 768>', "")
        apart = applied(kc.IRModule.parse(unknown), "fuse-ops", fuse_opt_level=3)
    assert groups_of(mod) == ["add nn.softmax"]
    assert groups_of(apart) == ["add", "nn.softmax"]


def test_estimates_are_kept_in_the_compile_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("KC_CACHE_DIR", str(tmp_path / "cache"))
    with TARGET:
        monkeypatch.setattr(joined_groups, "_costs", {})
        first = applied(module(head_and_softmax), "fuse-ops", fuse_opt_level=3)
        assert len(joined_groups._costs) == 3

        def refuse(*_):
            raise AssertionError("scheduled again")

        monkeypatch.setattr(joined_groups, "scheduled_group", refuse)
        monkeypatch.setattr(joined_groups, "_costs", {})
        if not list((tmp_path / "cache").glob("*")):
            pytest.skip("a source file is younger than this process")
        again = applied(module(head_and_softmax), "fuse-ops", fuse_opt_level=3)
    assert str(first) == str(again)


def test_what_was_scheduled_is_not_scheduled_again(monkeypatch):
    x, y = (np.ones((512, 768), np.float32) for _ in range(2))
    calls = []
    lowered = kernels._lowered_group

    def counted(group, target):
        calls.append(group)
        return lowered(group, target)

    monkeypatch.setattr(kernels, "_lowered_group", counted)
    monkeypatch.setattr(kernels, "_schedules", {})
    monkeypatch.setattr(joined_groups, "_costs", {})
    monkeypatch.delenv("KC_CACHE_DIR", raising=False)
    f = kc.graph.build(module(head_and_softmax))
    assert [kernel.operators for kernel in f.kernels.values()] == [("add", "nn.softmax")]
    assert len(calls) == 3  # the sum, the softmax, and both together
    np.testing.assert_allclose(f(x, y), np.full((512, 768), 1 / 768), rtol=1e-6)


def kernel_count(build, **options):
    return len(build(module(head_and_softmax), **options).kernels)


def test_levels_of_builds():
    """kc.graph.build has level 4, relay.build has 2, a pass context its own."""
    assert kernel_count(kc.graph.build) == 1
    assert kernel_count(relay.build) == 2
    with PassContext(opt_level=2):
        assert kernel_count(kc.graph.build) == 2
    with PassContext(opt_level=3):
        assert kernel_count(relay.build) == 1


def test_builds_have_no_fast_math_unless_it_is_asked_for():
    mod = kc.IRModule.from_expr(relay.Function([x := var("x", 4, 8)], relay.exp(x)))
    assert "graph.exp(" in kc.graph.build(mod).get_source("graph")
    with PassContext(opt_level=4):
        assert "graph.fast_exp(" in kc.graph.build(mod).get_source("graph")


@pytest.fixture
def joins_all(monkeypatch):
    """All groups that may be joined are, whatever they cost."""
    verdict = joined_groups.Verdict(True, "by a test")
    monkeypatch.setattr(joined_groups._Block, "_judged", lambda *_: verdict)


@pytest.mark.parametrize("seed", range(24))
def test_joined_groups_are_defused_to_what_was_there(seed, joins_all):
    before = canonical(function_of(module_of(seed)).body.block)
    mod = applied(module_of(seed), "fuse-ops", fuse_opt_level=3)
    mod.op.verify()
    assert len(groups_of(mod)) <= len(groups_of(applied(module_of(seed), "fuse-ops")))
    applied(mod, "defuse-ops")
    assert list(Interpreter(mod).functions) == ["main"]
    assert canonical(function_of(mod).body.block) == before


def test_groups_of_random_graphs_are_joined(joins_all):
    counts = [
        [len(groups_of(applied(module_of(seed), "fuse-ops", fuse_opt_level=n))) for n in (2, 3)]
        for seed in range(16)
    ]
    assert sum(joint < apart for apart, joint in counts) > 5


@pytest.mark.parametrize("seed", range(8))
def test_joined_groups_compute_what_the_operators_do(seed, joins_all):
    arguments = random_arguments(seed)
    expected = flat(Interpreter(module_of(seed)).run(*arguments))
    mod = applied(module_of(seed), "fuse-ops", fuse_opt_level=4)
    for result, array in zip(flat(Interpreter(mod).run(*arguments)), expected, strict=True):
        np.testing.assert_array_equal(result, array)


@pytest.mark.parametrize("seed", [pytest.param(n, marks=pytest.mark.sweep) for n in range(20)])
def test_random_graphs_by_cost(seed):
    arguments = random_arguments(seed)
    results = flat(kc.graph.build(kc.IRModule.parse(random_graph(seed, 12)))(*arguments))
    expected = flat(Interpreter(kc.IRModule.parse(random_graph(seed, 12))).run(*arguments))
    for result, array in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, array, rtol=1e-5, atol=1e-6)
