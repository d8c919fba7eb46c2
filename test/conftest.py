"""How tests run: properties on the same examples every time, interrupts as in a terminal."""

import signal

from hypothesis import settings

settings.register_profile("kc", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None, max_examples=2000)
settings.load_profile("kc")

# A shell starts what runs in its background with interrupts ignored, which tests of them inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
