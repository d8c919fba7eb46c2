"""Loops whose iterations are threads, and the memory that threads share.

``bind`` binds a loop to a thread axis. ``_foreign_values`` and ``_thread_values`` check which
values of other threads a thread reads; ``_divergence`` checks branches; ``_shared_memory`` and
``_vector_alignment`` warn of limits of the GPU.
"""
