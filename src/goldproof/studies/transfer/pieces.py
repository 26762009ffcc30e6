"""The experiments of the study by their place in the paper: one corpus makes all its tables; others have a command."""

from __future__ import annotations

from goldproof.studies.experiments import StudyExperiment
from goldproof.studies.own import has_own
from goldproof.studies.transfer.plan import jobs
from goldproof.studies.transfer.settings import PAPER, Config

PLACES = {
    "mldoc": ("Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Figure 1"),
    "xnli": ("Table 2", "Table 3", "Table 4", "Table 6"),
    "mlqa": ("Table 7",),
    "conll2003": ("Table 8",),
}
_MORE = "--set recipe.learning_rate=2e-5 --set recipe.max_length"
COMMANDS = {
    "xnli": "goldproof run transfer --preset paper --set data.corpus=xnli --set data.hub=true --set task=pair "
    f"{_MORE}=128 --set data.languages=ar,bg,de,el,es,fr,hi,ru,sw,th,tr,ur,vi,zh",
    "mlqa": "goldproof run transfer --preset paper --set data.corpus=mlqa --set rows.corpora=en/train=squad "
    f"--set data.hub=true --set task=question {_MORE}=384 --set data.languages=ar,de,es,hi,vi,zh",
    "conll2003": "goldproof run transfer --preset paper --set data.corpus=conll2003 --set task=tokens "
    f"--set rows.corpora=es=conll2002,nl=conll2002 {_MORE}=128 --set data.languages=de,es,nl",
}
"""The paper's other corpora. It gathers what others report on MLQA and CoNLL, and runs neither itself."""


def experiments(config: Config) -> tuple[StudyExperiment, ...]:
    """What is run with these settings; with the paper's, beside it what a command of its own runs."""
    corpus = "" if has_own(config) else config.data.corpus
    own = StudyExperiment("your data" if has_own(config) else corpus, PLACES.get(corpus, ()), lambda: jobs(config))
    if corpus != PAPER.data.corpus:
        return (own,)
    return (own, *(StudyExperiment(name, PLACES[name], command=command) for name, command in COMMANDS.items()))
