"""``tvm.relay.testing``: :mod:`kc.tvm.relay.testing`, by TVM's path."""

from kc.support.second_names import second_names as _second_names
from kc.tvm.relay import testing as _testing
from kc.tvm.relay.testing import *  # noqa: F403
from kc.tvm.relay.testing import __all__ as __all__

_second_names(
    __name__,
    **{
        name: getattr(_testing, name)
        for name in (
            "dcgan",
            "densenet",
            "dqn",
            "inception_v3",
            "init",
            "layers",
            "lstm",
            "mlp",
            "mobilenet",
            "resnet",
            "squeezenet",
            "vgg",
        )
    },
)
