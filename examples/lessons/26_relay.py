"""Lesson 26: a model, from a Relay program to the instructions of its kernels.

The names are those of TVM 0.9's Relay. Each step is IR that can be printed.
"""

import numpy as np

import kc
from kc import relay

# 1. Expressions: two layers and a softmax. The weights have no types: these follow from their uses.
x = relay.var("x", shape=(1, 64))
w1, b1, w2 = relay.var("w1"), relay.var("b1"), relay.var("w2")
hidden = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, w1, units=128), b1))
y = relay.nn.softmax(relay.nn.dense(hidden, w2, units=10))
mod = kc.IRModule.from_expr(relay.Function([x, w1, b1, w2], y))
print(mod)
print(mod["main"])

# 2. Groups: operators that become one kernel, by the rules of Relay's FuseOps. The product takes
# the bias and the relu along; the softmax reads the second product as a whole.
fused = relay.transform.FuseOps()(mod)
print(fused)

# 3. One native function. The parameters become constants of it, and the values between the kernels
# share an arena, whose plan is known now.
numbers = np.random.default_rng(0)
params = {
    name: (numbers.standard_normal(shape) / 8).astype("float32")
    for name, shape in {"w1": (128, 64), "b1": (128,), "w2": (10, 128)}.items()
}
f = kc.graph.build(fused, params=params)
for kernel in f.kernels:
    print(kernel)
print(f"{f.memory_plan.arena_bytes} bytes between the kernels")

# 4. It computes what numpy computes.
data = numbers.standard_normal((1, 64)).astype("float32")
hidden = np.maximum(data @ params["w1"].T + params["b1"], 0)
scores = np.exp(hidden @ params["w2"].T)
np.testing.assert_allclose(f(data), scores / scores.sum(), rtol=1e-4)

# 5. The instructions: the loop of the first product multiplies and adds vectors.
assembly = f.get_source("asm")
lines = [line.strip() for line in assembly.splitlines()]
print("vector multiply-adds:", sum(line.startswith("vfmadd") for line in lines))
