"""Campaign: one study with one Config on one store: planned, run, resumed, reported."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from goldproof.data.answers import Answers
from goldproof.errors import AbsentValueError, DamagedValueError, GoldproofError, UsageError
from goldproof.extras import Need, lacking, require
from goldproof.jobs import Job, Outcome, Plan, Results, Runner, Store, make_plan, run_jobs
from goldproof.jobs.key import canonical, digest
from goldproof.jobs.plan import all_jobs
from goldproof.jobs.runlog import logged
from goldproof.jobs.schedule import Schedule
from goldproof.jobs.work import outcome_of
from goldproof.models.named import check_models
from goldproof.report.summary import Report, Section, Text
from goldproof.studies import find_study
from goldproof.studies.experiments import (
    NOT_AT_HAND,
    LeftOut,
    StudyExperiment,
    experiments_of,
    find_at_hand,
    not_at_hand,
)
from goldproof.studies.kept import KeptAnswers, plain_config
from goldproof.studies.settings import Choice, make_config, read_config

TOY = "These data were generated to show the study; the numbers say nothing about any model."


@dataclasses.dataclass(frozen=True, slots=True)
class Campaign:
    """A study with its Config and the store that its values live in."""

    study: str
    config: Any
    store: Store
    left_out: tuple[LeftOut, ...] = ()

    @staticmethod
    def choose(study: str, choice: Choice, store: Store) -> Campaign:
        """The campaign for what a user asked for."""
        return Campaign(study, make_config(find_study(study), choice), store)

    def jobs(self) -> list[Job[Any]]:
        """The jobs whose values the report needs; where only some can be made, the error names all that is absent."""
        study = find_study(self.study)
        try:
            return list(study.jobs(self.config))
        except NOT_AT_HAND as error:
            shown = not_at_hand(study, self.config, error)
            if shown is error:
                raise
            raise shown from None

    def skip_missing(self, *, installed: bool = True) -> Campaign:
        """The same without the experiments that cannot be run here, which it names; an error where none can.

        With `installed` those are left out too that need an optional package which is not installed.
        """
        has = (self.store.look() if self.store.is_there() else lambda _: False) if installed else None
        found = find_at_hand(find_study(self.study), self.config, has)
        return dataclasses.replace(self, config=found.config, left_out=found.left_out)

    def experiments(self) -> tuple[StudyExperiment, ...]:
        """What the study is made of."""
        return experiments_of(find_study(self.study), self.config)

    def everything(self) -> tuple[Job[Any], ...]:
        """Those jobs and all that they need."""
        return all_jobs(self.jobs())

    def plan(self) -> Plan:
        """What would run, given what the store holds."""
        self.store.is_there()  # an error where it is of another format: what lies in it is none of ours
        return make_plan(self.jobs(), self.store.look())

    def outline(self) -> str:
        """What the study says its plan comes to in numbers; empty for a study that says nothing."""
        say = getattr(find_study(self.study), "outline", None)
        return str(say(self.config)) if say is not None else ""

    def notes(self) -> tuple[str, ...]:
        """What the study says of the user's own data; nothing where it has none."""
        say = getattr(find_study(self.study), "notes", None)
        return tuple(say(self.config)) if say is not None else ()

    def lacking(self) -> list[Need]:
        """The extras that are not installed and without which what is absent from the store cannot run.

        What the settings alone tell is asked first, so that neither data nor model is looked at in vain.
        """
        of_store = lacking(self.store.requires)
        tell = getattr(find_study(self.study), "requires", None)
        of_study = lacking(tell(self.config)) if tell is not None else []
        if tell is not None and (not of_study or of_store or not self.store.is_there()):
            return [*of_store, *of_study]
        return of_store or lacking(need for job in self.plan().absent for need in job.requires())

    def check_models(self) -> None:
        """Raise where the folder of a model that is still to run cannot be loaded, before any work."""
        check_models(self.plan().absent)

    def run(self, runner: Runner) -> Iterator[Outcome]:
        """Run what is absent, and yield what became of each job."""
        require(*self.lacking())
        self.check_models()
        self.store.open()
        self._note()
        schedule = Schedule(self.jobs(), self.store, runner)
        yield from logged(schedule.run(), schedule.n_jobs, self.study, self.store)

    def answers(self) -> Sequence[Answers]:
        """What the runs of a study answered, once all is in the store; nothing of a study that does not say it."""
        tell = getattr(find_study(self.study), "answers", None)
        return () if tell is None else tuple(tell(self.config, Results(self.store)))

    def report(self, runner: Runner | None = None, observe: Callable[[Outcome], None] = lambda _: None) -> Report:
        """What was found; with a runner, a value that turns out damaged is computed again, and `observe` is told."""
        absent = self.plan().absent
        if absent:
            raise AbsentValueError(
                f"{len(absent)} of {len(self.everything())} jobs of {self.study!r} with these settings are missing "
                f"from the store {self.store.where}; run the study first: `goldproof run {self.study}` with the same "
                "--preset, --config and --set"
            )

        def repair(job: Job[Any], error: DamagedValueError) -> None:
            assert runner is not None
            self.store.discard(job.key)
            observe(outcome_of(job, "damaged", error=str(error)))
            for outcome in run_jobs([job], self.store, runner):
                observe(outcome)

        self.store.fetch(job.key for job in self.jobs())
        found = find_study(self.study).report(self.config, Results(self.store, repair if runner else None))
        return framed(found, self.config, self.notes(), [str(each) for each in self.left_out])

    def keep(self) -> KeptAnswers:
        """What the report is made from, to be rendered again without the store; all values must be in the store."""
        study: Any = find_study(self.study)
        if not hasattr(study, "keep"):
            raise UsageError(f"the answers of the study {self.study!r} cannot be kept in a file: it has no 'keep'")
        kept: KeptAnswers = study.keep(self.config, Results(self.store))
        left_out = tuple(str(each) for each in self.left_out)
        return dataclasses.replace(
            kept, study=self.study, config=plain_config(self.config), left_out=left_out, notes=self.notes()
        )

    def _note(self) -> None:
        """Leave in the store what was asked for, so that `goldproof status` can speak of it."""
        self.store.note(self.note_name(), self._form())

    def note_name(self) -> str:
        """The name of the store's note of this campaign."""
        return f"campaigns/{self.study}-{digest(self._form())[:12]}.json"

    def _form(self) -> dict[str, Any]:
        return {"study": self.study, "config": canonical(self.config)}


def framed(found: Report, config: Any, notes: Sequence[str], left_out: Sequence[str]) -> Report:
    """The report with what is said of the user's own data, of what was not run, and of data that were made up."""
    more = [Section("Your data", [Text(note) for note in notes])] if notes else []
    more += [Section("Not run", [Text(f"Not at hand, and left out: {each}.") for each in left_out])] if left_out else []
    found = dataclasses.replace(found, sections=[*found.sections, *more]) if more else found
    return _with_warning(found) if _is_toy(config) else found


def report_from(kept: KeptAnswers) -> Report:
    """The report of kept answers, as it was made from the store."""
    study: Any = find_study(kept.study)
    if not hasattr(study, "report_kept"):
        raise UsageError(f"the study {kept.study!r} cannot render kept answers: it has no 'report_kept'")
    config = read_config(study, kept.config)
    return framed(study.report_kept(config, kept), config, kept.notes, kept.left_out)


def _with_warning(report: Report) -> Report:
    """The report with a word on its made-up data before anything else."""
    if report.answer is None:
        return dataclasses.replace(report, verdict=[TOY, *report.verdict])
    answer = dataclasses.replace(report.answer, notes=[TOY, *report.answer.notes])
    return dataclasses.replace(report, answer=answer)


def _is_toy(config: Any) -> bool:
    """Whether a study runs on data made up to show it, which every study with such data calls "generated"."""
    data = getattr(config, "data", None)
    if getattr(data, "train", ""):
        return False
    names = (getattr(data, "corpus", ""), *getattr(config, "tasks", ()))
    return any(isinstance(name, str) and name.partition("/")[0] == "generated" for name in names)


def noted_campaigns(store: Store) -> list[Campaign]:
    """The campaigns that were run on this store and whose settings this version still understands."""
    campaigns = []
    for form in filter(_is_note, store.notes("campaigns")):
        with contextlib.suppress(GoldproofError, KeyError, ValueError):
            campaigns.append(_noted(form, store))
    return campaigns


def lost_studies(store: Store) -> dict[str, str]:
    """The studies that were run on this store and cannot be looked up now, and why.

    That of a plugin cannot be loaded, or the settings of a run are called otherwise in this version.
    """
    lost = {}
    for form in sorted(filter(_is_note, store.notes("campaigns")), key=lambda form: str(form["study"])):
        try:
            _noted(form, store)
        except GoldproofError as error:
            lost[str(form["study"])] = str(error)
        except (KeyError, ValueError):  # written by something else: not ours to explain
            continue
    return lost


def _is_note(form: Any) -> bool:
    """Whether this is a note of ours; one that something else wrote is not ours to explain."""
    return isinstance(form, dict) and isinstance(form.get("study"), str) and isinstance(form.get("config"), dict)


def _noted(form: dict[str, Any], store: Store) -> Campaign:
    """The campaign of a note; settings that this version does not have are an error."""
    return Campaign(form["study"], stored_config(form["study"], form["config"]), store)


def stored_config(study: str, form: Any) -> Any:
    """The Config of a study from its canonical form, as notes have it."""
    return read_config(find_study(study), _untyped(form))


def _untyped(form: Any) -> Any:
    if isinstance(form, dict):
        return {name: _untyped(item) for name, item in form.items() if name != "$type"}
    return [_untyped(item) for item in form] if isinstance(form, list) else form
