"""The layout of buffers in memory: their order, scope and element type."""
