"""Helpers of tests: passes on expressions, gradients checked by differences, random arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from kc.graph.interpreter import Interpreter
from kc.runtime.ndarray import NDArray, array
from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tir.module import IRModule
from kc.tvm.relay import transform
from kc.tvm.relay.expr import Call, Expr, Function, Op
from kc.tvm.relay.traversal import free_vars, post_order

gradient = transform.gradient


def run_opt_pass(expr: Expr, opt_pass: Any) -> Any:
    """The expression after a pass, or several in a list, with its types."""
    function = expr if isinstance(expr, Function) else Function(free_vars(expr), expr)
    mod = IRModule.from_expr(function)
    passes = opt_pass if isinstance(opt_pass, list | tuple) else [opt_pass]
    for each in passes:
        mod = each(mod)
    after = mod["main"]
    return after if isinstance(expr, Function) else after.body


def run_infer_type(expr: Expr) -> Any:
    """The expression with the types of all its parts."""
    return run_opt_pass(expr, transform.InferType())


def count_ops(expr: Expr) -> Counter[str]:
    """The number of calls of each operator in an expression, by its name."""
    return Counter(
        each.op.name
        for each in post_order(expr)
        if isinstance(each, Call) and isinstance(each.op, Op)
    )


def rand(dtype: str, *shape: int) -> NDArray:
    """An array of random numbers from 0 to 1."""
    return array(np.random.rand(*shape).astype(dtype))


def check_grad(
    func: Function,
    inputs: Sequence[Any] | None = None,
    test_inputs: Sequence[Any] | None = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    scale: float | None = None,
    mean: float = 0,
    mode: str = "higher_order",
    target_devices: Any = None,
    executor_kind: str = "debug",
) -> None:
    """Compare the gradient of a function with central differences of its sum, element by element.

    ``inputs`` are the arguments, normal numbers around ``mean`` if there are none; ``test_inputs``
    those among them whose gradients are checked. Differences of ``eps`` need float64, or a larger
    ``eps``. Raises AssertionError for a gradient that is wrong, and the errors of
    :func:`kc.tvm.relay.transform.gradient`.
    """
    del target_devices, executor_kind
    forward = run_infer_type(func)
    backward = gradient(forward, mode=mode)
    if inputs is None:
        inputs = [_random(param.checked_type, scale, mean) for param in forward.params]
    values = [each.numpy() if hasattr(each, "numpy") else np.asarray(each) for each in inputs]
    if len(values) != len(forward.params):
        raise GraphError(
            "KC2442",
            f"check_grad: {len(values)} inputs for {len(forward.params)} parameters",
            location=caller_location(),
        )
    chosen = [True] * len(values)
    if test_inputs is not None:
        chosen = [any(each is own for own in test_inputs) for each in inputs]
    run = Interpreter(IRModule.from_expr(forward)).run
    _, gradients = Interpreter(IRModule.from_expr(backward)).run(*values)
    for position, value in enumerate(values):
        if not chosen[position]:
            continue
        differences = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            sums: list[float] = []
            for step in (eps, -eps):
                moved = value.copy()
                moved[index] += step
                arguments = [*values[:position], moved, *values[position + 1 :]]
                sums.append(float(np.sum(run(*arguments), dtype=np.float64)))
            differences[index] = (sums[0] - sums[1]) / (2 * eps)
        np.testing.assert_allclose(
            gradients[position],
            differences,
            rtol=rtol,
            atol=atol,
            err_msg=f"the gradient of {forward.params[position].name_hint}",
        )


def _random(kind: Any, scale: float | None, mean: float) -> np.ndarray[Any, Any]:
    shape = kind.concrete_shape
    factor = scale if scale is not None else 10 / max(np.prod(shape) ** 0.5, 1)
    return (np.random.randn(*shape) * factor + mean).astype(kind.dtype)
