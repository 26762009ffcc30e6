"""The studies: each a readable package with Config, PAPER, TINY, jobs and report."""
