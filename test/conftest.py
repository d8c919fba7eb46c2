"""How property tests run: the same examples every time, unless a run asks for more."""

from hypothesis import settings

settings.register_profile("kc", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("kc")
