"""How many examples a property test runs, and which of them get the checks that take long."""

from zlib import crc32

from hypothesis import settings


def examples(share: int) -> settings:
    """``@examples(20)``: 20 for each 100 that the profile has, for tests whose examples take long.

    ``@settings(max_examples=...)`` would hold whatever the profile says (see conftest.py).
    """
    return settings(max_examples=max(1, settings().max_examples * share // 100))


def is_in_slice(case: str, share: int) -> bool:
    """Whether ``case`` gets a check that takes long: one case in ``share`` does, the same in every
    run, and all do in a sweep."""
    return is_sweep() or crc32(case.encode()) % share == 0


def is_sweep() -> bool:
    """Whether all is wanted of what other runs have a slice of."""
    return settings.get_current_profile_name() != "kc"
