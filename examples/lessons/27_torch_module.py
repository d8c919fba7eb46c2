"""Lesson 27: a PyTorch module, from its layers to the instructions of its kernels.

The module becomes a graph of operators, which is IR that can be printed at each step. Lesson 26
writes such a graph by hand. Without torch the lesson ends at once, and says so.
"""

import importlib.util
import sys

import numpy as np

import kc
from kc import relay

if importlib.util.find_spec("torch") is None:
    sys.exit(print("skipped: torch is not installed"))

import torch  # pyright: ignore[reportMissingImports]

# 1. A network for small images: a convolution with a norm of batches, and an LSTM that reads the
# rows of the result.
torch.manual_seed(0)


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(1, 8, 3, padding=1, bias=False)
        self.norm = torch.nn.BatchNorm2d(8)
        self.rows = torch.nn.LSTM(8 * 16, 32, batch_first=True)
        self.scores = torch.nn.Linear(32, 10)

    def forward(self, image):
        x = torch.relu(self.norm(self.convolution(image)))
        _, (last, _) = self.rows(x.transpose(1, 2).flatten(2))
        return torch.softmax(self.scores(last[0]), -1)


network, image = Network().eval(), torch.randn(1, 1, 16, 16)

# 2. The graph. Relay has most of the operators; the LSTM of 16 steps is one of them. Parameters are
# constants, whose elements stand beside the graph.
module = kc.from_torch(network, image)
operators = [op.name for op in module.op.walk() if op.name.startswith("graph.nn.")]
print(*operators, sep="\n")

# 3. Passes. In inference the norm is a factor and a summand for each channel. The factors go into
# the weights of the convolution, and the rest becomes one kernel with it.
with kc.transform.PassContext(opt_level=3):
    optimized = relay.transform.FoldConstant()(relay.transform.SimplifyInference()(module))
    optimized = relay.transform.FoldConstant()(relay.transform.FoldScaleAxis()(optimized))
    fused = relay.transform.FuseOps(fuse_opt_level=2)(optimized)
convolution = next(op for op in fused.op.body.ops if "conv2d" in op.sym_name.data)
print(convolution)

# 4. One native function, which kc.graph.build makes by the same passes and more.
f = kc.graph.build(module)
print(f.memory_plan)

# 5. It computes what torch computes.
with torch.no_grad():
    expected = network(image).numpy()
np.testing.assert_allclose(f(image.numpy()), expected, rtol=1e-4, atol=1e-6)

# 6. The instructions: the block of them that multiplies and adds the most vectors.
blocks = f.get_source("asm").split("\n.LBB")
densest = max(blocks, key=lambda block: block.count("vfmadd"))
print(".LBB" + "\n".join(densest.splitlines()[:12]))
print("vector multiply-adds in it:", densest.count("vfmadd"))
