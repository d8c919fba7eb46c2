"""How a buffer is laid out in memory: its order, its scope, its type."""
