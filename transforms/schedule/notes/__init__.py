"""Notes for later passes: annotations and pragmas of loops, blocks and buffers.

``_annotations`` has the values of annotations. ``double_buffer`` and ``prefetch`` also check that
the requested overlap is legal.
"""
