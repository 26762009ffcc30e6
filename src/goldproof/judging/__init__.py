"""What may be claimed from Answers: scored, compared, over the checkpoints of a training; printed scores too."""
