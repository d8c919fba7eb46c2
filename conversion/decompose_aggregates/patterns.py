"""The patterns of decompose-aggregates, which import the dialects of the decomposed ops."""

from __future__ import annotations

from kc.conversion.decompose_aggregates import attention, gathers, orders, scans, winograd

PATTERNS = (
    *attention.PATTERNS,
    *scans.PATTERNS,
    *orders.PATTERNS,
    *gathers.PATTERNS,
    *winograd.PATTERNS,
)
