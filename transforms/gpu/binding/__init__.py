"""Binding: loops become the blocks, threads and warps of a launch.

``unify_thread_binding`` turns the bound loops of a kernel into one launch. Reductions over threads
become exchanges of values: ``lower_cross_thread_reduction``, then ``lower_thread_allreduce``.
``inject_virtual_thread`` interleaves virtual threads, ``lower_warp_memory`` places the memory of
warps, and ``verify_gpu_code`` checks resource limits.
"""

if (
    __name__ != "kc.transforms.gpu.binding"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu.binding'")
