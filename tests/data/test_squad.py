"""Questions in SQuAD's shape: articles, paragraphs, several golds, questions without answer; what is wrong is named."""

from __future__ import annotations

import json

import pytest

from goldproof.data.corpora.catalog import load
from goldproof.data.dataset import AnswerSpan, Dataset
from goldproof.data.formats.squad import is_squad, read_squad
from goldproof.errors import DataError
from goldproof.jobs.values import decode, encode

PASSAGE = "The final was played in Santa Clara, California."


def document(**change):
    answers = [{"text": "Santa Clara", "answer_start": 24}, {"text": "Santa Clara, California", "answer_start": 24}]
    asked = {"id": "q1", "question": "Where was it?", "answers": answers, **change}
    other = {"id": "q2", "question": "Who won?", "is_impossible": True, "answers": [], "plausible_answers": answers[:1]}
    paragraphs = [{"context": PASSAGE, "qas": [asked]}, {"context": "Nothing.", "qas": [other]}]
    return {"version": "v2.0", "data": [{"title": "Final", "paragraphs": paragraphs}]}


def write(path, form):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(form, ensure_ascii=False), encoding="utf-8")
    return path


def test_questions_have_their_passage_and_all_golds(tmp_path):
    path = write(tmp_path / "dev.json", document())
    assert is_squad(path)
    data = read_squad(path, language="en", split="validation")
    assert data.texts == ["Where was it?", "Who won?"]
    assert data.pairs == [PASSAGE, "Nothing."]
    assert data.answers[0] == (AnswerSpan(24, "Santa Clara"), AnswerSpan(24, "Santa Clara, California"))
    assert data.answers[1] == ()
    assert data.has_questions
    assert (data.languages, data.splits) == (("en",), ("validation",))


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"rows": []}, "the document has no list 'data', which SQuAD's format needs"),
        ({"data": [{}]}, "an article has no list 'paragraphs', which SQuAD's format needs"),
        (document(question=""), "question 'q1' has no text 'question'"),
        (document(id=""), "a question has no 'id'"),
        (document(answers=None), "question 'q1' has no list 'answers', which SQuAD's format needs"),
        (
            document(answers=[{"text": "Santa Clara", "answer_start": 23}]),
            "question 'q1': the answer 'Santa Clara' is not at 'answer_start' 23 of its passage",
        ),
        (
            document(answers=[{"text": "Santa Clara", "answer_start": "24"}]),
            "question 'q1': the answer 'Santa Clara' is not at 'answer_start' '24' of its passage",
        ),
        ({"data": []}, "there is no question in this file"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, form, message):
    path = write(tmp_path / "wrong.json", form)
    with pytest.raises(DataError) as error:
        read_squad(path)
    assert str(error.value) == f"{path}: {message}"


def test_other_json_is_no_such_file(tmp_path):
    assert not is_squad(write(tmp_path / "list.json", [{"a": 1}]))
    assert not is_squad(tmp_path / "absent.json")
    assert not is_squad(write(tmp_path / "rows.jsonl", {"data": []}))


def test_mlqa_is_read_from_its_files_and_from_the_hub(tmp_path):
    write(tmp_path / "mlqa" / "test" / "test-context-de-question-de.json", document())
    data = load("mlqa", language="de", split="test", root=tmp_path)
    assert data.answers[0][0] == AnswerSpan(24, "Santa Clara")
    rows = [
        {
            "id": "q1", "title": "Final", "context": PASSAGE, "question": "Where?",
            "answers": {"answer_start": [24], "text": ["Santa Clara"]},
        }
    ]  # fmt: skip
    asked = []

    def loader(identity, config, split, revision):
        asked.append((identity, config, split))
        return rows

    found = load("mlqa", language="de", split="test", hub=loader)
    assert asked == [("google/xtreme", "MLQA.de.de", "test")]
    assert found.answers == [(AnswerSpan(24, "Santa Clara"),)]
    write(tmp_path / "squad" / "train-v1.1.json", document())
    assert len(load("squad", split="train", root=tmp_path)) == 2


def test_datasets_that_were_stored_without_answers_load(tmp_path):
    data = Dataset.from_rows("old", [{"text": "a", "label": "x"}])
    assert not data.has_questions
    older = Dataset("old", data.table.drop_columns(["answers"]), data.provenance)
    assert older.table.schema == data.table.schema
    questions = Dataset.from_rows("new", [{"text": "a", "pair": "b c", "answers": [{"start": 2, "text": "c"}]}])
    encoded = encode(questions)
    encoded.write_attachments(tmp_path)
    assert decode(encoded.text, tmp_path).answers == questions.answers
