"""Masked words with a tiny model made on the spot: its guesses are those of its own scores."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from goldproof.builders.corruption.removal import Cloze
from goldproof.errors import ModelError, UsageError
from goldproof.measures.cloze import ClozeGuess, cloze_accuracy, guess_words
from goldproof.models.tiny import FAMILIES

pytestmark = pytest.mark.needs("models")

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "dog", "slept", "un", "##known", "."]


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    from transformers import BertTokenizerFast

    path = tmp_path_factory.mktemp("bert") / "vocab.txt"
    path.write_text("\n".join(VOCABULARY), encoding="utf-8")
    return BertTokenizerFast(vocab=str(path), model_max_length=16)


@pytest.fixture(scope="module")
def model():
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    return BertForMaskedLM(BertConfig(vocab_size=len(VOCABULARY), max_position_embeddings=16, **sizes)).eval()


def question(word, original, corrupted):
    return Cloze(word, original, corrupted)


def test_the_likeliest_piece_is_given(model, tokenizer):
    import torch

    texts = ["the [MASK] slept.", "[MASK] slept", "the dog [MASK] ."]
    questions = [question("cat", text, "the [MASK]") for text in texts]
    guesses = guess_words(model, tokenizer, questions, batch_size=2)
    for text, guess in zip(texts, guesses, strict=True):
        ids = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            scores = model(**ids).logits[0]
        at = ids["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        assert guess.original == tokenizer.decode([int(scores[at].argmax())])
    assert len({guess.corrupted for guess in guesses}) == 1


def test_a_model_that_knows_the_answer_is_right(model, tokenizer):
    import torch

    with torch.no_grad():
        model.cls.predictions.bias[VOCABULARY.index("cat")] += 100
    guesses = guess_words(model, tokenizer, [question("Cat", "the [MASK] slept", "the [MASK]")] * 3)
    found = cloze_accuracy([*guesses, ClozeGuess("unknown", "cat", "cat", False)])
    assert (found.original.value, found.corrupted.value, found.difference.value) == (0.75, 0.75, 0.0)
    assert (found.p_value, found.n_several_pieces) == (1.0, 1)


def test_pieces_are_counted(model, tokenizer):
    guesses = guess_words(model, tokenizer, [question(word, "the [MASK]", "[MASK]") for word in ("dog", "unknown")])
    assert [guess.one_piece for guess in guesses] == [True, False]


@pytest.mark.parametrize("family", ["roberta", "mpnet"])
def test_a_model_that_keeps_positions_for_padding_is_not_asked_beyond_them(family, tokenizer):
    from transformers import AutoConfig, AutoModelForMaskedLM

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = AutoConfig.for_model(family, vocab_size=len(VOCABULARY), max_position_embeddings=16, **sizes)
    long = "the [MASK] " + "slept " * 30
    (guess,) = guess_words(AutoModelForMaskedLM.from_config(config), tokenizer, [question("dog", long, long)])
    assert guess.original == guess.corrupted != ""


@pytest.mark.parametrize("family", [name for name, (kind, _) in FAMILIES.items() if not kind.endswith(("t5", "bart"))])
def test_the_last_layer_is_asked_about_masks_alone_and_says_the_same(family, tokenizer):
    """Every architecture: the guess is the best of the scores that transformers gives for all places."""
    import torch
    from transformers import AutoConfig, AutoModelForMaskedLM

    from goldproof.models.transformer_network import quiet

    kind, sizes = FAMILIES[family]
    config = AutoConfig.for_model(
        kind, **sizes, vocab_size=len(VOCABULARY), max_position_embeddings=32, initializer_range=0.5, pad_token_id=0,
        bos_token_id=2, eos_token_id=3, cls_token_id=2, sep_token_id=3,
    )  # fmt: skip
    with quiet():
        model = AutoModelForMaskedLM.from_config(config).eval()
    torch.manual_seed(1)
    for parameter in model.parameters():
        if parameter.ndim > 1:  # biases stay 0, so that none wins everywhere
            parameter.data.normal_(0, 1.0)
    texts = ["the [MASK] slept.", "[MASK]", "the dog [MASK] . the cat slept .", "dog dog [MASK] cat"]
    guesses = guess_words(model, tokenizer, [question("cat", text, "the [MASK]") for text in texts], batch_size=3)
    expected = []
    for text in texts:
        given = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            scores = model(**given).logits[0, given["input_ids"][0].tolist().index(tokenizer.mask_token_id)]
        expected.append(tokenizer.decode([int(scores.argmax())]).strip())
    assert [guess.original for guess in guesses] == expected
    assert len(set(expected)) > 1


def test_a_mask_beyond_the_model_is_an_empty_guess(model, tokenizer):
    long = "the " * 30 + "[MASK]"
    assert guess_words(model, tokenizer, [question("dog", long, "[MASK]")])[0].original == ""


def test_the_difference_is_paired():
    guesses = (
        [ClozeGuess("a", "a", "b", True)] * 10
        + [ClozeGuess("a", "b", "a", True)] * 2
        + [ClozeGuess("a", "a", "a", True)] * 8
    )
    found = cloze_accuracy(guesses)
    assert (found.original.value, found.corrupted.value) == (0.9, 0.5)
    assert round(found.p_value, 4) == 0.0225  # McNemar's mid-p of 10 and 2


def test_wrong_use(model, tokenizer):
    with pytest.raises(UsageError) as error:
        guess_words(model, tokenizer, [question("dog", "the <mask>", "<mask>")])
    assert str(error.value) == "a question has no mask '[MASK]': 'the <mask>'"
    with pytest.raises(UsageError) as error:
        cloze_accuracy([])
    assert str(error.value) == "cloze accuracy needs at least one guess; got none"

    class NoMask:
        mask_token = None

    with pytest.raises(ModelError) as error:
        guess_words(model, NoMask(), [])
    assert str(error.value) == "the tokenizer has no mask; a masked language model is needed"


def test_a_model_in_a_folder_is_asked_for_the_first_word_of_a_class(model, tokenizer, tmp_path):
    from goldproof.builders.tagging import Tagging, make_table
    from goldproof.data.dataset import Dataset
    from goldproof.measures.cloze import ask_masked
    from goldproof.models.source import find_source

    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    first, second = "the cat slept .", "slept ."
    taggings = [
        Tagging((0, 4, 8, 14), (3, 7, 13, 15), ("DET", "NOUN", "VERB", "."), ("the", "cat", "slept", ".")),
        Tagging((0, 6), (5, 7), ("VERB", "."), ("slept", ".")),
    ]
    data = Dataset.from_rows("pairs", [{"text": first, "pair": second}, {"text": first, "pair": first}])
    guesses = ask_masked(find_source(tmp_path), data, make_table([first, second], taggings), ("NOUN",))
    expected = guess_words(model, tokenizer, [question("cat", "the [MASK] slept .", "the [MASK] slept .")])
    assert guesses == expected  # each distinct text once; the one without a noun is left out


def test_a_model_without_a_masked_language_head_is_refused(tokenizer, tmp_path):
    """Transformers would draw a head at random, whose 0 % would look like a result."""
    from transformers import BertConfig, BertModel

    from goldproof.models.transformer_network import load_masked

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    BertModel(BertConfig(vocab_size=len(VOCABULARY), max_position_embeddings=16, **sizes)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(ModelError) as error:
        load_masked(tmp_path)
    message = (
        f"{tmp_path}: these weights have no head that was trained to fill masks (cls.predictions.bias and N more "
        "parameters would be random numbers), so what it fills in for a word would mean nothing; give a masked "
        "language model that was saved with its head, or none (setting why.masked_model)"
    )
    assert re.sub(r"and \d+ more", "and N more", str(error.value)) == message


def test_a_study_refuses_such_a_model_before_any_work(tokenizer, model, tmp_path):
    from goldproof.models.named import check_models
    from goldproof.studies.corruption import TINY, jobs
    from goldproof.studies.corruption.settings import Why

    head, bare = tmp_path / "head", tmp_path / "bare"
    model.save_pretrained(head)
    model.base_model.save_pretrained(bare)
    for folder in (head, bare):
        tokenizer.save_pretrained(folder)
    planned = {
        folder: jobs(replace(TINY, why=Why(masked_model=str(folder), cloze=("generated/paraphrase",))))
        for folder in (head, bare)
    }
    check_models(planned[head])
    with pytest.raises(ModelError, match="these weights have no head that was trained to fill masks"):
        check_models(planned[bare])
