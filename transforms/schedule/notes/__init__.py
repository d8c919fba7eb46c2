"""Notes for later passes: annotations and pragmas of loops, blocks and buffers."""
