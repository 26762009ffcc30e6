"""What is read off models and predictions."""
