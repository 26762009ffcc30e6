"""A network made for closed2, trained by a curriculum: what it learns, by task, three seeds, on 1,000 test pairs.

    python benchmarks/logic_network.py [language] [tasks, as 1234567] [seeds, as 0,1,2] [pairs to learn from]

A transformer of random weights whose layers look by turns at the words of a sentence and at the other mentions of a
name; the same weights in each of four rounds. It is told which words are the same name, by a number for each name of a
pair, and which names stand in the hypothesis; it is told no rule, no path from name to name, and no logic. Words that
are no names are those that training writes small, or that stand in a fifth of its pairs.

The curriculum: (1) hypotheses that repeat a sentence of the premise or turn it round; (2) the templates at the smallest
n they can be drawn at, and some of (1); (3) the same at the smallest three; (4) the training pairs of closed2. Each
ends when 97 % of the last 50 batches are right, or after its steps. 1,000 pairs to test on, seed 0, as in
`benchmarks/logic_control.py`, with names that no stage has.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from goldproof.builders.logic import linked
from goldproof.builders.logic.build import CorpusRecipe, build_corpus, find_task
from goldproof.builders.logic.forms import Form, Name, Taller, Visit, canonical
from goldproof.builders.logic.grammar import GENDERS, load_grammar
from goldproof.builders.logic.pairs import CONTRADICTION, label_of
from goldproof.builders.logic.prover import prove
from goldproof.builders.logic.realise import Casting, realise
from goldproof.builders.logic.templates import Contrast, LogicTask, Template

PAD, BETWEEN, ASKED, OTHER, WORDS = 0, 1, 2, 10, 80  # numbers of tokens: names of the hypothesis, other names, words
DIMENSION, HEADS, ROUNDS, POSITIONS = 48, 4, 4, 64
BATCH, RATE, ENOUGH, LOOK = 32, 2e-3, 0.97, 50
STEPS = (400, 800, 600, 600)
_WORD = re.compile(r"\w+(?:-\w+)*|[.,']")


@dataclass(frozen=True)
class MadePair:
    """A pair of texts and whether it is a contradiction."""

    premise: str
    hypothesis: str
    contradicts: bool
    template: str


def worded(forms: Sequence[tuple[Form, str]], language: str, rng: np.random.Generator) -> list[MadePair]:
    """Forms in words, with names of the training split; each label is proved."""
    grammar, found = load_grammar(language), []
    names = grammar.vocabularies["train"]
    for form, template in forms:
        sketch, gender = canonical(form), GENDERS[int(rng.integers(2))]
        people = names.people(gender)
        who = [people[i] for i in rng.permutation(len(people))[: len(sketch.people)]]
        where = [names.places[i] for i in rng.permutation(len(names.places))[: len(sketch.places)]]
        texts = realise(sketch.form, grammar, Casting(who, where, gender))
        label = label_of(prove(sketch.form))
        found.append(MadePair(texts.premise, texts.hypothesis, label == CONTRADICTION, template))
    return found


def drawn(template: Template, size: int, rng: np.random.Generator) -> Contrast:
    """A contrast of at least this size: some templates cannot be drawn as small."""
    while True:
        try:
            return template.draw(size, rng)
        except (IndexError, ValueError):
            size += 1


def templates_for(task: str) -> list[Template]:
    """The templates of a task of closed2; all of them for the mixed one."""
    wanted = find_task(task)
    return [each for each in linked.TEMPLATES if wanted in (each.task, LogicTask.MIXED)]


def linked_forms(task: str, sizes: Sequence[int], n: int, rng: np.random.Generator) -> list[tuple[Form, str]]:
    """Both members of contrasts, of these sizes above the smallest that can be drawn (0)."""
    found: list[tuple[Form, str]] = []
    chosen = templates_for(task)
    for number in range(n // 2):
        template = chosen[number % len(chosen)]
        contrast = drawn(template, min(template.sizes[0], 2) + int(rng.choice(sizes)), rng)
        found += [(contrast.contradiction, template.name), (contrast.other, template.name)]
    return found


def plain_forms(task: str, n: int, rng: np.random.Generator) -> list[tuple[Form, str]]:
    """A sentence of a premise repeated, and turned round; none of a task whose premises have no such sentence."""
    found: list[tuple[Form, str]] = []
    for form, template in linked_forms(task, (0, 1), 4 * n, rng)[::2]:
        simple = [each for each in form.premise if _is_simple(each)]
        if simple and len(found) < n:
            said = simple[int(rng.integers(len(simple)))]
            found += [(Form(form.premise, said), template), (Form(form.premise, _turned(said)), template)]
    return found


def _is_simple(sentence: object) -> bool:
    one = isinstance(sentence, Visit) and len(sentence.subjects) == len(sentence.objects) == 1
    one = one and isinstance(sentence.subjects[0], Name)
    return one or (isinstance(sentence, Taller) and len(sentence.others) == 1)


def _turned(said: Visit | Taller) -> Visit | Taller:
    if isinstance(said, Visit):
        return Visit(said.subjects, said.objects, not said.negated)
    return Taller(said.others[0], (said.who,))


@dataclass(frozen=True)
class Reader:
    """Numbers for words: those that are no names have one each, a name has one that lasts for its pair."""

    words: dict[str, int]

    @classmethod
    def learn(cls, pairs: Sequence[MadePair]) -> Reader:
        counts: Counter[str] = Counter()
        for pair in pairs:
            counts.update(set(_WORD.findall(f"{pair.premise} {pair.hypothesis}")))
        kept = (word for word, n in counts.items() if not word[0].isupper() or n >= len(pairs) / 5)
        return cls({word: WORDS + place for place, word in enumerate(sorted(kept))})

    def table(self, pairs: Sequence[MadePair]) -> tuple[torch.Tensor, torch.Tensor]:
        """Token numbers (pairs × tokens) and labels."""
        rows = [self._row(pair) for pair in pairs]
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
        return torch.from_numpy(ids), torch.tensor([int(pair.contradicts) for pair in pairs])

    def _row(self, pair: MadePair) -> list[int]:
        premise, hypothesis = _WORD.findall(pair.premise), _WORD.findall(pair.hypothesis)
        asked = dict.fromkeys(word for word in hypothesis if word not in self.words)
        names = {word: min(ASKED + place, OTHER - 1) for place, word in enumerate(asked)}
        others = dict.fromkeys(word for word in premise if word not in self.words and word not in names)
        names |= {word: min(OTHER + place, WORDS - 1) for place, word in enumerate(others)}
        known = self.words | names
        return [known[word] for word in premise] + [BETWEEN] + [known[word] for word in hypothesis]


class Attention(torch.nn.Module):
    """Several heads over what a mask lets them see."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(DIMENSION)
        self.inside, self.out = torch.nn.Linear(DIMENSION, 3 * DIMENSION), torch.nn.Linear(DIMENSION, DIMENSION)

    def forward(self, states: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        n, length, _ = states.shape
        parts = self.inside(self.norm(states)).view(n, length, 3, HEADS, DIMENSION // HEADS).permute(2, 0, 3, 1, 4)
        scores = parts[0] @ parts[1].transpose(-1, -2) * (DIMENSION // HEADS) ** -0.5
        weights = (scores + torch.where(seen, 0.0, -1e4)[:, None]).softmax(-1)
        return self.out((weights @ parts[2]).transpose(1, 2).reshape(n, length, DIMENSION))


class LinkedNetwork(torch.nn.Module):
    """Rounds of: look at the sentence, look at the name's other mentions, think."""

    def __init__(self, n_words: int, end: int) -> None:
        super().__init__()
        self.end = end
        self.tables = torch.nn.ModuleList(
            torch.nn.Embedding(rows, DIMENSION) for rows in (WORDS + n_words, POSITIONS, 2)
        )
        for table in self.tables:
            torch.nn.init.normal_(table.weight, std=0.5)
        self.sentence, self.mentions = Attention(), Attention()
        self.think = torch.nn.Sequential(
            torch.nn.LayerNorm(DIMENSION),
            torch.nn.Linear(DIMENSION, 2 * DIMENSION),
            torch.nn.GELU(),
            torch.nn.Linear(2 * DIMENSION, DIMENSION),
        )
        self.head = torch.nn.Sequential(torch.nn.LayerNorm(DIMENSION), torch.nn.Linear(DIMENSION, 2))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        n, length = ids.shape
        places, itself = torch.arange(length).expand(n, length), torch.eye(length, dtype=torch.bool)
        ends = (ids == self.end) | (ids == BETWEEN)
        number = ends.long().cumsum(1) - ends.long()
        after = torch.where(ends, places + 1, 0).cummax(1).values
        start = torch.cat([torch.zeros_like(after[:, :1]), after[:, :-1]], 1)
        second = (ids == BETWEEN).long().cumsum(1)
        is_name = (ids >= ASKED) & (ids < WORDS)
        within = ((number[:, :, None] == number[:, None, :]) & (ids != PAD)[:, None, :]) | itself
        same = (ids[:, :, None] == ids[:, None, :]) & is_name[:, None, :] & ~itself
        has_others = same.any(-1)[..., None]
        words, positions, texts = self.tables
        states = words(torch.where(is_name & (ids > OTHER), OTHER, ids))
        states = states + positions((places - start).clamp(max=POSITIONS - 1)) + texts(second)
        for _ in range(ROUNDS):
            states = states + self.sentence(states, within)
            states = states + self.mentions(states, same) * has_others
            states = states + self.think(states)
        asked = ((second > 0) & (ids > BETWEEN)).float()[..., None]
        return self.head((states * asked).sum(1) / asked.sum(1))


def learn(
    network: LinkedNetwork, table: tuple[torch.Tensor, torch.Tensor], steps: int, rate: float, seed: int
) -> tuple[int, float]:
    """Train until enough are right; gives the steps taken and the share of the last batches that was right."""
    ids, labels = table
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, betas=(0.9, 0.99))
    generator = torch.Generator().manual_seed(seed)
    lengths = (ids != PAD).sum(1)
    right = [0.0]
    for step in range(steps):
        rows = torch.randint(len(ids), (BATCH,), generator=generator)
        optimizer.param_groups[0]["lr"] = rate * min(1.0, (step + 1) / 50) * max(0.1, 1 - step / steps)
        found = network(ids[rows, : int(lengths[rows].max())])
        loss = F.cross_entropy(found, labels[rows])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        right.append(float((found.argmax(1) == labels[rows]).float().mean()))
        if step % LOOK == LOOK - 1 and np.mean(right[-LOOK:]) >= ENOUGH:
            return step + 1, float(np.mean(right[-LOOK:]))
    return steps, float(np.mean(right[-LOOK:]))


def curriculum(language: str, task: str, n: int, whole: list[MadePair], seed: int) -> list[list[MadePair]]:
    """The pairs of each stage."""
    rng = np.random.default_rng([seed, 1])
    plain = plain_forms(task, n // 2, rng)
    smallest = linked_forms(task, (0,), n, rng)
    stages = [plain, smallest + plain[: n // 4], linked_forms(task, (0, 1, 2), n, rng)]
    return [*(worded(forms, language, rng) for forms in stages), whole]


def test_right(network: LinkedNetwork, table: tuple[torch.Tensor, torch.Tensor]) -> np.ndarray:
    """Which test pairs are right."""
    with torch.no_grad():
        found = [network(part).argmax(1) for part in table[0].split(50)]
    return (torch.cat(found) == table[1]).numpy()


def main() -> None:
    torch.set_num_threads(1)
    given = sys.argv[1:] + ["en", "1234567", "0,1,2", "4000"][len(sys.argv) - 1 :]
    language, tasks, seeds, n = given[0], given[1], [int(seed) for seed in given[2].split(",")], int(given[3])
    print("| | task | seed | steps of each stage | right on test, % | lowest template | processor seconds |")
    print("|---|---|---|---|---|---|---|")
    for task in tasks:
        corpus = build_corpus(CorpusRecipe(language, task, n, 1_000))
        train, test = (
            [MadePair(one.premise, one.hypothesis, one.label == CONTRADICTION, one.template) for one in part]
            for part in (corpus.train, corpus.test)
        )
        for seed in seeds:
            torch.manual_seed(seed)
            began, stages = time.process_time(), curriculum(language, task, n, train, seed)
            reader = Reader.learn([pair for stage in stages for pair in stage])
            network = LinkedNetwork(len(reader.words), reader.words["."])
            taken = []
            for place, (stage, steps) in enumerate(zip(stages, STEPS, strict=True)):
                if stage:
                    done, share = learn(network, reader.table(stage), steps, RATE if place < 2 else RATE / 2, seed)
                    taken.append(f"{done} ({100 * share:.0f} %)")
            right = test_right(network, reader.table(test))
            names = np.array([pair.template for pair in test])
            low, worst = min((float(right[names == name].mean()), name) for name in set(names.tolist()))
            where = f"| {language} | {find_task(task).number} {find_task(task).value} | {seed} "
            row = f"{where}| {', '.join(taken)} | {100 * right.mean():.1f} | {worst} {100 * low:.1f} "
            print(f"{row}| {time.process_time() - began:.0f} |", flush=True)


if __name__ == "__main__":
    main()
