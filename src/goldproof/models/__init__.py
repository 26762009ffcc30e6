"""What is judged: encoders and classifiers. torch is imported inside the functions that run."""
