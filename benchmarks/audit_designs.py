"""Designs of the simulations behind `docs/validation/audit.md`, "Leaks" and "Labels": committed before they are run.

Labels: `RATES` of the rows of each world get another label, `KINDS` says which rows and which label, `REPEATS` draws of
rows and errors each, seeds 0, 1, …. A draw takes `ROWS` rows at random (all where there are fewer). Uniform errors:
rows at random, a label at random among the others. Feature-dependent errors: rows with chances that fall with the
margin of a classifier fitted on clean labels (cross-validated, words and characters), and its likeliest other label.
Clean: the same draws without errors, `CLEAN_REPEATS` each: how often the lower bound lies above `THRESHOLD`.
What was tried while the method was made: SIB-200 in Portuguese and X-Probe past_present in Russian, no world below.
"""

from __future__ import annotations

RATES = (0.02, 0.05, 0.10, 0.20)
KINDS = ("uniform", "feature-dependent")
REPEATS = 2
CLEAN_REPEATS = 10
ROWS = 1500
THRESHOLD = 0.05
WORLDS = (
    "sst2",  # two labels; a bag of words has four of five right
    "sib200/en",  # seven labels, 1,004 rows
    "sib200/de",
    "sib200/ru",
    "xprobe/en/past_present",
    "xprobe/en/subj_number",
    "gapping/ru",  # two labels, unbalanced
    "cola",  # labels that words hardly tell: the right answer is that nothing can be told
)
# The ranking was changed after 35 of these runs had been seen (seed 0: sst2, sib200/en, /de, most of /ru). What it was
# changed to was chosen on the worlds below, by draws of other seeds, before any run was made with it.
TUNED_ON = (
    "sib200/pt",
    "sib200/fr",
    "sib200/tr",
    "xprobe/ru/past_present",
    "xprobe/ru/obj_number",
    "xprobe/ru/sentence_length",
)
TUNED_FROM = 100  # their first seed
# Near copies: rows of MNLI's dev set and of RTE with at least four words in their second text, in which one word is put
# in, taken out or exchanged at a random place; half of the rows are train, the other half fresh rows of test.
COPIES_PLANTED = 1000
COPIES_SEEDS = (0, 1, 2)
MILLION = 1_000_000
