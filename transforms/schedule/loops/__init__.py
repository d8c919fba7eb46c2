"""Loops: dividing, joining, ordering them, and how they run."""
