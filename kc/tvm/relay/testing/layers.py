"""Layers of networks, with variables for their parameters: ``conv2d(x, name="conv0", ...)``."""

from __future__ import annotations

from typing import Any

from kc.tvm.relay.expr import Expr, TupleWrapper, Var
from kc.tvm.relay.op import nn


def _weight(weight: Expr | None, kwargs: dict[str, Any], end: str = "weight") -> Expr:
    return Var(f"{kwargs['name']}_{end}") if weight is None else weight


def conv2d(data: Expr, weight: Expr | None = None, **kwargs: Any) -> Any:
    """``nn.conv2d`` with a weight that is called ``{name}_weight``."""
    weight = _weight(weight, kwargs)
    kwargs.pop("name", None)
    return nn.conv2d(data, weight, **kwargs)


def conv3d(data: Expr, weight: Expr | None = None, **kwargs: Any) -> Any:
    """``nn.conv3d`` with a weight that is called ``{name}_weight``."""
    weight = _weight(weight, kwargs)
    kwargs.pop("name", None)
    return nn.conv3d(data, weight, **kwargs)


def conv2d_transpose(data: Expr, weight: Expr | None = None, **kwargs: Any) -> Any:
    """``nn.conv2d_transpose`` with a weight that is called ``{name}_weight``."""
    weight = _weight(weight, kwargs)
    kwargs.pop("name", None)
    return nn.conv2d_transpose(data, weight, **kwargs)


def dense_add_bias(
    data: Expr,
    weight: Expr | None = None,
    bias: Expr | None = None,
    units: int | None = None,
    **kwargs: Any,
) -> Any:
    """``nn.dense`` and a bias, of variables ``{name}_weight`` and ``{name}_bias``."""
    weight = _weight(weight, kwargs)
    bias = _weight(bias, kwargs, "bias")
    kwargs.pop("name", None)
    return nn.bias_add(nn.dense(data, weight, units, **kwargs), bias, axis=-1)


def batch_norm_infer(
    data: Expr,
    gamma: Expr | None = None,
    beta: Expr | None = None,
    moving_mean: Expr | None = None,
    moving_var: Expr | None = None,
    **kwargs: Any,
) -> Expr:
    """The first result of ``nn.batch_norm``, of variables ``{name}_gamma`` and the like."""
    parameters = {
        "gamma": gamma,
        "beta": beta,
        "moving_mean": moving_mean,
        "moving_var": moving_var,
    }
    operands = [_weight(value, kwargs, end) for end, value in parameters.items()]
    kwargs.pop("name", None)
    results: TupleWrapper = nn.batch_norm(data, *operands, **kwargs)
    return results[0]


def conv_kernel_layout(data_layout: str, is_depthwise: bool = False) -> str:
    """The layout of kernels that goes with one of data: OIHW for NCHW, HWIO for NHWC, HWOI there
    for convolutions of each channel by itself."""
    layouts = {
        "NCHW": ("OIHW", "OIHW"),
        "NHWC": ("HWIO", "HWOI"),
        "NCDHW": ("OIDHW", "OIDHW"),
        "NDHWC": ("DHWIO", "DHWOI"),
    }
    return layouts[data_layout][is_depthwise]
