"""What is found on the user's own data: how far the seed moves the score, what else does, and each category's score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldproof.data.answers import Answers
from goldproof.jobs import Results
from goldproof.judging.metric_numbers import score_format
from goldproof.judging.metrics import is_share, run_scores, title_of
from goldproof.judging.score import Scores, SetScore, Settings, score_answers
from goldproof.judging.score_answer import lower_name
from goldproof.report.fields import Field, Heading, make_table
from goldproof.report.numbers import format_number
from goldproof.report.summary import Answer, Claim, Column, Item, Missing, Plain, Report, Section, Text
from goldproof.statistics.attribution import Attribution, attribute_variance
from goldproof.statistics.multiplicity import holm
from goldproof.statistics.stability import next_run
from goldproof.studies.own import OwnData
from goldproof.studies.own.trained import Trained, chosen_point, trained_answers
from goldproof.studies.shared import only_model
from goldproof.studies.stability.gather import run_name
from goldproof.studies.stability.plan import (
    attribution_seeds,
    own_attributed,
    own_data,
    own_metric,
    own_training_job,
    seeds_of,
)
from goldproof.studies.stability.scores import SOURCES
from goldproof.studies.stability.settings import Config
from goldproof.training.recipe import Seeds

TITLE = "Would the score hold with another seed?"
TOO_WIDE = 0.5
"""The share of all possible scores from which an interval for one more training tells nothing."""

REST = Missing("reference for the others")


def make_own_report(config: Config, results: Results) -> Report:
    """What was found on the user's own data."""
    own = own_data(config)
    metric = own_metric(config, own)
    settings = Settings(metric=metric, level=config.level, smallest_tag=config.smallest)
    answers = [answers_of(config, own, results, language, seeds_of(config)) for language in own.languages]
    scores = score_answers(answers, (), settings, {})
    judged = scores.report()
    sources = [_sources_of(config, own, results, language, metric) for language in own_attributed(config, own)]
    sections = list(judged.sections)
    if sources:
        sections.insert(1, Section("What moves the score?", _source_items(config, metric, sources)))
    answer = _answer(scores, judged)
    spread = [] if answer is not None and answer is not judged.answer else _spread(own, scores)  # not said twice
    verdict = [*spread, *judged.verdict]
    return Report("stability", TITLE, verdict, sections, _provenance(config, own, results, metric), answer)


def _answer(scores: Scores, judged: Report) -> Answer | None:
    """The first screen: where one more training would land; of several languages, where their means lie."""
    (first, *others), answer = scores.sets, judged.answer
    if answer is not None and not others and first.collapse is not None and first.collapse.collapsed.all():
        return _collapsed(answer, len(first.run_scores))
    if answer is None or others or len(first.run_scores) < 2 or np.ptp(first.run_scores) == 0:
        return answer
    n, bounds = len(first.run_scores), (0.0 if is_share(scores.metric) else -1.0, 1.0)
    low, high = next_run(first.run_scores, scores.settings.level, bounds)
    ends = f"between {_number(low, scores.metric)} and {_number(high, scores.metric)}"
    is_open = high - low > TOO_WIDE * (bounds[1] - bounds[0])
    head = f"Undecided with {n} trainings" if is_open else f"Another training would score {ends}"
    more = f"; another might score anything {ends}" if is_open else ""
    found = [_number(float(end), scores.metric) for end in (first.run_scores.min(), first.run_scores.max())]
    mean = first.estimates[scores.metric]
    text = (
        f"in {n} trainings that differ only in the seed, {lower_name(scores.metric)} ranges from {found[0]} to "
        f"{found[1]} on the same {first.n_items:,} items{more} ({100 * scores.settings.level:g} % prediction "
        "interval). The mean over trainings, on other items like these, lies between "
        f"{_number(mean.low, scores.metric)} and {_number(mean.high, scores.metric)}."
    )
    if is_open:
        return replace(answer, kind="open", head=head, text=text, takes=f"It would take more than {n} seeds to decide.")
    return replace(answer, head=head, text=text)


def _collapsed(answer: Answer, n: int) -> Answer:
    """The first screen where no training worked."""
    several = f"all {n} trainings collapsed, giving" if n > 1 else "the training collapsed, giving"
    return replace(
        answer,
        kind="open",
        head="Undecided",
        text=f"{several} one answer to nearly all items, which says nothing about what the model can learn.",
        takes="It would take trainings that work: more rows, more epochs (recipe.epochs) or another learning rate "
        "(recipe.learning_rate).",
        notes=[],
    )


def answers_of(config: Config, own: OwnData, results: Results, language: str, seeds: Sequence[Seeds]) -> Answers:
    """What these seeds answered on the test data of a language, at the point that counts."""
    outcomes = [results[own_training_job(config, own, language, each)] for each in seeds]
    held, data = (results[own.job(language, split)] for split in ("validation", "test"))
    points = [chosen_point(own.kind, outcome, held, config.select) for outcome in outcomes]
    where = {"dataset": own.name, "language": language}
    names = tuple(run_name(outcome.seeds) for outcome in outcomes)
    return trained_answers(own.kind, data, Trained(outcomes, points, names), where)


def _spread(own: OwnData, scores: Scores) -> list[str | Claim]:
    """For each language the scores of the seeds, and where one more training would land."""
    lines: list[str | Claim] = []
    for each in scores.sets:
        language = f" ({each.where['language']})" if len(scores.sets) > 1 else ""
        lines.append(_spread_of(f"{own.name}{language}", each, scores))
    return lines


def _spread_of(name: str, each: SetScore, scores: Scores) -> str:
    measure, found = lower_name(scores.metric), each.run_scores
    if len(found) < 2:
        return f"{name}: one seed says nothing about another; give at least three in 'seeds'."
    if np.ptp(found) == 0:
        return (
            f"{name}: all {len(found)} trainings that differ only in the seed have {measure} "
            f"{_number(float(found[0]), scores.metric)}; so few do not show that another would too."
        )
    low, high = next_run(found, scores.settings.level, (0.0 if is_share(scores.metric) else -1.0, 1.0))
    least, most, lower, upper = (
        _number(float(value), scores.metric) for value in (found.min(), found.max(), low, high)
    )
    return (
        f"{name}: {len(found)} trainings that differ only in the seed have {measure} from {least} to {most}; another "
        f"would lie between {lower} and {upper} on the same {each.n_items:,} items ({100 * scores.settings.level:g} "
        f"% prediction interval, t with {len(found) - 1} degrees of freedom)."
    )


def _number(value: float, metric: str) -> str:
    form = score_format(metric)
    return f"{format_number(value, form.digits, form.unit)} {form.unit}".strip()


@dataclass(frozen=True, slots=True)
class _OfLanguage:
    """A language's variance by source of chance; none where a score does not vary or is not defined."""

    language: str
    found: Attribution | None


def _sources_of(config: Config, own: OwnData, results: Results, language: str, metric: str) -> _OfLanguage:
    seeds = attribution_seeds(config)
    scored = run_scores(answers_of(config, own, results, language, seeds), metric)
    if not np.isfinite(scored).all() or np.ptp(scored) == 0:
        return _OfLanguage(language, None)
    levels = np.array([(each.init, each.order, each.dropout) for each in seeds])
    return _OfLanguage(language, attribute_variance(scored, levels, SOURCES))


@dataclass(frozen=True, slots=True)
class _SourcePart:
    """What a source of chance adds to the variance of a language's score; the rest has no p-value."""

    language: str
    name: str
    component: float
    share: float
    p_value: float | None = None
    adjusted: float | None = None


def _source_items(config: Config, metric: str, found: Sequence[_OfLanguage]) -> list[Item]:
    """The table of sources of chance, and the languages that have none."""
    same = [each.language for each in found if each.found is None]
    lost: list[Item] = [
        Text(f"{language}: all runs score the same, so there is no variance to attribute.") for language in same
    ]
    every = [source for each in found if each.found is not None for source in _sources(each.language, each.found)]
    if not every:
        return lost
    known = [source for source in every if source.p_value is not None]
    adjusted = iter(holm(np.array([source.p_value for source in known])))
    every = [source if source.p_value is None else replace(source, adjusted=float(next(adjusted))) for source in every]
    first = next(each.found for each in found if each.found is not None)
    shape = "Latin square" if config.attribution.design == "latin" else "full factorial"
    note = (
        f"{first.n_runs} runs, {config.attribution.levels} seeds of each source ({shape}); additive random effects, "
        f"{first.rest_df} degrees of freedom for the rest. With so few runs, only large effects show."
    )
    return [make_table(Heading("sources", _sources_title(config, every), note), _source_fields(metric), every), *lost]


def _sources(language: str, found: Attribution) -> list[_SourcePart]:
    parts = [_SourcePart(language, part.name, part.component, part.share, part.p_value) for part in found.parts]
    return [*parts, _SourcePart(language, "Interactions and rest", found.rest, found.rest_share)]


def _source_fields(metric: str) -> tuple[Field[_SourcePart], ...]:
    spread = Column("sd", f"SD of {lower_name(metric)}", 4, "", "square root of the variance component; 0 if negative")
    return (
        Field(Column("language", "Language"), lambda source: source.language),
        Field(Column("source", "Source of chance"), lambda source: source.name),
        Field(spread, lambda source: math.sqrt(source.component)),
        Field(Column("share", "Share", 0, "%"), lambda source: source.share),
        Field(
            Column("p", "p", 3, "p-value", "F test against the rest; not adjusted"),
            lambda source: REST if source.p_value is None else source.p_value,
        ),
        Field(
            Column("adjusted", "p adjusted", 3, "p-value", "over the sources of the table (Holm)"),
            lambda source: REST if source.adjusted is None else source.adjusted,
        ),
    )


def _sources_title(config: Config, every: Sequence[_SourcePart]) -> str:
    told = [source for source in every if source.adjusted is not None and source.adjusted < 1 - config.level]
    if not told:
        return "No single source of chance is shown to move the score: these runs cannot separate them"
    return f"Sources shown to move the score, beyond the rest: {', '.join(source.name.lower() for source in told)}"


def _n_cut(config: Config, own: OwnData, results: Results) -> int:
    """How many test items are longer than the longest input, and so read up to there only."""
    first = seeds_of(config)[0]
    return sum(results[own_training_job(config, own, each, first)].truncated.get("test", 0) for each in own.languages)


def _provenance(config: Config, own: OwnData, results: Results, metric: str) -> dict[str, Plain]:
    recipe = config.recipe
    epochs = "epoch" if recipe.epochs == 1 else "epochs"
    return {
        "model": only_model(config.model).title,
        "corpus": own.name,
        "languages": ", ".join(own.languages),
        "seeds": ", ".join(map(str, config.seeds)),
        "metric": title_of(metric),
        "checkpoint": "the best on validation" if config.select == "best" else "the last",
        "test items cut to the longest input": _n_cut(config, own, results),
        "recipe": f"{recipe.epochs:g} {epochs}, batch {recipe.batch}, learning rate {recipe.learning_rate:g}, "
        f"{recipe.schedule} with {100 * recipe.warmup:g} % warm-up, weight decay {recipe.weight_decay:g}, "
        f"clip {recipe.clip}, dropout {recipe.dropout}, length {recipe.max_length}, {recipe.precision}",
    }
