"""The llvm dialect, with the names and the text of MLIR's.

Ops that xDSL defines as MLIR does are xDSL's; missing and deviating ops are defined in the modules
of this package. All are exported here::

    from kc.dialects.llvm import AddOp, FuncOp, GEPOp, LLVMPointerType
"""

from xdsl.ir import Attribute, Dialect, Operation

# fmt: off
# ruff: noqa: I001
from xdsl.dialects.llvm import (
    AShrOp, AddOp, AddressOfOp, AndOp, FAddOp, FCmpPredicateFlag, FDivOp,
    FMulOp, FNegOp, FRemOp, FSubOp, FastMathAttr, FramePointerKindAttr, GEP_USE_SSA_VAL,
    ICmpPredicateFlag, InlineAsmOp, InsertElementOp, LLVMPointerType, LLVMVoidType, LShrOp,
    LinkageAttr, MulOp, OrOp, OverflowAttr, OverflowFlag, ReturnOp, SDivOp, SRemOp, ShlOp,
    ShuffleVectorOp, StackRestoreOp, StackSaveOp, SubOp, TailCallKind, TailCallKindAttr,
    TargetFeaturesAttr, UDivOp, URemOp, UndefOp, UnreachableOp, XOrOp,
)
from kc.dialects.llvm.arith import (
    FCmpOp, FreezeOp, ICmpOp, SelectOp,
)
from kc.dialects.llvm.atomic import (
    AtomicRMWOp, CmpXchgOp, FenceOp,
)
from kc.dialects.llvm.attrs import (
    AccessGroupAttr, AliasScopeAttr, AliasScopeDomainAttr, LoopAnnotationAttr,
    LoopDistributeAttr, LoopInterleaveAttr, LoopLICMAttr, LoopPeeledAttr, LoopPipelineAttr,
    LoopUnrollAndJamAttr, LoopUnrollAttr, LoopUnswitchAttr, LoopVectorizeAttr,
)
from kc.dialects.llvm.call import (
    CallIntrinsicOp, CallOp,
)
from kc.dialects.llvm.casts import (
    AddrSpaceCastOp, BitcastOp, FPExtOp, FPToSIOp, FPToUIOp, FPTruncOp, IntToPtrOp, PtrToIntOp,
    SExtOp, SIToFPOp, TruncOp, UIToFPOp, ZExtOp,
)
from kc.dialects.llvm.flow import (
    BrOp, CondBrOp, SwitchOp,
)
from kc.dialects.llvm.func import (
    FuncOp,
)
from kc.dialects.llvm.global_variables import (
    GlobalOp,
)
from kc.dialects.llvm.intr_float import (
    ACosOp, ASinOp, ATan2Op, ATanOp, CopySignOp, CosOp, CoshOp, Exp10Op, Exp2Op, ExpOp, FAbsOp,
    FCeilOp, FFloorOp, FMAOp, FMulAddOp, FTruncOp, IsFPClassOp, LlrintOp, LlroundOp, LoadExpOp,
    Log10Op, Log2Op, LogOp, LrintOp, LroundOp, MaxNumOp, MaximumOp, MinNumOp, MinimumOp,
    NearbyintOp, PowIOp, PowOp, RintOp, RoundEvenOp, RoundOp, SinOp, SincosOp, SinhOp, SqrtOp,
    TanOp, TanhOp,
)
from kc.dialects.llvm.intr_int import (
    AbsOp, BitReverseOp, ByteSwapOp, CountLeadingZerosOp, CountTrailingZerosOp, CtPopOp, FshlOp,
    FshrOp, SAddSatOp, SAddWithOverflowOp, SMaxOp, SMinOp, SMulWithOverflowOp, SShlSatOp,
    SSubSatOp, SSubWithOverflowOp, UAddSatOp, UAddWithOverflowOp, UMaxOp, UMinOp,
    UMulWithOverflowOp, UShlSatOp, USubSatOp, USubWithOverflowOp,
)
from kc.dialects.llvm.intr_masked import (
    MaskedGatherOp, MaskedLoadOp, MaskedScatterOp, MaskedStoreOp,
)
from kc.dialects.llvm.intr_memory import (
    AssumeOp, ExpectOp, LifetimeEndOp, LifetimeStartOp, MemcpyOp, MemmoveOp, MemsetOp,
    PrefetchOp, TrapOp,
)
from kc.dialects.llvm.intr_vector import (
    GetActiveLaneMaskOp, StepVectorOp, VectorExtractOp, VectorInsertOp, VectorReduceAddOp,
    VectorReduceAndOp, VectorReduceFAddOp, VectorReduceFMaxOp, VectorReduceFMaximumOp,
    VectorReduceFMinOp, VectorReduceFMinimumOp, VectorReduceFMulOp, VectorReduceMulOp,
    VectorReduceOrOp, VectorReduceSMaxOp, VectorReduceSMinOp, VectorReduceUMaxOp,
    VectorReduceUMinOp, VectorReduceXorOp,
)
from kc.dialects.llvm.memory import (
    LoadOp, StoreOp,
)
from kc.dialects.llvm.pointers import (
    AllocaOp, GEPOp,
)
from kc.dialects.llvm.ranges import (
    ConstantRangeAttr,
)
from kc.dialects.llvm.symbols import (
    CallingConventionAttr, MemoryEffectsAttr, UWTableKindAttr,
)
from kc.dialects.llvm.types import (
    LLVMArrayType, LLVMFunctionType, LLVMStructType, LLVMTokenType, LLVMX86AMXType, LLVM_FLOATS,
    bit_width,
    element_type,
    is_compatible_type, lanes, same_shape,
)
from kc.dialects.llvm.values import (
    ConstantOp, ExtractElementOp, ExtractValueOp, InsertValueOp, NoneTokenOp, PoisonOp, ZeroOp,
)

__all__ = [
    "ACosOp", "AShrOp", "ASinOp", "ATan2Op", "ATanOp", "AbsOp", "AccessGroupAttr", "AddOp",
    "AddrSpaceCastOp", "AddressOfOp", "AliasScopeAttr", "AliasScopeDomainAttr", "AllocaOp",
    "AndOp", "AssumeOp", "AtomicRMWOp", "BitReverseOp", "BitcastOp", "BrOp", "ByteSwapOp",
    "CallIntrinsicOp", "CallOp", "CallingConventionAttr", "CmpXchgOp", "CondBrOp", "ConstantOp",
    "ConstantRangeAttr", "CopySignOp", "CosOp", "CoshOp", "CountLeadingZerosOp",
    "CountTrailingZerosOp", "CtPopOp",
    "Exp10Op", "Exp2Op", "ExpOp", "ExpectOp", "ExtractElementOp", "ExtractValueOp", "FAbsOp",
    "FAddOp", "FCeilOp", "FCmpOp", "FCmpPredicateFlag", "FDivOp", "FFloorOp", "FMAOp",
    "FMulAddOp", "FMulOp", "FNegOp", "FPExtOp", "FPToSIOp", "FPToUIOp", "FPTruncOp", "FRemOp",
    "FSubOp", "FTruncOp", "FastMathAttr", "FenceOp", "FramePointerKindAttr", "FreezeOp",
    "FshlOp", "FshrOp", "FuncOp", "GEPOp", "GEP_USE_SSA_VAL", "GetActiveLaneMaskOp", "GlobalOp",
    "ICmpOp", "ICmpPredicateFlag", "InlineAsmOp", "InsertElementOp", "InsertValueOp",
    "IntToPtrOp", "IsFPClassOp", "LLVM", "LLVMArrayType", "LLVMFunctionType", "LLVMPointerType",
    "LLVMStructType", "LLVMTokenType", "LLVMVoidType", "LLVMX86AMXType", "LLVM_FLOATS", "LShrOp",
    "LifetimeEndOp",
    "LifetimeStartOp", "LinkageAttr", "LlrintOp", "LlroundOp", "LoadExpOp", "LoadOp", "Log10Op",
    "Log2Op", "LogOp", "LoopAnnotationAttr", "LoopDistributeAttr", "LoopInterleaveAttr",
    "LoopLICMAttr", "LoopPeeledAttr", "LoopPipelineAttr", "LoopUnrollAndJamAttr",
    "LoopUnrollAttr", "LoopUnswitchAttr", "LoopVectorizeAttr", "LrintOp", "LroundOp",
    "MaskedGatherOp", "MaskedLoadOp", "MaskedScatterOp", "MaskedStoreOp", "MaxNumOp",
    "MaximumOp", "MemcpyOp", "MemmoveOp", "MemoryEffectsAttr", "MemsetOp", "MinNumOp",
    "MinimumOp", "MulOp", "NearbyintOp", "NoneTokenOp", "OrOp", "OverflowAttr", "OverflowFlag",
    "PoisonOp",
    "PowIOp", "PowOp", "PrefetchOp", "PtrToIntOp", "ReturnOp", "RintOp", "RoundEvenOp",
    "RoundOp", "SAddSatOp", "SAddWithOverflowOp", "SDivOp", "SExtOp", "SIToFPOp", "SMaxOp",
    "SMinOp", "SMulWithOverflowOp", "SRemOp", "SShlSatOp", "SSubSatOp", "SSubWithOverflowOp",
    "SelectOp", "ShlOp", "ShuffleVectorOp", "SinOp", "SincosOp", "SinhOp", "SqrtOp",
    "StackRestoreOp", "StackSaveOp", "StepVectorOp", "StoreOp", "SubOp", "SwitchOp",
    "TailCallKind", "TailCallKindAttr", "TanOp", "TanhOp", "TargetFeaturesAttr", "TrapOp",
    "TruncOp", "UAddSatOp", "UAddWithOverflowOp", "UDivOp", "UIToFPOp", "UMaxOp", "UMinOp",
    "UMulWithOverflowOp", "URemOp", "UShlSatOp", "USubSatOp", "USubWithOverflowOp",
    "UWTableKindAttr", "UndefOp", "UnreachableOp", "VectorExtractOp", "VectorInsertOp",
    "VectorReduceAddOp", "VectorReduceAndOp", "VectorReduceFAddOp", "VectorReduceFMaxOp",
    "VectorReduceFMaximumOp", "VectorReduceFMinOp", "VectorReduceFMinimumOp",
    "VectorReduceFMulOp", "VectorReduceMulOp", "VectorReduceOrOp", "VectorReduceSMaxOp",
    "VectorReduceSMinOp", "VectorReduceUMaxOp", "VectorReduceUMinOp", "VectorReduceXorOp",
    "XOrOp", "ZExtOp", "ZeroOp", "bit_width", "element_type", "is_compatible_type", "lanes",
    "same_shape",
]
# fmt: on

_NAMED = [
    value
    for value in map(globals().get, __all__)
    if isinstance(value, type) and getattr(value, "name", "").startswith("llvm.")
]

# Tested by the bases: issubclass takes 0.1 ms for an abstract class with this many subclasses.
LLVM = Dialect(
    "llvm",
    [value for value in _NAMED if Operation in value.__mro__],
    [value for value in _NAMED if Attribute in value.__mro__],
)
