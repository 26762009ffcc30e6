"""The peer: one training through transformers.Trainer with the settings of a recipe, timed in the same process."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from goldproof.models.examples import Examples
from goldproof.training.recipe import Recipe

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()


@dataclass(frozen=True)
class PeerRun:
    seconds: float
    step_ms: float
    step_cpu_ms: float
    accuracy: float
    peak_gb: float


class Steps(transformers.TrainerCallback):
    """When each step began; the device is not waited for, as in a real run."""

    def __init__(self) -> None:
        self.stamps: list[tuple[float, float]] = []

    def on_step_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        self.stamps.append((time.perf_counter(), time.process_time()))

    def on_train_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
        wait()
        self.stamps.append((time.perf_counter(), time.process_time()))


class InOrder(transformers.Trainer):
    """A Trainer that takes the items as they come."""

    def _get_train_sampler(self, *rest: Any) -> Any:
        return torch.utils.data.SequentialSampler(self.train_dataset)


def run(path: Path, train: Examples, evaluate: Examples, recipe: Recipe, seed: int, device: str = "auto") -> PeerRun:
    """Load, tokenize, train one seed and predict; on a CPU the items are taken in their order."""
    reset_peak()
    torch.backends.cuda.matmul.fp32_precision = "tf32" if recipe.precision == "tf32" else "ieee"
    started = time.perf_counter()
    tokenizer = tokenizer_of(path)
    classes = sorted(set(map(str, train.labels or ())))
    data = rows(tokenizer, train, classes, recipe)
    held_out = rows(tokenizer, evaluate, classes, recipe)
    transformers.set_seed(seed)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(
        path, num_labels=len(classes), dtype=torch.float32, local_files_only=True
    )
    steps = Steps()
    with tempfile.TemporaryDirectory() as folder:
        trainer = (InOrder if device == "cpu" else transformers.Trainer)(
            model=model,
            args=arguments(folder, recipe, seed, device),
            train_dataset=data,
            data_collator=transformers.DataCollatorWithPadding(tokenizer),
            callbacks=[steps],
        )
        trainer.remove_callback(transformers.PrinterCallback)
        trainer.train()
        found = trainer.predict(held_out)
    wait()
    seconds = time.perf_counter() - started
    wall, cpu = (1000 * np.diff(column)[len(steps.stamps) // 4 :].mean() for column in zip(*steps.stamps, strict=True))
    accuracy = float(np.mean(found.predictions.argmax(-1) == found.label_ids))
    return PeerRun(seconds, float(wall), float(cpu), accuracy, peak_gb())


def arguments(folder: str, recipe: Recipe, seed: int, device: str) -> transformers.TrainingArguments:
    return transformers.TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=recipe.batch,
        per_device_eval_batch_size=128,
        num_train_epochs=recipe.epochs,
        max_steps=recipe.steps or -1,
        learning_rate=recipe.learning_rate,
        lr_scheduler_type=recipe.schedule,
        warmup_steps=recipe.warmup,
        weight_decay=recipe.weight_decay,
        max_grad_norm=recipe.clip or 0.0,
        seed=seed,
        save_strategy="no",
        eval_strategy="no",
        logging_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=device == "cpu",
        tf32=recipe.precision == "tf32" if torch.cuda.is_available() else None,
        bf16=recipe.precision == "bfloat16",
        dataloader_pin_memory=torch.cuda.is_available() and device != "cpu",
    )


def rows(tokenizer: Any, examples: Examples, classes: list[str], recipe: Recipe) -> list[dict[str, Any]]:
    coded = tokenizer(
        list(examples.texts),
        list(examples.pairs) if examples.pairs else None,
        truncation=True,
        max_length=recipe.max_length,
    )
    labels = [classes.index(str(label)) for label in examples.labels or ()]
    return [{**{key: coded[key][i] for key in coded}, "label": labels[i]} for i in range(examples.n)]


def tokenizer_of(path: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)


def write_random_bert(folder: Path, words: list[str], *, quick: bool) -> Path:
    """BERT-base, or a small one, with random weights and a tokenizer of these words."""
    from goldproof.models.tiny import word_tokenizer

    vocabulary = {word: i for i, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", "<mask>", *words])}
    small = (
        {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128} if quick else {}
    )
    config = transformers.BertConfig(vocab_size=len(vocabulary), pad_token_id=1, **small)
    transformers.set_seed(0)
    transformers.BertModel(config).save_pretrained(folder)
    word_tokenizer(vocabulary, 512).save_pretrained(folder)
    return folder


def wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def reset_peak() -> None:
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def peak_gb() -> float:
    return torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else float("nan")
