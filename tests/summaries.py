"""A net under changes that must change nothing: the summaries of small runs, made before and after, and compared.

    python tests/summaries.py make FOLDER        runs the tiny presets, the demo, score and compare
    python tests/summaries.py compare OLD NEW    says where two such folders differ, and exits with 1 if they do

What says how a report was made and not what it found is dropped before comparing: `keys`, `provenance`, `format` and
`product`. Predictions of real models are judged too where the published corpora are at hand.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STUDIES = ("demo", "stability", "probing", "logic", "transfer", "corruption")
DROPPED = ("keys", "provenance", "format", "product")


def make(folder: Path) -> None:
    """Run everything small and keep the summaries in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        for study in STUDIES:
            _run(work, "run", study, "--preset", "tiny", "--store", "store", "--out", study)
        a, b = predictions(work)
        _run(work, "score", str(a), "--out", "score")
        _run(work, "compare", str(a), str(b), "--out", "compare")
        for name, arguments in _published():
            _run(work, *arguments, "--out", name)
        for path in sorted(work.glob("*/summary.json")):
            shutil.copy(path, folder / f"{path.parent.name}.json")


def _run(work: Path, *arguments: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-m", "goldproof", *arguments], cwd=work, env=env, check=True, capture_output=True)


def predictions(work: Path) -> tuple[Path, Path]:
    """Two files with runs, tags, clusters and probabilities, always the same."""
    paths = []
    for name, strength in (("a", 5), ("b", 7)):
        rows = []
        for run in range(4):
            for item in range(300):
                gold = (item * 7919) % 3
                draw = (item * 104729 + run * 1299709 + strength * 15485863) % 10
                answer = gold if draw < strength else (gold + 1 + draw % 2) % 3
                share = [0.2, 0.2, 0.2]
                share[answer] = 0.6
                rows.append(
                    {
                        "id": f"i{item}",
                        "gold": "abc"[gold],
                        "prediction": "abc"[answer],
                        "run": str(run),
                        "tags": [f"t:{item % 5}"],
                        "cluster": f"c{item // 3}",
                        "text": f"text {item}",
                        "probabilities": dict(zip("abc", share, strict=True)),
                    }
                )
        path = work / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        paths.append(path)
    return paths[0], paths[1]


def _published() -> Iterator[tuple[str, list[str]]]:
    data = Path(os.environ.get("GOLDPROOF_DATA") or ROOT.parent / "shared" / "data") / "predictions" / "xnli"
    models = sorted(folder for folder in data.glob("*") if folder.is_dir())
    if len(models) < 2:
        return
    first, second = (sorted(model.glob("*.json"))[:3] for model in models[:2])
    if first and second:
        yield "score-xnli", ["score", *(str(path) for path in first)]
        yield "compare-xnli", ["compare", str(first[0]), str(second[0])]


def compare(old: Path, new: Path) -> list[str]:
    """Where the summaries of two folders differ."""
    names = sorted({path.name for folder in (old, new) for path in folder.glob("*.json")})
    found = []
    for name in names:
        if not ((old / name).exists() and (new / name).exists()):
            found.append(f"{name}: in one folder only")
            continue
        before, after = (json.loads((folder / name).read_text(encoding="utf-8")) for folder in (old, new))
        found += [f"{name}{line}" for line in _differences(_kept(before), _kept(after))]
    return found


def _kept(form: Any) -> Any:
    if isinstance(form, dict):
        return {key: _kept(value) for key, value in form.items() if key not in DROPPED}
    return [_kept(value) for value in form] if isinstance(form, list) else form


def _differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if key not in before or key not in after:
                yield f"{where}.{key}: only {'after' if key not in before else 'before'}"
            else:
                yield from _differences(before[key], after[key], f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _differences(one, other, f"{where}[{i}]")
    elif before != after:
        old, new = (json.dumps(value, ensure_ascii=False)[:200] for value in (before, after))
        yield f"{where}: {old} -> {new}"


def main(arguments: list[str]) -> int:
    """The command."""
    match arguments:
        case ["make", folder]:
            make(Path(folder))
            return 0
        case ["compare", old, new]:
            found = compare(Path(old), Path(new))
            sys.stdout.write("".join(f"{line}\n" for line in found) or "no difference\n")
            return 1 if found else 0
    sys.stderr.write(f"{__doc__}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
