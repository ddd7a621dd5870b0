"""Records -> points: what changed, and how it is stored."""
