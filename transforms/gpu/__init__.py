"""Passes for GPUs: binding of loops to launches, synchronization, fragments and copies of tensors.

The rooms ``binding``, ``sync``, ``fragments`` and ``tensor_copies`` lower thread loops of tir. The
passes at this level work on the dialect gpu: they outline and simplify kernels, expand collectives,
and serialize threads for execution on a CPU.
"""

if __name__ != "kc.transforms.gpu":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu'")
