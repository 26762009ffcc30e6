"""The parts of the page that a language model alone has: what the prompt moves, and examples before the question."""

from __future__ import annotations

from goldproof.claiming.plan import EXAMPLES, further_name
from goldproof.claiming.scores import Evidence
from goldproof.claiming.settings import title_of_model
from goldproof.data.dataset import UNKNOWN_LANGUAGE
from goldproof.judging.metric_numbers import score_text, shown, unit
from goldproof.judging.score_answer import lower_name
from goldproof.models.endpoint import is_endpoint
from goldproof.report.numbers import estimate_text, percent
from goldproof.report.summary import Item, Plain, Text
from goldproof.studies.asked.scores import PARTS, PromptScores
from goldproof.studies.shared import parse_folder


def moving_items(evidence: Evidence) -> list[Item]:
    """Which share of the variance of one score is the prompt's, and where another prompt would land."""
    if evidence.asked is None or not evidence.is_recipe:
        return []
    plain, metric = evidence.asked.plain, evidence.metric
    low, high, least, most, looks = (
        f"{shown(float(end), metric)}{_sign(metric)}"
        for end in (
            *(plain.another or plain.bounds),
            plain.by_prompt.min(),
            plain.by_prompt.max(),
            plain.best_as_it_looks,
        )
    )
    another = f"another would score between {low} and {high} on these items"
    if plain.another is None:
        another = "all score the same, so nothing is known about another"
    said = (
        f"{plain.n_prompts} prompts that ask the same thing in different words range from {least} to {most}; "
        f"{another}. {_shares(plain)}"
    )
    best = (
        f"The best of them ({plain.best_name}) looks like {looks}; corrected for having been chosen on these items it "
        f"is {score_text(plain.best, metric)}."
    )
    return [Text(said), Text(best, "score/report.html")]


def _sign(metric: str) -> str:
    """The unit of a score, after a number."""
    return " %" if unit(metric) else ""


def _shares(each: PromptScores) -> str:
    """What the variance of one score is made of."""
    if "prompt" not in each.shares:
        return "Nothing varies with the prompt here."
    ranked = sorted(each.shares.items(), key=lambda pair: -pair[1].value)
    said = [f"{PARTS[name].format(draws=each.draws_name)} {estimate_text(share, 0, '%')}" for name, share in ranked]
    return f"Of the variance of one such score: {'; '.join(said)}."


def example_items(evidence: Evidence) -> list[Item]:
    """What examples before the question change, and how much which ones they are does."""
    if evidence.asked is None or evidence.asked.examples is None:
        return []
    shot, metric = evidence.asked.examples, evidence.metric
    reached = (
        f"With {EXAMPLES} examples from the training data before each question, in {shot.n_draws} draws, "
        f"{lower_name(metric)} is {score_text(shot.mean, metric)} for other prompts and draws like these."
    )
    return [Text(f"{reached} {_shares(shot)}")]


def prompt_language_notes(evidence: Evidence) -> list[str]:
    """Which items are asked about in another language than theirs."""
    if evidence.asked is None or evidence.config.prompts.file:
        return []
    of_items = {evidence.data.language: "test", **{code: further_name(code) for code in evidence.data.further}}
    notes = []
    for language, name in of_items.items():
        other = [each for each in _spoken(evidence.asked.tests[name]) if each != language]
        if other and language != UNKNOWN_LANGUAGE:
            notes.append(f"The prompts about the items in {language} are in {', '.join(other)}.")
    return notes


def _spoken(each: PromptScores) -> list[str]:
    """The languages of the prompts."""
    return list(dict.fromkeys(prompt.language for prompt in each.facts.prompts))


def asked_provenance(evidence: Evidence) -> dict[str, Plain]:
    """How the model was asked."""
    assert evidence.asked is not None
    config, data, plain = evidence.config, evidence.data, evidence.asked.plain
    prompts = config.prompts
    whence = prompts.file or f"built in ({prompts.task or data.kind})"
    how = "text" if prompts.answer == "text" else f"likelihood, rule {prompts.rule}"
    found: dict[str, Plain] = {
        "model": title_of_model(config),
        "data": data.name,
        "language": data.language,
        "training rows": len(data.parts["train"].data),
        "test items": plain.answers.n_items,
        "prompts": f"{plain.n_prompts}, {whence}",
        "languages of the prompts": "as the file has them" if prompts.file else ", ".join(_spoken(plain)),
        "labels": ", ".join(f"{label}: {word}" for label, word in plain.facts.prompts[0].words),
        "examples": str(prompts.examples or "none"),
        "answers": how,
    }
    if not is_endpoint(parse_folder(str(config.model)).folder):  # whose precision is not known
        found["precision"] = prompts.precision
    unread = sum(plain.facts.unread.values()) / plain.answers.runs.size
    return {**found, "answers that named no label": percent(unread)}
