"""The passes of TVM 0.9's ``relay.transform`` that kc does not have yet, and what it has meanwhile.

Their names exist; a call raises KC2471. A pass of kc that has the name comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location

_LAYOUTS = (
    "operators take layouts as attributes (data_layout, kernel_layout), and relay.layout_transform "
    "changes that of a tensor"
)
_REGIONS = (
    "kc.relay.dataflow_pattern partitions graphs by patterns, and plugins compile whole functions "
    "for their targets"
)
_QUANTIZED = "relay.qnn has quantized operators, which relay.qnn.transform.CanonicalizeOps lowers"
_SPARSE = "relay.nn.sparse_dense is a product with a sparse matrix that is given as such"
_DYNAMIC = "a dimension may have a name, whose size is that of the call's arrays"
_MEMORY = "kc.graph.build plans the memory of a graph; f.memory_plan shows it"
_PLACES = "each operation has the place of the program that it comes from"

LATER = {
    "AlterOpLayout": _LAYOUTS,
    "AnnotateSpans": _PLACES,
    "AnnotateTarget": _REGIONS,
    "AnnotateUsedMemory": _MEMORY,
    "AutoSchedulerLayoutRewrite": "kc.auto_schedule packs weights where its schedules read them so",
    "CapturePostDfsIndexInSpans": _PLACES,
    "Conv2dToSparse": _SPARSE,
    "Conv2dToSparse2": _SPARSE,
    "ConvertLayout": _LAYOUTS,
    "DenseToSparse": _SPARSE,
    "FlexibleShapeDispatch": _DYNAMIC,
    "InlineCompilerFunctionsBoundTo": _REGIONS,
    "LayoutConfig": _LAYOUTS,
    "ManifestAlloc": _MEMORY,
    "ManifestLifetimes": _MEMORY,
    "MergeCompilerRegions": _REGIONS,
    "MergeComposite": _REGIONS,
    "MetaScheduleLayoutRewrite": "kc.auto_schedule packs weights where its schedules read them so",
    "OutlineCompilerFunctionsWithExistingGlobalSymbols": _REGIONS,
    "PartitionGraph": _REGIONS,
    "SimplifyFCTranspose": "relay.nn.matmul takes a weight that is transposed, and one that is not",
    "quantize": _QUANTIZED,
    "recast": "relay.transform.ToMixedPrecision, and relay.cast",
}
"""The name of a pass -> what there is."""


def later(path: str, name: str, instead: str = "") -> Callable[..., NoReturn]:
    """A function in the place of a pass, ``path.name``, that kc does not have yet.

    ``instead`` is what there is, by default that of :data:`LATER`.
    """

    def refuse(*args: Any, **options: Any) -> NoReturn:
        del args, options
        raise GraphError(
            "KC2471",
            f"{path}.{name} is not in kc yet",
            location=caller_location(),
            why="nothing was changed",
            hints=[instead or LATER[name]],
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"{name} of TVM's Relay, which is not in kc yet (KC2471)."
    return refuse
