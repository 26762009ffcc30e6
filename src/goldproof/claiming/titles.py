"""What the sections of the page are called, and by which what stands behind each is found."""

from __future__ import annotations

REFUSED = "What may not be claimed"
SCORE = "The score"
RIVALS = "What else reaches this score?"
SOURCES = "What moves the score?"
EXAMPLES = "With examples before the question"
CATEGORIES = "In which categories?"
HARD = "On items that cues do not solve"
REMOVALS = "Without some of the words"
SIDES = "With one of the two texts"
LANGUAGES = "In other languages"
LANGUAGES_TOO = "In other languages, and with another checkpoint"
CHECKPOINT = "With another checkpoint"
CALIBRATION = "Do its probabilities mean what they say?"
LAYERS = "What do its layers know?"
DATA = "The data"
NOT_ASKED = "Not asked"
ADDED = "Added to the plan, as there was time"
RULES = "How the lights turn"
FILES = "Your data"  # as every study of the user's own files has it
WORDS_LIGHT = "Beyond words"
