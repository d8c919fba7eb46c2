"""Storage: which elements a buffer has, where each one lies, and how it is filled.

Buffers shrink to what is used (``compact_buffer_allocation``), share memory (``storage_rewrite``),
get strides and places (``align_storage``, ``apply_strides``, ``swizzle_storage``,
``merge_dimensions``) or become registers (``lower_tiles``). Start with the first two.
"""

if (
    __name__ != "kc.transforms.tir.storage"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.tir.storage'")
