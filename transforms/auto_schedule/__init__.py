"""Default schedules: rules that choose primitives, where nobody wrote a schedule."""
