"""``tvm.parser``: Relay's text as modules and expressions (:mod:`kc.tvm.relay.text_parser`)."""

from __future__ import annotations

from kc.tvm.relay.text_parser import fromtext, parse, parse_expr

__all__ = ["fromtext", "parse", "parse_expr"]
