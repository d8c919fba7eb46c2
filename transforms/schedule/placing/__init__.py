"""The places of blocks: primitives that move or inline a block."""
