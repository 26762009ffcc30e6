"""What a run is called in the report: a seed's training or, of a language model that is asked, a prompt."""

from __future__ import annotations

from goldproof.report.summary import Plain
from goldproof.studies.asked import is_asked
from goldproof.studies.corruption.settings import Config


def run_word(config: Config) -> str:
    """What runs differ by."""
    return "prompt" if is_asked(config) else "seed"


def runs_told(config: Config) -> dict[str, Plain]:
    """What is said of the runs below the report."""
    if not is_asked(config):
        return {"seeds": ", ".join(map(str, config.seeds))}
    prompts = config.prompts
    examples = f"{prompts.examples}, draw {prompts.draws[0]}" if prompts.examples else "none"
    return {"prompts": prompts.file or "built in", "examples": examples, "precision": prompts.precision}


def cut_items(config: Config) -> str:
    """What the number of items is called that were cut."""
    if is_asked(config):
        return "questions that lost their beginning, over all prompts of one version"
    return "test items cut to the maximum input length, over all trainings of one seed"
