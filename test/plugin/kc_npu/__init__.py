"""An example of a plugin for an accelerator that does not exist."""
