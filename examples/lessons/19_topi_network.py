"""Lesson 19: a small network of operators, trained for one step.

kc.topi contains the operators of TVM's topi. They are ordinary tensor expressions, so te.gradient
differentiates a network of them, and it is built like any kernel. The network has a convolution,
relu, pooling and a dense layer; the loss is the negative log likelihood of softmax.
"""

import numpy as np

import kc
from kc import te, topi

BATCH, CLASSES, RATE = 8, 3, 0.05
SHAPES = [(4, 1, 3, 3), (CLASSES, 64), (CLASSES,)]

# The arguments: images, their classes, and the parameters.
image = te.placeholder((BATCH, 1, 8, 8), name="image")
label = te.placeholder((BATCH,), "int32", name="label")
kernel = te.placeholder(SHAPES[0], name="kernel")
weight = te.placeholder(SHAPES[1], name="weight")
bias = te.placeholder(SHAPES[2], name="bias")
parameters = [kernel, weight, bias]

# The network, one operator per line.
hidden = topi.nn.relu(topi.nn.conv2d(image, kernel, 1, 1, 1))
pooled = topi.nn.pool2d(hidden, 2, 2, 1, 0, "max")
scores = topi.nn.dense(topi.nn.flatten(pooled), weight, bias)
shares = topi.nn.log_softmax(scores)
loss = topi.nn.nll_loss(shares, label, topi.full((CLASSES,), "float32", 1.0), "mean", -100)

# One training step subtracts the gradient times the rate from each parameter.
flow = topi.full((), "float32", 1.0)
gradients = te.gradient(loss, parameters, flow)
steps = [
    topi.subtract(old, topi.multiply(slope, RATE))
    for old, slope in zip(parameters, gradients, strict=True)
]
train = kc.build([image, label, *parameters, loss, *steps])
infer = kc.build([image, *parameters, shares])

# Images with one bright third; the class is its number.
random = np.random.default_rng(0)
classes = np.arange(BATCH, dtype="int32") % CLASSES
images = random.normal(0, 0.1, (BATCH, 1, 8, 8)).astype("float32")
for n, place in enumerate(classes):
    images[n, 0, :, place * 3 : place * 3 + 2] += 1
values = [random.normal(0, 0.3, sizes).astype("float32") for sizes in SHAPES]

losses = []
for _ in range(30):
    result, *values = train(images, classes, *values)
    losses.append(float(result))
print(f"loss: {losses[0]:.3f}, after 30 steps {losses[-1]:.3f}")
assert losses[-1] < losses[0] / 2

guesses = infer(images, *values).argmax(axis=1)
print("classes:", classes.tolist(), "guesses:", guesses.tolist())
assert (guesses == classes).all()
