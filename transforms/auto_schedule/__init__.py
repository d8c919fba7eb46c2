"""Default schedules: rules that choose primitives for functions without a schedule of their own.

``auto_schedule`` applies the rules; ``rule`` is their interface, and ``draft`` the schedule under
construction, with ``undo`` for refused steps. ``nests`` describes a block and its loops, and
``machine`` the target. On CPUs, ``contraction``, ``reduction``, ``rows`` and ``pointwise`` are the
main rules; the other modules prepare programs for these or handle special shapes. ``gpu`` has the
rules for GPUs.
"""
