"""The corruption study, which asks how much of a score survives nonsense, and why."""
