"""Names of ``relay.transform``: those of passes that are there, and of those that come later."""

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.support.diagnostics import GraphError
from kc.tvm.relay.later_passes import LATER

OF_TVM = """
AlterOpLayout AnnotateTarget BackwardFoldScaleAxis BatchingOps CanonicalizeCast CanonicalizeOps
CombineParallelBatchMatmul CombineParallelConv2D CombineParallelDense ConvertLayout
DeadCodeElimination DefuseOps DynamicToStatic EliminateCommonSubexpr EtaExpand
FakeQuantizationToInteger FastMath FlattenAtrousConv FoldConstant FoldExplicitPadding FoldScaleAxis
ForwardFoldScaleAxis FuseOps InferType Inline LabelOps LambdaLift LazyGradientInit Legalize
ManifestAlloc ManifestLifetimes MergeCompilerRegions MergeComposite PartitionGraph PlanDevices
RemoveUnusedFunctions SimplifyExpr SimplifyInference SplitArgs ToANormalForm
ToBasicBlockNormalForm ToGraphNormalForm ToMixedPrecision
""".split()


@pytest.mark.parametrize("name", OF_TVM)
def test_a_name_is_a_pass_or_says_that_it_is_none_yet(name: str) -> None:
    function = getattr(relay.transform, name)
    assert name in dir(relay.transform)
    if function.__doc__ is not None and "not in kc yet" in function.__doc__:
        with pytest.raises(GraphError, match=f"KC2471.*relay.transform.{name}") as raised:
            function({"nn.conv2d": ["NHWC", "default"]})
        assert LATER[name] in str(raised.value)
    else:
        assert callable(function())


def test_a_pass_that_is_there_is_not_in_the_table() -> None:
    for name in LATER:
        assert "not in kc yet" in (getattr(relay.transform, name).__doc__ or ""), name


def test_quantization_after_training() -> None:
    with pytest.raises(GraphError, match="KC2471.*relay.quantize.quantize"):
        relay.quantize.quantize(None)
    with pytest.raises(GraphError, match="relay.qnn"):
        with relay.quantize.qconfig(nbit_input=8):
            pass


def test_a_name_that_is_none() -> None:
    with pytest.raises(AttributeError, match="did you mean 'FuseOps'"):
        _ = relay.transform.FuseOpps


def test_batching_ops() -> None:
    x = relay.var("x", shape=(2, 4, 5, 6))
    weights = [relay.const(np.ones((n, 4, 1, 1), "float32")) for n in (1, 2, 3)]
    parts = relay.Tuple([relay.nn.conv2d(x, weight) for weight in weights])
    module = kc.IRModule.from_expr(relay.Function([x], parts))
    with kc.transform.PassContext(opt_level=4):
        after = relay.transform.BatchingOps()(module)
    names = [op.OPERATOR.name for op in after.op.walk() if isinstance(op, OperatorOp)]
    assert names.count("nn.conv2d") == 1
