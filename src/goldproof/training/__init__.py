"""Fine-tuning: model, data and seed in, predictions at every checkpoint out."""
