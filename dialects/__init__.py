"""The dialects: types, attributes, operations and their verifiers, without rewriting."""

if __name__ != "kc.dialects":  # a second import path would make a second copy of every class
    raise ImportError("import this package as 'kc.dialects'")

from kc.dialects import deferred_formats as _deferred_formats

_deferred_formats.install()
