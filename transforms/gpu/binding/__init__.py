"""Binding: loops become the blocks, threads and warps of a launch.

``unify_thread_binding`` makes one launch of the bound loops of a kernel. Reductions over threads
become exchanges: ``lower_cross_thread_reduction``, then ``lower_thread_allreduce``.
``inject_virtual_thread`` interleaves virtual threads; ``verify_gpu_code`` checks resource limits.
"""

if (
    __name__ != "kc.transforms.gpu.binding"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu.binding'")
