"""Shares of cues agree with statsmodels and scipy, the word lists with what is published about them."""

from __future__ import annotations

import gzip
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from goldproof.errors import DataError, MissingExtraError, ModelError, UsageError
from goldproof.measures import cues
from goldproof.statistics import unpaired_proportions
from goldproof.studies.corruption.published import POLARITY_CUES

pytestmark = pytest.mark.needs("english")

SETS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(items=SETS)
def test_shares_agree_with_other_libraries(items):
    cue, right = np.array(items, bool).T
    found = cues.cue_shares(cue, right)
    for share, rows in ((found.right, right), (found.wrong, ~right)):
        if not rows.any():
            assert share is None
            assert (found.difference, found.p_value) == (None, None)
            continue
        low, high = proportion_confint(cue[rows].sum(), rows.sum(), method="wilson")
        assert (share.value, share.low, share.high) == pytest.approx((cue[rows].mean(), low, high), abs=1e-9)
    if found.difference is not None:
        table = [[(cue & right).sum(), (~cue & right).sum()], [(cue & ~right).sum(), (~cue & ~right).sum()]]
        assert found.p_value == pytest.approx(stats.fisher_exact(table)[1])
        low, high = confint_proportions_2indep(table[0][0], sum(table[0]), table[1][0], sum(table[1]), method="newcomb")
        assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=1e-9)


def test_newcombe_1998_table_ii():
    """Examples (a) and (b) of Newcombe (1998), method 10."""
    for counts, low, high in (((56, 70, 48, 80), 0.0524, 0.3339), ((9, 10, 3, 10), 0.1705, 0.8090)):
        found = unpaired_proportions(*counts)
        assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_the_counts_of_section_6_1_with_an_interval():
    """383 of 761 right predictions keep a cue; the paper gives no interval and no count of wrong ones."""
    cue = POLARITY_CUES["NOUN",]
    has_cue = np.arange(cue.n_right) < cue.n_with_cue
    found = cues.cue_shares(has_cue, np.ones(cue.n_right, bool))
    assert (round(found.right.value, 3), round(found.right.low, 3), round(found.right.high, 3)) == (0.503, 0.468, 0.539)
    assert found.wrong is None


def test_paraphrases(nltk_data):
    ppdb = cues.load_ppdb()
    assert ppdb.between("The film was fine.", "A MOVIE it was") == [("film", "movie")]
    assert ppdb.between("The film", "the film") == []
    assert cues.paraphrase_cues(["film", "x"], ["movie", "movie"], ppdb).tolist() == [True, False]
    assert sum(map(len, ppdb.of_word.values())) == 2 * 202_445  # of 210,372 lines; some pairs stand both ways round


@pytest.mark.parametrize("load", [cues.load_opinion_lexicon, cues.load_vader])
def test_polarity(nltk_data, load):
    lexicon = load()
    assert cues.polarity_cues(
        ["An awful study", "A study", "Wonderful!"], ["negative", "negative", "positive"], lexicon
    ).tolist() == [True, False, True]
    assert "wonderful" in lexicon.positive
    assert not {"", ";"} & (lexicon.positive | lexicon.negative)


def test_the_opinion_lexicon_is_whole(nltk_data):
    lexicon = cues.load_opinion_lexicon()
    assert (len(lexicon.positive), len(lexicon.negative)) == (2006, 4783)
    assert "naïve" in lexicon.negative


def test_a_possessive_ending_is_no_part_of_a_word():
    lexicon = cues.Polarity(frozenset({"intelligent"}), frozenset({"late"}))
    assert lexicon.found("The late's film, by the more intelligent’s") == {
        "positive": ["intelligent"],
        "negative": ["late"],
    }


@pytest.mark.needs("nrc")
def test_the_lexicon_of_nrc():
    """Version 3.0.0 of the package has it whole; `docs/validation/corruption.md` has the paper's count by it."""
    lexicon = cues.load_nrc()
    assert (len(lexicon.positive), len(lexicon.negative)) == (2312, 3324)
    assert "abundance" in lexicon.positive


def test_without_its_package_the_lexicon_of_nrc_says_how_it_is_had(monkeypatch):
    monkeypatch.setitem(sys.modules, "nrclex", None)
    with pytest.raises(MissingExtraError, match="goldproof\\[nrc\\]"):
        cues.load_nrc()


@pytest.mark.parametrize(
    "text",
    [
        "# mine\ngood\tpositive\nAwful\tnegative\nplain\t0\n\n",
        "good\t2.5\nawful\t-1\nplain\t0.0\n",
        "good\t+\nawful\t−\n",
        "good\tpositive\t1\ngood\tjoy\t1\ngood\tnegative\t0\nawful\tnegative\t1\n",  # NRC's own form
    ],
)
def test_lexicons_of_ones_own(tmp_path, text):
    path = tmp_path / "lexicon.tsv"
    path.write_text(text, encoding="utf-8")
    assert cues.read_polarity(path) == cues.Polarity(frozenset({"good"}), frozenset({"awful"}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "good\tpositive\nawful\n",
            "line 2: a word, a tab, and positive, negative or a number is needed (or word, feeling, 1 or 0); got "
            "'awful'",
        ),
        (
            "good\tlovely\n",
            "line 1: a word, a tab, and positive, negative or a number is needed (or word, feeling, 1 or 0); got "
            "'good\\tlovely'",
        ),
        ("good\tpositive\n", "there is no negative word in this lexicon; words of both polarities are needed"),
    ],
)
def test_a_file_that_is_no_lexicon_is_named(tmp_path, text, message):
    path = tmp_path / "lexicon.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        cues.read_polarity(path)
    assert str(path) in str(error.value)
    assert str(error.value).endswith(message)


def test_files_of_paraphrases(tmp_path):
    ppdb, plain, bad = tmp_path / "ppdb-2.0-l-lexical.gz", tmp_path / "pairs.tsv", tmp_path / "bad.tsv"
    lines = (
        "[NN] ||| film ||| movie ||| PPDB2.0Score=5.1 ||| 0-0 ||| Equivalence\n[NP] ||| a film ||| movie ||| x ||| y\n"
    )
    with gzip.open(ppdb, "wt", encoding="utf-8") as stream:
        stream.write(lines)
    plain.write_text("Film\tmovie\n\n", encoding="utf-8")
    for path in (ppdb, plain):
        assert cues.read_paraphrases(path) == cues.Paraphrases.of([("film", "movie")])
    bad.write_text("film movie\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        cues.read_paraphrases(bad)
    assert str(error.value).endswith(
        "line 1: a line of PPDB (… ||| phrase ||| paraphrase ||| …) or two words with a tab between them is needed; "
        "got 'film movie'"
    )
    bad.write_text("a film\ta movie\n", encoding="utf-8")
    with pytest.raises(DataError, match="there is no pair of single words among its 1 lines"):
        cues.read_paraphrases(bad)


def test_wrong_use(nltk_data, monkeypatch):
    lexicon = cues.Polarity(frozenset(), frozenset())
    with pytest.raises(UsageError) as error:
        cues.polarity_cues(["a"], ["1"], lexicon)
    assert str(error.value) == "a gold polarity must be 'positive' or 'negative'; got '1'"
    with pytest.raises(UsageError) as error:
        cues.polarity_cues(["a"], [], lexicon)
    assert str(error.value) == "the number of texts and gold polarities must be equal; got 1 and 0"
    with pytest.raises(UsageError) as error:
        cues.paraphrase_cues(["a"], [], cues.Paraphrases.of([]))
    assert str(error.value) == "the number of texts and pairs must be equal; got 1 and 0"
    monkeypatch.setattr("nltk.data.path", [])
    with pytest.raises(ModelError) as error:
        cues.load_ppdb()
    assert str(error.value) == (
        "the word list 'mwa_ppdb' of NLTK's data is not on this machine; get it with: "
        "python -m nltk.downloader mwa_ppdb (or set NLTK_DATA to a folder that holds it)"
    )
