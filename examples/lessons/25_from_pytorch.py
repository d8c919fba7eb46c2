"""Lesson 25: a PyTorch module, scheduled, next to torch's time.

``kc.from_torch`` imports the graph of ``torch.export``. Without torch, the lesson builds the same
function from operators of ``kc.topi``, with the parameters as arguments, and shows no time of
torch.
"""

import importlib.util
import time

import numpy as np

import kc
from kc import te, topi

ROWS, INPUTS, HIDDEN = 64, 256, 512

if importlib.util.find_spec("torch") is not None:
    import torch  # pyright: ignore[reportMissingImports]

    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Linear(INPUTS, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, INPUTS)
    ).eval()
    example = torch.randn(ROWS, INPUTS)
    # The module has a graph of operators, in which parameters are constants.
    module = kc.from_torch(network, example)
    arrays = [example.numpy()]
    forward = torch.no_grad()(lambda: network(example))
    expected = forward().numpy()
else:
    forward = None
    shapes = [(ROWS, INPUTS), (HIDDEN, INPUTS), (HIDDEN,), (INPUTS, HIDDEN), (INPUTS,)]
    x, w0, b0, w1, b1 = (te.placeholder(shape, name=f"a{n}") for n, shape in enumerate(shapes))
    hidden = topi.nn.relu(topi.nn.bias_add(topi.nn.dense(x, w0), b0))
    y = topi.nn.bias_add(topi.nn.dense(hidden, w1), b1)
    module = kc.IRModule({"main": te.create_prim_func([x, w0, b0, w1, b1, y])})
    numbers = np.random.default_rng(0)
    arrays = [(numbers.standard_normal(shape) / 16).astype("float32") for shape in shapes]
    x, w0, b0, w1, b1 = arrays
    expected = np.maximum(x @ w0.T + b0, 0) @ w1.T + b1


def milliseconds(call):
    """The shortest of some calls."""
    seconds = []
    for _ in range(30):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds) * 1e3


def compared(what, scheduled):
    """Build, compare with the network's results, and print the time of a call."""
    function = kc.build(scheduled)
    np.testing.assert_allclose(function(*arrays), expected, rtol=1e-4, atol=1e-5)
    print(f"{what}: {milliseconds(lambda: function(*arrays)):.3f} ms")


# 1. As it comes: a schedule takes the graph as one function of loops, in which each operator is a
# nest, which runs serially. kc.build(module) would choose schedules; it takes the loops of a
# kc.tir.Schedule as they are, and says so in a remark.
sch = kc.tir.Schedule(module)
sch.show()
compared("serial", sch)

# 2. By hand. Biases and relu are computed where their results are needed, and the products in tiles
# of 4 x 32 elements, which stay in registers while k runs; the rows of tiles run in parallel.
for name in ("T_bias_add", "T_relu"):
    sch.compute_inline(name)
for name in ("T_dense", "T_dense_1"):
    i, j, k = sch.get_loops(name)
    i_o, i_i = sch.split(i, [None, 4])
    j_o, j_i = sch.split(j, [None, 32])
    sch.reorder(i_o, j_o, k, i_i, j_i)
    sch.parallel(i_o)
    sch.unroll(i_i)
    sch.vectorize(j_i)
sch.show()
compared("by hand", sch)

# 3. A model as it comes: its operators in groups, each a kernel with the schedule that kc chooses.
compared("chosen", module)

# 4. The network itself.
if forward is not None:
    print(f"torch: {milliseconds(forward):.3f} ms")
