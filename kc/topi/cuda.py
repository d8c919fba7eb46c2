"""Schedules for the target cuda, under TVM's names; see :mod:`kc.topi.schedules`."""

from typing import Any

from kc.support.absent_names import no_attribute
from kc.topi.schedules import default_schedule, entries, schedule_injective_from_existing

_ENTRIES = {
    **entries("cuda"),
    "default_schedule": default_schedule,
    "schedule_injective_from_existing": schedule_injective_from_existing,
}


def __getattr__(name: str) -> Any:
    if name not in _ENTRIES:
        raise no_attribute(__name__.removeprefix("kc."), name)
    return _ENTRIES[name]


def __dir__() -> list[str]:
    return sorted(_ENTRIES)
