"""Language models that answer prompts: likelihoods against a plain computation, text, and what cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldproof.errors import ModelError
from goldproof.models import likelihoods
from goldproof.models.language_model import LanguageModel, language_model, speaks
from goldproof.models.likelihoods import DecoderScorer
from goldproof.models.protocols import Prompted, PromptQuestion, Sampling
from goldproof.models.tiny import write_tiny_model

pytestmark = pytest.mark.needs("models")

WORDS = ["review", "the", "film", "was", "good", "bad", "very", "not", "so", "a", "long", "story", "with", "and", "of"]
WORDS += ["it", "is", "sentiment", ":", "one", "two", "three"]
EXAMPLES = "review : the film was so very good and long sentiment : good review : it was bad sentiment : not good "
OPTIONS = (" good", " not good", " not so very bad", " bad and long")
CONTEXTS = [f"{EXAMPLES}review : the film is {'very ' * (i % 5)}{w} sentiment :" for i, w in enumerate(WORDS[:14])]


def tiny(folder: Path, family: str, **options: object) -> LanguageModel:
    return language_model(write_tiny_model(folder / family, WORDS, family, n_positions=96, speaks=True, **options))


def plain_likelihoods(model: LanguageModel, context: str, options: tuple[str, ...]) -> list[float]:
    """One pass for each answer with nothing padded, shared or kept, in double precision."""
    import torch
    import transformers

    folder, local = model.source.folder, {"local_files_only": True}
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **local)
    config = transformers.AutoConfig.from_pretrained(folder, **local)
    kind = transformers.AutoModelForSeq2SeqLM if config.is_encoder_decoder else transformers.AutoModelForCausalLM
    network = kind.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager", **local).eval()
    found = []
    for option in options:
        answer = tokenizer(option, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            if config.is_encoder_decoder:
                asked = torch.tensor([tokenizer(context)["input_ids"]])
                before = torch.tensor([[config.decoder_start_token_id, *answer[:-1]]])
                logits = network(input_ids=asked, decoder_input_ids=before).logits[0]
            else:
                asked = [tokenizer.bos_token_id, *tokenizer(context, add_special_tokens=False)["input_ids"]]
                logits = network(input_ids=torch.tensor([[*asked, *answer]])).logits[0, len(asked) - 1 : -1]
        shares = torch.log_softmax(logits, -1)
        found.append(float(sum(shares[place, token] for place, token in enumerate(answer))))
    return found


@pytest.mark.parametrize("family", ["gpt2", "llama", "t5", "bart"])
def test_likelihoods_are_those_of_a_plain_computation(family: str, tmp_path: Path) -> None:
    model = tiny(tmp_path, family)
    opened = model.open()
    asked = [PromptQuestion(context, OPTIONS[: 2 + i % 3]) for i, context in enumerate(CONTEXTS)]
    found = opened.likelihoods(asked)
    for question, each in zip(asked, found, strict=True):
        assert np.abs(each.values - plain_likelihoods(model, question.context, question.options)).max() < 1e-4
    if isinstance(opened.scorer, DecoderScorer):
        assert opened.scorer.is_checked
        assert not opened.scorer.is_plain  # what is shared was computed once


def test_order_and_company_make_no_difference(tmp_path: Path) -> None:
    opened = tiny(tmp_path, "llama").open()
    asked = [PromptQuestion(context, OPTIONS) for context in CONTEXTS]
    together = opened.likelihoods(asked)
    alone = [opened.likelihoods([question])[0] for question in asked]
    turned = opened.likelihoods(asked[::-1])[::-1]
    small = DecoderScorer(opened.network, batch_tokens=40)
    opened.scorer = small
    in_parts = opened.likelihoods(asked)
    for others in (alone, turned, in_parts):
        assert max(np.abs(a.values - b.values).max() for a, b in zip(together, others, strict=True)) < 1e-5


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_the_output_layer_reads_rows_as_one_matrix(family: str, tmp_path: Path) -> None:
    """Else torch multiplies row by row, and in half precision copies the whole layer for each of them."""
    opened = tiny(tmp_path, family).open()
    seen = []
    opened.network.get_output_embeddings().register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    opened.likelihoods([PromptQuestion(context, OPTIONS) for context in CONTEXTS])
    assert any(each.shape[0] > 1 and each.shape[1] > 1 for each in seen)
    for each in seen:
        assert each.stride() == (each.shape[1] * each.shape[2], each.shape[2], 1)


def test_exponentials_of_many_rows_at_once_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU, where a row by itself would be a launch by itself."""
    import torch

    logits = torch.randn(7, 3, 11, generator=torch.Generator().manual_seed(0))
    targets = [[((0, 4),), ((0, 1), (2, 9))]] * 7
    alone = likelihoods._read_rows(logits, targets)
    for most in (1, 2 * 33, 10**6):
        monkeypatch.setattr(likelihoods, "_SUMMED", {"cpu": most})
        together = likelihoods._read_rows(logits, targets)
        assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(alone, together, strict=True))


def test_blanks_at_the_end_of_a_context_count_with_the_answer(tmp_path: Path) -> None:
    opened = tiny(tmp_path, "gpt2").open()
    before, after = (
        opened.likelihoods([PromptQuestion(f"the film was{end}", (word,))])[0].values
        for end, word in (("", " good"), (" ", "good"))
    )
    assert np.abs(before - after).max() < 1e-6


def test_what_is_too_long_loses_its_beginning_and_says_so(tmp_path: Path) -> None:
    opened = tiny(tmp_path, "llama").open()
    long, short = "the film was " * 60 + "very", CONTEXTS[0]
    found = opened.likelihoods([PromptQuestion(long, OPTIONS), PromptQuestion(short, OPTIONS)])
    assert [each.is_cut for each in found] == [True, False]
    assert np.isfinite(found[0].values).all()
    alone = opened.likelihoods([PromptQuestion(short, OPTIONS)])[0]
    assert np.abs(alone.values - found[1].values).max() < 1e-5


def test_an_architecture_that_misreads_such_masks_is_computed_plainly(tmp_path: Path) -> None:
    model = tiny(tmp_path, "gpt2")
    opened = model.open()
    scorer = opened.scorer
    assert isinstance(scorer, DecoderScorer)
    right = scorer._tree_mask
    scorer._tree_mask = lambda kinds, n: right(kinds, n) * 0  # type: ignore[method-assign]  # all see all
    found = opened.likelihoods([PromptQuestion(context, OPTIONS) for context in CONTEXTS[:4]])
    assert scorer.is_plain
    assert np.abs(found[3].values - plain_likelihoods(model, CONTEXTS[3], OPTIONS)).max() < 1e-4


def test_an_answer_without_a_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="adds no token after 'the film', so it has no likelihood"):
        tiny(tmp_path, "gpt2").open().likelihoods([PromptQuestion("the film", ("good", " "))])


@pytest.mark.parametrize("family", ["llama", "t5"])
def test_text_hangs_on_seed_and_item_alone(family: str, tmp_path: Path) -> None:
    opened = tiny(tmp_path, family).open()
    ids = [str(place) for place in range(len(CONTEXTS))]
    greedy = opened.generate(CONTEXTS, ids, Sampling(6))
    assert greedy == opened.generate(CONTEXTS, ids, Sampling(6, seed=3))
    drawn = opened.generate(CONTEXTS, ids, Sampling(6, 1.0, seed=1))
    assert drawn == [opened.generate([c], [i], Sampling(6, 1.0, 1))[0] for c, i in zip(CONTEXTS, ids, strict=True)]
    assert drawn != opened.generate(CONTEXTS, ids, Sampling(6, 1.0, seed=2))


def test_greedy_text_is_what_transformers_generates(tmp_path: Path) -> None:
    import torch

    opened = tiny(tmp_path, "llama").open()
    for context in CONTEXTS[:3]:
        ids = torch.tensor([[0, *opened.tokenizer(context, add_special_tokens=False)["input_ids"]]])
        theirs = opened.network.generate(ids, max_new_tokens=6, do_sample=False, pad_token_id=1)[0, ids.shape[1] :]
        (said,) = opened.generate([context], ["x"], Sampling(6))
        assert said.text == opened.tokenizer.decode(theirs, skip_special_tokens=True)


@pytest.mark.parametrize("family", ["llama", "t5"])
def test_a_text_that_has_the_most_tokens_and_no_end_is_cut(family: str, tmp_path: Path) -> None:
    import torch

    opened = tiny(tmp_path, family).open()
    (said,) = opened.generate(CONTEXTS[:1], ["x"], Sampling(6))
    assert said.is_cut
    ids = torch.tensor(opened._contexts(CONTEXTS[:1], 6))
    made = opened.network.generate(ids, max_new_tokens=6, do_sample=False, pad_token_id=0)
    opened.network.generation_config.eos_token_id = int(made[0, -1])  # the last token ends it
    (ended,) = opened.generate(CONTEXTS[:1], ["x"], Sampling(6))
    assert not ended.is_cut


def test_a_conversation_takes_the_form_of_the_model(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "llama", WORDS, "llama", speaks=True)
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text("utf-8"))
    turn, end = "[{{ m.role }}] {{ m.content }}", "{% if add_generation_prompt %}[assistant]{% endif %}"
    settings["chat_template"] = f"{{% for m in messages %}}{turn} {{% endfor %}}{end}"
    path.write_text(json.dumps(settings), "utf-8")
    opened = language_model(folder).open()
    assert opened.has_dialogue
    assert opened.dialogue(["good ?", "yes", "bad ?"]) == "[user] good ? [assistant] yes [user] bad ? [assistant]"
    plain = language_model(folder, chat="never")
    assert not plain.open().has_dialogue
    assert plain.digest != language_model(folder).digest != language_model(folder, precision="bfloat16").digest


def test_what_speaks_is_told_from_the_configuration(tmp_path: Path) -> None:
    assert speaks(str(write_tiny_model(tmp_path / "a", WORDS, "llama", speaks=True)))
    assert speaks(str(write_tiny_model(tmp_path / "b", WORDS, "t5", speaks=True)))
    assert not speaks(str(write_tiny_model(tmp_path / "c", WORDS, "bert")))
    assert not speaks(str(tmp_path / "nowhere"))
    assert not speaks("fake")


def test_an_encoder_cannot_be_asked(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "distilbert", WORDS, "distilbert")
    with pytest.raises(ModelError, match="models of the type 'distilbert' do not generate text, so they cannot be"):
        language_model(folder).open()


def test_weights_without_a_head_are_refused(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path / "llama", WORDS, "llama")
    with pytest.raises(ModelError, match=r"the weights lack 'lm_head.weight', without which it gives no text"):
        language_model(folder).open()


def test_it_is_a_prompted_model(tmp_path: Path) -> None:
    assert isinstance(tiny(tmp_path, "gpt2"), Prompted)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_its_layers_are_read_as_an_encoders(family: str, pooling: str, tmp_path: Path) -> None:
    """The same folder is asked and probed; its twin has random weights in the same layers."""
    import torch

    from goldproof.measures.activations import open_reader
    from goldproof.models.readout import Readout
    from goldproof.models.transformer import transformer

    model = tiny(tmp_path, family)
    opened = model.open()
    texts = ["the film was good", "it is a very long story with one two three", "bad"]
    readout = Readout(pooling=pooling, dtype="float32", special_tokens=False)  # type: ignore[arg-type]
    found = open_reader(transformer(model.source.folder), readout).read(texts).vectors
    for row, text in enumerate(texts):
        coded = opened.tokenizer(text, return_tensors="pt", return_token_type_ids=False)
        with torch.no_grad():
            layers = opened.network(**coded, output_hidden_states=True).hidden_states
        inside = [layer[0, 1:-1] for layer in layers]  # without the tokens that begin and end a text
        theirs = torch.stack([each[-1] if pooling == "last" else each.mean(0) for each in inside])
        assert np.abs(found[:, row] - theirs.numpy()).max() < 1e-4
    twin = open_reader(transformer(model.source.folder, random_weights=True), readout).read(texts).vectors
    assert twin.shape == found.shape
    assert np.abs(twin - found).max() > 0.01
