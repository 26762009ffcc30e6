"""The stability study, which asks whether a score would hold with another seed."""
