"""N-grams of characters are scikit-learn's own; n-grams of pieces are those of the tokenizer."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer, models, pre_tokenizers

from goldproof.errors import DataError, ModelError, UsageError
from goldproof.models.ngrams import NGrams, ngrams, tfidf_features

pytestmark = pytest.mark.needs("models")

TEXTS = ["It rains in Spain.", "It snows.", "In Spain it rains."]


@pytest.fixture
def tokenizer(tmp_path):
    made = Tokenizer(models.WordLevel({"It": 0, "rains": 1, "snows": 2, "Spain": 3, "?": 4}, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def test_characters():
    peer = TfidfVectorizer(analyzer="char", ngram_range=(1, 4), max_features=50).fit(TEXTS[:2]).transform(TEXTS)
    found = tfidf_features(ngrams(max_features=50), TEXTS[:2], TEXTS)
    np.testing.assert_allclose(found.toarray(), peer.toarray(), atol=1e-6)


def test_pieces(tokenizer):
    spaced = ["It rains ? Spain ?", "It snows ?", "? Spain ? rains ?"]
    peer = TfidfVectorizer(token_pattern=r"\S+", lowercase=False, ngram_range=(1, 4)).fit(spaced[:2]).transform(spaced)
    found = tfidf_features(ngrams(tokenizer), TEXTS[:2], TEXTS)
    np.testing.assert_allclose(found.toarray(), peer.toarray(), atol=1e-6)


def test_identity_is_the_tokenizers_content(tokenizer, tmp_path):
    one = ngrams(tokenizer)
    copied = tmp_path / "copy.json"
    copied.write_bytes((tokenizer / "tokenizer.json").read_bytes())
    assert ngrams(copied).digest == one.digest == ngrams(copied).digest
    assert ngrams(copied) == one
    assert len({one.digest, ngrams().digest, ngrams(longest=3).digest}) == 3


def test_bad_input(tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ModelError) as caught:
        ngrams(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'tokenizer.json'}: there is no such file; give a tokenizer.json, or a folder that has one"
    )
    with pytest.raises(ModelError) as caught:
        tfidf_features(ngrams(tmp_path / "bad.json"), TEXTS, TEXTS)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.json'}: the tokenizer cannot be read (")
    with pytest.raises(UsageError, match=r"^n-grams need 1 ≤ shortest ≤ longest; got 3 to 2$"):
        NGrams(shortest=3, longest=2)
    with pytest.raises(UsageError, match=r"^max_features must be at least 1; got 0$"):
        NGrams(max_features=0)
    with pytest.raises(DataError) as empty:
        tfidf_features(ngrams(), [""], TEXTS)
    assert str(empty.value) == (
        "no n-grams could be learned from the 1 training texts (empty vocabulary; perhaps the documents only contain "
        "stop words)"
    )
