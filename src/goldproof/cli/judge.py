"""`goldproof score FILE…` and `goldproof compare A B`: what may be claimed from predictions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from goldproof.cli import aggregates, options
from goldproof.cli.answer import answer_form, show_answer
from goldproof.cli.baselines import compare_several
from goldproof.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from goldproof.judging.checkpoints.analysis import Transfer
    from goldproof.judging.compare import Judgement
    from goldproof.judging.differences import Difference
    from goldproof.judging.score import Scores
    from goldproof.statistics.estimate import Estimate

MetricName = Annotated[
    str | None,
    typer.Option(
        help="Main metric: accuracy, mcc, macro_f1 or a plugin's; pearson, spearman; span_f1; of logs, theirs, pass@K."
    ),
]
Cluster = Annotated[
    str,
    typer.Option(help="Items that belong together: auto (the column 'cluster'), none, cluster, text, pair, twins."),
]
Common = Annotated[bool, typer.Option("--common", help="Where ids do not match, use only the items that all share.")]
MissingAnswers = Annotated[
    str | None,
    typer.Option(
        "--missing",
        help="What a missing answer counts as: wrong (default), leave-out (for scores), refuse (for numbers).",
    ),
]
ByRow = Annotated[
    bool, typer.Option("--by-row", help="Match items by row number, not by id; texts, if any, must agree.")
]
SourceLanguage = Annotated[
    str | None,
    typer.Option(
        "--source",
        help="Training language: judges zero-shot transfer over checkpoints instead (needs language, split, step).",
    ),
]
Gate = Annotated[float | None, typer.Option(help="Exit with 1 if B is credibly worse by this many points; for CI.")]
RequiredProof = Annotated[
    str | None,
    typer.Option(
        "--require",
        help="Pass only if shown to be not-worse (within --gate) or better; exit 1 if worse, 3 if not shown.",
    ),
]
SeedDeviation = Annotated[
    float | None, typer.Option("--seed-sd", help="Known standard deviation of the score over trainings, in points.")
]
Fixed = Annotated[bool, typer.Option("--fixed", help="There is nothing to retrain: judge these systems as they are.")]
Looks = Annotated[
    int, typer.Option(help=("How often you look in total while adding runs or items; give the same number each time."))
]
LogTask = Annotated[str | None, typer.Option("--task", help="Task to read from the logs of an evaluation harness.")]
LogFilter = Annotated[str | None, typer.Option("--filter", help="Filter or scorer to read from such logs.")]
LogReading = Annotated[
    list[str] | None,
    typer.Option(
        "--log",
        metavar="KEY=VALUE",
        help="How logs are read: repeats=first|mean, cluster=FIELD, category=FIELD, bounds=LOW,HIGH, unfinished=yes.",
    ),
]
SubsetFile = Annotated[
    str | None,
    typer.Option(
        "--subset", metavar="NAME=FILE", help="Show the score on these ids and on the rest too (see audit --hard)."
    ),
]
MoreSystems = Annotated[
    list[Path] | None, typer.Argument(metavar="C…", help="More systems, if --baseline names the one to beat.")
]
BaselineFile = Annotated[
    Path | None, typer.Option(help="Compare each of several systems with this one; verdicts hold jointly.")
]
OutFolder = Annotated[Path | None, typer.Option("--out", help="Folder for the report.")]


def score(  # noqa: PLR0913 - one parameter per option
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE", help="Parquet, JSONL or CSV with id, gold, prediction; logs.")
    ] = None,
    metric: MetricName = None,
    cluster: Cluster = "auto",
    common: Common = False,
    column: options.ColumnPairs = None,
    missing: MissingAnswers = None,
    by_row: ByRow = False,
    source: SourceLanguage = None,
    task: LogTask = None,
    filter_: LogFilter = None,
    log: LogReading = None,
    value: aggregates.Values = None,
    n: aggregates.Counts = None,
    subset: SubsetFile = None,
    out: OutFolder = None,
    as_json: options.AsJson = False,
) -> int:
    """Score predictions: intervals, categories against chance, stability over runs, and what these items could show."""
    beside = {"FILE": bool(files), "--cluster": cluster != "auto", "--common": common, "--column": bool(column)}
    beside |= {"--missing": missing is not None, "--by-row": by_row}
    printed = aggregates.printed_scores(value, n, {**beside, "--source": source is not None})
    if not files and not printed:
        raise UsageError("give files of predictions, or a printed score: --value 87.3 --n 872")
    files = files or []
    if source is not None:
        if cluster != "auto" or common or missing or by_row or subset:
            raise UsageError(
                "--cluster, --common, --missing, --by-row and --subset do not go with --source, which takes clusters "
                "from the column 'cluster' and needs every run to answer the same items"
            )
        return _transfer(files, source, metric, options.column_names(column), out, as_json)
    from goldproof.judging.score import Settings
    from goldproof.judging.score import score as judge
    from goldproof.judging.subsets import read_subset

    settings = Settings(
        metric=metric,
        cluster=cluster,
        common=common,
        missing=missing,
        by_row=by_row,
        logs=options.log_choice(task, filter_, log),
    )
    named = None if subset is None else read_subset(subset)
    scores = judge(printed or files, columns=options.column_names(column), settings=settings, subset=named)
    _tell_scores(scores, _write(scores, out), as_json)
    return 0


def _tell_scores(scores: Scores, paths: list[str], as_json: bool) -> None:
    if not as_json:
        _show_scores(scores)
        _show_paths(paths)
        return
    from goldproof.judging.score_answer import score_answer, score_question
    from goldproof.judging.subsets import plain_parts

    options.print_json(
        {
            **answer_form(score_question(scores), score_answer(scores)),
            "scores": _plain(scores.to_arrow().to_pylist()),
            "scopes": _scopes(scores),
            **({"parts": plain_parts(scores.parts)} if scores.parts else {}),
            "notes": list(scores.notes),
            "files": paths,
        }
    )


def _scopes(scores: Scores) -> list[dict[str, Any]]:
    """What the score of each set is about, the smallest difference it could show, and how many runs collapsed."""
    return [
        {
            **each.where,
            "scope": each.scope,
            "about": each.about,
            "smallest_difference": _number(each.detectable),
            "collapsed_runs": 0 if each.collapse is None else each.collapse.n,
            **({} if each.sampling_share is None else {"sampling_share": _number(each.sampling_share)}),
        }
        for each in scores.sets
    ]


def _transfer(
    files: list[Path], source: str, metric: str | None, columns: dict[str, str] | None, out: Path | None, as_json: bool
) -> int:
    from goldproof.judging.checkpoints.reading import judge_transfer

    found = judge_transfer(files, source_language=source, columns=columns, metric=metric)
    paths = _write(found, out)
    if as_json:
        rows = [
            {"language": score.language, "rule": score.rule, "reason": score.reason}
            | _numbers("score", score.estimate)
            | _numbers("gain", score.difference)
            for score in found.rules
        ]
        claims = {result.language: result.claim for result in found.languages}
        options.print_json(
            {"rules": _plain(rows), "claims": claims, "notes": list(found.experiment.notes), "files": paths}
        )
        return 0
    _show_transfer(found)
    _show_paths(paths)
    return 0


def _show_transfer(found: Transfer) -> None:
    from goldproof.report.numbers import estimate_or_reason

    for result in found.languages:
        usual, oracle = (found.rule(result.language, rule) for rule in ("source dev", "target dev"))
        assert usual.estimate is not None
        more = oracle.difference
        gain = f"gain with target dev {estimate_or_reason(more, 1, 'points')}" if more else oracle.reason
        said = estimate_or_reason(usual.estimate, 1, "%")
        chosen = f"{said} with the checkpoint chosen by source dev ({result.claim})"
        typer.echo(f"{result.language:<8} {chosen}; {gain}")
        share = estimate_or_reason(result.by_source.whole, 1, "%")
        typer.echo(f"{'':<8} source dev and test move the same way in {share} of pairs")
    for note in found.experiment.notes:
        typer.echo(f"note: {note}")


def _numbers(name: str, estimate: Estimate | None) -> dict[str, Any]:
    if estimate is None:
        return {name: None}
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def compare(  # noqa: PLR0913 - one parameter per option
    a: Annotated[Path | None, typer.Argument(metavar="A", help="Predictions of A, the model to beat.")] = None,
    b: Annotated[Path | None, typer.Argument(metavar="B", help="Predictions of B, on the same items.")] = None,
    more: MoreSystems = None,
    baseline: BaselineFile = None,
    metric: MetricName = None,
    margin: Annotated[float, typer.Option(help="Tied means within this many points (of 100; MCC 0.02 is 2).")] = 2.0,
    gate: Gate = None,
    require: RequiredProof = None,
    seed_sd: SeedDeviation = None,
    fixed: Fixed = False,
    looks: Looks = 1,
    cluster: Cluster = "auto",
    common: Common = False,
    column: options.ColumnPairs = None,
    missing: MissingAnswers = None,
    by_row: ByRow = False,
    task: LogTask = None,
    filter_: LogFilter = None,
    log: LogReading = None,
    value: aggregates.Values = None,
    n: aggregates.Counts = None,
    out: OutFolder = None,
    as_json: options.AsJson = False,
) -> int:
    """Compare B with A on the same items: better, worse, tied, or undecided with what it would take to decide."""
    from goldproof.judging.compare import compare as judge
    from goldproof.judging.gate import Margins, Require
    from goldproof.judging.score import Settings

    margins = Margins(margin / 100, None if gate is None else gate / 100, cast("Require | None", require))
    spread = _spread(seed_sd, fixed)
    beside = {"FILE": a is not None, "--cluster": cluster != "auto", "--common": common, "--column": bool(column)}
    beside |= {"--missing": missing is not None, "--by-row": by_row}
    settings = Settings(
        metric=metric,
        cluster=cluster,
        common=common,
        missing=missing,
        by_row=by_row,
        seed_sd=spread,
        looks=looks,
        logs=options.log_choice(task, filter_, log),
    )
    if baseline is not None:
        systems = [path for path in (a, b, *(more or ())) if path is not None]
        aggregates.printed_scores(value, n, {"--baseline": True})
        return compare_several(baseline, systems, options.column_names(column), settings, margins, (out, as_json))
    one, other = aggregates.two_sides([a, b, *(more or ())], aggregates.printed_scores(value, n, beside))
    judgement = judge(one, other, columns=options.column_names(column), settings=settings, margins=margins)
    paths = _write(judgement, out)
    if as_json:
        options.print_json(_judgement_form(judgement, paths))
    else:
        _show_judgement(judgement)
        _show_paths(paths)
    codes = {"passed": ExitCode.DONE, "failed": ExitCode.NO, "undecided": ExitCode.UNDECIDED}
    return int(codes[judgement.outcome or "passed"])


def _spread(seed_sd: float | None, fixed: bool) -> float | None:
    """The known spread over trainings as a share; none at all where there is nothing to train again."""
    if fixed and seed_sd:
        raise UsageError(f"--fixed says that there is nothing to retrain, and --seed-sd {seed_sd:g} says that there is")
    return 0.0 if fixed else None if seed_sd is None else seed_sd / 100


def _write(judged: Scores | Judgement | Transfer, out: Path | None) -> list[str]:
    if out is None:
        return []
    from goldproof.report.write import write_report

    return [str(path) for path in write_report(judged.report(), out)]


def _show_paths(paths: list[str]) -> None:
    for path in paths:
        if path.endswith("report.html"):
            typer.echo(f"report: {path}")


def _show_scores(scores: Scores) -> None:
    from goldproof.judging.metric_numbers import score_text
    from goldproof.judging.score_answer import sampling_text, score_answer, score_question
    from goldproof.judging.subsets import bias_sentence
    from goldproof.report.numbers import estimate_or_reason, format_number

    show_answer(score_question(scores), score_answer(scores))
    for each in scores.sets:
        shown = "  ".join(f"{name} {score_text(estimate, name)}" for name, estimate in each.estimates.items())
        runs = f"{len(each.run_names)} runs" if len(each.run_names) > 1 else "1 run" if each.run_names else ""
        typer.echo(f"{each.name():<24} n {format_number(each.n_items):<7} {runs:<8} {shown}")
        if parts := sampling_text(each):
            typer.echo(f"  {parts}")
    for part in scores.parts:
        where = " ".join([*part.where.values(), part.part])
        numbers = score_text(part.estimate, scores.metric)
        labels = ", ".join(f"{label} {100 * share:.0f} %" for label, share in list(part.labels.items())[:6])
        floor = f"; floor {100 * part.floor:.1f} %; {labels}" if part.labels else ""
        if math.isfinite(part.alike):
            floor += f"; at equal label balance {100 * part.alike:.1f} %"
        wrong = "" if part.wrong is None else f"; wrong labels about {estimate_or_reason(part.wrong, 1, '%')}"
        typer.echo(f"  {where:<24} n {format_number(part.n):<7} {scores.metric} {numbers}{floor}{wrong}")
    if scores.parts and (said := bias_sentence(scores.parts[0].bias)):
        typer.echo(f"  note: {said}")
    for tag in scores.tags:
        where = " ".join([*tag.where.values(), tag.tag])
        numbers = score_text(tag.estimate, scores.metric)
        typer.echo(f"  {where:<40} n {format_number(tag.estimate.n):<6} {scores.metric} {numbers}  {tag.verdict}")
    for found in scores.agreement:
        where = " ".join(found.where.values())
        share = estimate_or_reason(found.estimate, 1, "%")
        typer.echo(f"  {where}: development and test scores move the same way in {share} of pairs")
    _show_detectable(scores)
    for note in scores.notes:
        typer.echo(f"note: {note}")


def _show_detectable(scores: Scores) -> None:
    from goldproof.judging.metric_numbers import shown, unit
    from goldproof.judging.score import is_beyond_churn
    from goldproof.judging.score_answer import lower_name
    from goldproof.report.numbers import percent

    first = scores.sets[0]
    name = f"{first.name()} and a rival" if first.where else "this model and a rival"
    if math.isnan(first.detectable):
        return
    what = f"difference in {lower_name(scores.metric)} between {name}"
    if math.isinf(first.detectable):
        typer.echo(f"too few items: no possible {what} could be shown with 80 % power")
        return
    least = f"{shown(first.detectable, scores.metric)}{unit(scores.metric)}"
    if is_beyond_churn(first, scores.metric):
        assert first.churn is not None
        typer.echo(
            f"no possible {what} could be shown with 80 % power if they differ in {percent(first.churn)} of answers, "
            f"as two of its runs do: that takes at least {least}"
        )
        return
    typer.echo(f"smallest {what} that these items could show with 80 % power: {least}")


def _show_judgement(judgement: Judgement) -> None:
    from goldproof.judging.compare_answer import MOST_CAUTIONS, compare_answer, compare_question, gate_text
    from goldproof.judging.metric_numbers import score_text
    from goldproof.report.numbers import count, p_text, percent

    overall = judgement.overall
    show_answer(compare_question(judgement), compare_answer(judgement))
    for each in judgement.sets if len(judgement.sets) > 1 else ():
        typer.echo(f"{' '.join(each.where.values()):<16} {each.verdict.text}  (together {p_text(each.adjusted)})")
    items = count(overall.difference.n) if judgement.paired else f"{count(overall.a.n)} and {count(overall.b.n)}"
    a, b = (score_text(side, judgement.metric) for side in (overall.a, overall.b))
    typer.echo(f"{judgement.metric}: A {a}, B {b} on {items} items")
    here = f"; on these very items {p_text(overall.p_here)}" if math.isfinite(overall.p_here) else ""
    typer.echo(f"{p_text(overall.p_value)}; {overall.difference.method}{here}")
    if overall.flips is not None and overall.mcnemar is not None:
        mended, broken = overall.flips.only_b, overall.flips.only_a
        typer.echo(
            f"B fixes {count(mended)} items and breaks {count(broken)} (exact McNemar {p_text(overall.mcnemar)})"
        )
    if overall.churn is not None:
        seeds = "" if overall.seed_churn is None else f"; another seed alone changes {percent(overall.seed_churn)}"
        typer.echo(f"{percent(overall.churn)} of the answers change{seeds}")
    if judgement.margins.is_asked:
        typer.echo(gate_text(judgement))
    for note in judgement.notes:
        if note not in judgement.cautions[:MOST_CAUTIONS]:  # the answer above has those
            typer.echo(f"note: {note}")


def _judgement_form(judgement: Judgement, paths: list[str]) -> dict[str, Any]:
    from goldproof.judging.compare_answer import compare_answer, compare_question

    overall = judgement.overall
    return {
        **answer_form(compare_question(judgement), compare_answer(judgement)),
        "verdict": overall.verdict.kind,
        "text": overall.verdict.text,
        "scope": overall.verdict.scope,
        "about": overall.verdict.about,
        "metric": judgement.metric,
        "p": overall.p_value,
        "mcnemar": overall.mcnemar,
        "p_here": _number(overall.p_here),
        "passes": judgement.passes,
        "outcome": judgement.outcome,
        "smallest_difference": _number(overall.verdict.detectable),
        "paired": judgement.paired,
        "differences": _plain([_difference_row(each, judgement) for each in judgement.rows()]),
        "notes": list(judgement.notes),
        "files": paths,
    }


def _difference_row(each: Difference, judgement: Judgement) -> dict[str, Any]:
    """One difference: alone, and as it holds together with the others of its kind."""
    d, together = each.difference, each.together or each.difference
    return {
        **{key: each.where.get(key) for key in judgement.where_keys()},
        "metric": f"{judgement.metric}: B − A",
        "value": d.value,
        "low": d.low,
        "high": d.high,
        "n": d.n,
        "method": d.method,
        "p": each.p_value,
        "low_together": together.low,
        "high_together": together.high,
        "p_together": each.adjusted,
        "verdict": each.verdict.kind,
        "scope": each.verdict.scope,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with None for numbers that JSON lacks."""
    return [{k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()} for row in rows]
