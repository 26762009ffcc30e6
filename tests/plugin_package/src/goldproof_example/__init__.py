"""One plugin of each kind for Goldproof."""
