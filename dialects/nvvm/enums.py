"""Enumeration attributes of the nvvm dialect.

MLIR writes some as ``#nvvm<shfl_kind bfly>`` and others as ``#nvvm.mem_scope<cta>``. In the
assembly of an operation they are written ``bfly`` and ``<cta>``.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


class WordAttr(Data[str], ABC):
    """A word of :attr:`WORDS`."""

    WORDS: ClassVar[tuple[str, ...]]

    def verify(self) -> None:
        if self.data not in self.WORDS:
            raise VerifyException(f"#{self.name}: {self.data} is none of {', '.join(self.WORDS)}")

    @classmethod
    def parse_word(cls, parser: AttrParser) -> str:
        """Parse one of the words, at the parser's position."""
        start = parser.pos
        word = parser.parse_optional_identifier()
        if word not in cls.WORDS:
            text = f"expected one of {', '.join(cls.WORDS)}"
            parser.raise_error(text, start, max(parser.pos, start + 1))
        return word

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        # The assembly of an operation also accepts the full form.
        start = parser.pos
        if (given := parser.parse_optional_attribute()) is not None:
            if not isinstance(given, cls):
                parser.raise_error(f"expected a #{cls.name}", start, parser.pos)
            return given.data
        return cls.parse_short(parser)

    @classmethod
    def parse_short(cls, parser: AttrParser) -> str:
        """Parse the short form in the assembly of an operation."""
        return cls.parse_word(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


class BracketAttr(WordAttr, ABC):
    """A word in angle brackets."""

    @classmethod
    def parse_short(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return cls.parse_word(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


@irdl_attr_definition
class BarrierReductionAttr(BracketAttr):
    name = "nvvm.reduction"
    WORDS = ("popc", "and", "or")


@irdl_attr_definition
class MemScopeKindAttr(BracketAttr):
    name = "nvvm.mem_scope"
    WORDS = ("cta", "cluster", "gpu", "sys")


@irdl_attr_definition
class MemOrderKindAttr(BracketAttr):
    name = "nvvm.mem_order"
    WORDS = ("weak", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "volatile")


@irdl_attr_definition
class ProxyKindAttr(BracketAttr):
    name = "nvvm.proxy_kind"
    WORDS = ("alias", "async", "async.global", "async.shared", "tensormap", "generic")


@irdl_attr_definition
class SharedSpaceAttr(BracketAttr):
    name = "nvvm.shared_space"
    WORDS = ("cta", "cluster")


@irdl_attr_definition
class ShflKindAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.shfl_kind"
    WORDS = ("bfly", "up", "down", "idx")


@irdl_attr_definition
class VoteSyncKindAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.vote_sync_kind"
    WORDS = ("any", "all", "ballot", "uni")


@irdl_attr_definition
class MatchSyncKindAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.match_sync_kind"
    WORDS = ("any", "all")


@irdl_attr_definition
class ReduxKindAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.redux_kind"
    WORDS = ("add", "and", "max", "min", "or", "umax", "umin", "xor", "fmin", "fmax")


@irdl_attr_definition
class LoadCacheModifierAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.load_cache_modifier"
    WORDS = ("ca", "cg", "cs", "lu", "cv")


@irdl_attr_definition
class PrefetchCacheLevelAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.prefetch_cache_level"
    WORDS = ("L1", "L2")


@irdl_attr_definition
class CacheEvictionPriorityAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.cache_eviction_priority"
    WORDS = ("evict_normal", "evict_first", "evict_last", "evict_unchanged", "no_allocate")


@irdl_attr_definition
class SetMaxRegisterActionAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.action"
    WORDS = ("decrease", "increase")


@irdl_attr_definition
class GridDepActionAttr(WordAttr, SpacedOpaqueSyntaxAttribute):
    name = "nvvm.grid_dep_action"
    WORDS = ("wait", "launch_dependents")


@irdl_attr_definition
class MMATypesAttr(BracketAttr):
    name = "nvvm.mma_type"
    # fmt: off
    WORDS = (
        "f16", "f32", "tf32", "bf16", "s8", "u8", "s32", "s4", "u4", "b1", "f64",
        "e4m3", "e5m2", "e3m2", "e2m3", "e2m1",
    )
    # fmt: on


@irdl_attr_definition
class MMALayoutAttr(BracketAttr):
    name = "nvvm.mma_layout"
    WORDS = ("row", "col")


@irdl_attr_definition
class MMAFragAttr(BracketAttr):
    name = "nvvm.mma_frag"
    WORDS = ("a", "b", "c")


@irdl_attr_definition
class MMAIntOverflowAttr(BracketAttr):
    name = "nvvm.mma_int_overflow"
    WORDS = ("satfinite", "wrapped")


@irdl_attr_definition
class MMAB1OpAttr(BracketAttr):
    name = "nvvm.mma_b1op"
    WORDS = ("none", "xor_popc", "and_popc")


@irdl_attr_definition
class LdStMatrixEltTypeAttr(BracketAttr):
    name = "nvvm.ld_st_matrix_elt_type"
    WORDS = ("b16", "b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64")


@irdl_attr_definition
class WGMMATypesAttr(BracketAttr):
    name = "nvvm.wgmma_type"
    WORDS = ("f16", "tf32", "u8", "s8", "b1", "bf16", "e4m3", "e5m2", "f32", "s32")


@irdl_attr_definition
class WGMMAScaleInAttr(BracketAttr):
    name = "nvvm.wgmma_scale_in"
    WORDS = ("one", "neg")


@irdl_attr_definition
class WGMMAScaleOutAttr(BracketAttr):
    name = "nvvm.wgmma_scale_out"
    WORDS = ("zero", "one")


@irdl_attr_definition
class TMALoadModeAttr(BracketAttr):
    name = "nvvm.tma_load_mode"
    WORDS = ("tile", "im2col", "im2col_w", "im2col_w_128", "tile_gather4")


@irdl_attr_definition
class TMAStoreModeAttr(BracketAttr):
    name = "nvvm.tma_store_mode"
    WORDS = ("tile", "im2col", "tile_scatter4")


@irdl_attr_definition
class TMAReduxKindAttr(BracketAttr):
    name = "nvvm.tma_redux_kind"
    WORDS = ("add", "max", "min", "inc", "dec", "and", "or", "xor")


@irdl_attr_definition
class FPRoundingModeAttr(BracketAttr):
    name = "nvvm.fp_rnd_mode"
    WORDS = ("none", "rn", "rm", "rp", "rz", "rna", "rs")


@irdl_attr_definition
class SaturationModeAttr(BracketAttr):
    name = "nvvm.sat_mode"
    WORDS = ("none", "satfinite")
