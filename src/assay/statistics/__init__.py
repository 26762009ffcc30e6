"""Arrays in, estimates out: no input or output, no torch."""
