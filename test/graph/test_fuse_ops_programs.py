"""The groups of ``fuse-ops`` at level 2 in programs of the kinds that TVM's rules were made for."""

import pytest
from test_fuse_ops import applied, groups_of

import kc
from kc import relay


def var(name, *sizes, dtype="float32"):
    return relay.var(name, shape=sizes, dtype=dtype)


def unit(dtype="float32"):
    return relay.const(1, dtype)


def simple():
    """A chain of elementwise operators and a change of shape are one group."""
    return relay.squeeze(relay.exp(var("x", 10, 1, 20) + unit()))


def convolutions():
    """Each convolution takes its tail; the sum goes with the one whose value it reads alone."""
    head = var("x", 1, 16, 32, 32) + unit()
    first = relay.nn.conv2d(head, var("a", 16, 16, 3, 3), padding=(1, 1)) + unit()
    left = relay.nn.conv2d(first, var("b", 16, 16, 1, 1)) + unit()
    right = relay.nn.conv2d(first, var("c", 16, 16, 3, 3), padding=(1, 1))
    return left + right


def concatenated():
    """A pool ends a group; what is injective is computed where it is concatenated."""
    x = var("x", 1, 16, 64, 64)
    pooled = relay.nn.max_pool2d(x, pool_size=(2, 2), strides=(2, 2))
    wide = relay.nn.upsampling(pooled, scale_h=2, scale_w=2)
    return relay.concatenate((wide, x), axis=1) + unit()


def tuple_result():
    """The fields of a tuple that is the result are groups of their own."""
    x = var("x", 1, 16, 64, 64)
    pooled = relay.nn.max_pool2d(x, pool_size=(2, 2), strides=(2, 2))
    return relay.Tuple([relay.nn.upsampling(pooled, scale_h=2, scale_w=2), pooled])


def field_of_split():
    """A field goes with its split, and not into a product."""
    return relay.nn.dense(relay.split(var("x", 1, 48), 3, axis=1)[0], var("w", 8, 16))


def stopped():
    """Nothing is fused across a stop."""
    return relay.exp(relay.annotation.stop_fusion(var("x", 10, 20) + unit()))


def tuple_between():
    """Values that are concatenated twice, all of them injective, are one group."""
    left = relay.squeeze(var("x", 1, 16, 4, 4))
    inner = relay.concatenate((left, left + unit(), left * relay.const(2.0)), axis=0)
    return relay.nn.relu(relay.concatenate((inner, left), axis=0))


def tuples_in_a_row():
    """Concatenations of concatenations are one group up to the pool, and the tail is another."""
    x = var("x", 1, 16, 8, 8)
    wide = relay.concatenate((x, x), axis=1)
    wider = relay.concatenate((wide, wide), axis=1)
    pooled = relay.nn.max_pool2d(wider, pool_size=(2, 2), strides=(2, 2))
    return relay.concatenate((pooled, pooled), axis=1) + unit()


def inception():
    """A concatenation does not go with any of the convolutions that it joins."""
    x = var("x", 1, 16, 8, 8)
    branches = [
        relay.nn.relu(relay.nn.conv2d(x, var(name, 16, 16, 3, 3), padding=(1, 1))) for name in "abc"
    ]
    return relay.concatenate(branches, axis=1)


def injective_diamond():
    """Injective operators on two ways that meet are one group."""
    y = var("x", 10, 20) + unit()
    return relay.transpose(relay.exp(y)) + relay.transpose(relay.tanh(y))


def split_and_added():
    """All fields of a split that are added are one group with it."""
    fields = relay.split(var("x", 6, 9), 3)
    return fields[0] + fields[1] * fields[2]


def take():
    """A gather takes what computes its indices, and its tail."""
    x = var("x", 10, 4)
    indices = relay.cast(var("i", 3), "int32") + unit("int32")
    return relay.take(x, indices, axis=0) * relay.const(2.0)


def gather_nd():
    """A gather of points takes its tail."""
    return relay.gather_nd(var("x", 64, 32), var("i", 2, 5, dtype="int64")) + unit()


def reduced_broadcast():
    """A reduction takes the broadcast before it, and what comes after is another group."""
    return relay.log(relay.sum(var("x", 4, 8) + var("b", 8), axis=[1]))


def two_reductions():
    """Each reduction ends a group: a mean, then the mean of squares, then what uses both."""
    x = var("x", 4, 8)
    mean = relay.mean(x, axis=[1], keepdims=True)
    variance = relay.variance(x, axis=[1], keepdims=True)
    return (x - mean) * relay.rsqrt(variance + relay.const(1e-5))


def diamond_before_reduction():
    """A diamond of elementwise operators goes into the reduction where it ends."""
    y = relay.exp(var("x", 4, 8))
    return relay.max(relay.tanh(y) + relay.negative(y), axis=[1])


def sliced():
    """Slices with gaps are injective, and go with what multiplies them."""
    x = relay.exp(var("x", 8, 16))
    even = relay.strided_slice(x, begin=[0, 0], end=[8, 16], strides=[1, 2])
    odd = relay.strided_slice(x, begin=[0, 1], end=[8, 16], strides=[1, 2])
    return even * odd


def softmax():
    """A softmax takes what is elementwise after it, and nothing before it."""
    x = relay.nn.relu(var("x", 4, 8))
    return relay.exp(relay.nn.softmax(x)) + unit()


def dense_with_residual():
    """A product takes a sum with a value of the same shape that comes from elsewhere."""
    x, w = var("x", 4, 8), var("w", 8, 8)
    return relay.nn.relu(relay.nn.dense(x, w) + relay.nn.softmax(x))


def dense_with_row():
    """A broadcast of a row into a product's result keeps the product's shape, and is its tail."""
    return relay.nn.relu(relay.nn.dense(var("x", 4, 8), var("w", 8, 8)) + var("b", 8))


def dense_widened():
    """A product whose result is broadcast to a larger shape ends there."""
    return relay.nn.dense(var("x", 1, 8), var("w", 8, 8)) + var("y", 4, 8)


def opaque():
    """An operator that is opaque is a group by itself."""
    return relay.exp(relay.argsort(relay.negative(var("x", 4, 8)), dtype="float32"))


PROGRAMS = {
    simple: ["add exp squeeze"],
    convolutions: ["add", "nn.conv2d add", "nn.conv2d add add", "nn.conv2d"],
    concatenated: ["nn.max_pool2d", "nn.upsampling concatenate add"],
    tuple_result: ["nn.max_pool2d", "nn.upsampling"],
    field_of_split: ["split", "nn.dense"],
    stopped: ["add", "exp"],
    tuple_between: ["squeeze add multiply concatenate concatenate nn.relu"],
    tuples_in_a_row: ["concatenate concatenate", "nn.max_pool2d", "concatenate add"],
    inception: ["nn.conv2d nn.relu"] * 3 + ["concatenate"],
    injective_diamond: ["add exp transpose tanh transpose add"],
    split_and_added: ["split multiply add"],
    take: ["cast add take multiply"],
    gather_nd: ["gather_nd add"],
    reduced_broadcast: ["add sum", "log"],
    two_reductions: ["mean", "variance", "subtract add rsqrt multiply"],
    diamond_before_reduction: ["exp tanh negative add max"],
    sliced: ["exp strided_slice strided_slice multiply"],
    softmax: ["nn.relu", "nn.softmax exp add"],
    dense_with_residual: ["nn.dense add nn.relu", "nn.softmax"],
    dense_with_row: ["nn.dense add nn.relu"],
    dense_widened: ["nn.dense", "add"],
    opaque: ["negative", "argsort", "exp"],
}
"""Programs, and the groups that follow from the rules by hand."""


def module_of(program):
    result = program()
    return kc.IRModule.from_expr(relay.Function(relay.analysis.free_vars(result), result))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_groups_of_programs(program):
    mod = applied(module_of(program), "fuse-ops")
    assert sorted(groups_of(mod)) == sorted(PROGRAMS[program])
