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
    """A word of :attr:`WORDS`.

    A subclass with a ``mnemonic`` is an attribute of the dialect; spaces separate its words.
    """

    WORDS: ClassVar[tuple[str, ...]]
    FORM: ClassVar[str]
    """The text of an attribute outside of operations, with its mnemonic and its word."""

    def __init_subclass__(cls, mnemonic: str = "", words: str = "") -> None:
        super().__init_subclass__()
        if mnemonic:
            cls.name = f"nvvm.{mnemonic}"
            cls.WORDS = tuple(words.split())
            first, *rest = cls.WORDS
            cls.__doc__ = f"``{cls.FORM.format(mnemonic, first)}``; also {', '.join(rest)}."
            irdl_attr_definition(cls)

    def verify(self) -> None:
        if self.data not in self.WORDS:
            raise VerifyException(
                f"#{self.name}: {self.data} must be one of {', '.join(self.WORDS)}"
            )

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
        if (attr := parser.parse_optional_attribute()) is not None:
            if not isinstance(attr, cls):
                parser.raise_error(f"expected a #{cls.name}", start, parser.pos)
            return attr.data
        return cls.parse_short(parser)

    @classmethod
    def parse_short(cls, parser: AttrParser) -> str:
        """Parse the short form in the assembly of an operation."""
        return cls.parse_word(parser)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


class BracketAttr(WordAttr, ABC):
    """A word in angle brackets."""

    FORM = "#nvvm.{}<{}>"

    @classmethod
    def parse_short(cls, parser: AttrParser) -> str:
        with parser.in_angle_brackets():
            return cls.parse_word(parser)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


class SpacedAttr(WordAttr, SpacedOpaqueSyntaxAttribute, ABC):
    """A word without brackets in the assembly of operations."""

    FORM = "#nvvm<{} {}>"


# fmt: off
class BarrierReductionAttr(BracketAttr, mnemonic="reduction", words="popc and or"): ...
class MemScopeKindAttr(BracketAttr, mnemonic="mem_scope", words="cta cluster gpu sys"): ...
class MemOrderKindAttr(
    BracketAttr, mnemonic="mem_order",
    words="weak relaxed acquire release acq_rel sc mmio volatile",
): ...
class ProxyKindAttr(
    BracketAttr, mnemonic="proxy_kind",
    words="alias async async.global async.shared tensormap generic",
): ...
class SharedSpaceAttr(BracketAttr, mnemonic="shared_space", words="cta cluster"): ...
class ShflKindAttr(SpacedAttr, mnemonic="shfl_kind", words="bfly up down idx"): ...
class VoteSyncKindAttr(SpacedAttr, mnemonic="vote_sync_kind", words="any all ballot uni"): ...
class MatchSyncKindAttr(SpacedAttr, mnemonic="match_sync_kind", words="any all"): ...
class ReduxKindAttr(
    SpacedAttr, mnemonic="redux_kind",
    words="add and max min or umax umin xor fmin fmax",
): ...
class LoadCacheModifierAttr(SpacedAttr, mnemonic="load_cache_modifier", words="ca cg cs lu cv"): ...
class PrefetchCacheLevelAttr(SpacedAttr, mnemonic="prefetch_cache_level", words="L1 L2"): ...
class CacheEvictionPriorityAttr(
    SpacedAttr, mnemonic="cache_eviction_priority",
    words="evict_normal evict_first evict_last evict_unchanged no_allocate",
): ...
class SetMaxRegisterActionAttr(SpacedAttr, mnemonic="action", words="decrease increase"): ...
class GridDepActionAttr(SpacedAttr, mnemonic="grid_dep_action", words="wait launch_dependents"): ...
class MMATypesAttr(
    BracketAttr, mnemonic="mma_type",
    words="f16 f32 tf32 bf16 s8 u8 s32 s4 u4 b1 f64 e4m3 e5m2 e3m2 e2m3 e2m1",
): ...
class MMALayoutAttr(BracketAttr, mnemonic="mma_layout", words="row col"): ...
class MMAFragAttr(BracketAttr, mnemonic="mma_frag", words="a b c"): ...
class MMAIntOverflowAttr(BracketAttr, mnemonic="mma_int_overflow", words="satfinite wrapped"): ...
class MMAB1OpAttr(BracketAttr, mnemonic="mma_b1op", words="none xor_popc and_popc"): ...
class LdStMatrixEltTypeAttr(
    BracketAttr, mnemonic="ld_st_matrix_elt_type",
    words="b16 b8 b8x16.b6x16_p32 b8x16.b4x16_p64",
): ...
class WGMMATypesAttr(
    BracketAttr, mnemonic="wgmma_type",
    words="f16 tf32 u8 s8 b1 bf16 e4m3 e5m2 f32 s32",
): ...
class WGMMAScaleInAttr(BracketAttr, mnemonic="wgmma_scale_in", words="one neg"): ...
class WGMMAScaleOutAttr(BracketAttr, mnemonic="wgmma_scale_out", words="zero one"): ...
class TMALoadModeAttr(
    BracketAttr, mnemonic="tma_load_mode",
    words="tile im2col im2col_w im2col_w_128 tile_gather4",
): ...
class TMAStoreModeAttr(
    BracketAttr, mnemonic="tma_store_mode",
    words="tile im2col tile_scatter4",
): ...
class TMAReduxKindAttr(
    BracketAttr, mnemonic="tma_redux_kind",
    words="add max min inc dec and or xor",
): ...
class FPRoundingModeAttr(BracketAttr, mnemonic="fp_rnd_mode", words="none rn rm rp rz rna rs"): ...
class SaturationModeAttr(BracketAttr, mnemonic="sat_mode", words="none satfinite"): ...
# fmt: on
