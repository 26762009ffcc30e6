"""Language models in the studies: which prompts are asked about which items, and the answers that come of it.

A study says what is asked about (`AskedSet`) and gets the jobs and, once they ran, Answers of prompts × draws. It
judges nothing.
"""

from goldproof.studies.asked.answers import AskedAnswers, asked_answers, is_kept_asked
from goldproof.studies.asked.notes import asked_notes, asked_plan_notes, call_notes, check_examples, own_sets
from goldproof.studies.asked.plan import (
    AskedSet,
    ask_jobs,
    is_asked,
    runs_of,
    set_jobs,
    some_items,
)

__all__ = [
    "AskedAnswers",
    "AskedSet",
    "ask_jobs",
    "asked_answers",
    "asked_notes",
    "asked_plan_notes",
    "call_notes",
    "check_examples",
    "is_asked",
    "is_kept_asked",
    "own_sets",
    "runs_of",
    "set_jobs",
    "some_items",
]
