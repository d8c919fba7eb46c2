"""``tvm.relay``: :mod:`kc.tvm.relay`, by the path that programs import."""

from importlib import import_module as _import_module
from typing import Any as _AnyValue

from kc.support.second_names import second_names as _second_names
from kc.tvm import relay as _relay
from kc.tvm.relay import *  # noqa: F403
from kc.tvm.relay import __all__ as __all__
from kc.tvm.relay import adt, analysis, expr, op, prelude, transform
from kc.tvm.relay import types as ty
from kc.tvm.relay.op import annotation, image, nn, qnn, random, vision

_second_names(
    __name__,
    adt=adt,
    analysis=analysis,
    annotation=annotation,
    expr=expr,
    function=expr,
    image=image,
    nn=nn,
    op=op,
    prelude=prelude,
    qnn=qnn,
    random=random,
    transform=transform,
    ty=ty,
    vision=vision,
)
_second_names(f"{__name__}.op", annotation=annotation, image=image, nn=nn, vision=vision)
_second_names(f"{__name__}.qnn", op=qnn)


def __getattr__(name: str) -> _AnyValue:
    if name == "frontend":
        return _import_module(f"{__name__}.frontend")
    return getattr(_relay, name)


def __dir__() -> list[str]:
    return dir(_relay)
