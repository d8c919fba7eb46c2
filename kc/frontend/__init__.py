"""Frontends: programs of other frameworks become modules of kc, a package for each framework."""
