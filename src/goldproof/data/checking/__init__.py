"""What is wrong with a corpus, before anything is trained on it."""
