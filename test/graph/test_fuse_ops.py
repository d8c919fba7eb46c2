"""``fuse-ops`` and ``defuse-ops`` on random graphs, and post-dominators by their definition."""

import random

import numpy as np
import pytest
from random_graphs import random_arguments, random_graph

import kc
from kc.dialects.graph.control import IfOp
from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.functions import CallOp
from kc.dialects.graph.values import ConstantOp
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.transforms.graph._dataflow import Node, set_post_dominators


def module_of(seed):
    mod = kc.IRModule.parse(random_graph(seed))
    mod.op.verify()
    return mod


def applied(mod, flag, **options):
    registry.pass_class(flag)(**options).apply(registry.context(), mod.op)
    mod.op.verify()
    return mod


def function_of(mod):
    return Interpreter(mod).function("main")


def canonical(block, names=None):
    """The results of a block as numbers of expressions, and the expressions: naming left out."""
    names = dict(names or {})
    for index, argument in enumerate(block.args):
        names[argument] = f"argument {index} of {len(names)}"
    texts = {}

    def number(value):
        if value not in names:
            op = value.owner
            operands = [number(operand) for operand in op.operands]
            regions = tuple(canonical(r.block, names) for r in op.regions)
            properties = {key: str(attr) for key, attr in op.properties.items()}
            key = (op.name, *operands, str(properties), str(value.type), regions)
            # Scalar constants stand once for each use, equal ones are one expression here.
            names[value] = (
                f"{key}" if isinstance(op, ConstantOp) else texts.setdefault(op, f"%{len(texts)}")
            )
            if not isinstance(op, ConstantOp):
                shown.append((names[value], key))
        return names[value]

    shown = []
    results = [number(operand) for operand in block.last_op.operands]
    return tuple(results), tuple(shown)


@pytest.mark.parametrize("seed", range(40))
def test_defuse_is_the_inverse_of_fuse(seed):
    before = canonical(function_of(module_of(seed)).body.block)
    for level in (0, 1, 2):
        mod = applied(module_of(seed), "fuse-ops", fuse_opt_level=level)
        main = function_of(mod)
        assert not any(isinstance(op, OperatorOp) for op in main.walk())
        assert any(isinstance(op, CallOp) for op in main.walk())
        applied(mod, "defuse-ops")
        assert list(Interpreter(mod).functions) == ["main"]
        assert canonical(function_of(mod).body.block) == before


def flat(value):
    return [each for part in value for each in flat(part)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("seed", range(8))
def test_fused_graphs_compute_what_the_operators_do(seed):
    arguments = random_arguments(seed)
    expected = flat(Interpreter(module_of(seed)).run(*arguments))
    for level in (0, 2):
        mod = applied(module_of(seed), "fuse-ops", fuse_opt_level=level)
        results = flat(Interpreter(mod).run(*arguments))
        for result, array in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, array)


def test_random_graphs_have_what_they_promise():
    texts = [random_graph(seed) for seed in range(40)]
    for word in ("graph.if", "graph.split", "graph.tuple(", "nn.dense", "concatenate", "mean"):
        assert any(word in text for text in texts)
    modules = [module_of(seed) for seed in range(40)]
    counts = [sum(isinstance(op, OperatorOp) for op in mod.op.walk()) for mod in modules]
    assert max(counts) > 20
    assert any(isinstance(op, IfOp) for mod in modules for op in mod.op.walk())


def random_nodes(seed):
    rng = random.Random(seed)
    nodes = [Node(index, None, Pattern.ELEMWISE) for index in range(rng.randint(1, 9))]
    for node in nodes:
        later = nodes[node.index + 1 :]
        for consumer in rng.sample(later, min(len(later), rng.randint(0, 3))):
            node.consumers.append((consumer, rng.choice(list(Pattern))))
        node.is_used_outside = rng.random() < 0.1
    return nodes


def ways(node):
    """All ways from a node to where values leave, as lists of (consumer, pattern)."""
    paths = [[]] if node.is_used_outside or not node.consumers else []
    for consumer, pattern in node.consumers:
        paths += [[(consumer, pattern), *rest] for rest in ways(consumer)]
    return paths


def test_post_dominators_are_what_their_definition_says():
    """The first node on all ways; its pattern the largest of the edges before it."""
    with_parent = 0
    for seed in range(300):
        nodes = random_nodes(seed)
        set_post_dominators(nodes)
        for node in nodes:
            paths = ways(node)
            common = set.intersection(*({each for each, _ in path} for path in paths))
            if not common or node.is_used_outside:
                assert node.parent is None
                continue
            first = next(each for each, _ in paths[0] if each in common)
            assert node.parent is first
            with_parent += 1
            patterns = set()
            for path in paths:
                for consumer, pattern in path:
                    patterns.add(pattern)
                    if consumer is first:
                        break
            assert node.edge_pattern == max(patterns)
    assert with_parent > 300


T = "tensor<4x8xf32>"
GROUPS = {
    # name: (body, type of the result, the groups in their order)
    "a chain is one group": (
        f"""%0 = graph.add(%x, %y) : ({T}, {T}) -> {T}
        %1 = graph.exp(%0) : ({T}) -> {T}
        graph.return %1 : {T}""",
        T,
        ["add exp"],
    ),
    "a diamond is one group": (
        f"""%0 = graph.exp(%x) : ({T}) -> {T}
        %1 = graph.tanh(%0) : ({T}) -> {T}
        %2 = graph.negative(%0) : ({T}) -> {T}
        %3 = graph.add(%1, %2) : ({T}, {T}) -> {T}
        graph.return %3 : {T}""",
        T,
        ["exp tanh negative add"],
    ),
    "a product takes its tail, not what comes before it": (
        f"""%0 = graph.exp(%x) : ({T}) -> {T}
        %1 = graph.nn.dense(%0, %w) : ({T}, tensor<8x8xf32>) -> {T}
        %2 = graph.nn.relu(%1) : ({T}) -> {T}
        graph.return %2 : {T}""",
        T,
        ["exp", "nn.dense nn.relu"],
    ),
    "two products are two groups, the sum goes with the first": (
        f"""%0 = graph.nn.dense(%x, %w) : ({T}, tensor<8x8xf32>) -> {T}
        %1 = graph.nn.dense(%y, %w) : ({T}, tensor<8x8xf32>) -> {T}
        %2 = graph.add(%0, %1) : ({T}, {T}) -> {T}
        graph.return %2 : {T}""",
        T,
        ["nn.dense add", "nn.dense"],
    ),
    "a product that is used twice takes both uses where they meet": (
        f"""%0 = graph.nn.dense(%x, %w) : ({T}, tensor<8x8xf32>) -> {T}
        %1 = graph.tanh(%0) : ({T}) -> {T}
        %2 = graph.add(%0, %1) : ({T}, {T}) -> {T}
        graph.return %2 : {T}""",
        T,
        ["nn.dense tanh add"],
    ),
    "a product ends before a transposition": (
        f"""%0 = graph.nn.dense(%x, %w) : ({T}, tensor<8x8xf32>) -> {T}
        %1 = graph.transpose(%0) : ({T}) -> tensor<8x4xf32>
        graph.return %1 : tensor<8x4xf32>""",
        "tensor<8x4xf32>",
        ["nn.dense", "transpose"],
    ),
    "a reduction takes what comes before it and nothing after": (
        f"""%0 = graph.add(%x, %y) : ({T}, {T}) -> {T}
        %1 = graph.sum(%0) <axis = [1]> : ({T}) -> tensor<4xf32>
        %2 = graph.exp(%1) : (tensor<4xf32>) -> tensor<4xf32>
        graph.return %2 : tensor<4xf32>""",
        "tensor<4xf32>",
        ["add sum", "exp"],
    ),
    "concatenation takes its parts": (
        f"""%0 = graph.exp(%x) : ({T}) -> {T}
        %1 = graph.tanh(%y) : ({T}) -> {T}
        %2 = graph.concatenate(%0, %1) <axis = 0> : ({T}, {T}) -> tensor<8x8xf32>
        %3 = graph.negative(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
        graph.return %3 : tensor<8x8xf32>""",
        "tensor<8x8xf32>",
        ["exp tanh concatenate negative"],
    ),
    "the products that a concatenation joins stay": (
        f"""%0 = graph.nn.dense(%x, %w) : ({T}, tensor<8x8xf32>) -> {T}
        %1 = graph.nn.relu(%0) : ({T}) -> {T}
        %2 = graph.concatenate(%1, %y) <axis = 0> : ({T}, {T}) -> tensor<8x8xf32>
        graph.return %2 : tensor<8x8xf32>""",
        "tensor<8x8xf32>",
        ["nn.dense nn.relu", "concatenate"],
    ),
    "the fields of a returned tuple are groups": (
        f"""%0 = graph.exp(%x) : ({T}) -> {T}
        %1 = graph.tanh(%0) : ({T}) -> {T}
        %2 = graph.negative(%0) : ({T}) -> {T}
        %3 = graph.tuple(%1, %2) : {T}, {T}
        graph.return %3 : tuple<{T}, {T}>""",
        f"tuple<{T}, {T}>",
        ["exp", "tanh", "negative"],
    ),
    "nothing is fused across stop_fusion": (
        f"""%0 = graph.exp(%x) : ({T}) -> {T}
        %1 = graph.annotation.stop_fusion(%0) : ({T}) -> {T}
        %2 = graph.tanh(%1) : ({T}) -> {T}
        graph.return %2 : {T}""",
        T,
        ["exp", "tanh"],
    ),
}
"""Groups that follow from the rules of Relay's FuseOps, worked out by hand."""


def grouped(body, result):
    return kc.IRModule.parse(
        f"graph.func @main(%x: {T}, %y: {T}, %w: tensor<8x8xf32>) -> {result} {{\n{body}\n}}"
    )


def groups_of(mod):
    functions = Interpreter(mod).functions
    return [
        " ".join(
            op.OPERATOR.name
            for op in functions[call.callee.string_value()].walk()
            if isinstance(op, OperatorOp)
        )
        for call in functions["main"].walk()
        if isinstance(call, CallOp)
    ]


@pytest.mark.parametrize("case", GROUPS)
def test_groups_are_those_of_relay(case):
    body, result, expected = GROUPS[case]
    mod = applied(grouped(body, result), "fuse-ops")
    assert sorted(groups_of(mod)) == sorted(expected)


@pytest.mark.parametrize("depth", [1, 3, 10])
def test_no_group_is_larger_than_the_maximum(depth):
    lines = [f"%{n} = graph.exp({f'%{n - 1}' if n else '%x'}) : ({T}) -> {T}" for n in range(20)]
    mod = grouped("\n".join([*lines, f"graph.return %19 : {T}"]), T)
    sizes = [len(group.split()) for group in groups_of(applied(mod, "fuse-ops", max_depth=depth))]
    assert sum(sizes) == 20
    assert max(sizes) == depth


def test_the_report_says_why_groups_end():
    body, result, _ = GROUPS["a reduction takes what comes before it and nothing after"]
    mod = grouped(body, result)
    before = str(mod)
    assert kc.graph.fuse_report(mod) == (
        "@main\n"
        "  group 0: add, sum\n"
        "    ends with sum: it is a reduction: nothing is fused after it\n"
        "  group 1: exp\n"
        "    ends with exp: its value is a result of the block, or an operation other than an "
        "operator uses it\n"
    )
    assert str(mod) == before
    assert kc.graph.fuse_report(mod, level=0).count("at level 0 each operator is a group") == 3
    assert "more than 1 operators" in kc.graph.fuse_report(mod, max_depth=1)
