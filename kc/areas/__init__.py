"""The areas of kc: each is a :class:`~kc.support.plugins.Plugin`, as that of a package is.

A record holds text only and imports nothing that it names. What it names is kc's own: the registry
gives it the origin ``kc``, and it is no part of the list of plugins.
"""

AREAS = {
    "kc": (
        "kc.areas.schedules:PLUGIN",
        "kc.areas.auto_schedule:PLUGIN",
        "kc.areas.intrinsics:PLUGIN",
        "kc.areas.passes:PLUGIN",
        "kc.areas.graph:PLUGIN",
        "kc.areas.gpu:PLUGIN",
        "kc.areas.llvm:PLUGIN",
        "kc.areas.c:PLUGIN",
        "kc.areas.cuda:PLUGIN",
        "kc.areas.opencl:PLUGIN",
        "kc.areas.metal:PLUGIN",
        "kc.areas.rocm:PLUGIN",
        "kc.areas.spirv:PLUGIN",
        "kc.areas.mlir:PLUGIN",
        "kc.areas.torch:PLUGIN",
    ),
    "xdsl": ("kc.areas.xdsl:PLUGIN",),
}
"""Origin -> the records of its areas."""

FAMILIES = {
    "schedule": "Schedule primitives (on tir; te functions are lowered to tir first)",
    "sched": "Schedules written as IR (dialect sched)",
    "chosen": "Automatic schedules (te functions are lowered to tir first)",
    "graph": "Passes on graph (under the names of Relay's passes)",
    "tir": "Passes on tir",
    "gpu": "Passes on gpu",
    "conversion": "Conversions",
    "pipeline": "Pipelines",
    "generic": "Passes on every dialect",
    "xdsl": "Generic passes of xDSL (--list-passes shows all of xDSL's)",
    "plugin": "Passes of plugins",
}
"""The families of passes, in the order of ``kc-opt --help``, with their headings there."""
