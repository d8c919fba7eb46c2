"""How many examples a property test runs."""

from hypothesis import settings


def examples(share: int) -> settings:
    """``@examples(20)``: 20 for each 100 that the profile has, for tests whose examples take long.

    ``@settings(max_examples=...)`` would hold whatever the profile says (see conftest.py).
    """
    return settings(max_examples=max(1, settings().max_examples * share // 100))
