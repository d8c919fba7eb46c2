"""The gradients of operators whose attributes are operands."""

from __future__ import annotations

from kc.graph.gradients import gradient
from kc.graph.gradients.shape import reshape

gradient("dyn.reshape", "dyn.squeeze", "dyn.expand_dims")(reshape)
