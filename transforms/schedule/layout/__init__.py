"""The layout of buffers in memory: order of the elements, scope and element type.

``transform_layout`` changes the layout of a buffer, ``transform_block_layout`` the variables of a
block; ``_layouts`` has the analysis for both. ``storage_align`` and ``set_axis_separator`` record
requests for later passes.
"""
