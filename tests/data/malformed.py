"""Malformed files, how each is read, and the whole message that it must give."""
# ruff: noqa: E501 - a whole message stands on one line, as the user sees it

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldproof.data.checking.checks import check
from goldproof.data.corpora.published import read_published
from goldproof.data.formats.token_columns import read_tagged
from goldproof.data.formats.treebank import read_conllu
from goldproof.data.predictions import iter_prediction_batches, read_predictions
from goldproof.data.readers import iter_batches, read


@dataclass(frozen=True)
class Bad:
    """A file with these bytes, read in this way, must give this message; {path} stands for the file."""

    name: str
    content: bytes
    reader: Callable[[Path], Any]
    message: str


def _published(layout: str, language: str = "und") -> Callable[[Path], Any]:
    return lambda path: read_published(path, layout, language=language)


def _word(number: str, head: str = "0") -> bytes:
    return f"{number}\tcats\tcat\tNOUN\tNNS\t_\t{head}\troot\t_\t_\n".encode()


GOOD_LINE = b'{"text": "A cat sat.", "label": "yes"}\n'
TABLE = [
    Bad("empty.jsonl", b"", read, "{path}: the file is empty"),
    Bad("bom-only.csv", b"\xef\xbb\xbf", read, "{path}: the file is empty"),
    Bad("blank.jsonl", b"\n\n", read, "{path}: the file has no rows"),
    Bad("header-only.tsv", b"text\tlabel\n", read, "{path}: the file has no rows"),
    Bad(
        "a.xlsx",
        b"PK",
        read,
        "{path}: no known format has the extension '.xlsx'; allowed: .bio, .conll, .csv, .iob, .iob2, .json, .jsonl, "
        ".ndjson, .parquet, .tsv, .txt (also with .gz); save the sheet as CSV",
    ),
    Bad(
        "noextension",
        b"text",
        read,
        "{path}: no known format has the extension ''; allowed: .bio, .conll, .csv, .iob, .iob2, .json, .jsonl, "
        ".ndjson, .parquet, .tsv, .txt (also with .gz)",
    ),
    Bad(
        "latin1.jsonl",
        GOOD_LINE + b'{"text": "caf\xe9", "label": "no"}\n',
        read,
        "{path}, line 2: not UTF-8: byte 0xe9 at position 14 of the line; save the file as UTF-8",
    ),
    Bad(
        "latin1.tsv",
        b"text\tlabel\nna\xefve\tyes\n",
        read,
        "{path}, line 2: not UTF-8: byte 0xef at position 3 of the line; save the file as UTF-8",
    ),
    Bad(
        "latin1.csv",
        b"text,label\n\xff,yes\n",
        read,
        "{path}, line 2: not UTF-8: byte 0xff at position 1 of the line; save the file as UTF-8",
    ),
    Bad(
        "broken.jsonl",
        GOOD_LINE + b'{"text": "A cat", "label"\n',
        read,
        "{path}, line 2: not JSON: Expecting ':' delimiter at character 26",
    ),
    Bad(
        "two-objects.jsonl",
        GOOD_LINE + b'{"text": "a"} {"text": "b"}\n',
        read,
        "{path}, line 2: not JSON: Extra data at character 15",
    ),
    Bad(
        "array.jsonl", GOOD_LINE + b"[1, 2]\n", read, "{path}, line 2: a JSON object is needed on each line; got a list"
    ),
    Bad("number.jsonl", b"3\n", read, "{path}, line 1: a JSON object is needed on each line; got an integer"),
    Bad(
        "surrogate.jsonl",
        GOOD_LINE + b'{"text": "\\ud800", "label": "no"}\n',
        read,
        "{path}, line 2: not JSON: half of a surrogate pair in a string",
    ),
    Bad(
        "nan.jsonl",
        b'{"text": "a", "score": 1.5}\n{"text": "b", "score": NaN}\n',
        read,
        "{path}, line 2: not JSON: NaN is not a JSON number",
    ),
    Bad(
        "infinite.csv", b"text,score\na,1.5\nb,inf\n", read, "{path}, line 3: 'score' must be a finite number; got inf"
    ),
    Bad(
        "words-as-score.csv",
        b"text,score\na,1.5\nb,high\n",
        read,
        "{path}, line 3: 'score' must be a number; got 'high'",
    ),
    Bad(
        "missing-key.jsonl",
        GOOD_LINE + b'{"label": "no"}\n',
        read,
        "{path}, line 2: 'text' is missing or null; every row needs it",
    ),
    Bad(
        "null-text.jsonl",
        GOOD_LINE + b'{"text": null, "label": "no"}\n',
        read,
        "{path}, line 2: 'text' is missing or null; every row needs it",
    ),
    Bad(
        "wrong-type.jsonl",
        GOOD_LINE + b'{"text": 7, "label": "no"}\n',
        read,
        "{path}, line 2: 'text' is a string in earlier lines; got an integer: 7",
    ),
    Bad(
        "text-is-number.jsonl",
        b'{"text": 7, "label": "no"}\n',
        read,
        "{path}, line 1: 'text' must be text; got a whole number: 7",
    ),
    Bad(
        "nested.jsonl",
        b'{"text": {"en": "a"}, "label": "no"}\n',
        read,
        '{path}, line 1: \'text\' must be a text, a number or a list of these; got {"en": "a"}',
    ),
    Bad(
        "float-label.jsonl",
        b'{"text": "a", "label": 0.5}\n',
        read,
        "{path}, line 1: 'label' must be a class as text or a whole number (a number to predict is a score=…); got a number: 0.5",
    ),
    Bad(
        "nan-label.csv",
        b"text,label\na,yes\nb,nan\n",
        read,
        "{path}, line 3: 'label' must be a class; got 'nan', a missing number",
    ),
    Bad(
        "label-absent.jsonl",
        GOOD_LINE + b'{"text": "It slept."}\n',
        read,
        "{path}, line 2: no label here, but 1 of the 2 rows of split 'all' have one; give it one, or leave the row out",
    ),
    Bad(
        "unknown-label.jsonl",
        GOOD_LINE,
        lambda path: read(path, labels=["no", "maybe"]),
        "{path}, line 1: the label 'yes' is not known; allowed: no, maybe",
    ),
    Bad(
        "wrong-column.jsonl",
        GOOD_LINE,
        lambda path: read(path, text="premise"),
        "{path}: there is no column 'premise'; columns found: text, label",
    ),
    Bad(
        "no-text-column.csv",
        b"a,b\n1,2\n",
        read,
        "{path}: data need a column 'text'; columns found: a, b; looked for: text, sentence, content, review, document, premise, sentence1, question1, text1, question; "
        "say which one it is with --column text=NAME (corrupt: --columns NAME; settings: columns.text=NAME), in Python text='NAME'",
    ),
    Bad(
        "duplicate-id.jsonl",
        b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n\n{"id": 1, "text": "c"}\n',
        read,
        "{path}, line 4: the id '1' occurs 2 times in split 'all', first in row 1",
    ),
    Bad(
        "float-id.jsonl",
        b'{"id": 1.5, "text": "a"}\n',
        read,
        "{path}, line 1: 'id' must be text or a whole number; got a number: 1.5",
    ),
    Bad(
        "ragged.tsv",
        b"text\tlabel\nA cat\tyes\nA dog\n",
        read,
        "{path}, line 3: 2 columns separated by TAB are needed (text, label); got 1",
    ),
    Bad(
        "too-wide.csv",
        b"text,label\nA cat,yes,no\n",
        read,
        "{path}, line 2: 2 columns separated by ',' are needed (text, label); got 3",
    ),
    Bad(
        "no-name.csv",
        b"text,label,,\nA cat,yes,,\n,,,\nA dog,no,,why\n",
        read,
        "{path}, line 4: why stands in column 4, which has no name in the first line",
    ),
    Bad("twice.csv", b"text,label,text\na,b,c\n", read, "{path}, line 1: the header names the column 'text' twice"),
    Bad(
        "open-quote.csv",
        b'text,label\n"A cat,yes\n',
        read,
        "{path}, line 2: not a well-formed CSV row: a quoted cell is never closed",
    ),
    Bad(
        "after-quote.csv",
        b'text,label\n"A cat" sat,yes\n',
        read,
        "{path}, line 2: not a well-formed CSV row: ',' expected after '\"'",
    ),
    Bad(
        "tokens.jsonl",
        b'{"tokens": ["a", "b"], "token_labels": ["O"]}\n',
        read,
        "{path}, line 1: 2 labels as tokens are needed; got 1",
    ),
    Bad(
        "tokens-as-text.jsonl",
        b'{"tokens": "a b", "token_labels": ["O"]}\n',
        read,
        "{path}, line 1: 'tokens' must be a list of strings; got text: a b",
    ),
    Bad("garbage.jsonl.gz", b"not gzip at all", read, "{path}: not a complete gzip file: Not a gzipped file (b'no')"),
    Bad(
        "cut.jsonl.gz",
        gzip.compress(GOOD_LINE * 50, mtime=0)[:-10],
        read,
        "{path}: not a complete gzip file: Compressed file ended before the end-of-stream marker was reached",
    ),
    Bad(
        "not-parquet.parquet",
        b"PAR1 and then nothing of use",
        read,
        "{path}: not a complete Parquet file: its footer cannot be read",
    ),
    Bad(
        "stream.jsonl",
        GOOD_LINE + b'{"text": 7}\n',
        iter_batches,
        "{path}, line 2: 'text' is a string in earlier lines; got an integer: 7",
    ),
    Bad(
        "nine.conllu",
        b"# sent_id = 1\n" + _word("1").replace(b"\t_\n", b"\n"),
        read_conllu,
        "{path}, line 2: CoNLL-U needs 10 columns separated by TAB (ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, "
        "DEPREL, DEPS, MISC); got 9",
    ),
    Bad(
        "id.conllu",
        _word("one"),
        read_conllu,
        "{path}, line 1: ID must be a number, a range (3-4) or an empty node (5.1); got 'one'",
    ),
    Bad(
        "order.conllu",
        _word("1") + _word("3", "1"),
        read_conllu,
        "{path}, line 2: words must be numbered 1, 2, 3, …: expected 2; got 3",
    ),
    Bad(
        "head.conllu",
        _word("1") + _word("2", "9"),
        read_conllu,
        "{path}, line 2: HEAD 9 is not a word of this sentence, which has 2 words",
    ),
    Bad(
        "no-head.conllu",
        _word("1", "_"),
        read_conllu,
        "{path}, line 1: HEAD must be the number of a word, or 0 for the root; got '_'",
    ),
    Bad(
        "circle.conllu",
        _word("1", "2") + _word("2", "1"),
        read_conllu,
        "{path}, line 1: the heads of word 1 form a cycle",
    ),
    Bad(
        "range.conllu",
        _word("2-1"),
        read_conllu,
        "{path}, line 1: the range 2-1 must start after word 0 and increase",
    ),
    Bad("comments.conllu", b"# only a comment\n", read_conllu, "{path}: the file has no sentences"),
    Bad(
        "prefix.txt",
        b"en:Paris\tB-LOC\nfr:Lyon\tB-LOC\n",
        _published("token-tag", "en"),
        "{path}, line 2: each token must begin with 'en:'; got 'fr:Lyon'",
    ),
    Bad(
        "tag.txt",
        b"en:Paris\tCITY\n",
        _published("token-tag", "en"),
        "{path}, line 1: a tag must be O or B-…, I-…, E-… or S-… with a name; got 'CITY'",
    ),
    Bad(
        "columns.txt",
        b"Paris B-LOC\nis VBZ O\n",
        _published("conll-ner"),
        "{path}, line 2: 2 columns are needed, as in earlier lines (token first, tag last); got 3",
    ),
    Bad(
        "no-tag.txt",
        b"Paris\n",
        read_tagged,
        "{path}, line 1: 2 columns are needed, as in earlier lines (token first, tag last); got 1",
    ),
    Bad(
        "split.txt",
        b"tr\t1\tA\nxx\t0\tB\n",
        _published("split-label-text"),
        "{path}, line 2: the split 'xx' is not known; allowed: tr, va, te",
    ),
    Bad(
        "span.csv",
        b"text\tclass\tcV\tcR1\tcR2\tV\tR1\tR2\nA cat\t1\t0:99\t\t\t\t\t\n",
        _published("agrr-tsv"),
        "{path}, line 2: cv: a span start:end must lie within the 5 characters of the text; got '0:99'",
    ),
    Bad(
        "span-words.csv",
        b"text\tclass\tcV\tcR1\tcR2\tV\tR1\tR2\nA cat\t1\tone:two\t\t\t\t\t\n",
        _published("agrr-tsv"),
        "{path}, line 2: cv: a span start:end must lie within the 5 characters of the text; got 'one:two'",
    ),
    Bad(
        "diagnostics.tsv",
        b"Lexical Semantics\tLogic\tKnowledge\tDomain\tPremise\tHypothesis\tLabel\na\tb\tc\td\te\tf\tneutral\n",
        _published("diagnostics-tsv"),
        "{path}: there is no column 'Predicate-Argument Structure'; columns found: Lexical Semantics, Logic, Knowledge, Domain, Premise, Hypothesis, Label",
    ),
    Bad(
        "layout.tsv",
        b"text\tlabel\n",
        _published("no-such-layout"),
        "there is no layout 'no-such-layout'; known: agrr-tsv, cola-tsv, conll-ner, conllu, diagnostics-jsonl, diagnostics-tsv, entailment-jsonl, label-text, logic-csv, mnli-tsv, mrpc-tsv, own, sib200-tsv, snli-jsonl, split-label-text, squad-json, sst2-tsv, stsb-csv, text-label, token-tag, xnli-genre-tsv, xnli-original-tsv, xnli-plain-tsv",
    ),
    Bad(
        "entailment.jsonl",
        b'{"premise": "a", "hypothesis": "b", "label": "maybe", "idx": 0}\n',
        _published("entailment-jsonl"),
        "{path}, line 1: the label 'maybe' is not known; allowed: entailment, not_entailment",
    ),
    Bad(
        "swahili.tsv",
        b"genre\tlabel\tsentence1_sw\tsentence2_sw\n",
        _published("xnli-genre-tsv", "ur"),
        "{path}: there is no column 'sentence1_ur'; columns found: genre, label, sentence1_sw, sentence2_sw",
    ),
    Bad(
        "no-gold.jsonl",
        b'{"id": 1, "prediction": "yes"}\n',
        read_predictions,
        "{path}: predictions need a column 'gold'; columns found: id, prediction; looked for: gold, true_label, gold_label, y_true, label, labels, target, class, category, quality, token_labels, ner_tags; "
        "say which one it is with --column gold=NAME, in Python columns={'gold': 'NAME'}",
    ),
    Bad(
        "no-id.csv",
        b"gold,prediction\nyes,no\n",
        read_predictions,
        "{path}: predictions need a column 'id'; columns found: gold, prediction; looked for: id, idx, guid, "
        "index_id, pairid, uid, doc_id, index, item; say which one it is with --column id=NAME, in Python "
        "columns={'id': 'NAME'}; or match the rows of both by row number with --by-row",
    ),
    Bad(
        "column.csv",
        b"id,gold,prediction\n1,yes,no\n",
        lambda path: read_predictions(path, {"gold": "truth"}),
        "{path}: there is no column 'truth'; columns found: id, gold, prediction",
    ),
    Bad(
        "role.csv",
        b"id,gold,prediction\n1,yes,no\n",
        lambda path: read_predictions(path, {"truth": "gold"}),
        "predictions have no column 'truth'; allowed: id, gold, prediction, probabilities, step, tags, run, language, split, model, dataset, cluster, text, pair",
    ),
    Bad(
        "null-gold.jsonl",
        b'{"id": 1, "gold": "yes", "prediction": "yes"}\n{"id": 2, "gold": null, "prediction": "no"}\n',
        read_predictions,
        "{path}, line 2: 'gold' is missing or null; every row needs it",
    ),
    Bad(
        "empty-gold.csv",
        b"id,gold,prediction\n1,yes,no\n2,,no\n",
        read_predictions,
        "{path}, line 3: 'gold' must be a class; got ''",
    ),
    Bad(
        "id-twice.csv",
        b"id,gold,prediction,run\n1,a,a,0\n1,a,b,1\n1,b,b,0\n",
        read_predictions,
        "{path}, line 4: the id '1' occurs twice within run '0'; first in row 1",
    ),
    Bad(
        "lengths.jsonl",
        b'{"id": 1, "gold": "a", "prediction": "a", "probabilities": [0.5, 0.5]}\n{"id": 2, "gold": "b", "prediction": "a", "probabilities": [0.2, 0.3, 0.5]}\n',
        read_predictions,
        "{path}, line 2: 'probabilities' needs the same number of classes in every row; got 3 after 2",
    ),
    Bad(
        "sum.jsonl",
        b'{"id": 1, "gold": "a", "prediction": "b", "probabilities": [0.5, 0.6]}\n',
        read_predictions,
        "{path}, line 1: 'probabilities' must sum to 1 (within 0.001); got 1.1",
    ),
    Bad(
        "negative.csv",
        b'id,gold,prediction,probabilities\n1,a,b,"[-0.5, 1.5]"\n',
        read_predictions,
        "{path}, line 2: 'probabilities' must lie between 0 and 1; got [-0.5, 1.5]",
    ),
    Bad(
        "not-json.csv",
        b"id,gold,prediction,probabilities\n1,a,b,0.5 0.5\n",
        read_predictions,
        "{path}, line 2: 'probabilities' must be JSON, such as [0.2, 0.8]; got '0.5 0.5'",
    ),
    Bad(
        "other-labels.jsonl",
        b'{"id": 1, "gold": "a", "prediction": "b", "probabilities": {"a": 0.5, "b": 0.5}}\n{"id": 2, "gold": "a", "prediction": "b", "probabilities": {"a": 0.5, "c": 0.5}}\n',
        read_predictions,
        "{path}, line 2: 'probabilities' needs the labels a, b in every row; got a, c",
    ),
    Bad(
        "too-many.jsonl",
        b'{"id": 1, "gold": "a", "prediction": "b", "probabilities": [0.2, 0.3, 0.5]}\n',
        read_predictions,
        "{path}, line 1: 3 probabilities but 2 labels (a, b); give all labels with labels=…",
    ),
    Bad(
        "label.csv",
        b"id,gold,prediction\n1,yes,no\n2,maybe,no\n",
        lambda path: read_predictions(path, labels=["yes", "no"]),
        "{path}, line 3: the label 'maybe' is not known; allowed: yes, no",
    ),
    Bad(
        "tags.jsonl",
        b'{"id": 1, "gold": ["O", "O"], "prediction": ["O"]}\n',
        read_predictions,
        "{path}, line 1: 2 predicted as gold tags are needed; got 1",
    ),
    Bad(
        "regression.csv",
        b"id,gold,prediction\n1,0.5,0.7\n2,0.1,nan\n",
        read_predictions,
        "{path}, line 3: 'prediction' is missing or null; --missing takes leave-out to allow that",
    ),
    Bad(
        "step.csv",
        b"id,gold,prediction,step\n1,a,b,last\n",
        read_predictions,
        "{path}, line 2: 'step' must be a whole number; got 'last'",
    ),
    Bad(
        "mixed.csv",
        b"id,gold,prediction\n1,0.5,high\n",
        lambda path: read_predictions(path, task="regression"),
        "{path}, line 2: 'prediction' must be a number; got 'high'",
    ),
    Bad(
        "document.json",
        b'{"examples": []}',
        read_predictions,
        '{path}: a JSON document of predictions is a list of objects, or has a list "predictions"; for one object per '
        "line use .jsonl",
    ),
    Bad(
        "broken.json",
        b'{"predictions": [',
        read_predictions,
        "{path}, line 1: not JSON: Expecting value at character 18",
    ),
    Bad(
        "key.json",
        b'{"predictions": [{"text1": "a", "text2": "b", "true_label": "Yes"}]}',
        read_predictions,
        "{path}: prediction 0: the text 'predicted_label' is missing",
    ),
    Bad(
        "answer.json",
        b'{"predictions": [{"text1": "a", "text2": "b", "true_label": "Yes", "predicted_label": "Perhaps"}]}',
        read_predictions,
        "{path}: prediction 0: the predicted_label 'Perhaps' is not known; allowed: Yes, No, Maybe",
    ),
    Bad(
        "streamed.csv",
        b"id,gold,prediction\n1,yes\n",
        iter_prediction_batches,
        "{path}, line 2: 3 columns separated by ',' are needed (id, gold, prediction); got 2",
    ),
    Bad("checked.bin", b"?", lambda path: check([path]), "{path}: of no kind that can be checked"),
]
