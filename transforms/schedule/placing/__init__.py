"""Where a block is computed."""
