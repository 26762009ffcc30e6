"""What the study answers: whether a model infers where words give nothing away, and the findings behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from goldproof.measures.leaks import Certificate
from goldproof.report.chart_parts import Caption
from goldproof.report.names import of_several, some
from goldproof.report.numbers import estimate_text, format_number, percent
from goldproof.report.overview import Against, OverviewRow, overview
from goldproof.report.summary import Answer, Claim, Figure, ReplyKind
from goldproof.statistics.estimate import Estimate
from goldproof.studies.logic.findings.corpus import given_away
from goldproof.studies.logic.findings.grounds import SHARE, cell_title
from goldproof.studies.logic.gather import LogicValues
from goldproof.studies.logic.plan import corpora
from goldproof.studies.logic.scores import ConditionAccuracy, n_tested
from goldproof.studies.logic.settings import CHAINS, Config
from goldproof.studies.own import has_own

QUESTION = "Does it infer, or match words?"


@dataclass(frozen=True, slots=True)
class LogicScores:
    """The plain scores, which of them are above chance, and the best rule of words on the corpus of each."""

    config: Config
    plain: Sequence[ConditionAccuracy]
    told: Sequence[bool]
    certificates: Mapping[tuple[str, str], Certificate]

    @property
    def above(self) -> list[ConditionAccuracy]:
        """The scores that are above chance."""
        return [each for each, is_above in zip(self.plain, self.told, strict=True) if is_above]

    def leaks(self, each: ConditionAccuracy) -> bool:
        """Whether a rule without understanding is above chance on the same corpus."""
        found = self.certificates.get((each.condition.task, each.condition.language))
        return found is not None and any(leak.leaks for leak in found.leaks)

    def rule(self, each: ConditionAccuracy) -> Estimate | None:
        """The accuracy of the best rule without understanding there."""
        found = self.certificates.get((each.condition.task, each.condition.language))
        return max((leak.accuracy for leak in found.leaks), key=lambda found: found.value) if found else None


def judged_of(
    config: Config, values: LogicValues, plain: Sequence[ConditionAccuracy], told: Sequence[bool]
) -> LogicScores:
    """What the answer rests on: the models, without the control."""
    above = {id(each): is_above for each, is_above in zip(plain, told, strict=True)}
    asked = judged_models(plain)
    certificates = {}
    if config.experiments.certificates:
        for task, language, preset in corpora(config):
            if preset == config.data.corpus:
                certificates[task, language], _ = values.certificate(task, language, preset)
    return LogicScores(config, asked, [above[id(each)] for each in asked], certificates)


def judged_models(plain: Sequence[ConditionAccuracy]) -> list[ConditionAccuracy]:
    """The scores without the control's; the control's where there are no others."""
    return [each for each in plain if each.condition.model != CHAINS] or list(plain)


def control_claims(config: Config, plain: Sequence[ConditionAccuracy], told: Sequence[bool]) -> list[Claim]:
    """What the control reaches: where it learns, the pairs can be learned from."""
    found = [(each, above) for each, above in zip(plain, told, strict=True) if each.condition.model == CHAINS]
    if not found or len(found) == len(plain):
        return []
    values = [each.accuracy.value for each, _ in found]
    n = sum(above for _, above in found)
    low, high = (format_number(value, 1, "%") for value in (min(values), max(values)))
    reach = f"{high} %" if low == high else f"from {low} to {high} %"
    text = (
        f"The control, which is told what each name links and only has to learn what follows, reaches {reach}, above "
        f"chance in {n} of {len(found)}. There the pairs can be learned, and a score at chance is due to the model."
    )
    return [Claim(text, "shown" if n else "not shown", place="accuracy")]


def logic_answer(judged: LogicScores) -> Answer:
    """The first screen."""
    return replace(_answer(judged), notes=_collapsed(judged.plain), figure=_figure(judged))


def _answer(judged: LogicScores) -> Answer:
    n, size = n_tested(judged.plain), _size(judged.config)
    if not n:
        return Answer("open", "Undecided", "every training gives one answer to nearly all pairs.")
    where = f"{n} combinations of model, task and language" if n > 1 else "the one combination that was tested"
    if not judged.above:
        highest = max(each.accuracy.high for each in judged.plain if not each.is_collapsed)
        takes = (
            f"Accuracies up to {percent(highest)} fit the data; more training pairs, test pairs or seeds may decide it."
        )
        none = f"in none of {where}" if n > 1 else f"in {where}"
        verb = "is accuracy shown to be above chance" if n > 1 else "accuracy is not shown to be above chance"
        return Answer("open", "Neither is shown", f"{none} {verb} ({size}).", takes)
    if not judged.certificates:
        text = (
            f"accuracy is above chance in {_names(judged.above)} ({size}); whether words alone give it away was "
            "not tested."
        )
        return Answer(
            "open", "Undecided", text, ("It would take the rules that read words alone: experiments.certificates=true.")
        )
    clean = [each for each in judged.above if not judged.leaks(each)]
    if not clean:
        text = f"accuracy is above chance in {_names(judged.above)}, but so is a rule that reads words alone ({size})."
        return Answer("open", "Undecided", text, without_clues(judged.config))
    kind: ReplyKind = "yes" if len(clean) == n else "measured"
    text = f"accuracy is above chance where no rule that reads words alone is shown to be: {_names(clean)} ({size})."
    rest = n - len(clean)
    takes = f"In the other {rest}, this is not shown or words give the answer away." if rest else ""
    return Answer(kind, f"It infers something in {len(clean)} of {n}" if rest else "It infers something", text, takes)


def without_clues(config: Config) -> str:
    """What it would take where words give the answer away."""
    if has_own(config):
        return (
            "It would take pairs whose words give nothing away: run `goldproof audit` on the same files to see which "
            "rule solves them; its --hard FILE lists the pairs that the rules do not solve."
        )
    return "It would take templates that give nothing away: data.corpus=closed2."


def _names(several: Sequence[ConditionAccuracy]) -> str:
    return some([f"{cell_title(each)}, {estimate_text(each.accuracy, 1, '%')}" for each in several], 2)


def _size(config: Config) -> str:
    seeds = "one seed" if len(config.seeds) == 1 else f"{len(config.seeds)} seeds"
    return f"{seeds}, {config.sizes.test} test pairs each"


def _collapsed(plain: Sequence[ConditionAccuracy]) -> list[str]:
    n, total = sum(each.n_collapsed for each in plain), sum(each.n_trained for each in plain)
    if not n:
        return []
    lost = len(plain) - n_tested(plain)
    more = f", nor are {lost} combinations where every training did" if lost > 1 else ""
    more = ", nor is one combination where every training did" if lost == 1 else more
    return [
        f"{n} of {total} trainings collapsed, giving one answer to nearly all items: their 50 % says nothing about "
        f"what the model could infer. They are in no score{more}."
    ]


def logic_findings(judged: LogicScores, values: LogicValues, beside: Sequence[Figure]) -> list[str | Claim]:
    """The findings: above chance, the highest score, other templates, and what words give away."""
    found = [*_above(judged), *_highest(judged)]
    found += [Claim(f"{figure.title}.", "stated", place=figure.name) for figure in beside]
    return [*found, *given_away(judged.config, values)]


def _above(judged: LogicScores) -> list[Claim]:
    n = n_tested(judged.plain)
    if not n:
        return []
    one = "The one combination of model, task and language that was tested is"
    text = of_several(
        len(judged.above),
        n,
        "{} combinations of model, task and language are shown to be above chance.",
        f"{one} not shown to be above chance.",
        f"{one} shown to be above chance.",
    )
    if not judged.above and n > 1:
        text = f"No combination of model, task and language is shown to be above chance ({n} tested)."
    return [Claim(text, "shown" if judged.above else "not shown", place="accuracy")]


def _highest(judged: LogicScores) -> list[Claim]:
    if not judged.above:
        return []
    best, n = max(judged.above, key=lambda each: each.accuracy.value), n_tested(judged.plain)
    picked = f"; as the highest of {n}, it is flattering" if n > 1 else ""
    text = f"The highest score is {estimate_text(best.accuracy, 1, '%')}, {cell_title(best)}{picked}."
    return [Claim(text, "shown", best.accuracy, 1, "%", place="accuracy")]


def _figure(judged: LogicScores) -> Figure:
    """Each score with its runs, chance, and the best rule of words on the same corpus."""
    readings = []
    for each in judged.plain:
        name, runs = cell_title(each), [float((run == each.gold).mean()) for run in each.runs]
        readings.append(OverviewRow(name, each.accuracy, runs if len(runs) > 1 else ()))
        rule = judged.rule(each)
        if rule is not None:
            readings.append(OverviewRow(name, rule.value, look="baseline"))
    note = "Squares: the best rule that reads words alone." if judged.certificates else ""
    caption = Caption("answer", "Accuracy of each model on each task", note, [each.key for each in judged.plain])
    return overview(readings, SHARE, caption=caption, against=Against([0.5], text="Dashed: chance."))
