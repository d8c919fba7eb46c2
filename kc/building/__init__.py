"""Building: from any input to callable functions, a step in each file.

``programs`` classifies an input and lowers it; ``default_schedules`` schedules unscheduled
functions; ``compile_cache`` keeps machine code on disk; ``signatures`` states the checks of the
runtime at a call. ``kc.driver`` connects the steps.
"""
