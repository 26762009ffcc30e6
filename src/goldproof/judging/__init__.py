"""What may be claimed from a file of predictions: one file scored, or two compared."""
