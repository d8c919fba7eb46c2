"""Copies of buffers: blocks read and write a copy in another memory or layout.

Read ``cache_read`` and ``cache_write``, then ``_cached_reads`` and ``_cached_writes``, which build
the copies. ``read_at`` and ``write_at`` place a copy in a loop; ``reindex`` and the
``reindex_cache`` primitives change the indices of the copy; ``cache_index`` caches index
expressions; ``rolling_buffer`` reuses the memory of earlier iterations.
"""
