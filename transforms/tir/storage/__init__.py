"""Storage: the size, layout and reuse of the memory of buffers.

Buffers shrink to their live part (``compact_buffer_allocation``), share memory
(``storage_rewrite``), get strides and layouts (``align_storage``, ``apply_strides``,
``swizzle_storage``, ``merge_dimensions``) or become registers (``lower_tiles``). Start with the
first two.
"""

if (
    __name__ != "kc.transforms.tir.storage"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.storage'")
