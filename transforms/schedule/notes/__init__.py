"""Notes for later passes: annotations, pragmas, and what they are of."""
