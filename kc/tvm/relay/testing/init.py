"""Random parameters for networks: initializers, and ``create_workload``."""

from __future__ import annotations

from typing import Any

import numpy as np

from kc.runtime.ndarray import NDArray, array
from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tir.module import IRModule
from kc.tvm.relay.expr import Function


class Initializer:
    """Fills arrays by the ends of their names: ``weight``, ``bias``, ``gamma``, ``beta``, ``mean``
    and ``var``. A subclass overrides ``_init_weight`` and the like."""

    generator = np.random.default_rng(0)
    """The source of random numbers; :func:`create_workload` replaces it."""

    def __call__(self, desc: str, arr: np.ndarray[Any, Any]) -> None:
        """Fill an array in place. Raises GraphError KC2403 for a name without a known end."""
        for end in ("weight", "bias", "gamma", "beta", "mean", "var"):
            if desc.endswith(end):
                getattr(self, f"_init_{end}")(desc, arr)
                return
        self._init_default(desc, arr)

    def _init_weight(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        raise NotImplementedError(f"{type(self).__name__}._init_weight")

    def _init_bias(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[...] = 0

    def _init_gamma(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[...] = 1

    def _init_beta(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[...] = 0

    def _init_mean(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[...] = 0

    def _init_var(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[...] = 1

    def _init_default(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        raise GraphError(
            "KC2403",
            f"{type(self).__name__}: nothing tells how '{name}' is filled",
            location=caller_location(),
            why="names end with weight, bias, gamma, beta, mean or var",
            hints=["a subclass may override _init_default"],
        )


class Xavier(Initializer):
    """Weights whose variance keeps that of the values, after Glorot and Bengio (2010).

    The limit is ``sqrt(magnitude / fan)``, the fan being that of the inputs ("in"), of the outputs
    ("out"), or their mean ("avg"); ``rnd_type`` is "uniform" or "gaussian".
    """

    def __init__(
        self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3
    ) -> None:
        for value, values in ((rnd_type, ("uniform", "gaussian")), (factor_type, _FANS)):
            if value not in values:
                raise GraphError(
                    "KC2403",
                    f"Xavier: {value!r}",
                    location=caller_location(),
                    why=f"the values are {', '.join(values)}",
                )
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        if arr.ndim < 2:
            raise GraphError(
                "KC2403",
                f"Xavier: the weight '{name}' has the shape {arr.shape}",
                location=caller_location(),
                why="a weight has outputs and inputs, two dimensions at least",
            )
        area = int(np.prod(arr.shape[2:], dtype=np.int64))
        fan_out, fan_in = arr.shape[0] * area, arr.shape[1] * area
        fan = {"in": fan_in, "out": fan_out, "avg": (fan_in + fan_out) / 2}[self.factor_type]
        scale = np.sqrt(self.magnitude / fan)
        if self.rnd_type == "uniform":
            arr[...] = self.generator.uniform(-scale, scale, arr.shape)
        else:
            arr[...] = self.generator.normal(0, scale, arr.shape)


_FANS = ("in", "out", "avg")


class Constant(Initializer):
    """Weights of one value."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _init_weight(self, name: str, arr: np.ndarray[Any, Any]) -> None:
        arr[...] = self.value


def create_workload(
    net: Function, initializer: Initializer | None = None, seed: int = 0
) -> tuple[IRModule, dict[str, NDArray]]:
    """A module whose ``main`` is the network, and arrays for its parameters but ``data``.

    The arrays are filled by ``initializer`` (:class:`Xavier`) from the seed.
    """
    mod = IRModule.from_expr(net)
    chosen = Xavier() if initializer is None else initializer
    chosen.generator = np.random.default_rng(seed)
    params: dict[str, NDArray] = {}
    for param in mod["main"].params:
        if param.name_hint == "data":
            continue
        kind = param.checked_type
        values = np.zeros(kind.concrete_shape, kind.dtype)
        chosen(param.name_hint, values)
        params[param.name_hint] = array(values)
    return mod, params
