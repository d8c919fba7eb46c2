"""Verdicts on accesses beside what the emulator counts of them."""

from __future__ import annotations

from kc.gpu import AccessSite, Report


def disagreeing(report: Report) -> list[AccessSite]:
    """The accesses whose verdict is not what the run has shown."""
    return [
        site
        for site in report.sites
        if site.verdict is not None
        and (site.verdict in ("coalesced", "conflict-free"))
        is not (site.transactions == site.least)
    ]
