"""What every layer needs and what knows no dialect: diagnostics, options, targets, registries."""
