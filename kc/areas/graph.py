"""Whole models: the dialect graph, the families of its operators, and its passes."""

from kc.support.plugins import Plugin, paths_of

FAMILIES = (
    "elementwise",
    "broadcast",
    "reduce",
    "shape",
    "slicing",
    "gathering",
    "scattering",
    "sorting",
    "annotation",
    "matrix",
    "random",
    "signal",
    "dynamic",
    "dense",
    "activation",
    "convolution",
    "deformable",
    "winograd",
    "bitserial",
    "sparse",
    "pooling",
    "pooling_gradient",
    "normalization",
    "padding",
    "space",
    "attention",
    "image",
    "loss",
    "recurrent",
    "qnn",
    "vision",
    "aten",
    "differentiation",
)
"""The stems of the modules that declare operators and of those that compute them; the importer of
torch computes ATen's."""

GRADIENTS = (
    "elementwise",
    "broadcast",
    "reduce",
    "shape",
    "dynamic",
    "dense",
    "activation",
    "convolution",
    "annotation",
    "sorting",
)
"""The stems of the families some of whose operators have rules of gradients."""

PLUGIN = Plugin(
    name="graph",
    dialects={"graph": "kc.dialects.graph:GRAPH"},
    families={
        "graph": paths_of(
            "kc.transforms.graph.{stem}:{name}Pass",
            "infer-type",
            "remove-unused-functions",
            "defuse-ops",
            "dead-code-elimination",
            "eliminate-common-subexpr",
            "canonicalize-ops",
            "fast-math",
            "split-args",
            "inline",
            "simplify-expr",
            "canonicalize-cast",
            "to-graph-normal-form",
            "to-basic-block-normal-form",
            "to-a-normal-form",
            "label-ops",
            "eta-expand",
            "lambda-lift",
            "simplify-inference",
            "backward-fold-scale-axis",
            "forward-fold-scale-axis",
            "flatten-atrous-conv",
            "fake-quantization-to-integer",
            "legalize",
            "qnn-legalize",
            "qnn-canonicalize",
            "fold-explicit-padding",
            "combine-parallel-conv2d",
            "combine-parallel-dense",
            "combine-parallel-batch-matmul",
            "lazy-gradient-init",
            "plan-devices",
            "defunctionalization",
            "annotate-memory-scope",
        )
        | paths_of(
            "kc.graph.passes.{stem}:{name}Pass",
            "fold-constant",
            "fold-scale-axis",
            "dynamic-to-static",
            "to-mixed-precision",
            "lower-te",
            "first-order-gradient",
            "partial-evaluate",
        )
        | paths_of("kc.building.graphs.{stem}:{name}Pass", "fuse-ops", "graph-optimize")
    },
    patterns={
        "legalize": ["kc.tvm.relay.legalize:Registered"],
        "qnn-legalize": ["kc.tvm.relay.legalize:RegisteredQnn"],
        "qnn-canonicalize": ["kc.tvm.relay.legalize:RegisteredCanonical"],
    },
    builders={"graph.func": "kc.building.graphs.compiled_graph:build_function"},
    runners={
        "compiled": "kc.building.graphs.operator_runners:compiled",
        "interpreter": "kc.building.graphs.operator_runners:interpreter",
    },
    views={
        "graph.func": "kc.tvm.relay.from_graph:function_of",
        "graph.data": "kc.tvm.relay.from_graph:type_data_of",
    },
    operator_families={stem: f"kc.dialects.graph.operators.{stem}:__name__" for stem in FAMILIES},
    operator_lowerings={
        **{stem: f"kc.graph.lowering.{stem}:__name__" for stem in FAMILIES},
        "aten": "kc.frontend.torch.aten:__name__",
    },
    operator_gradients={stem: f"kc.graph.gradients.{stem}:__name__" for stem in GRADIENTS},
)
