"""Synchronization: barriers and waits, inserted only where threads and copies depend on each other.

``thread_sync`` inserts barriers. ``_asynchronous_copies`` finds the statements that must wait for
asynchronous copies; ``defer_wgmma_waits`` and ``specialize_warps`` overlap products and copies.
``merge_shared_memory_allocations`` reuses memory between two barriers.
"""

if (
    __name__ != "kc.transforms.gpu.sync"
):  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.transforms.gpu.sync'")
