"""Give the commands thousands of damaged files: no traceback, nothing endless, every refusal in our own words.

    python benchmarks/fuzz.py                    # 70 files for each command and format, from seed 0
    python benchmarks/fuzz.py --each 2 --first 1000
    python benchmarks/fuzz.py --only score/csv --first 17 --each 1 --keep FOLDER

A file is made from a small sound one by up to three mutations, which its seed decides. Each command runs within a
worker of one command and format, with a limit of 60 s and 2 GB (of addresses, so also of memory). A case passes where
the command answers, or refuses with a line that starts with "error: "; what fails is listed with its seed.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

LIMIT_SECONDS = 60
LIMIT_BYTES = 2_000_000_000
TABLES = ("jsonl", "csv", "tsv", "parquet", "gz")
FORMATS = {
    "score": ("json", *TABLES),
    "compare": ("json", *TABLES),
    "check": ("conllu", *TABLES),
    "corrupt": TABLES,
    "run": ("toml", *TABLES),
    "export": ("json",),
}
SUFFIXES = {"gz": "jsonl.gz"}
PASSING = ("accepted", "refused")


@dataclass(frozen=True)
class Case:
    """What became of a command on a mutated file."""

    command: str
    format: str
    seed: int
    verdict: str
    code: int
    seconds: float
    mutations: str
    said: str = ""


# Sound files ----------------------------------------------------------------------------------------------------------


def rows_of(command: str) -> list[dict[str, object]]:
    """Rows of predictions or of data, as people have them: texts with quotes and umlauts, tags, probabilities."""
    texts = [
        "Кот сидел на ковре.",
        'Она сказала: "нет, спасибо"',
        "Zürich, naïve café — 3,5 %",
        "日本語のテキスト",
        "a\\b;c",
    ]
    made: list[dict[str, object]] = []
    for i in range(24):
        judged = command in ("score", "compare")
        number = i // 2 if judged else i  # of two runs
        gold = ("yes", "no", "maybe")[number % 3]
        row: dict[str, object] = {"id": str(number), "text": f"{texts[number % 5]} {number}"}
        if judged:
            guess = gold if i % 5 else "no"
            row |= {"gold": gold, "prediction": guess, "tags": ["short", "neg"][: number % 3], "run": i % 2}
            row["probabilities"] = [round(0.1 + 0.7 * (guess == label), 2) for label in ("maybe", "no", "yes")]
        else:
            row |= {"label": gold, "split": "train" if i < 18 else "test", "n": i / 2}
        made.append(row)
    return made


def sound(command: str, form: str) -> bytes:
    """The bytes of a sound file of a format."""
    if command == "export":
        return summary()
    if form == "toml":
        return TOML.encode()
    if form == "conllu":
        return CONLLU.encode()
    rows = rows_of(command)
    if form == "parquet":
        return _parquet(rows)
    if form == "json":
        return json.dumps(rows, ensure_ascii=False, indent=1).encode()
    if form in ("jsonl", "gz"):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
        return gzip.compress(lines, mtime=0) if form == "gz" else lines
    return _cells(rows, form)


def _cells(rows: list[dict[str, object]], form: str) -> bytes:
    import csv

    out = io.StringIO()
    names = list(rows[0])
    cells = [[cell if isinstance(cell, str) else json.dumps(cell) for cell in row.values()] for row in rows]
    cells = [[";".join(json.loads(c)) if n == "tags" else c for n, c in zip(names, row, strict=True)] for row in cells]
    if form == "csv":
        csv.writer(out, lineterminator="\n").writerows([names, *cells])
    else:
        out.writelines("\t".join(row) + "\n" for row in [names, *cells])
    return out.getvalue().encode()


def _parquet(rows: list[dict[str, object]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out, compression="zstd", row_group_size=10)
    return out.getvalue()


def summary() -> bytes:
    """The summary of a report, as `goldproof export` takes it."""
    from goldproof.judging.score import score
    from goldproof.report.summary_json import report_json

    return report_json(score(rows_of("score")).report()).encode()


TOML = """# settings of a study
seeds = [0, 1]
level = 0.95
classes = ["NOUN", "ADJ"]

[data]
languages = ["en"]
most_train = 20

[columns]
text = "text"
"""
CONLLU = "".join(
    f"""# sent_id = s{i}
# text = Du chat {i}.
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tDe\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\tGender=Masc|Number=Sing\t3\tdet\t_\t_
3\tchat\tchat\tNOUN\t_\tGender=Masc|Number=Sing\t0\troot\t_\t_
3.1\tdort\tdormir\tVERB\t_\t_\t_\t_\t_\t_
4\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=No

"""
    for i in range(6)
)

# Mutations ------------------------------------------------------------------------------------------------------------

Mutation = Callable[[bytes, random.Random], bytes]
VALUES = [
    *(b"null", b"true", b"NaN", b"-0", b"1e400", b"1e-400", b"0x10", b"9" * 25, b"9" * 5000, b"-1", b"1.0", b'""'),
    *(b"[]", b"{}", b'{"a": 1}', b"[1, 2]", b"[null]", b'["a", 3]', b"[[1], [2]]", b'"\\ud800"', b"'", b"=1+1", b"inf"),
    *(b"2024-01-01", "\u202eabc".encode(), "１２".encode(), b"%s%n", b"../../etc", b"a" * 140_000),
]
SIGNS = [b'"', b"'", b",", b"\t", b";", b"\\", b"{", b"}", b"[", b"]", b":", b"=", b"\n", b"\r", b"\0", b"#", b"."]


def flip(content: bytes, rng: random.Random) -> bytes:
    """Change a few bytes."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8, 40))):
        if made:
            made[rng.randrange(len(made))] = rng.randrange(256)
    return bytes(made)


def cut(content: bytes, rng: random.Random) -> bytes:
    """Keep a part: without the end, the start or something between."""
    a, b = sorted((rng.randrange(len(content) + 1), rng.randrange(len(content) + 1)))
    return rng.choice((content[:b], content[a:], content[:a] + content[b:]))


def splice(content: bytes, rng: random.Random) -> bytes:
    """Put a part of the file elsewhere in it, as often as not many times."""
    a, b, at = sorted(rng.randrange(len(content) + 1) for _ in range(3))
    return content[:at] + content[a:b] * rng.choice((1, 1, 2, 50)) + content[at:]


def sign(content: bytes, rng: random.Random) -> bytes:
    """Put signs that mean something where they do not belong, or change one for another throughout."""
    if rng.random() < 0.3:
        return content.replace(rng.choice(SIGNS), rng.choice(SIGNS))
    made = content
    for _ in range(rng.choice((1, 2, 5))):
        at = rng.randrange(len(made) + 1)
        made = made[:at] + rng.choice(SIGNS) + made[at:]
    return made


def value(content: bytes, rng: random.Random) -> bytes:
    """Put a value of another kind in the place of a cell, in one line or in all."""
    lines = content.split(b"\n")
    which = range(len(lines)) if rng.random() < 0.3 else [rng.randrange(len(lines))]
    new, at = rng.choice(VALUES), rng.random()
    for number in which:
        separator = next((s for s in (b"\t", b", ", b": ", b",", b" = ") if s in lines[number]), b" ")
        cells = lines[number].split(separator)
        cells[int(at * len(cells))] = new
        lines[number] = separator.join(cells)
    return b"\n".join(lines)


def nest(content: bytes, rng: random.Random) -> bytes:
    """Put deep nesting somewhere."""
    depth, (start, end) = rng.choice((50, 500, 100_000)), rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"a.", b"")))
    at = rng.randrange(len(content) + 1)
    closed = rng.random() < 0.5
    return content[:at] + start * depth + (b"1" + end * depth if closed else b"") + content[at:]


def ends(content: bytes, rng: random.Random) -> bytes:
    """Other line ends, byte order marks, NULs and encodings."""
    return rng.choice(
        (
            lambda: content.replace(b"\n", b"\r"),
            lambda: content.replace(b"\n", b"\r\n"),
            lambda: content.replace(b"\n", b"\n\n"),
            lambda: content.replace(b"\n", b"\0"),
            lambda: b"\xef\xbb\xbf" * rng.choice((1, 2)) + content,
            lambda: b"\xff\xfe" + content.decode("utf-8", "replace").encode("utf-16-le"),
            lambda: content.decode("utf-8", "replace").encode("latin-1", "replace"),
            lambda: content + b"\0" * 100,
            lambda: b"\n" * 1000 + content,
        )
    )()


def header(content: bytes, rng: random.Random) -> bytes:
    """Repeat, drop or double the names of the first line."""
    first, newline, rest = content.partition(b"\n")
    separator = b"\t" if b"\t" in first else b","
    names = first.split(separator)
    new = rng.choice(
        (
            lambda: [*names, names[0]],
            lambda: [names[0]] * len(names),
            lambda: names[1:],
            lambda: [b"" for _ in names],
            lambda: [name.upper() + b" " for name in names],
            lambda: [*names, *names],
        )
    )()
    return separator.join(new) + newline + (content if rng.random() < 0.2 else rest)


def empty(content: bytes, rng: random.Random) -> bytes:
    """Nothing, or next to nothing."""
    return rng.choice((b"", b"\n", b" ", content[:1], b"\xef\xbb\xbf", content.partition(b"\n")[0]))


MUTATIONS: list[Mutation] = [flip, cut, splice, sign, value, value, nest, ends, header, empty]


def mutated(command: str, form: str, seed: int) -> tuple[bytes | None, str]:
    """The file of a seed (the sound one below 0) and the names of its mutations; None is a folder in its place."""
    if seed < 0:
        return sound(command, form), "none"
    rng = random.Random(f"{command}/{form}/{seed}")
    if rng.random() < 0.01:
        return None, "folder"
    content = sound(command, form)
    # Half of the packed files are changed before they are packed, so that not all end at the same error.
    inside = form == "gz" and rng.random() < 0.6
    content = gzip.decompress(content) if inside else content
    if form == "parquet" and rng.random() < 0.5:
        return _mutated_table(command, rng)
    chosen = [rng.choice(MUTATIONS) for _ in range(rng.choice((1, 1, 2, 3)))]
    for mutate in chosen:
        content = mutate(content, rng)
    return (gzip.compress(content, mtime=0) if inside else content), "+".join(m.__name__ for m in chosen)


def _mutated_table(command: str, rng: random.Random) -> tuple[bytes, str]:
    """A whole Parquet file whose columns are of other kinds, repeated, empty or not UTF-8."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist(rows_of(command))
    at = rng.randrange(table.num_columns)
    name, n = table.column_names[at], table.num_rows
    bad = pa.Array.from_buffers(
        pa.string(), n, [None, pa.array(range(n + 1), pa.int32()).buffers()[1], pa.py_buffer(b"\xff" * n)]
    )
    columns = {
        "null": pa.nulls(n),
        "number": pa.array([i / 3 for i in range(n)]),
        "whole": pa.array(range(n)),
        "true": pa.array([True] * n),
        "lists": pa.array([["a", None]] * n),
        "lists of lists": pa.array([[[1]]] * n),
        "map": pa.array([{"a": 1}] * n),
        "bytes": pa.array([b"\xff"] * n),
        "not UTF-8": bad,
        "date": pa.array([0] * n, pa.date32()),
        "time": pa.array([0] * n, pa.timestamp("ns")),
        "decimal": pa.array([1] * n, pa.decimal128(5, 2)),
        "unsigned": pa.array([2**64 - 1] * n, pa.uint64()),
        "dictionary": pa.array(["a", "b"] * (n // 2)).dictionary_encode(),
        "half null": pa.array([None, "a"] * (n // 2)),
        "nan": pa.array([float("nan"), 1.0] * (n // 2)),
    }
    kind = rng.choice([*columns, "twice", "no rows", "no columns"])
    if kind in columns:
        table = table.set_column(at, name, columns[kind])
    elif kind == "twice":
        table = table.append_column(name, table.column(at))
    else:
        table = table.slice(0, 0) if kind == "no rows" else table.select([])
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue(), f"table:{kind} {name}"


# Running --------------------------------------------------------------------------------------------------------------


def arguments(command: str, form: str, path: Path, folder: Path) -> list[str]:
    """The command line that reads a file."""
    other = folder / f"other.{SUFFIXES.get(form, form)}"
    match command:
        case "score":
            return ["score", str(path)]
        case "compare":
            return ["compare", str(other), str(path)]
        case "check":
            return ["check", str(path)]
        case "export":
            return ["export", str(path), "--model", "a", "--dataset", "d"]
        case "corrupt":
            out = folder / f"out.{SUFFIXES.get(form, form)}"
            tagger = ["--language", "ru", "--tagger", "pymorphy3", "--workers", "1"]
            return ["corrupt", str(path), "--out", str(out), "--remove", "NOUN", *tagger]
    study = ["run", "corruption", "--preset", "tiny", "--dry-run", "--store", str(folder / "store")]
    if form == "toml":
        return [*study, "--config", str(path)]
    return [*study, "--set", "tasks=[]", "--set", f"data.train={path}", "--set", "control=none"]


def run_case(command: str, form: str, seed: int, folder: Path) -> Case:
    """Write the file of a seed, run the command on it in this process, and say what became of it."""
    from goldproof.cli import run_command

    content, mutations = mutated(command, form, seed)
    path = folder / f"case.{SUFFIXES.get(form, form)}"
    _remove(path)
    path.mkdir() if content is None else path.write_bytes(content)
    err, start = io.StringIO(), time.perf_counter()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            code = run_command(arguments(command, form, path, folder))
    except BaseException as error:  # noqa: BLE001 - what escapes is what is looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        return Case(command, form, seed, "traceback", -1, time.perf_counter() - start, mutations, said[:300])
    said = err.getvalue().replace(str(folder), "…")
    good = said.startswith("error: ") and "Traceback" not in said
    verdict = "accepted" if code in (0, 1, 3) and not said.startswith("error: ") else "refused" if good else "unclear"
    return Case(command, form, seed, verdict, code, time.perf_counter() - start, mutations, said[:300])


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def work(command: str, form: str, first: int, each: int, folder: Path) -> None:
    """Run the seeds of a command and format, a line of JSON before and after each."""
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    out = os.fdopen(os.dup(1), "w", buffering=1)
    (folder / f"other.{SUFFIXES.get(form, form)}").write_bytes(sound(command, form))
    for seed in range(first, first + each):
        out.write(json.dumps({"start": seed}) + "\n")
        out.write(json.dumps(asdict(run_case(command, form, seed, folder)), ensure_ascii=False) + "\n")


def run_cell(command: str, form: str, first: int, each: int, folder: Path) -> Iterator[Case]:
    """All seeds of a command and format; a worker that dies or hangs fails its seed, and another goes on after it."""
    seed, last = first, first + each
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"}
    environment |= {"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    while seed < last:
        words = [sys.executable, __file__, "--worker", f"{command}/{form}", f"--first={seed}"]
        words += ["--each", str(last - seed), "--folder", str(folder)]
        errors = (folder / "worker.txt").open("w")
        worker = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment, cwd=folder)
        timer, hung = None, threading.Event()

        def stop(worker: subprocess.Popen[str] = worker, hung: threading.Event = hung) -> None:
            hung.set()
            worker.kill()

        assert worker.stdout is not None
        for line in worker.stdout:
            found = json.loads(line)
            if timer is not None:
                timer.cancel()
            if "start" in found:
                seed = found["start"]
                timer = threading.Timer(LIMIT_SECONDS, stop)
                timer.start()
            else:
                seed += 1
                yield Case(**found)
        code = worker.wait()
        if timer is not None:
            timer.cancel()
        errors.close()
        if code or hung.is_set():
            said = (folder / "worker.txt").read_text(errors="replace")[-300:]
            verdict = f"over {LIMIT_SECONDS} s" if hung.is_set() else "died"
            yield Case(command, form, seed, verdict, code, 0.0, mutated(command, form, seed)[1], said)
            seed += 1


def fuzz(each: int, first: int, only: str = "", keep: Path | None = None) -> list[Case]:
    """Run all commands and formats, or one, and give what became of each case."""
    cases: list[Case] = []
    for command, forms in FORMATS.items():
        for form in forms:
            if only and only not in (command, f"{command}/{form}"):
                continue
            with tempfile.TemporaryDirectory() as folder:
                cases += run_cell(command, form, first, each, Path(folder))
                sys.stderr.write(f"{command}/{form}: {len(cases)} files so far\n")
                if keep is not None:
                    shutil.copytree(folder, keep / command / form, dirs_exist_ok=True)
    return cases


def table(cases: list[Case]) -> str:
    """Counts for each command and format, as a table."""
    cells: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        cells.setdefault((case.command, case.format), []).append(case)
    lines = ["| command | format | files | accepted | refused | failed | slowest, s |", "|---|---|--:|--:|--:|--:|--:|"]
    for (command, form), found in [*cells.items(), (("all", ""), cases)]:
        counts = Counter(case.verdict for case in found)
        n_failed = len(found) - sum(counts[verdict] for verdict in PASSING)
        slowest = max((case.seconds for case in found), default=0)
        row = (command, form, len(found), counts["accepted"], counts["refused"], n_failed, f"{slowest:.1f}")
        lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
    return "\n".join(lines)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=70, help="files for each command and format")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", default="", help="one command, or command/format")
    parser.add_argument("--out", type=Path, help="write each case as a line of JSON")
    parser.add_argument("--keep", type=Path, help="folder that keeps the last file of each command and format")
    parser.add_argument("--worker", default="", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(*given.worker.split("/"), given.first, given.each, given.folder)
        return 0
    cases = fuzz(given.each, given.first, given.only, given.keep)
    if given.out is not None:
        given.out.write_text("".join(json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in cases))
    print(table(cases))
    failed = [case for case in cases if case.verdict not in PASSING]
    for case in failed:
        print(f"{case.command}/{case.format} seed {case.seed} ({case.mutations}): {case.verdict}: {case.said}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
