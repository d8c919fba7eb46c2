"""xDSL's generic passes, with a line each: their docstrings are not written for this place."""

from kc.support.plugins import Plugin

_PASSES = {
    "cse": (
        "common_subexpression_elimination:CommonSubexpressionElimination",
        "Remove repeated computations.",
    ),
    "dce": ("dead_code_elimination:DeadCodeElimination", "Remove unused operations."),
    "licm": (
        "loop_invariant_code_motion:LoopInvariantCodeMotionPass",
        "Move loop-invariant code out of loops.",
    ),
    "control-flow-hoist": (
        "control_flow_hoist:ControlFlowHoistPass",
        "Hoist code out of conditionals.",
    ),
    "reconcile-unrealized-casts": (
        "reconcile_unrealized_casts:ReconcileUnrealizedCastsPass",
        "Remove casts that cancel out.",
    ),
}

PLUGIN = Plugin(
    name="xdsl",
    families={"xdsl": {flag: f"xdsl.transforms.{path}" for flag, (path, _) in _PASSES.items()}},
    summaries={flag: summary for flag, (_, summary) in _PASSES.items()},
)
