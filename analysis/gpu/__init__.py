"""Static analysis of GPU kernels: safety, memory transactions and resources.

``kernel_values``, ``kernel_launches`` and ``kernel_parts`` read a kernel. ``kernel_safety`` proves
or disproves races, divergence and accesses outside of arrays. ``access_patterns`` and
``kernel_accesses`` count memory transactions. ``ptx_code``, ``ptx_registers`` and ``ptx_resources``
derive registers and memory from PTX.
"""

if __name__ != "kc.analysis.gpu":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.analysis.gpu'")
