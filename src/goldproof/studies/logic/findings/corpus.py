"""The section on the data: Table 1, the certificate of each corpus, and NLI corpora recast."""

from __future__ import annotations

from goldproof.builders.logic.build import find_task
from goldproof.jobs import Results
from goldproof.measures.leaks import Certificate
from goldproof.report.summary import Cell, Column, Item, Marked, Missing, Section, Table
from goldproof.studies.logic import published
from goldproof.studies.logic.plan import corpora, corpus_job_of, leak_job, nli_job
from goldproof.studies.logic.scores import task_title
from goldproof.studies.logic.settings import Config
from goldproof.studies.logic.steps import figures

LEAK_NOTE = "Above chance (Holm over the baselines)"
SOLVED = 0.95


def corpus_section(config: Config, results: Results) -> Section:
    """What the models were given."""
    items: list[Item] = [_table_1(config, results), *_certificates(config, results)]
    if config.experiments.nli:
        items.append(_nli(config, results))
    return Section("Can words alone give it away?", items)


def _table_1(config: Config, results: Results) -> Table:
    rows: list[dict[str, Cell]] = []
    keys = []
    names = ("vocabulary", "shared", "mean_length", "max_length")
    for language in config.data.languages:
        for task in config.tasks:
            job = figures.job(corpus_job_of(config, task, language))
            found = results[job]
            keys.append(job.key)
            row: dict[str, Cell] = {"task": f"{task_title(task)} ({language})"}
            paper = published.FIGURES.get((language, find_task(task).value))
            for place, name in enumerate(names):
                row[name] = getattr(found, name)
                row[f"{name}_paper"] = paper[place] if paper else Missing("not in the paper")
            rows.append(row)
    columns = [Column("task", "Task")]
    titles = ("Vocabulary", "Words in train and test", "Mean length", "Longest")
    for name, title, unit in zip(names, titles, ("", "", "characters", "characters"), strict=True):
        digits = 1 if name == "mean_length" else 0
        columns += [Column(name, title, digits, unit), Column(f"{name}_paper", title, digits, unit, published=True)]
    note = "The paper calls the lengths words; its published files show that they are characters."
    shared = [int(row["shared"]) for row in rows]  # type: ignore[arg-type]
    title = f"Train and test share {min(shared)} to {max(shared)} words"
    return Table("corpora", title, columns, rows, note, keys)


def given_away(config: Config, results: Results) -> list[str]:
    """The finding about corpora that a rule without understanding solves, or about none that leaks."""
    if not config.experiments.certificates:
        return []
    places = corpora(config)
    found = [results[leak_job(config, *place)] for place in places]
    if not any(leak.leaks for each in found for leak in each.leaks):
        where = "the corpus" if len(found) == 1 else f"any of the {len(found)} corpora"
        return [f"No rule without understanding leaves chance on {where}."]
    solved = []
    for (task, language, _), each in zip(places, found, strict=True):
        best = max(each.leaks, key=lambda leak: leak.accuracy.value)
        if best.accuracy.value >= SOLVED:
            solved.append(f"{task_title(task)} ({language}) by {best.baseline}")
    if not solved:
        return []
    return [
        f"Rules without understanding solve {len(solved)} of {len(found)} corpora ({', '.join(solved)}): "
        "a high score there is no proof of inference."
    ]


def _certificates(config: Config, results: Results) -> list[Item]:
    if not config.experiments.certificates:
        return []
    rows: list[dict[str, Cell]] = []
    keys, found = [], []
    for task, language, preset in corpora(config):
        job = leak_job(config, task, language, preset)
        keys.append(job.key)
        found.append(results[job])
        rows.append({"task": f"{task_title(task)} ({language})", "preset": preset, **_cells(found[-1])})
    leaking = sum(any(leak.leaks for leak in each.leaks) for each in found)
    title = f"{leaking} of {len(found)} corpora let a rule without understanding above chance"
    columns = [Column("task", "Task"), Column("preset", "Templates"), *_columns(found[0])]
    return [Table("leaks", title, columns, rows, f"Marked: {LEAK_NOTE}.", keys)]


def _nli(config: Config, results: Results) -> Table:
    rows: list[dict[str, Cell]] = []
    jobs = [nli_job(config, name) for name in config.experiments.nli]
    found = [results[job] for job in jobs]
    for name, each in zip(config.experiments.nli, found, strict=True):
        paper = published.RECAST.get(name.partition(":")[0])
        beside: Cell = Missing("not in the paper") if paper is None else paper
        rows.append({"corpus": name, "n": each.n_train + each.n_test, "paper": beside, **_cells(each)})
    leaking = sum(any(leak.leaks for leak in each.leaks) for each in found)
    first, *others = _columns(found[0])
    paper_column = Column("paper", "Bag of words", 1, "%", published=True)
    columns = [Column("corpus", "Corpus"), Column("n", "Pairs"), first, paper_column, *others]
    title = f"Recast as contradiction detection, {leaking} of {len(found)} NLI corpora leak"
    note = f"Balanced; 30 % of the premises for testing, with all their pairs. Marked: {LEAK_NOTE}."
    return Table("nli", title, columns, rows, note, [job.key for job in jobs])


def _columns(found: Certificate) -> list[Column]:
    return [Column(_key(leak.baseline), leak.baseline.capitalize(), 1, "%") for leak in found.leaks]


def _cells(found: Certificate) -> dict[str, Cell]:
    return {
        _key(leak.baseline): Marked(leak.accuracy, note=LEAK_NOTE) if leak.leaks else leak.accuracy
        for leak in found.leaks
    }


def _key(baseline: str) -> str:
    return baseline.replace(" ", "_")
