"""What more than one study shares: no study imports another."""

from __future__ import annotations

from goldproof.training.recipe import Recipe

PAPER_RECIPE = Recipe(
    task="pair",
    epochs=10,
    batch=4,
    learning_rate=1e-5,
    schedule="linear",
    warmup=0.1,
    weight_decay=0.01,
    clip=1.0,
    dropout=0.1,
    max_length=256,
    evaluations=10,
)
"""How entailment is fine-tuned in the stability paper."""
