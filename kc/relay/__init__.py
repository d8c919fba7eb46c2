"""``tvm.relay``: :mod:`kc.tvm.relay`, by the path that programs import."""

from typing import Any as _AnyValue

from kc.support.second_names import second_names as _second_names
from kc.tvm import relay as _relay
from kc.tvm.relay import *  # noqa: F403
from kc.tvm.relay import __all__ as __all__
from kc.tvm.relay import adt, analysis, expr, op, prelude, transform
from kc.tvm.relay import types as ty
from kc.tvm.relay.op import nn

_second_names(
    __name__,
    adt=adt,
    analysis=analysis,
    expr=expr,
    op=op,
    prelude=prelude,
    transform=transform,
    ty=ty,
)
_second_names(f"{__name__}.op", nn=nn)


def __getattr__(name: str) -> _AnyValue:
    return getattr(_relay, name)


def __dir__() -> list[str]:
    return dir(_relay)
