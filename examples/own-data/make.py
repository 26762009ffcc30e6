"""Makes the files of this folder: short Swiss German (gsw) and German (de) sentences on weather, food and travel.

They are put together from phrases, half of them with a phrase of another topic in front, and show how files of one's
own are given; they are no corpus, and scores on them say nothing of any model. `python examples/own-data/make.py`
"""

from __future__ import annotations

import csv
import itertools
import random
from pathlib import Path

FOLDER = Path(__file__).parent
TOPICS = {
    "Wätter": {
        "gsw": [
            "es rägnet",
            "d Sunne schint",
            "s schneit",
            "de Himmel isch grau",
            "es isch recht chalt",
            "de Näbel blibt",
        ],
        "de": [
            "es regnet",
            "die Sonne scheint",
            "es schneit",
            "der Himmel ist grau",
            "es ist sehr kalt",
            "der Nebel bleibt",
        ],
    },
    "Ässe": {
        "gsw": [
            "mir choched Rösti",
            "s Brot isch früsch",
            "de Chäs schmöckt",
            "si bacht en Chueche",
            "d Suppe isch heiss",
            "är isst en Öpfel",
        ],
        "de": [
            "wir kochen Rösti",
            "das Brot ist frisch",
            "der Käse riecht",
            "sie backt einen Kuchen",
            "die Suppe ist heiss",
            "er isst einen Apfel",
        ],
    },
    "Reis": {
        "gsw": [
            "de Zug fahrt ab",
            "mir gönd uf Bärn",
            "s Schiff isch voll",
            "si stiigt us",
            "de Bus chunnt spät",
            "är packt de Koffer",
        ],
        "de": [
            "der Zug fährt ab",
            "wir gehen nach Bern",
            "das Schiff ist voll",
            "sie steigt aus",
            "der Bus kommt spät",
            "er packt den Koffer",
        ],
    },
}
WHEN = {
    "gsw": ["Hüt", "Am Morge", "Am Abig", "Sit geschter", "Jetz", "Am Mäntig", "Im Winter", "Im Summer", "Wie immer"],
    "de": [
        "Heute",
        "Am Morgen",
        "Am Abend",
        "Seit gestern",
        "Jetzt",
        "Am Montag",
        "Im Winter",
        "Im Sommer",
        "Wie immer",
    ],
}
AFTER = {
    "gsw": ["", "bi üs", "im Dorf", "in Züri", "leider", "zum Glück"],
    "de": ["", "bei uns", "im Dorf", "in Zürich", "leider", "zum Glück"],
}
WORDS = {
    "Nomen": "Sunne Himmel Näbel Rösti Brot Chäs Chueche Suppe Öpfel Zug Bärn Schiff Bus Koffer Dorf Züri",
    "Verb": "rägnet schint schneit isch blibt choched schmöckt bacht isst fahrt gönd stiigt chunnt packt",
}
JOIN = {"gsw": "Nöd, dass {other}: {this}", "de": "Nicht, dass {other}: {this}"}


def sentences(language: str, seed: int) -> list[dict[str, str]]:
    """Sentences with their topic, each once; a tag says whether another topic is named first."""
    rng = random.Random(seed)
    rows = []
    for topic, phrases in TOPICS.items():
        others = [each for name, found in TOPICS.items() if name != topic for each in found[language]]
        for phrase, when, after in itertools.product(phrases[language], WHEN[language], AFTER[language]):
            this = f"{phrase} {after}".strip()
            mixed = rng.random() < 0.5
            if mixed:
                this = JOIN[language].format(other=rng.choice(others), this=this)
            rows.append({"Sentence": f"{when}: {this}.", "Klass": topic, "tags": "mixed" if mixed else "plain"})
    rng.shuffle(rows)
    return rows


def inferences(seed: int) -> list[dict[str, str]]:
    """Pairs of which the second follows from the first, goes against it, or neither."""
    rng = random.Random(seed)
    phrases = [phrase for found in TOPICS.values() for phrase in found["gsw"]]
    rows = []
    for first, second in itertools.permutations(phrases, 2):
        when = rng.choice(WHEN["gsw"])
        label = rng.choice(["entailment", "neutral", "contradiction"])
        said = {"entailment": first, "neutral": rng.choice(phrases), "contradiction": f"s stimmt nöd, dass {first}"}[
            label
        ]
        if label == "neutral" and said in (first, second):
            continue
        rows.append({"premise": f"{when}: {first} und {second}.", "hypothesis": f"{said}.", "label": label})
    rng.shuffle(rows)
    return rows


def write(name: str, rows: list[dict[str, str]]) -> None:
    """A file with a header."""
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    gsw, de = sentences("gsw", 1), sentences("de", 2)
    write("Mundart train.csv", gsw[:240])
    write("Mundart test.csv", gsw[240:390])
    pairs = inferences(3)
    write("Mundart pairs train.csv", pairs[:200])
    write("Mundart pairs test.csv", pairs[200:300])
    both = [{**row, "language": language} for language, rows in (("de", de), ("gsw", gsw)) for row in rows[240:360]]
    write("Zwei Sprachen train.csv", [{**row, "language": "de"} for row in de[:200]])
    write("Zwei Sprachen test.csv", both)
    listed = [f"{word}\t{name}\n" for name, words in WORDS.items() for word in words.split()]
    (FOLDER / "Mundart words.txt").write_text("".join(listed), encoding="utf-8")
