"""``tvm.relay.frontend``: importers of models, which kc has by other names."""

from typing import Any as _AnyValue

from kc.support.absent_names import no_attribute as _no_attribute

__all__: list[str] = []


def __getattr__(name: str) -> _AnyValue:
    raise _no_attribute("relay.frontend", name)
