"""Shared by all layers, independent of dialects: diagnostics, options, targets, registries."""
