"""Random numbers by counting (Threefry): the same generator draws the same numbers everywhere.

A generator is a tensor of four words of uint32: a key of two and a counter of two. Each draw has
the next generator beside the numbers.
"""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    WORDS,
    Size,
    checked_dtype,
    checked_sizes,
    require_dtype,
    require_same,
)
from kc.dialects.graph.types import Spec, TensorSpec

GENERATOR = TensorSpec((4,), "uint32")
"""The type of a generator."""


class Draw(Operator):
    """An operator of a generator: a tuple of the next one and what is drawn."""

    pattern = Pattern.OPAQUE

    def result_count(self, operands: int) -> int:
        return 2


def _require_generator(key: TensorSpec) -> None:
    if key.rank != 1 or key.dtype != "uint32" or key.shape[0] not in (4, None):
        raise RelationError(f"key is {key}, but a generator is {GENERATOR}")


def _require_parameters(shape: tuple[Size, ...], dtype: str, **operands: TensorSpec) -> None:
    """Require parameters of a distribution, which are broadcast to the shape."""
    for name, operand in operands.items():
        require_dtype(operand, (dtype,), name)
        if operand.rank > len(shape):
            raise RelationError(f"{name} is {operand}, but the numbers have the shape {shape}")
        for size, own in zip(reversed(operand.shape), reversed(shape), strict=False):
            if size != 1:
                require_same(size, own, f"a size of {name} and that of the numbers")


@operator
class ThreefryGenerate(Draw):
    """Random words of uint32."""

    name = "random.threefry_generate"
    inputs = ("key",)

    out_shape: tuple[int, ...]

    def infer(self, key: TensorSpec) -> Spec:
        _require_generator(key)
        return GENERATOR, TensorSpec(checked_sizes(self.out_shape, "out_shape"), "uint32")


@operator
class ThreefrySplit(Draw):
    """Two generators whose numbers do not overlap."""

    name = "random.threefry_split"
    inputs = ("key",)

    def infer(self, key: TensorSpec) -> Spec:
        _require_generator(key)
        return GENERATOR, GENERATOR


@operator
class Uniform(Draw):
    """Numbers from ``low`` to below ``high``, all equally likely."""

    name = "random.uniform"
    inputs = ("key", "low", "high")

    out_shape: tuple[int, ...]
    out_dtype: str = "float32"

    def infer(self, key: TensorSpec, low: TensorSpec, high: TensorSpec) -> Spec:
        _require_generator(key)
        shape = checked_sizes(self.out_shape, "out_shape")
        dtype = checked_dtype(self.out_dtype, WORDS, "out_dtype")
        _require_parameters(shape, dtype, low=low, high=high)
        return GENERATOR, TensorSpec(shape, dtype)


@operator
class Normal(Draw):
    """Normally distributed numbers of a mean and a standard deviation."""

    name = "random.normal"
    inputs = ("key", "mean", "scale")

    out_shape: tuple[int, ...]
    out_dtype: str = "float32"

    def infer(self, key: TensorSpec, mean: TensorSpec, scale: TensorSpec) -> Spec:
        _require_generator(key)
        shape = checked_sizes(self.out_shape, "out_shape")
        dtype = checked_dtype(self.out_dtype, WORDS, "out_dtype")
        _require_parameters(shape, dtype, mean=mean, scale=scale)
        return GENERATOR, TensorSpec(shape, dtype)


@operator
class Multinomial(Draw):
    """Places, as int32, drawn by weights along the last dimension."""

    name = "random.multinomial"
    inputs = ("key", "probs")

    num_samples: int

    def infer(self, key: TensorSpec, probs: TensorSpec) -> Spec:
        _require_generator(key)
        require_dtype(probs, WORDS, "probs")
        if not probs.rank or probs.shape[-1] == 0:
            raise RelationError(f"probs is {probs}, but has one weight or more")
        if self.num_samples < 1:
            raise RelationError(f"num_samples is {self.num_samples}, but must be at least 1")
        return GENERATOR, TensorSpec((*probs.shape[:-1], self.num_samples), "int32")
