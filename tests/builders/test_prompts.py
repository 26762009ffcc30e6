"""Prompts as data: built-in sets, files of one's own, formats and examples by seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from goldproof.builders.prompts.examples import Labelled, Shots, draw_examples
from goldproof.builders.prompts.library import LANGUAGES, TASKS, built_in, read_prompts
from goldproof.builders.prompts.prompt import Prompt
from goldproof.builders.prompts.variation import vary
from goldproof.errors import DataError, UsageError

LABELS = {
    "text": ["spam", "fine"],
    "sentiment": ["negative", "positive"],
    "topic": ["science/technology", "sports", "health"],
    "pair": ["entailment", "not_entailment"],
    "contradiction": ["contradiction", "no_contradiction"],
}
ITEMS = [Labelled(str(i), f"text {i}", None, "aab"[i % 3]) for i in range(60)]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_built_in_set_has_ten_plain_variants_that_differ(task: str, language: str) -> None:
    prompts = built_in(task, language).bind(LABELS[task])
    assert len(prompts) >= 10
    asked = [prompt.question("It rains today.", "It is wet.") for prompt in prompts]
    assert len(set(asked)) == len(asked)
    for question in asked:
        assert "It rains today." in question
        assert ("It is wet." in question) == (task in ("pair", "contradiction"))
        assert "{" not in question
        assert not question[-1].isspace()  # the blank before the answer is the answer's


def test_three_way_pairs_have_three_words() -> None:
    for language in LANGUAGES:
        for prompt in built_in("pair", language).bind(["contradiction", "entailment", "neutral"]):
            assert len(set(prompt.words)) == 3


def test_texts_may_hold_braces() -> None:
    prompt = Prompt("p", "en", "Text: {text}\nOptions {options}:", (("0", "no"), ("1", "yes")))
    assert prompt.question("{options} {pair}") == "Text: {options} {pair}\nOptions no, yes:"


def test_examples_stand_before_the_question_with_their_answers() -> None:
    prompt = Prompt("p", "en", "Text: {text}\nLabel:", (("0", "no"), ("1", "yes")))
    told = [(prompt.question("A."), prompt.answer("1")), (prompt.question("B."), prompt.answer("0"))]
    turns = prompt.turns(told, prompt.question("C."))
    assert "".join(turns) == "Text: A.\nLabel: yes\n\nText: B.\nLabel: no\n\nText: C.\nLabel:"
    assert prompt.dialogue(told, prompt.question("C."))[1::2] == ("yes", "no")


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'language = "en"\n[words]\nbad = "poor"\n[[prompt]]\nname = "a"\ntemplate = "{text}\\nIt was"\n'
        '[[prompt]]\ntemplate = "Say: {text}\\nMark:"\ngap = ""\nwords = { bad = "F" }\n',
        encoding="utf-8",
    )
    first, second = read_prompts(path).bind(["0", "1"], {"0": "bad", "1": "very_good"})
    assert first.words == ("poor", "very good")
    assert (second.name, second.words, second.answer("0")) == ("prompt 2", ("F", "very good"), "F")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prompt = 3", "there is no prompt; write each under [[prompt]] with a name and a template"),
        ("[[prompt]]\nname = 'a'", "the prompt 'a' has no template"),
        (
            "[[prompt]]\nname = 'a'\ntemplate = 'x'",
            "the prompt 'a' has no {text} in its template, so it does not ask about any item",
        ),
        ("[[prompt]]\nname = 'a'\ntemplate = 3", "the template of the prompt 'a' must be text; got 3"),
        (
            "[[prompt]]\nname = 'a'\ntemplate = '{text}'\ntempalte = 'x'",
            "the prompt 'a' has the key 'tempalte'; allowed: between, comma, gap, name, template, words",
        ),
        (
            "[[prompt]]\nname = 'a'\ntemplate = '{text} {foo} {\"json\": 1}'",
            "the prompt 'a' has {foo} in its template, which stands for nothing; allowed: {text}, {pair}, {options}",
        ),
        (
            "[[prompt]]\nname = 'a'\ntemplate = '{text} { options }'",
            "the prompt 'a' has { options } in its template, which stands for nothing; allowed: {text}, {pair}, "
            "{options}",
        ),
        ("langage = 'en'", "the file has the key 'langage'; allowed: language, prompt, task, words"),
        ("[[prompt]]\nname='a'\ntemplate='{text}'\n" * 2, "two prompts are called 'a'; each needs a name of its own"),
        ("words = 3\n[[prompt]]\ntemplate='{text}'", 'the words of the file must be a table of label = "word"'),
    ],
)
def test_what_is_wrong_with_a_file_is_said(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_prompts(path)
    assert str(error.value) == f"{path}: {said}"


@pytest.mark.parametrize(
    ("task", "words", "own", "allowed"),
    [
        ("", "nega = 'bad'", "", "neg, pos"),
        ("", "", "words = { nega = 'bad' }", "neg, pos"),
        ("sentiment", "neutral = 'so so'", "words = { nega = 'bad' }", "neg, negative, neutral, pos, positive"),
    ],
)
def test_words_for_labels_that_are_nowhere_are_refused(
    task: str, words: str, own: str, allowed: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f"task = '{task}'\n[words]\n{words}\n[[prompt]]\nname = 'a'\ntemplate = '{{text}}'\n{own}")
    with pytest.raises(DataError) as error:
        read_prompts(path).bind(["neg", "pos"])
    assert str(error.value) == (
        f"{path}: the words of the prompt 'a', its own or those under [words], name the label 'nega'; "
        f"allowed: {allowed}"
    )


def test_braces_that_hold_no_name_are_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("""[[prompt]]\ntemplate = '{"text": "{text}"} {} {1}'""")
    (prompt,) = read_prompts(path).bind(["neg", "pos"])
    assert prompt.question("x") == '{"text": "x"} {} {1}'


def test_a_file_that_is_not_there_or_not_toml(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the prompts cannot be read \(No such file or directory\)"):
        read_prompts(tmp_path / "none.toml")
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="the file is not UTF-8"):
        read_prompts(tmp_path / "a.toml")
    (tmp_path / "b.toml").write_text("a = = 1")
    with pytest.raises(DataError, match="not TOML: Invalid value"):
        read_prompts(tmp_path / "b.toml")


def test_labels_that_share_a_word_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="must have a different word for each label; got 'no', 'no'"):
        built_in("pair", "en").bind(["contradiction", "not_entailment"])
    with pytest.raises(UsageError, match=r"'prompts.labels' names the label '2'; labels of the data: 0, 1"):
        built_in("text", "en").bind(["0", "1"], {"2": "x"})


def test_sets_that_are_not_there_are_named() -> None:
    with pytest.raises(UsageError, match="for the task 'tagging'; there are for: text, sentiment, topic, pair, contr"):
        built_in("tagging", "en")
    with pytest.raises(UsageError, match="in the language 'sw'; there are in: en, de, fr, es, pt, ru, sv; or give"):
        built_in("text", "sw")


def test_formats_differ_by_seed_and_keep_the_wording() -> None:
    prompt = built_in("pair", "en").bind(LABELS["pair"])[1]
    varied = [vary(prompt, seed) for seed in range(30)]
    assert len({each.question("A", "B") for each in varied}) > 10
    assert [vary(prompt, 3), vary(prompt, 4)] == varied[3:5]
    for each in varied:
        words = each.template.casefold().replace(" ", "").replace("\n", "")
        assert "premise" in words
        assert "{text}" in words
        assert "{pair}" in words
        assert "doesthehypothesisfollow" in words
        assert sorted(each.labels) == sorted(prompt.labels)
    assert len({each.labels for each in varied}) == 2  # the order of options is drawn too


def test_examples_hang_on_the_seed_and_are_those_of_fewer() -> None:
    four, eight = (draw_examples(ITEMS, Shots(n, seed=5, order=0), set()) for n in (4, 8))
    assert {item.id for item in four} <= {item.id for item in eight}
    assert draw_examples(ITEMS[::-1], Shots(4, seed=5, order=0), set()) == four
    assert {item.id for item in draw_examples(ITEMS, Shots(4, seed=6), set())} != {item.id for item in four}
    other = draw_examples(ITEMS, Shots(8, seed=5, order=1), set())
    assert sorted(item.id for item in other) == sorted(item.id for item in eight)
    assert other != eight


def test_examples_are_balanced_or_not() -> None:
    counts = [Counter(item.label for item in draw_examples(ITEMS, Shots(6, seed), set())) for seed in range(20)]
    assert all(count == {"a": 3, "b": 3} for count in counts)
    shares = [
        Counter(item.label for item in draw_examples(ITEMS, Shots(6, seed, balanced=False), set()))["a"]
        for seed in range(200)
    ]
    assert 3.6 < sum(shares) / 200 < 4.4  # two thirds of the items
    firsts = {draw_examples(ITEMS, Shots(1, seed), set())[0].label for seed in range(20)}
    assert firsts == {"a", "b"}


def test_what_is_asked_is_never_an_example() -> None:
    asked = {(item.text, None) for item in ITEMS[:50]}
    drawn = draw_examples(ITEMS, Shots(8), asked)
    assert {item.id for item in drawn} <= {item.id for item in ITEMS[50:]}
    with pytest.raises(DataError, match="11 examples were requested, but only 10 training items have texts that are"):
        draw_examples(ITEMS, Shots(11), asked)
