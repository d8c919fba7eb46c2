"""Building: from any input to functions to call, one step for each file.

``programs`` sorts an input once and knows how it is lowered; ``default_schedules`` schedules the
functions that nobody has scheduled; ``compile_cache`` keeps machine code on disk; ``signatures``
states what the runtime checks at a call. ``kc.driver`` is the road through them.
"""
