"""Work as values: jobs, their keys, the store that keeps what they return, and the scheduler. Knows nothing of language."""
