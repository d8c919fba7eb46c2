"""``relay.testing``: networks as Relay programs with random parameters, and helpers of tests.

::

    mod, params = relay.testing.resnet.get_workload(num_layers=18, batch_size=1)
"""

from kc.tvm.relay.testing import (
    dcgan,
    densenet,
    dqn,
    inception_v3,
    init,
    layers,
    lstm,
    mlp,
    mobilenet,
    resnet,
    squeezenet,
    vgg,
)
from kc.tvm.relay.testing.checks import (
    check_grad,
    count_ops,
    gradient,
    rand,
    run_infer_type,
    run_opt_pass,
)
from kc.tvm.relay.testing.init import create_workload

__all__ = [
    "check_grad",
    "count_ops",
    "create_workload",
    "dcgan",
    "densenet",
    "dqn",
    "gradient",
    "inception_v3",
    "init",
    "layers",
    "lstm",
    "mlp",
    "mobilenet",
    "rand",
    "resnet",
    "run_infer_type",
    "run_opt_pass",
    "squeezenet",
    "vgg",
]
