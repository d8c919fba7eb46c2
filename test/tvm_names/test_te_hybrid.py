"""te.hybrid.script: the programs that TVM tests its hybrid script with, against numpy and against
what Python computes with the same function."""

# ruff: noqa: F821
# pyright: basic, reportUndefinedVariable=false, reportOperatorIssue=false, reportIndexIssue=false
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from random import Random

import numpy as np
import pytest
from tir.script_checks import refused

import kc
from kc import te
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import context, get_pass
from kc.target import Target


def check(function, args, outputs, arrays, *more, schedule=None, native=True, rtol=1e-6):
    """Both ways to run the operation agree with what Python makes of the function.

    ``args`` are the tensors of the function in order, ``arrays`` their values, ``more`` what Python
    is given before the arrays.
    """
    wanted = function(*more, *[np.copy(array) for array in arrays])
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    s = te.create_schedule([output.op for output in outputs][:1]) if schedule is None else schedule
    with diagnostic_handler(lambda _: None):
        module = kc.lower(s, [*args, *outputs])
        check_dominance(module.op)
        runs = [lambda *given: run(module.op, "main", list(given))]
        if native:
            runs.append(kc.build(s, [*args, *outputs]))
        for call in runs:
            results = [np.empty(array.shape, array.dtype) for array in wanted]
            call(*arrays, *results)
            for result, expected in zip(results, wanted, strict=True):
                np.testing.assert_allclose(result, expected, rtol=rtol)
    return str(module)


def floats(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@te.hybrid.script
def outer_product(n, m, a, b):
    """This is a simple outer product."""
    c = output_tensor((n, m), a.dtype)
    for i in range(n):
        for j in range(m):
            c[i, j] = a[i] * b[j]
    return c


@pytest.mark.parametrize("symbolic", [True, False])
def test_outer_product(symbolic):
    n, m = (te.size_var("n"), te.size_var("m")) if symbolic else (99, 101)
    a, b = te.placeholder((n,), name="a"), te.placeholder((m,), name="b")
    c = outer_product(n, m, a, b)
    assert (c.op.name, c.dtype, c.ndim) == ("outer_product", "float32", 2)
    check(outer_product, [a, b], [c], [floats(99), floats(101)], 99, 101)


def test_fanout():
    @te.hybrid.script
    def fanout(n, a):
        three = 3.0
        b = output_tensor((a.shape[0] - 3,), a.dtype)
        for i in range(a.shape[0] - 3):
            sigma = 0.0
            for j in range(3):
                sigma += a[i + j]
            sigma = sigma / three
            b[i] = sigma
        return b

    n = te.size_var("n")
    a = te.placeholder((n,), name="a")
    check(fanout, [a], [fanout(n, a)], [floats(10)], 10, rtol=1e-5)


def test_looptype():
    @te.hybrid.script
    def looptype(a, b, c):
        d = output_tensor((16,), "int32")
        e = output_tensor((16,), "int32")
        f = output_tensor((16,), "int32")
        for i in parallel(16):
            d[i] = a[i]
        for j in vectorize(16):
            e[j] = b[j]
        for k in unroll(16):
            f[k] = c[k]
        return d, e, f

    args = [te.placeholder((16,), name=name, dtype="int32") for name in "abc"]
    outputs = looptype(*args)
    assert isinstance(outputs, list)
    arrays = [np.arange(16, dtype=np.int32) + n for n in range(3)]
    text = check(looptype, args, outputs, arrays)
    for kind in ("parallel", "vectorized", "unrolled"):
        assert f"in 16 {kind} {{" in text


def test_if():
    @te.hybrid.script
    def if_then_else(a):
        b = output_tensor((10,), "int32")
        c = output_tensor((10,), "int32")
        for i in range(10):
            if i % 2 == 0:
                c[i] = a[i]
            else:
                c[i] = 0
        for i in unroll(10):
            if i % 2 == 0 and i > 3 or not a[i] > 2:
                b[i] = -1
            elif 3 < a[i] <= 7:
                b[i] = 5
            else:
                b[i] = 1 if a[i] == 3 else 2
        return b, c

    a = te.placeholder((10,), dtype="int32", name="a")
    check(if_then_else, [a], if_then_else(a), [np.arange(10, dtype=np.int32)])


def test_if_with_constant_conditions():
    @te.hybrid.script
    def constant(a):
        b = output_tensor(a.shape, a.dtype)
        c = output_tensor(a.shape, a.dtype)
        for i in range(a.shape[0]):
            b[i] = 0
            c[i] = 0
        if 1 == 1:
            for i in range(a.shape[0]):
                b[i] = a[i]
        if True:
            tmp = 1
            for i in range(a.shape[0]):
                tmp += a[i]
                c[i] = tmp
        if False:
            nothing(a)
        return b, c

    a = te.placeholder((10,), dtype="int32", name="a")
    check(constant, [a], constant(a), [np.arange(10, dtype=np.int32)])


def test_bind():
    @te.hybrid.script
    def vec_add(a, b):
        c = output_tensor((24,), "float32")
        for tx in bind("threadIdx.x", 24):
            c[tx] = a[tx] + b[tx]
        return c

    a, b = te.placeholder((24,), name="a"), te.placeholder((24,), name="b")
    text = check(vec_add, [a, b], [vec_add(a, b)], [floats(24), floats(24)], native=False)
    assert 'tir.for %tx in 24 thread "threadIdx.x" {' in text


def test_threads_of_a_target():
    @te.hybrid.script
    def threads(a):
        b = output_tensor(a.shape, a.dtype)
        block = max_num_threads(True)
        for bx in bind("blockIdx.x", ceil_div(a.shape[0], block)):
            for tx in bind("threadIdx.x", block):
                if bx * block + tx < a.shape[0]:
                    b[bx * block + tx] = a[bx * block + tx] + 1.0
        return b

    a = te.placeholder((1500,), name="a")
    with kc.Target("cuda"):
        text = str(kc.lower(te.create_schedule((b := threads(a)).op), [a, b]))
    assert 'tir.for %bx in 2 thread "blockIdx.x" {' in text
    assert 'tir.for %tx in 1024 thread "threadIdx.x" {' in text
    assert threads(np.ones(3, "f")).tolist() == [2, 2, 2]


def test_math_functions():
    @te.hybrid.script
    def intrin_real(a):
        b = output_tensor((9,), "float32")
        b[0] = sqrt(a[0])
        b[1] = log(a[1])
        b[2] = exp(a[2])
        b[3] = sigmoid(a[3])
        b[4] = power(a[4], a[5])
        b[5] = tanh(a[5])
        b[6] = min(a[5], a[6])
        b[7] = max(a[5], a[6])
        b[8] = round(a[7]) + abs(a[6])
        return b

    @te.hybrid.script
    def intrin_int(a):
        b = output_tensor((1,), "int32")
        b[0] = popcount(a[0])
        return b

    a = te.placeholder((9,), name="a")
    check(intrin_real, [a], [intrin_real(a)], [np.abs(floats(9)) + 0.5], rtol=1e-5)
    i = te.placeholder((1,), dtype="int32", name="i")
    check(intrin_int, [i], [intrin_int(i)], [np.array([114514], np.int32)])


def test_non_zero():
    @te.hybrid.script
    def blur(a):
        b = output_tensor((30, 30), "float32")
        for i in range(2, 32):
            for j in range(2, 32):
                s = 0.0
                for di in range(3):
                    for dj in range(3):
                        s += a[i - di, j - dj]
                b[i - 2, j - 2] = s / 9.0
        return b

    @te.hybrid.script
    def triangle(a, b):
        c = output_tensor((10, 10), dtype="float32")
        for i in range(10):
            for j in range(i, 10):
                c[i, j] = a[i] * b[j]
            for j in range(i):
                c[i, j] = 0.0
        return c

    a = te.placeholder((32, 32), name="a")
    check(blur, [a], [blur(a)], [floats(32, 32)], rtol=1e-4)
    a, b = te.placeholder((10,), name="a"), te.placeholder((10,), name="b")
    check(triangle, [a, b], [triangle(a, b)], [floats(10), floats(10) + 1])


def test_allocate():
    @te.hybrid.script
    def blur2d(a):
        b = output_tensor((30, 30), "float32")
        for i in range(30):
            ha = allocate((3, 30), "float32")
            for j in range(3):
                for k in range(30):
                    ha[j, k] = a[i + j, k] + a[i + j, k + 1] + a[i + j, k + 2]
            for j in range(30):
                b[i, j] = (ha[0, j] + ha[1, j] + ha[2, j]) / 9.0
        return b

    @te.hybrid.script
    def share_vec_add(a, b):
        c = output_tensor((16,), "float32")
        shared = allocate((16,), "float32", "shared")
        for i in bind("threadIdx.x", 16):
            shared[i] = a[i]
        local = allocate((16,), "float32", "local")
        for i in bind("threadIdx.x", 16):
            local[i] = b[i]
        for i in bind("threadIdx.x", 16):
            c[i] = shared[i] + local[i]
        return c

    a = te.placeholder((32, 32), "float32", "a")
    check(blur2d, [a], [blur2d(a)], [floats(32, 32)], rtol=1e-5)
    a, b = te.placeholder((16,), name="a"), te.placeholder((16,), name="b")
    text = check(
        share_vec_add, [a, b], [share_vec_add(a, b)], [floats(16), floats(16)], native=False
    )
    assert 'memref<16xf32, "shared">' in text


def test_upstream_and_downstream():
    @te.hybrid.script
    def double(a):
        b = output_tensor((20,), "float32")
        for i in range(20):
            b[i] = a[i] * i
        return b

    a = te.placeholder((20,), name="a")
    b = te.compute((20,), lambda i: a[i] + 1.0, name="b")
    c = double(b)
    d = te.compute((20,), lambda i: c[i] * 2.0, name="d")
    s = te.create_schedule(d.op)
    s[b].vectorize(s[b].split(b.op.axis[0], 4)[1])
    s[d].parallel(d.op.axis[0])
    x = floats(20)
    out = np.empty_like(x)
    kc.build(s, [a, d])(x, out)
    np.testing.assert_allclose(out, (x + 1) * np.arange(20) * 2, rtol=1e-6)
    # Without a tensor around it.
    s = te.create_schedule(c.op)
    kc.build(s, [a, c])(x, out)
    np.testing.assert_allclose(out, (x + 1) * np.arange(20), rtol=1e-6)


def test_constant_parameters():
    @te.hybrid.script
    def add_something(a, b, by=0):
        c = output_tensor((11,), "int32")
        for i in range(11):
            c[i] = a[i] + b + by
        return c

    a = te.placeholder((11,), dtype="int32", name="a")
    c = add_something(a, 11, by=te.const(5, "int32"))
    x = np.arange(11, dtype=np.int32)
    out = np.empty_like(x)
    kc.build(te.create_schedule(c.op), [a, c])(x, out)
    np.testing.assert_array_equal(out, add_something(x, 11, by=5))


def test_sizes_and_scalars_are_arguments():
    @te.hybrid.script
    def axpy(a, b, alpha, start):
        c = output_tensor(a.shape, a.dtype)
        for i in range(a.shape[0]):
            c[i] = b[i]
            if i >= start:
                c[i] += alpha * a[i]
        return c

    n, start, alpha = te.var("n"), te.var("start"), te.var("alpha", "float32")
    a, b = te.placeholder((n,), name="a"), te.placeholder((n,), name="b")
    c = axpy(a, b, alpha, start)
    x, y = floats(9), floats(9) + 1
    out = np.empty_like(x)
    kc.build(te.create_schedule(c.op), [a, b, alpha, start, c])(x, y, 0.5, 3, out)
    np.testing.assert_allclose(out, axpy(x, y, 0.5, 3), rtol=1e-6)


def test_several_outputs_are_used_one_by_one():
    @te.hybrid.script
    def kernel_a(a):
        b = output_tensor((16,), "int32")
        c = output_tensor((16,), "int32")
        for i in range(16):
            b[i] = a[i] + 2
            c[i] = a[i] * 3
        return b, c

    @te.hybrid.script
    def kernel_b(b, a):
        c = output_tensor((16,), "int32")
        for i in range(16):
            c[i] = a[i] + b[i]
        return c

    a = te.placeholder((16,), "int32", "a")
    b, c = kernel_a(a)
    d = kernel_b(c, b)
    assert (b.value_index, c.value_index) == (0, 1)
    x = np.arange(16, dtype=np.int32)
    out = np.empty_like(x)
    kc.build(te.create_schedule(d.op), [a, d])(x, out)
    np.testing.assert_array_equal(out, x + 2 + x * 3)


def test_calls_of_hybrid_functions():
    @te.hybrid.script
    def foo(a, b):
        c = outer_product(10, 10, a, b)
        d = output_tensor(c.shape, c.dtype)
        for i in range(10):
            for j in range(10):
                d[i, j] = c[i, j] + i * j
        return d

    a, b = te.placeholder((10,), name="a"), te.placeholder((10,), name="b")
    check(foo, [a, b], [foo(a, b)], [floats(10), floats(10) + 1])


def test_bool():
    @te.hybrid.script
    def foo(a):
        b = output_tensor(a.shape, a.dtype)
        b[0] = 1.2
        for i in range(1, a.shape[0] - 1):
            if (a[i] * a[i - 1] < a[i] or a[i] * a[i - 1] < a[i - 1]) or i * a[i] == a[i]:
                b[i] = a[i]
            else:
                b[i] = 0.0
        b[a.shape[0] - 1] = 2.3
        return b

    a = te.placeholder((10,), name="a")
    check(foo, [a], [foo(a)], [floats(10)])


def test_const_range():
    @te.hybrid.script
    def plain(a, b):
        c = output_tensor(a.shape, a.dtype)
        for i in const_range(2):
            for j in const_range(5):
                c[i, j] = float32(int32(a[i, j]) + b[i][j])
        return c

    a = te.placeholder((2, 5), name="a")
    b = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]
    x = floats(2, 5) * 3
    c = plain(a, b)
    out = np.empty_like(x)
    kc.build(te.create_schedule(c.op), [a, c])(x, out)
    np.testing.assert_array_equal(out, plain(x, b))


def test_a_list_of_lists_is_indexed_as_a_buffer_is():
    @te.hybrid.script
    def plain(a, b):
        c = output_tensor(a.shape, a.dtype)
        for i in const_range(2):
            for j in const_range(3):
                c[i, j] = a[i, j] * float32(b[i, j])
        return c

    a = te.placeholder((2, 3), name="a")
    b = [[1, 2, 3], [6, 5, 4]]
    x = floats(2, 3)
    c = plain(a, kc.runtime.convert(b))
    out = np.empty_like(x)
    kc.build(te.create_schedule(c.op), [a, c])(x, out)
    np.testing.assert_array_equal(out, x * np.array(b, "float32"))


def test_capture():
    n = 8
    constant_tuple = (10, n)
    constant_list = [[1, 2], [3, n]]
    const_value = 1

    @te.hybrid.script
    def add_something(a):
        c = output_tensor((constant_tuple[1],), "int32")
        for i in range(constant_tuple[1]):
            c[i] = a[i] + constant_list[1][const_value]
        return c

    a = te.placeholder((n,), dtype="int32", name="a")
    check(add_something, [a], [add_something(a)], [np.arange(8, dtype=np.int32)])


def test_array_inputs():
    @te.hybrid.script
    def sum_array(inputs):
        out = output_tensor((10,), inputs[0].dtype)
        n = len(inputs)
        for i in range(10):
            out[i] = 0.0
            for j in const_range(n):
                out[i] += inputs[j][i]
        return out

    tensors = [te.placeholder((10,), name=f"t{n}") for n in range(6)]
    arrays = [floats(10) + n for n in range(6)]
    out = sum_array(tensors)
    result = np.empty(10, "f")
    kc.build(te.create_schedule(out.op), [*tensors, out])(*arrays, result)
    np.testing.assert_allclose(result, sum_array(arrays), rtol=1e-6)


def test_one_tensor_for_two_parameters():
    a = te.placeholder((6,), name="a")
    c = outer_product(6, 6, a, a)
    out = np.empty((6, 6), "f")
    kc.build(te.create_schedule(c.op), [a, c])(x := floats(6), out)
    np.testing.assert_allclose(out, np.outer(x, x), rtol=1e-6)


# Loops of threads --------------------------------------------------------------------------


def launches(function, args, arrays, kernels):
    """Check that the loops of threads are ``kernels`` kernels that a GPU can run: in lockstep, and
    with blocks in any order and memory of their own, they give Python's results.
    """
    output = function(*args)
    module = kc.lower(te.create_schedule(output.op), [*args, output])
    with Target("cuda -arch=sm_80"):
        get_pass("verify-gpu-code").apply(context(), module.op)
    loops = [loop for loop in loop_tree.loops(module.op) if loop.axis is not None]
    outermost = [
        loop
        for loop in loops
        if not any(around in loops for around in loop_tree.all_loops_around(loop))
    ]
    assert len(outermost) == kernels, module
    wanted = function(*arrays)
    for order in (None, Random(1), Random(2)):
        out = np.full(wanted.shape, -1, wanted.dtype)
        run(module.op, "main", [*arrays, out], launch_order=order)
        np.testing.assert_array_equal(out, wanted)
    return str(module)


@pytest.mark.parametrize("scope", ["shared", "shared.dyn", "warp"])
def test_loops_that_share_memory_of_threads_are_one_kernel(scope):
    @te.hybrid.script
    def reverse(a):
        b = output_tensor((16,), "int32")
        c = allocate((16,), "int32", scope)
        for i in bind("threadIdx.x", 16):
            c[i] = a[i]
        d = allocate((16,), "int32", scope)
        for i in bind("threadIdx.x", 16):
            d[i] = c[15 - i] * 2
        for i in bind("threadIdx.x", 16):
            b[i] = d[(i + 1) % 16] + c[i]
        return b

    a = te.placeholder((16,), dtype="int32", name="a")
    text = launches(reverse, [a], [np.arange(16, dtype=np.int32)], 1)
    assert 'tir.for %tx in 16 thread "threadIdx.x" {' in text


def test_memory_of_threads_that_several_iterations_use_is_in_one_kernel():
    @te.hybrid.script
    def sums(a):
        b = output_tensor((8,), "int32")
        c = allocate((8,), "int32", "local")
        for k in range(a.shape[0]):
            for i in bind("threadIdx.x", 8):
                if k == 0:
                    c[i] = 0
                c[i] += a[k, i]
        for i in bind("threadIdx.x", 8):
            b[i] = c[i]
        return b

    for rows in (5, te.var("n")):
        a = te.placeholder((rows, 8), dtype="int32", name="a")
        launches(sums, [a], [np.arange(40, dtype=np.int32).reshape(5, 8)], 1)


def test_what_is_computed_between_loops_of_threads():
    """Sizes and numbers are computed, and memory of all is allocated, before the kernel; what is
    loaded stays where it is."""

    @te.hybrid.script
    def scaled(a):
        b = output_tensor((8,), "int32")
        c = allocate((8,), "int32", "shared")
        for i in bind("threadIdx.x", 8):
            c[i] = a[i]
        n = a.shape[0] - 1
        d = allocate((8,), "int32")
        factor = a[3]
        for i in bind("threadIdx.x", 8):
            d[i] = c[n - i] * factor
        for i in bind("threadIdx.x", 8):
            b[i] = d[i] - factor
        return b

    a = te.placeholder((8,), dtype="int32", name="a")
    text = launches(scaled, [a], [np.arange(8, dtype=np.int32)], 1)
    assert text.index('tir.alloc "d"') < text.index("%tx in 8")


def test_each_iteration_of_a_loop_may_have_its_kernel():
    @te.hybrid.script
    def rows(a):
        b = output_tensor((3, 8), "int32")
        for j in range(3):
            c = allocate((8,), "int32", "shared")
            for i in bind("threadIdx.x", 8):
                c[i] = a[j, i]
            for i in bind("threadIdx.x", 8):
                b[j, i] = c[7 - i]
        return b

    a = te.placeholder((3, 8), dtype="int32", name="a")
    text = launches(rows, [a], [np.arange(24, dtype=np.int32).reshape(3, 8)], 1)
    assert text.index("%j in 3") < text.index("%tx in 8")


def test_loops_that_share_global_memory_are_launches_of_their_own():
    """A block may then read what another one wrote."""

    @te.hybrid.script
    def reverse(a):
        b = output_tensor((4, 8), "int32")
        c = allocate((4, 8), "int32")
        for j in bind("blockIdx.x", 4):
            for i in bind("threadIdx.x", 8):
                c[j, i] = a[j, i]
        for j in bind("blockIdx.x", 4):
            d = allocate((8,), "int32", "shared")
            for i in bind("threadIdx.x", 8):
                d[i] = c[3 - j, i]
            for i in bind("threadIdx.x", 8):
                b[j, i] = d[7 - i]
        return b

    a = te.placeholder((4, 8), dtype="int32", name="a")
    launches(reverse, [a], [np.arange(32, dtype=np.int32).reshape(4, 8)], 2)


# Refusals ----------------------------------------------------------------------------------

A = te.placeholder((8,), name="A")


def output_in_a_loop():
    @te.hybrid.script
    def f(a):
        for i in range(8):
            b = output_tensor((8,), "float32")
            b[i] = a[i]

    f(A)


def returned_input():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        b[0] = a[0]
        return a

    f(A)


def output_that_is_not_returned():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        c = output_tensor((8,), "float32")
        for i in range(8):
            b[i] = a[i]
            c[i] = a[i]
        return b

    f(A)


def no_output():
    @te.hybrid.script
    def f(a):
        b = allocate((8,), "float32")
        b[0] = a[0]

    f(A)


def output_returned_twice():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        b[0] = a[0]
        return b, b

    f(A)


def written_input():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        for i in range(8):
            a[i] = 0.0
            b[i] = a[i]
        return b

    f(A)


def output_that_is_not_written():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        return b

    f(A)


def lowered(f):
    tensor = f(A)
    kc.lower(te.create_schedule(tensor.op), [A, tensor])


def local_memory_of_another_thread():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        c = allocate((8,), "float32", "local")
        for i in bind("threadIdx.x", 8):
            c[i] = a[i]
        for i in bind("threadIdx.x", 8):
            b[i] = c[7 - i]
        return b

    lowered(f)


def other_number_of_threads():
    @te.hybrid.script
    def f(a):
        b = output_tensor((4,), "float32")
        c = allocate((8,), "float32", "shared")
        for i in bind("threadIdx.x", 8):
            c[i] = a[i]
        for i in bind("threadIdx.x", 4):
            b[i] = c[7 - i]
        return b

    lowered(f)


def threads_known_only_in_the_kernel():
    @te.hybrid.script
    def f(a):
        b = output_tensor((8,), "float32")
        c = allocate((8,), "float32", "shared")
        for j in range(1, 3):
            for i in bind("threadIdx.x", 4 * j):
                c[i] = a[i]
            for i in bind("threadIdx.x", 4 * j):
                b[i] = c[i]
        return b

    lowered(f)


def returned_number():
    @te.hybrid.script
    def f(a):
        return a[0]

    f(A)


def number_of_arguments():
    outer_product(A, A)


def outside():
    @te.hybrid.script
    def f(a):
        b = output_tensor((9,), "float32")
        for i in range(9):
            b[i] = a[i]
        return b

    f(A)


REFUSALS = {
    output_in_a_loop: """\
error[KC2127]: output_tensor of f in a loop or an if
  --> HERE:4:17  b = output_tensor((8,), "float32")
                     ^
  why: a result is declared exactly once, on every path
  try: call it before the loops""",
    returned_input: """\
error[KC2127]: f returns a, which is not an output
  --> HERE:5:9  return a
  why: the results of a script that is called with tensors are what output_tensor makes
  try: c = output_tensor(a.shape, "float32"); ...; return c""",
    output_that_is_not_returned: """\
error[KC2127]: f does not return its output c
  --> HERE:8:9  return b
  why: every output is a result
  try: return b, c
  try: allocate""",
    local_memory_of_another_thread: """\
error[KC3408]: lower: tir.load reads a value that another thread writes to c
  --> HERE:8:20  b[i] = c[7 - i]
                        ^
   |  for tx in 8 threadIdx.x:
   |    for i in 8 threadIdx.x:
   |      store to c    <-- writes c
   |    for i in 8 threadIdx.x:
   |      tir.load    <-- reads c
   |      store to f
  why: threadIdx.x 0 reads c[7], which threadIdx.x 7 writes; threads of threadIdx.x \
do not share local memory
  try: in shared memory, all threads of a block see c""",
    other_number_of_threads: """\
error[KC3403]: lower: tx has 8 threads of threadIdx.x, i 4
  --> HERE:5:9  for i in bind("threadIdx.x", 8):
   |  for tx in 8 threadIdx.x:    <-- 8 threadIdx.x
   |    for i in 8 threadIdx.x:
   |      store to c
   |    for i in 4 threadIdx.x:    <-- 4 threadIdx.x
   |      store to f
  why: loops bound to threadIdx.x in one kernel are the same threads, \
so their extents must be equal
  try: split tx by factors=?,4
  try: bind tx to another axis""",
    threads_known_only_in_the_kernel: """\
error[KC3416]: lower: tir.load reads c, which tir.store writes in another kernel
  --> HERE:9:24  b[i] = c[i]
                        ^
   |  for j in 2:
   |    for i in ? threadIdx.x:
   |      store to c    <-- writes c
   |    for i in ? threadIdx.x:
   |      tir.load    <-- reads c
   |      store to f
  why: shared memory lasts only as long as a thread block, and is gone when \
tir.load at (j=0, i=0) reads c[0]
  try: compute_at or reverse_compute_at brings both into one kernel
  try: set_scope puts c into global memory""",
    no_output: """\
error[KC2127]: f returns no output
  --> HERE:4:9  b[0] = a[0]
  why: the results of a script that is called with tensors are what output_tensor makes
  try: c = output_tensor(a.shape, "float32"); ...; return c""",
    output_returned_twice: """\
error[KC2127]: f returns an output twice
  --> HERE:5:9  return b, b
  why: the results of a script that is called with tensors are what output_tensor makes
  try: c = output_tensor(a.shape, "float32"); ...; return c""",
    written_input: """\
error[KC2165]: extern f writes its input a
  --> HERE:5:13  a[i] = 0.0
  why: a tensor never changes, because other operations may read it
  try: copy it to an output, or to a buffer from ib.allocate""",
    output_that_is_not_written: """\
error[KC2166]: extern f never writes its result b
  --> HERE:6  f(A)
  why: the elements would be undefined
  try: b.access_ptr("w") declares that a call writes the buffer""",
    returned_number: """\
error[KC2114]: f returns a value
  --> HERE:3:9  return a[0]
  why: the results of a script that is called with tensors are what output_tensor makes
  try: c = output_tensor(a.shape, "float32"); ...; return c""",
    number_of_arguments: """\
error[KC2116]: outer_product takes 4 arguments, but the call has 2
  --> HERE:1  outer_product(A, A)
  why: its parameters are n, m, a, b""",
    outside: """\
error[KC2030]: f reads outside a: index 8 of dimension 0, which has the size 8
  --> HERE:5:20  b[i] = a[i]
                        ^
  why: this happens at i=8
  try: make the loops shorter, or guard the access with an if""",
}


@pytest.mark.parametrize("make", REFUSALS, ids=lambda make: make.__name__)
def test_refusals(make):
    assert refused(make) == REFUSALS[make]


def test_an_assert_is_checked_when_the_kernel_runs():
    @te.hybrid.script
    def roots(a):
        c = output_tensor(a.shape, a.dtype)
        for i in range(a.shape[0]):
            assert a[i] >= 0.0, "a root of a negative number"
            c[i] = sqrt(a[i])
        return c

    a = te.placeholder((4,), name="a")
    c = roots(a)
    f = kc.build(te.create_schedule(c.op), [a, c])
    np.testing.assert_allclose(f(np.array([0, 1, 4, 9], "float32")), [0, 1, 2, 3])
    with pytest.raises(kc.error.CallError) as caught:
        f(np.array([0, 1, -4, 9], "float32"))
    assert caught.value.code == "KC5250"
    assert isinstance(caught.value.__cause__, AssertionError)
    assert str(caught.value.__cause__).endswith(": a root of a negative number")


@te.hybrid.script
def outer(a, b):
    c = output_tensor((16, 16), a.dtype)
    for i in range(16):
        for j in range(16):
            c[i, j] = a[i] * b[j]
    return c


def scheduled_outer():
    a, b = te.placeholder((16,), name="a"), te.placeholder((16,), name="b")
    c = outer(a, b)
    return a, b, c, te.create_schedule(c.op)


def run_outer(a, b, c, s):
    x, y = np.random.default_rng(3).random((2, 16), dtype="float32")
    module = kc.lower(s, [a, b, c])
    out = np.zeros((16, 16), "float32")
    run(module.op, "main", [x, y, out])
    np.testing.assert_array_equal(out, np.outer(x, y))
    return str(module)


def test_the_loops_of_a_script_are_axes():
    a, b, c, s = scheduled_outer()
    assert [axis.name for axis in c.op.axis] == ["i", "j"]
    i, j = c.op.axis
    io, ii = s[c].split(i, 4)
    s[c].parallel(ii)
    jo, ji = s[c].split(j, nparts=8)
    joo, joi = s[c].split(jo, 4)
    s[c].vectorize(ji)
    s[c].reorder(ii, io, joo, joi, ji)
    text = run_outer(a, b, c, s)
    heads = [line.split("{")[0].strip() for line in text.splitlines() if "tir.for" in line]
    assert heads == [
        "tir.for %i_i in 4 parallel",
        "tir.for %i_o in 4",
        "tir.for %j_o_o in 2",
        "tir.for %j_o_i in 4",
        "tir.for %j_i in 2 vectorized",
    ]
    assert "hybrid_axis" not in text

    a, b, c, s = scheduled_outer()
    s[c].split(s[c].fuse(*c.op.axis), 7)
    run_outer(a, b, c, s)

    a, b, c, s = scheduled_outer()
    s[c].bind(c.op.axis[0], te.thread_axis("blockIdx.x"))
    s[c].bind(c.op.axis[1], te.thread_axis("threadIdx.x"))
    assert run_outer(a, b, c, s).count(" thread ") == 2


def test_two_calls_of_a_script_have_axes_of_their_own():
    @te.hybrid.script
    def total(a):
        c = output_tensor((1,), a.dtype)
        c[0] = 0.0
        for i in range(16):
            c[0] = c[0] + a[i]
        return c

    a = te.placeholder((16,), name="a")
    first, second = total(a), total(a)
    both = te.compute((1,), lambda i: first[i] + second[i], name="both")
    s = te.create_schedule(both.op)
    s[first].split(first.op.axis[0], 8)
    s[second].split(second.op.axis[0], 2)
    module = kc.lower(s, [a, both])
    x, out = np.arange(16, dtype="float32"), np.zeros(1, "float32")
    run(module.op, "main", [x, out])
    assert out[0] == 240
    assert [str(loop.static_extent) for loop in loop_tree.loops(module.op)] == [
        "2",
        "8",
        "8",
        "2",
        "1",
    ]

    def parallel_sum():
        s = te.create_schedule(total(a).op)
        s[s.outputs[0]].parallel(s.outputs[0].axis[0])
        kc.lower(s, [a, s.outputs[0].output(0)])

    assert refused(parallel_sum).splitlines()[0] == (
        "error[KC3040]: parallel: loop i is a reduction of c"
    )
