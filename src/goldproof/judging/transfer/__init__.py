"""Zero-shot transfer judged from predictions over runs, checkpoints and languages: how much of it is luck."""
